# SPDX-License-Identifier: Apache-2.0
"""Texts of boards and reports about tables whose records are re-identified."""

from __future__ import annotations

from typing import TYPE_CHECKING

from pwscup.leaderboards.boards.attack_texts import TABLE_ATTACKS

if TYPE_CHECKING:
    from scoring.rulesets import Ruleset

ATTACK = TABLE_ATTACKS


def risks(_ruleset: Ruleset) -> str:
    """Empty: the families of measures explain it."""
    return ""
