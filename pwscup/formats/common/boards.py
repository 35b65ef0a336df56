"""What boards and reports say about tables whose records are found again."""

from __future__ import annotations

from typing import TYPE_CHECKING

from pwscup.leaderboards.boards.attack_texts import TABLE_ATTACKS

if TYPE_CHECKING:
    from scoring.rulesets import Ruleset

ATTACK = TABLE_ATTACKS


def risks(_ruleset: Ruleset) -> str:
    """Nothing: the families of measures say it."""
    return ""
