"""Made-up results for the tests of the boards, and a game of three teams ranked on paper."""

from __future__ import annotations

from datetime import datetime, timedelta
from types import SimpleNamespace
from typing import Any

from django.utils import timezone

from pwscup.accounts.models import Team
from pwscup.contests.models import Contest, Round
from pwscup.core import storage
from pwscup.submissions.models import Evaluation, Release, Submission
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
