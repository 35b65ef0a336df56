# SPDX-License-Identifier: Apache-2.0
"""The first places of a contest's main board, no more than the board shows the same reader.

The front page asks for those of several contests: while nothing was recorded, one query each.
"""

from __future__ import annotations

from dataclasses import dataclass
from itertools import takewhile
from typing import TYPE_CHECKING

from django.utils.translation import get_language

from pwscup.contests.policies import may_see_board
from pwscup.core.db.recent import Recent
from pwscup.leaderboards import pages, polls
from pwscup.leaderboards.boards.build import season_boards_of
from pwscup.leaderboards.boards.panels import panel_of
from pwscup.leaderboards.boards.texts import board_title
from pwscup.leaderboards.projector import Place, places
from pwscup.leaderboards.scope import has_season

if TYPE_CHECKING:
    from datetime import datetime

    from pwscup.contests.models import Contest
    from pwscup.contests.policies import Person
    from pwscup.leaderboards.pages import Shown

MOST = 10
"""Places that are kept of a board."""


@dataclass(frozen=True, slots=True)
class Podium:
    """The title of a board, the heading of its totals, and its first places; frozen if newer results are hidden."""

    title: str
    heading: str
    places: tuple[Place, ...]
    is_frozen: bool
    has_medals: bool = False

    @property
    def winners(self) -> tuple[Place, ...]:
        """The teams in the first place; none while results are hidden."""
        return () if self.is_frozen else tuple(p for p in self.places if p.rank == 1)

    @property
    def first_places(self) -> tuple[Place, ...]:
        """The teams in the first three places."""
        return tuple(takewhile(lambda place: (place.rank or 4) <= 3, self.places))


@dataclass(frozen=True, slots=True)
class Given:
    """A podium that is the same for all readers in that language."""

    remembered: polls.Remembered
    podium: Podium


NO_PODIUM = Podium("", "", (), is_frozen=False)
_FOUND: Recent[Podium] = Recent(500)
_GIVEN: Recent[Given] = Recent(500)


def podium_of(user: Person, contest: Contest, now: datetime) -> Podium:
    """The first places, those of the season where a contest has several stages; empty if this reader sees none."""
    name = contest.pk, get_language()
    given = _GIVEN.get(name)
    if given is not None and given.remembered.holds(polls.numbers_of(contest.pk), now):
        return given.podium
    if not may_see_board(user, contest):
        return NO_PODIUM
    shown = pages.chosen(user, contest, now, {})
    if shown is None:
        return NO_PODIUM
    of_season = _of_season(user, contest, now, shown)
    found = NO_PODIUM if of_season is None else _kept(of_season)
    found = found if found.places else _kept(shown)
    known = shown.boards.known
    if known is not None and polls.is_for_all(contest):
        read = (board.boards for board in (shown, of_season) if board is not None)
        _GIVEN.put(name, Given(polls.remembered(contest, known, *read), found))
    return found


def _of_season(user: Person, contest: Contest, now: datetime, shown: Shown) -> Shown | None:
    """The first board of the season, if the contest has one."""
    rules = shown.boards.scope.rules
    if not has_season(rules):
        return None
    return pages.chosen(user, contest, now, {"board": season_boards_of(rules)[0]})


def _kept(shown: Shown) -> Podium:
    key = shown.boards.key, shown.name, get_language()
    found = _FOUND.get(key)
    if found is None:
        found = _read(shown)
        _FOUND.put(key, found)
    return found


def _read(shown: Shown) -> Podium:
    scope = shown.boards.scope
    table = panel_of(shown.name, shown.boards.section(shown.name), scope.rules).ranked
    title = board_title(shown.name, scope.rules)
    if table is None:
        return Podium(title, "", (), is_frozen=scope.before is not None)
    ranked = [place for place in places(table) if place.rank is not None]
    heading = table.columns[0].title if table.columns else ""
    return Podium(
        title,
        heading,
        tuple(ranked[:MOST]),
        is_frozen=scope.before is not None,
        has_medals=table.has_medals,
    )
