"""What the boards are made from, and a digest of it that is cheap to ask for.

Values that may not be shown yet are never read, so nothing that is made from `Facts` can hold
them:

- an anonymization round's values are shown as soon as they are scored where its feedback is exact,
  otherwise once the round has closed;
- an attack round's rates are shown once the round has closed, whatever its feedback: a team's own
  feedback is on its result page, a public rate would be an oracle for the others.

What counts is the submission that a team chose or the latest that was scored; once tables have
been released, it is the submission that was released.
"""

from __future__ import annotations

import hashlib
import json
from collections.abc import Iterable
from dataclasses import dataclass
from datetime import datetime
from typing import Any

from django.db.models import Count, Max, Sum

import scoring
from pwscup.accounts.models import Team
from pwscup.contests.models import Contest, Round
from pwscup.leaderboards.boards import Facts, Phase, Player, Values
from pwscup.submissions import selectors
from pwscup.submissions.models import Choice, Evaluation, Release, Submission
from pwscup.submissions.states import UNFINISHED, State

LAYOUT = 1
"""Grows when the form of the boards changes, so that no stored board of another form is served."""


@dataclass(frozen=True, slots=True)
class Stage:
    """The pair of rounds that the boards are about, seen at one moment."""

    contest: Contest
    now: datetime
    anonymization: Round | None
    attack: Round | None

    @property
    def rounds(self) -> list[Round]:
        return [round for round in (self.anonymization, self.attack) if round]

    @property
    def shown_rounds(self) -> list[Round]:
        return [round for round in self.rounds if may_show(round, self.now)]

    @property
    def shown_attack(self) -> Round | None:
        return self.attack if self.attack and may_show(self.attack, self.now) else None


def may_show(round: Round, now: datetime) -> bool:
    """Whether everybody may see the values of a round."""
    at_once = round.phase == "anonymization" and round.feedback == Round.Feedback.EXACT
    return at_once or round.is_settled(now)


def stage_of(contest: Contest, now: datetime) -> Stage:
    """The anonymization round that opened last (or will open first), and the attack round after it."""
    rounds = sorted(contest.rounds.all(), key=lambda round: round.position)
    candidates = [round for round in rounds if round.phase == "anonymization"]
    opened = [round for round in candidates if round.has_opened(now)]
    current = opened[-1] if opened else next(iter(candidates), None)
    attacks = [
        round
        for round in rounds
        if round.phase == "attack" and current and round.position > current.position
    ]
    return Stage(contest, now, current, next(iter(attacks), None))


# The digest


def key_of(stage: Stage) -> str:
    """Digest of the facts that the boards depend on: equal keys, equal boards.

    Facts are only ever added, so their number and the newest one stand for all of them; nothing of
    a round whose values are hidden enters, so not even a change of the key tells of it.
    """
    shown = [round.pk for round in stage.shown_rounds]
    contest = stage.contest
    ruleset = hashlib.sha256(contest.ruleset_text.encode()).hexdigest()
    facts = [
        [LAYOUT, scoring.__version__, ruleset, contest.pk, contest.timezone],
        [_round_key(round, stage.now) for round in stage.rounds],
        _rows(contest.teams.order_by("pk").values_list("pk", "name", "is_house")),
        _submissions_key(stage, shown),
        _count_and_newest(Evaluation.objects.filter(submission__round__in=shown)),
        _count_and_newest(Choice.objects.filter(round__in=shown)),
        _count_and_newest(Release.objects.filter(round__contest=contest)),
    ]
    return hashlib.sha256(json.dumps(facts).encode()).hexdigest()


def _round_key(round: Round, now: datetime) -> list[Any]:
    return [round.pk, round.closes_at.isoformat(), may_show(round, now), round.has_closed(now)]


def _submissions_key(stage: Stage, shown: list[int]) -> list[list[Any]]:
    scored = Submission.objects.filter(round__in=shown, state=State.SCORED).order_by()
    grouped = scored.values("round").annotate(Count("pk"), Max("pk"), Sum("pk"))
    awaited = _n_awaited(stage)
    return [
        *_rows(grouped.values_list("round", "pk__count", "pk__max", "pk__sum").order_by("round")),
        sorted(awaited.items()),
    ]


def _n_awaited(stage: Stage) -> dict[int, int]:
    """By round, how many submissions of a closed round are still to be scored."""
    closed = [round.pk for round in stage.rounds if round.has_closed(stage.now)]
    waiting = Submission.objects.filter(round__in=closed, state__in=UNFINISHED).order_by()
    return dict(waiting.values_list("round").annotate(Count("pk")))


def _count_and_newest(rows: Any) -> list[int | None]:
    return list(rows.aggregate(n=Count("pk"), newest=Max("pk")).values())


def _rows(rows: Iterable[tuple[Any, ...]]) -> list[list[Any]]:
    return [list(row) for row in rows]


# The facts


def gather(stage: Stage) -> Facts:
    """Everything the boards are made from, in a number of queries that no team adds to."""
    released = list(_released(stage.attack)) if stage.attack else []
    attack = stage.shown_attack
    awaited = _n_awaited(stage)
    return Facts(
        players=tuple(
            Player(*row)
            for row in Team.objects.filter(contest=stage.contest)
            .order_by("pk")
            .values_list("pk", "name", "is_house")
        ),
        ranking=stage.contest.ruleset.ranking,
        anonymization=_phase(stage.anonymization, stage.now, awaited),
        attack=_phase(stage.attack, stage.now, awaited),
        measured=_measured(stage, released),
        published=frozenset(release.team_id for release in released),
        rates=_rates(attack) if attack else {},
    )


def _phase(round: Round | None, now: datetime, awaited: dict[int, int]) -> Phase | None:
    if round is None:
        return None
    return Phase(
        shown=may_show(round, now),
        closed=round.has_closed(now),
        shown_at=round.closes_at.isoformat(),
        n_awaited=awaited.get(round.pk, 0),
    )


def _released(attack: Round) -> Iterable[Release]:
    return selectors.releases(attack).prefetch_related("submission__evaluations")


def _measured(stage: Stage, released: list[Release]) -> dict[int, Values]:
    if stage.anonymization is None or not may_show(stage.anonymization, stage.now):
        return {}
    if released:
        counted = {release.team_id: release.submission for release in released}
    else:
        counted = selectors.counted_submissions(stage.anonymization)
    values = {team: newest_values(submission) for team, submission in counted.items()}
    return {team: found for team, found in sorted(values.items()) if found is not None}


def _rates(attack: Round) -> dict[tuple[int, int], float]:
    counted = selectors.counted_guesses(attack)
    values = {pair: newest_values(submission) for pair, submission in counted.items()}
    return {pair: found["rate"] for pair, found in values.items() if found is not None}


def newest_values(submission: Submission) -> dict[str, Any] | None:
    """What the newest evaluation says, while the next one may be running."""
    newest = max(submission.evaluations.all(), key=lambda e: e.pk, default=None)
    return newest.values if newest else None
