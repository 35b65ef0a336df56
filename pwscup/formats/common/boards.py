# SPDX-License-Identifier: Apache-2.0
"""Texts of boards and reports about tables whose records are re-identified."""

from __future__ import annotations

from typing import TYPE_CHECKING

from pwscup.contests.rules.asked import only_links
from pwscup.leaderboards.boards.attack_texts import TABLE_ANSWERS, TABLE_ATTACKS

if TYPE_CHECKING:
    from pwscup.leaderboards.boards.attack_texts import AttackTexts
    from scoring.rulesets import Ruleset


def attack(ruleset: Ruleset) -> AttackTexts:
    """Re-identification rates, or success rates where membership or values are guessed."""
    return TABLE_ATTACKS if only_links(ruleset) else TABLE_ANSWERS


def risks(_ruleset: Ruleset) -> str:
    """Empty: the families of measures explain it."""
    return ""
