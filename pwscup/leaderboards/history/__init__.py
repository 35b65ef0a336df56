# SPDX-License-Identifier: Apache-2.0
"""Totals and ranks over time: the main board of a stage as it was at some times.

Each point is computed from the facts that were recorded before its time, by the visibility of that time, so it shows
nothing that the board did not show then. A frozen board ends its history.
"""

from __future__ import annotations

import time
from collections.abc import Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import TYPE_CHECKING

from pwscup.core.db import revisions
from pwscup.core.db.recent import Recent, Turns
from pwscup.leaderboards import facts
from pwscup.leaderboards.boards import build as boards
from pwscup.leaderboards.scope import TICK, Scope, rules_at, scope_of, stage_at

if TYPE_CHECKING:
    from pwscup.contests.models import Contest, Round
    from pwscup.core.db.revisions import Numbers

N_POINTS = 16
"""The most times of a history."""
OLD_SECONDS = 60.0
"""The time for which a history is reused although there are new results."""


@dataclass(frozen=True, slots=True)
class Place:
    """A team on the main board at one time; `rank` is 1 for the best."""

    rank: int
    total: float | None


@dataclass(frozen=True, slots=True)
class Point:
    """The main board at one time: the ranked teams by key."""

    at: datetime
    places: Mapping[int, Place]


@dataclass(frozen=True, slots=True)
class _Kept:
    numbers: Numbers
    made_at: float
    points: tuple[Point, ...]

    def holds(self, numbers: Numbers | None) -> bool:
        is_young = time.monotonic() - self.made_at < OLD_SECONDS
        return self.numbers == numbers or (
            is_young and numbers is not None and self.numbers.gate == numbers.gate
        )


_KEPT: Recent[_Kept] = Recent(100, most_weight=200_000)
_TURNS = Turns()


def history_of(
    contest: Contest, now: datetime, *, stage: str | None = None, hidden: Collection[str] = ()
) -> tuple[Point, ...]:
    """The main board of a stage over time, the oldest first; KeyError if there is no such stage.

    At most `N_POINTS` times from the opening of the stage until now, or until the freeze; times without a ranked team
    are left out.
    """
    scope = scope_of(contest, now, stage=stage, hidden=hidden)
    times = times_of(scope)
    name = (scope.variant, contest.pk, scope.hidden, scope.before, times[:1])
    numbers = revisions.current(contest.pk)
    with _TURNS.of(name):
        kept = _KEPT.get(name)
        if kept is not None and kept.holds(numbers):
            return kept.points
        points = tuple(point for point in _points(scope, times) if point.places)
        if numbers is not None:
            n_places = sum(len(point.places) for point in points)
            _KEPT.put(name, _Kept(numbers, time.monotonic(), points), weight=n_places)
    return points


def times_of(scope: Scope) -> tuple[datetime, ...]:
    """Times at equal distances, until now or until the last round of the stage was over."""
    opened = [round for round in scope.stage.rounds if round.has_opened(scope.now)]
    if not opened:
        return ()
    first = min(round.opens_at for round in opened)
    last = min(scope.now + TICK, _over_at(opened))
    step = (last - first) / N_POINTS
    return (*(first + step * n for n in range(1, N_POINTS)), last)


def may_have_course(scope: Scope) -> bool:
    """The stage is still running, or the board had something to rank before the last of its times."""
    times = times_of(scope)
    if len(times) < 2:
        return False
    if scope.now < _over_at(scope.stage.rounds):
        return True
    return facts.is_any_scored(_back(scope, times[-2]))


def _over_at(rounds: Sequence[Round]) -> datetime:
    return max(round.results_at + round.settles_after for round in rounds)


def _points(scope: Scope, times: Sequence[datetime]) -> Iterator[Point]:
    """The boards at these times; the last one is the present board, with all that was decided since."""
    yield from (_point(at, _back(scope, at)) for at in times[:-1])
    yield from (_point(at, scope) for at in times[-1:])


def _point(at: datetime, then: Scope) -> Point:
    built = boards.build(facts.gather(then)[0])
    rows = built[boards.first_board_of(then)].get("rows", [])
    return Point(
        at,
        {
            row["team"]: Place(row["rank"], row.get("total"))
            for row in rows
            if row["rank"] is not None and row.get("submitted", True)
        },
    )


def _back(scope: Scope, at: datetime) -> Scope:
    """The same boards at an earlier time, without anything from that time or later."""
    rules = rules_at(scope.contest, at)
    stage = stage_at(scope.contest, rules, scope.stage.spec.key, at - TICK)
    return Scope(
        contest=scope.contest,
        rules=rules,
        now=at - TICK,
        before=at,
        stages=(stage,),
        is_season=False,
        division=scope.division,
        hidden=scope.hidden,
    )
