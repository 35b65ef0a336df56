"""What formats need of the answer key to draw a team's own table, and what is kept of a draw."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from pwscup.contests import truth
from pwscup.submissions.evaluation.originals import Opened

if TYPE_CHECKING:
    import numpy as np

    from pwscup.accounts.models import Team
    from pwscup.contests.models import Contest, Round

__all__ = ["Drawn", "Opened", "bot_seed", "sealed_rows", "seed_of"]


@dataclass(frozen=True, slots=True)
class Drawn:
    """A team's table, to be sealed; the part of it that the team gets; and what was drawn, sealed as well."""

    whole: bytes
    public: bytes
    key: bytes
    n_records: int
    n_candidates: int
    part: int | None = None
    n_tables: int | None = None


def sealed_rows(**rows: np.ndarray) -> bytes:
    """What was drawn, as 0-based numbers by name: the key of a draw."""
    return truth.draw_key(rows)


def seed_of(contest: Contest, purpose: str) -> int:
    """What the contest's secret gives for a purpose, the same every time; the derivation is on record."""
    return truth.derived_seed(contest, purpose)


def bot_seed(team: Team, round: Round) -> int:
    """What a bot draws from in a round: nobody can replay its table before the contest's secret is published."""
    return seed_of(team.contest, f"bot/{round.key}/{team.slug}")
