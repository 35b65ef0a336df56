# SPDX-License-Identifier: Apache-2.0
"""Teams over time: places now and a day ago, entries, and lines of the best ones with a table of all values."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime, timedelta
from typing import TYPE_CHECKING

from django.template.defaultfilters import floatformat
from django.utils.translation import gettext as _

from pwscup.core.charts import Chart, Line, chart_of
from pwscup.core.texts.moments import shown_moment
from pwscup.core.texts.parts import listed
from pwscup.leaderboards import facts
from pwscup.leaderboards.boards.build import first_board_of
from pwscup.leaderboards.boards.medals import has_medals
from pwscup.leaderboards.boards.texts import board_title
from pwscup.leaderboards.history import Point, history_of
from pwscup.leaderboards.scope import Scope, scope_of
from scoring.formulas import direction_of

if TYPE_CHECKING:
    from pwscup.contests.models import Contest

N_BEST = 10
DAY = timedelta(days=1)
SIZE = 760, 380
ROOM = 0.06
"""The empty share above the best total and below the worst one."""
SPARK_WIDTH, SPARK_HEIGHT = 120, 26


@dataclass(frozen=True, slots=True)
class Course:
    """A team: its place now, the places it gained in a day, its scored submissions, and its totals at the times.

    A total is None before the team's first one.
    """

    team: int
    name: str
    house: bool
    tone: str
    rank: int
    total: float | None
    moved: int | None
    is_new: bool
    n_entries: int
    last_at: datetime | None
    ranks: tuple[int | None, ...]
    totals: tuple[float | None, ...]

    @property
    def spark(self) -> str:
        """The ranks as the points of a small line, the best on top."""
        worst = max((rank for rank in self.ranks if rank), default=1)
        step = SPARK_WIDTH / max(1, len(self.ranks) - 1)
        drop = (SPARK_HEIGHT - 6) / max(1, worst - 1)
        return " ".join(
            f"{n * step:.1f},{3 + (rank - 1) * drop:.1f}"
            for n, rank in enumerate(self.ranks)
            if rank is not None
        )


@dataclass(frozen=True, slots=True)
class Over:
    """The board over time, the best team at its last time first; `marked` names the rounds whose results came."""

    title: str
    times: tuple[datetime, ...]
    courses: tuple[Course, ...]
    chart: Chart | None
    frozen_at: datetime | None
    marked: str

    @property
    def best(self) -> tuple[Course, ...]:
        """The teams with a line."""
        return self.courses[:N_BEST]

    @property
    def has_medals(self) -> bool:
        """The first three places are coloured."""
        return has_medals(course.rank for course in self.courses)

    @property
    def rows(self) -> list[tuple[datetime, tuple[float | None, ...]]]:
        """For each time the totals of the best teams."""
        return [(at, tuple(c.totals[n] for c in self.best)) for n, at in enumerate(self.times)]


def over_time(
    contest: Contest, now: datetime, *, stage: str | None = None, hidden: Collection[str] = ()
) -> Over:
    """The main board of a stage over time; KeyError if there is no such stage."""
    points = history_of(contest, now, stage=stage, hidden=hidden)
    scope = scope_of(contest, now, stage=stage, hidden=hidden)
    title = board_title(first_board_of(scope), scope.rules)
    courses = _courses(scope, points) if points else ()
    times = tuple(point.at for point in points)
    came = _results_within(scope, times)
    chart = _chart(scope, times, courses[:N_BEST], [at.timestamp() for at, _title in came])
    marked = _("Results: %(rounds)s") % {"rounds": listed([title for _at, title in came])}
    return Over(title, times, courses, chart, scope.before, marked)


def _results_within(scope: Scope, times: Sequence[datetime]) -> list[tuple[datetime, str]]:
    """The rounds whose results were first shown between these times, in order: what a total is of may change there."""
    rounds = sorted(scope.stage.rounds, key=lambda round: round.results_at)
    return [
        (round.results_at, round.local_title)
        for round in rounds
        if times and times[0] < round.results_at < times[-1]
    ]


def _courses(scope: Scope, points: Sequence[Point]) -> tuple[Course, ...]:
    last, past = points[-1].places, _a_day_before(points)
    best = sorted(last, key=lambda team: (last[team].rank, team))
    teams = scope.contest.teams.in_bulk(best)
    entries: dict[int, list[tuple[int, datetime]]] = defaultdict(list)
    for team, _round, number, at in facts.entries(scope):
        entries[team].append((number, at))
    return tuple(
        Course(
            team=key,
            name=teams[key].name,
            house=teams[key].is_house,
            tone=f"top-{n}" if n < N_BEST else "other",
            rank=last[key].rank,
            total=last[key].total,
            moved=past[key] - last[key].rank if key in past else None,
            is_new=bool(past) and key not in past,
            n_entries=sum(number for number, _at in entries[key]),
            last_at=max((at for _number, at in entries[key]), default=None),
            ranks=tuple(p.places[key].rank if key in p.places else None for p in points),
            totals=tuple(p.places[key].total if key in p.places else None for p in points),
        )
        for n, key in enumerate(best)
        if key in teams
    )


def _a_day_before(points: Sequence[Point]) -> Mapping[int, int]:
    """The ranks at the last time that is at least a day before the end; empty if there is none."""
    old = [point for point in points if point.at <= points[-1].at - DAY]
    return {team: place.rank for team, place in old[-1].places.items()} if old else {}


def _chart(
    scope: Scope, times: Sequence[datetime], courses: Sequence[Course], marks: Sequence[float]
) -> Chart | None:
    known = [total for course in courses for total in course.totals if total is not None]
    if not known or len(times) < 2:
        return None
    room = ROOM * (max(known) - min(known))
    boards, zone = scope.rules.boards, scope.contest.tz
    formula = boards[0].formula if boards else scope.rules.ranking.formula
    return chart_of(
        [Line(course.name, course.tone, course.totals) for course in courses],
        [at.timestamp() for at in times],
        [shown_moment(at, zone) for at in times],
        label=_("Totals of the best teams over time; the same numbers are in the table."),
        text=lambda total: floatformat(total, 2),
        low=min(known) - room,
        high=max(known) + room,
        is_down=direction_of(formula) == "lower",
        size=SIZE,
        marks=marks,
    )
