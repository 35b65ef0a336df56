# SPDX-License-Identifier: Apache-2.0
"""Made-up results for the tests of the boards, and a game of three teams ranked on paper."""

from __future__ import annotations

from datetime import datetime, timedelta
from types import SimpleNamespace
from typing import Any

from django.utils import timezone

from pwscup.accounts.models import Team, User
from pwscup.contests.models import Contest, Round
from pwscup.core.files import storage
from pwscup.submissions.models import Evaluation, JudgeMark, Release, Submission
from scoring.rulesets import load_ruleset
from tests import factories

MEASURES = ("U1", "U2", "U3", "U4", "U5", "U6", "S1", "S2", "E1", "E2", "E3", "E4", "EUC1", "EUC2")

# Ranks on paper; utility of Red 1 1 1 1 2 1 = 7/6, of Blue 2 3 1 3 1 1 = 11/6, of Green 2 2 3 2 3 3 = 15/6.
# Safety of Red 3 2 3 = 8/3, of Blue 2 2 2 = 2, of Green 1 1 1 = 1 (S1, S2, worst rate .95 .4 .2).
# Totals 23/12, 23/12, 7/4.
RED = (0, 0, 0, 0, 0.2, 0, 1, 2, 0.5, 0.9, 0.1, 0.2, 0.9, 0.95)
BLUE = (1.25, 3, 0, 0.1, 0.1, 0, 2, 2, 0.25, 0.3, 0.4, 0.4, 0.3, 0.35)
GREEN = (1.25, 1, 1, 0.05, 0.3, 3, 3, 7.7, 0.1, 0.2, 0.1, 0.1, None, 0.2)
# With the attacks the worst rates are .95, .6 (Red) and .97 (Red), their ranks 2 1 3, the safety ranks
# of Red 3 2 2 = 7/3, of Blue 2 2 1 = 5/3, of Green 1 1 3 = 5/3; totals 21/12, 21/12, 25/12.
GUESSES = {
    ("Red", "Blue"): 0.6,
    ("Red", "Green"): 0.97,
    ("Blue", "Red"): 0.5,
    ("Green", "Red"): 0.4,
    ("Green", "Blue"): 0.2,
}


def values_of(row: tuple[float | None, ...]) -> dict[str, Any]:
    return {
        "n_original": 4,
        "n_anonymized": 4,
        **dict(zip(MEASURES, row, strict=True)),
    }


def rate_of(rate: float) -> dict[str, Any]:
    return {"n_records": 100, "hits": round(100 * rate), "rate": rate}


def scored(
    team: Team,
    round: Round,
    values: dict[str, Any],
    *,
    target: Release | None = None,
    at: datetime | None = None,
) -> Submission:
    """A submission with its result; the later call is the later submission."""
    submission = Submission.objects.create(
        round=round,
        team=team,
        target=target,
        number=Submission.objects.filter(team=team, round=round).count() + 1,
        arrived_at=at or round.opens_at,
        state=Submission.State.SCORED,
        fence=1,
    )
    evaluate(submission, values)
    return submission


def evaluate(submission: Submission, values: dict[str, Any]) -> Evaluation:
    return Evaluation.objects.create(
        submission=submission,
        fence=submission.evaluations.count() + 1,
        ruleset_digest="d" * 64,
        scoring_version="1.0.0",
        seed="0",
        input_hashes={},
        values=values,
        seconds=0.1,
    )


def release(submission: Submission, attack: Round) -> Release:
    table, key = (
        storage.store(b"row\n1\n", area=area, name="table.csv")
        for area in (storage.Area.PUBLISHED, storage.Area.SEALED)
    )
    return Release.objects.create(
        round=attack,
        team=submission.team,
        submission=submission,
        table=table,
        key=key,
        n_records=1,
    )


def rounds_of(contest: Contest) -> tuple[Round, Round]:
    anonymization, attack = Round.objects.filter(contest=contest).order_by("position")
    return anonymization, attack


def move_to(contest: Contest, phase: str) -> None:
    """Shift the rounds so that the contest stands in `phase` now."""
    day = timedelta(days=1)
    start = timezone.now() - {"anonymization": 1, "attack": 5, "after": 9}[phase] * day
    for position, round in enumerate(rounds_of(contest)):
        round.opens_at = start + 4 * position * day
        round.closes_at = round.opens_at + 2 * day
        round.save()


def game(contest: Contest, *, phase: str = "after") -> SimpleNamespace:
    """Red, Blue and Green with their tables, released and attacked as far as `phase` goes."""
    move_to(contest, phase)
    anonymization, attack = rounds_of(contest)
    teams = {
        name: contest.teams.filter(name=name).first() or factories.make_team(contest, name)
        for name in ("Red", "Blue", "Green")
    }
    submissions = {
        name: scored(teams[name], anonymization, values_of(row))
        for name, row in (("Red", RED), ("Blue", BLUE), ("Green", GREEN))
    }
    played = SimpleNamespace(
        contest=contest,
        anonymization=anonymization,
        attack=attack,
        teams=teams,
        submissions=submissions,
        releases={},
    )
    if phase != "anonymization":
        played.releases = {name: release(s, attack) for name, s in submissions.items()}
    if phase == "after":
        add_guesses(played)
    return played


def add_guesses(played: SimpleNamespace) -> None:
    for (attacker, defender), rate in GUESSES.items():
        target = played.releases[defender]
        scored(played.teams[attacker], played.attack, rate_of(rate), target=target)


# Contests of other formats


def contest_of(
    ruleset: str, *, n_closed: int, slug: str = "other", replace: tuple[tuple[str, str], ...] = ()
) -> Contest:
    """A contest of that format in which so many rounds are over and the next has not opened yet."""
    day = timedelta(days=1)
    start = timezone.now() + (1 - 4 * n_closed) * day
    text = load_ruleset(ruleset).text
    for old, new in replace:
        assert old in text, old
        text = text.replace(old, new)
    contest = Contest.objects.create(
        slug=slug, title="Other Cup", ruleset_text=text, is_published=True
    )
    for position, spec in enumerate(contest.ruleset.rounds):
        opens_at = start + 4 * position * day
        Round.objects.create(
            contest=contest,
            key=spec.key,
            kind=spec.kind,
            position=position,
            opens_at=opens_at,
            closes_at=opens_at + 2 * day,
            tries=5,
            feedback=spec.feedback,
        )
    return contest


LOSSES = {"Red": 5 / 12, "Blue": 0.2, "Green": 0.5}
RATES = {
    ("Blue", "Red"): 2 / 3,
    ("Green", "Red"): 0.5,
    ("Red", "Blue"): 0.1,
    ("Red", "Green"): 0.4,
    ("Blue", "Green"): 0.2,
}
MARKS = {
    ("Red", "first"): (90, 80, 70),
    ("Red", "second"): (60, 60, 60),
    ("Blue", "first"): (50, 50, 50),
}


def lecture(
    *, n_closed: int = 3, replace: tuple[tuple[str, str], ...] = (), slug: str = "lecture"
) -> SimpleNamespace:
    """Three teams of a lecture contest: losses, attacks and marks, as far as its rounds have come.

    On paper: utility 58.33, 80 and 50; protection 33.33, 90 and 60; attack (10 + 40)/2 = 25,
    (66.67 + 20)/2 = 43.33 and 25; presentation (80 + 60)/2 = 70, 50 and none.
    """
    contest = contest_of("pets-lecture", n_closed=n_closed, replace=replace, slug=slug)
    rounds = {round.format.phase: round for round in contest.rounds.all()}
    teams = {name: factories.make_team(contest, name) for name in LOSSES}
    played = SimpleNamespace(
        contest=contest, teams=teams, submissions={}, releases={}, guesses={}, **rounds
    )
    for name, loss in LOSSES.items():
        played.submissions[name] = scored(teams[name], rounds["anonymization"], {"LOSS": loss})
    if n_closed >= 1:
        for name, submission in played.submissions.items():
            played.releases[name] = release(submission, rounds["attack"])
    if n_closed >= 2:
        for (attacker, defender), rate in RATES.items():
            played.guesses[attacker, defender] = scored(
                teams[attacker], rounds["attack"], rate_of(rate), target=played.releases[defender]
            )
            played.guesses[attacker, defender].evaluations.update(values={"rate": rate})
    if n_closed >= 3:
        played.judges = {
            name: factories.make_user(f"{name}-{slug}") for name in ("first", "second")
        }
        mark(played, "Red", "second", (0, 0, 0))
        for (team, judge), points in MARKS.items():
            mark(played, team, judge, points)
    return played


def mark(played: SimpleNamespace, team: str, judge: str, points: tuple[float, ...]) -> None:
    """What a judge gave for policy, algorithm and appeal; a later mark replaces an earlier one."""
    who: User = played.judges[judge]
    for criterion, given in zip(("policy", "algorithm", "appeal"), points, strict=True):
        JudgeMark.objects.create(
            round=played.presentation,
            team=played.teams[team],
            judge=who,
            criterion=criterion,
            points=given,
        )
