"""Each team gets records drawn from the organizer's table, and others stand next to them as decoys."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from pwscup.contests.selectors import dataset_of
from pwscup.submissions import draws
from pwscup.submissions.evaluation import drawing

if TYPE_CHECKING:
    from pwscup.accounts.models import Team
    from pwscup.contests.models import Dataset


def drawn(team: Team, _known: dict[int, Any]) -> Dataset | None:
    """The team's table."""
    source = dataset_of(team.contest)
    return draws.attach(team, source, drawing.drawn_for(team, source))
