# SPDX-License-Identifier: Apache-2.0
"""The data of the answer key for drawing a team's own table, and the stored parts of a draw."""

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
    """A team's table, to be sealed; the part for the team; and the draw, also sealed."""

    whole: bytes
    public: bytes
    key: bytes
    n_records: int
    n_candidates: int
    part: int | None = None
    n_tables: int | None = None


def sealed_rows(**rows: np.ndarray) -> bytes:
    """The draw as 0-based numbers by name: its key."""
    return truth.draw_key(rows)


def seed_of(contest: Contest, purpose: str) -> int:
    """The seed of the contest's secret for a purpose, deterministic; its derivation is recorded."""
    return truth.derived_seed(contest, purpose)


def bot_seed(team: Team, round: Round) -> int:
    """The seed of a bot in a round: its table cannot be reproduced before the contest's secret is published."""
    return seed_of(team.contest, f"bot/{round.key}/{team.slug}")
