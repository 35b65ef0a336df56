# SPDX-License-Identifier: Apache-2.0
"""The own trail in the picture of utility against safety: a team's attempts in order, shown to its members only."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import TYPE_CHECKING

from pwscup.core.texts.parts import listed, named
from pwscup.leaderboards import charts
from pwscup.submissions import selectors
from pwscup.submissions.pages.lines import lines

if TYPE_CHECKING:
    from datetime import datetime

    from pwscup.accounts.models import Team
    from pwscup.contests.models import Round
    from pwscup.leaderboards.pages import Shown
    from pwscup.leaderboards.pictures.scatter import Scatter
    from pwscup.submissions.policies import Person


@dataclass(frozen=True, slots=True)
class Step:
    """An attempt at its place in the picture, in pixels."""

    x: float
    y: float
    name: str
    text: str


@dataclass(frozen=True, slots=True)
class Trail:
    """The attempts of a team, the oldest first, in a picture of the field; a single attempt leaves no trail."""

    picture: Scatter
    steps: tuple[Step, ...]

    @property
    def line(self) -> str:
        """The path through all attempts."""
        return "M" + "L".join(f"{step.x} {step.y}" for step in self.steps) if self.steps else ""


def trail_of(viewer: Person, team: Team, shown: Shown, now: datetime) -> Trail | None:
    """The trail of the viewer's team on a board; None if the board has no such picture, or its axes show ranks.

    Each attempt stands where its own evaluation puts it: attacks by other teams are not part of it. Attempts whose
    values the viewer may not see yet are left out.
    """
    scope = shown.boards.scope
    chart = charts.chart_of(shown.name, shown.boards.section(shown.name), scope.rules)
    picture = chart["picture"] if chart and chart["kind"] == "scatter" else None
    if picture is None or not picture.may_have_trail:
        return None
    round = scope.stage.anonymization
    steps = tuple(_steps(viewer, team, round, picture, now)) if round else ()
    return Trail(picture, steps if len(steps) > 1 else ())


def _steps(
    viewer: Person, team: Team, round: Round, picture: Scatter, now: datetime
) -> Iterator[Step]:
    own = list(selectors.submissions_of_team(team, round))
    for line in reversed(lines(own, viewer, now, ())):
        values = line.visible.values if line.visible else None
        utility = (values or {}).get(picture.up.key)
        if line.worst is not None and utility is not None:
            words = picture.across.text(line.worst), picture.up.text(utility)
            name = f"#{line.submission.number}"
            yield Step(*picture.at(line.worst, utility), name, named(name, listed(words)))
