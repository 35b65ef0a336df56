"""The bots: each a chain of anonymizers and one attacker."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any


@dataclass(frozen=True, slots=True)
class Bot:
    """A team played by the platform."""

    name: str
    methods: tuple[tuple[str, dict[str, Any]], ...]
    attacker: str
    note: str


BOTS = (
    Bot("Noise", (("sa-noise", {}),), "EUC1", "sa-noise"),
    Bot(
        "Unify",
        (("record-deletion", {}), ("qi-unification", {})),
        "EUC2",
        "record-deletion, qi-unification",
    ),
    Bot(
        "Average",
        (("qi-unification", {}), ("class-average", {})),
        "E2",
        "qi-unification, class-average",
    ),
    Bot("Swap", (("class-swap", {}),), "E3", "class-swap"),
    Bot("Yamaoka", (("qi-unification", {}), ("yamaoka", {})), "E4", "qi-unification, yamaoka"),
    Bot("Mondrian", (("mondrian", {}), ("class-average", {})), "E1", "mondrian, class-average"),
)
BY_NAME = {bot.name: bot for bot in BOTS}
ANY_TABLE = (("record-deletion", {}),)
"""What works on a table that a bot's own methods do not fit."""
