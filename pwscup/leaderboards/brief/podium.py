# SPDX-License-Identifier: Apache-2.0
"""The first places of a contest's main board, no more than the board shows the same reader."""

from __future__ import annotations

from dataclasses import dataclass
from itertools import takewhile
from typing import TYPE_CHECKING

from django.utils.translation import get_language

from pwscup.contests.policies import may_see_board
from pwscup.core.db.recent import Recent
from pwscup.leaderboards import pages
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

    @property
    def winners(self) -> tuple[Place, ...]:
        """The teams in the first place; none while results are hidden."""
        return () if self.is_frozen else tuple(p for p in self.places if p.rank == 1)

    @property
    def medals(self) -> tuple[Place, ...]:
        """The teams in the first three places."""
        return tuple(takewhile(lambda place: (place.rank or 4) <= 3, self.places))


NO_PODIUM = Podium("", "", (), is_frozen=False)
_FOUND: Recent[Podium] = Recent(500)


def podium_of(user: Person, contest: Contest, now: datetime) -> Podium:
    """The first places, those of the season where a contest has several stages; empty if this reader sees none."""
    if not may_see_board(user, contest):
        return NO_PODIUM
    shown = pages.chosen(user, contest, now, {})
    if shown is not None and has_season(shown.boards.scope.rules):
        name = season_boards_of(shown.boards.scope.rules)[0]
        of_season = pages.chosen(user, contest, now, {"board": name})
        found = NO_PODIUM if of_season is None else _kept(of_season)
        if found.places:
            return found
    return NO_PODIUM if shown is None else _kept(shown)


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
    return Podium(title, heading, tuple(ranked[:MOST]), is_frozen=scope.before is not None)
