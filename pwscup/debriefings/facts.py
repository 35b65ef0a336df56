# SPDX-License-Identifier: Apache-2.0
"""The facts behind a debriefing: the rounds that it may be about, the attacks that count, and a digest of them."""

from __future__ import annotations

import hashlib
import json
from dataclasses import dataclass
from typing import TYPE_CHECKING

from django.db.models import Max

import scoring
from pwscup.debriefings.models import DebriefingSettings
from pwscup.submissions import selectors
from pwscup.submissions.models import Release, Submission
from pwscup.submissions.states import UNFINISHED

if TYPE_CHECKING:
    from collections.abc import Sequence
    from datetime import datetime

    from pwscup.contests.models import Contest, Round

LAYOUT = 2
"""Incremented when the stored values change."""


@dataclass(frozen=True, slots=True)
class Source:
    """One part: a published table with the guesses about it that count, or an estimate that counts."""

    team: int
    round: int
    release: int | None
    submissions: tuple[int, ...]


def settings_of(contest: Contest) -> DebriefingSettings:
    """The organizers' choices, or the initial ones."""
    found = DebriefingSettings.objects.filter(contest=contest).first()
    return found or DebriefingSettings(contest=contest)


def rounds_of(contest: Contest, chosen: DebriefingSettings, now: datetime) -> list[Round]:
    """The rounds whose answers may be explained now: none while the boards are frozen or the data deleted.

    Those of a contest in which nothing can be submitted any more and everything is scored; with the
    organizers' choice those of such a stage. A hidden table is the same in all stages.
    """
    if contest.frozen_at is not None or contest.erased_at is not None:
        return []
    rounds = list(contest.rounds.all())
    if _is_over(rounds, now):
        over = rounds
    elif chosen.after_stages:
        stages = {round.spec.stage for round in rounds}
        parts = [[round for round in rounds if round.spec.stage == stage] for stage in stages]
        over = [round for part in parts if _is_over(part, now) for round in part]
        over = [round for round in over if not round.format.tells_of_table]
    else:
        return []
    return [
        round
        for round in over
        if round.format.has_targets or (round.format.tells_of_table and chosen.discloses_table)
    ]


def _is_over(rounds: Sequence[Round], now: datetime) -> bool:
    if not rounds or not all(round.is_settled(now) for round in rounds):
        return False
    unscored = Submission.objects.filter(round__in=rounds, state__in=UNFINISHED)
    return not selectors.may_be_late(rounds, now) and not unscored.exists()


def sources_of(contest: Contest, rounds: Sequence[Round]) -> list[Source]:
    """The parts, by round and team; disqualified teams have none, and their guesses do not count."""
    out = selectors.disqualified(contest)
    found: list[Source] = []
    for round in rounds:
        of_round = _attacks(round, out) if round.format.has_targets else _estimates(round, out)
        found += sorted(of_round, key=lambda source: source.team)
    return found


def _estimates(round: Round, out: set[int]) -> list[Source]:
    counted = selectors.counted_submissions(round)
    return [
        Source(team, round.pk, None, (submission.pk,))
        for team, submission in counted.items()
        if team not in out
    ]


def _attacks(round: Round, out: set[int]) -> list[Source]:
    published = Submission.objects.filter(releases__round=round)
    standing = selectors.standing(published).order_by().values("pk")
    releases = Release.objects.filter(round=round, submission__in=standing).exclude(team__in=out)
    guesses = selectors.standing(Submission.objects.filter(round=round)).exclude(target=None)
    guesses = guesses.exclude(team__in=out).order_by(*selectors.OLDEST_FIRST)
    last = {(team, to): pk for team, to, pk in guesses.values_list("team", "target", "pk")}
    by_target: dict[int, list[int]] = {}
    for (_team, target), pk in last.items():
        by_target.setdefault(target, []).append(pk)
    return [
        Source(team, round.pk, pk, tuple(sorted(by_target.get(pk, []))))
        for pk, team in releases.values_list("pk", "team")
    ]


def key_of(sources: Sequence[Source], contest: Contest) -> str:
    """Digest of all that the parts are computed from: equal keys, equal parts."""
    named = [[source.team, source.round, source.release, source.submissions] for source in sources]
    effective = selectors.holding().filter(submission__round__contest=contest)
    facts = [
        LAYOUT,
        scoring.__version__,
        contest.ruleset.digest,
        effective.aggregate(newest=Max("pk"))["newest"],
        named,
    ]
    return hashlib.sha256(json.dumps(facts).encode()).hexdigest()
