# SPDX-License-Identifier: Apache-2.0
"""The public page of a team: who it is, its entries, and its ranks over time; nothing that the boards do not show."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import TYPE_CHECKING, Any

from django.http import Http404
from django.utils.translation import gettext as _

from pwscup.accounts.models import Team
from pwscup.accounts.policies import is_organizer
from pwscup.accounts.selectors import members_of
from pwscup.contests.rules.measures import hidden_measures
from pwscup.core.charts import Chart, Line, chart_of
from pwscup.core.texts.moments import shown_moment
from pwscup.leaderboards import facts
from pwscup.leaderboards.boards.build import ranked_boards_of
from pwscup.leaderboards.boards.cells import verdict_of
from pwscup.leaderboards.boards.texts import board_title
from pwscup.leaderboards.history import Point, history_of
from pwscup.leaderboards.scope import Scope, scope_of
from pwscup.leaderboards.services import served
from pwscup.submissions.policies import is_member

if TYPE_CHECKING:
    from pwscup.contests.models import Contest, Round
    from pwscup.contests.policies import Person

HISTORY_HEADER = ("time", "rank", "teams", "total")


@dataclass(frozen=True, slots=True)
class Member:
    """A member whose name the viewer may see."""

    name: str
    is_captain: bool


@dataclass(frozen=True, slots=True)
class Standing:
    """The place of the team on one board."""

    board: str
    title: str
    rank: int
    n_ranked: int
    total: float | None
    rate: float | None
    """The average rate of its attacks, by which a board of attackers ranks."""
    interval: Mapping[str, Any] | None = None

    @property
    def verdict(self) -> str:
        """The ranks that the data admit, in a sentence."""
        return verdict_of(self.rank, self.interval)


@dataclass(frozen=True, slots=True)
class Entries:
    """The scored submissions of the team in one round, whose values everybody may see."""

    round: Round
    n: int
    last_at: datetime


@dataclass(frozen=True, slots=True)
class Seen:
    """A rank of the past."""

    at: datetime
    rank: int
    n_ranked: int
    total: float | None


@dataclass(frozen=True, slots=True)
class TeamPage:
    """All that a viewer may know of a team; `standings` are None while the boards are being computed."""

    team: Team
    members: tuple[Member, ...]
    n_members: int
    is_own: bool
    standings: tuple[Standing, ...] | None
    entries: tuple[Entries, ...]
    history: tuple[Seen, ...]
    frozen_at: datetime | None

    @property
    def n_unnamed(self) -> int:
        """The number of members whose names are not shown."""
        return self.n_members - len(self.members)

    @property
    def chart(self) -> Chart | None:
        """The ranks over time."""
        return _chart(self.history, self.team) if len(self.history) > 1 else None


def page_of(viewer: Person, contest: Contest, number: int, now: datetime) -> TeamPage:
    """The page of the team with that key; Http404 if the boards do not know it, except for itself and organizers."""
    team = contest.teams.select_related("division").filter(pk=number).first()
    if team is None:
        raise Http404
    team.contest = contest
    hidden = hidden_measures(contest, viewer)
    scope = scope_of(contest, now, hidden=hidden)
    is_own = is_member(viewer, team)
    knows = is_own or is_organizer(viewer, contest)
    if not knows and team.pk not in facts.known_teams(scope):
        raise Http404
    seats = list(members_of(team))
    return TeamPage(
        team=team,
        members=tuple(
            Member(seat.user.display_name, seat.user_id == team.captain_id)
            for seat in seats
            if knows or seat.shows_name
        ),
        n_members=len(seats),
        is_own=is_own,
        standings=_standings(contest, now, team, hidden),
        entries=tuple(_entries(scope, team)),
        history=tuple(_seen(history_of(contest, now, hidden=hidden), team)),
        frozen_at=scope.before,
    )


def history_rows(page: TeamPage) -> Iterator[list[object]]:
    """The ranks over time for a CSV file, in the contest's time zone."""
    zone = page.team.contest.tz
    for seen in page.history:
        total = "" if seen.total is None else seen.total
        yield [seen.at.astimezone(zone).isoformat(), seen.rank, seen.n_ranked, total]


def _standings(
    contest: Contest, now: datetime, team: Team, hidden: Iterable[str]
) -> tuple[Standing, ...] | None:
    boards = served(contest, now, hidden=hidden)
    if boards is None:
        return None
    found = []
    for name in ranked_boards_of(boards.scope.rules):
        rows: Sequence[Mapping] = boards.outline.get(name, {}).get("rows", [])
        ranked = [row for row in rows if row.get("rank") is not None and row.get("team")]
        for row in ranked:
            if row["team"] == team.pk:
                title = board_title(name, boards.scope.rules)
                values = row.get("total"), row.get("mean_rate"), row.get("interval")
                found.append(Standing(name, title, row["rank"], len(ranked), *values))
    return tuple(found)


def _entries(scope: Scope, team: Team) -> Iterable[Entries]:
    rounds = {round.pk: round for round in scope.shown_rounds}
    for _team, pk, n, last_at in facts.entries(scope, team=team):
        yield Entries(rounds[pk], n, last_at)


def _seen(points: Iterable[Point], team: Team) -> Iterable[Seen]:
    for point in points:
        place = point.places.get(team.pk)
        if place is not None:
            yield Seen(point.at, place.rank, len(point.places), place.total)


def _chart(history: Sequence[Seen], team: Team) -> Chart | None:
    zone = team.contest.tz
    return chart_of(
        [Line(team.name, "own", [seen.rank for seen in history])],
        [seen.at.timestamp() for seen in history],
        [shown_moment(seen.at, zone) for seen in history],
        label=_("Ranks of %(team)s over time; the same numbers are in the table.")
        % {"team": team.name},
        text=lambda rank: str(round(rank)),
        low=1,
        high=max(2, *(seen.n_ranked for seen in history)),
        is_down=True,
        is_whole=True,
    )
