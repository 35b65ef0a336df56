"""The bots: each a chain of anonymizers, one attacker, and a way to estimate from either kind of disclosure."""

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
    batch: str = "reconstruct"
    interactive: str = "target"


BOTS = (
    Bot("Noise", (("sa-noise", {}),), "EUC1", "sa-noise", batch="count"),
    Bot(
        "Unify",
        (("record-deletion", {}), ("qi-unification", {})),
        "EUC2",
        "record-deletion, qi-unification",
        interactive="marginals",
    ),
    Bot(
        "Average",
        (("qi-unification", {}), ("class-average", {})),
        "E2",
        "qi-unification, class-average",
        interactive="twice",
    ),
    Bot("Swap", (("class-swap", {}),), "E3", "class-swap"),
    Bot("Yamaoka", (("qi-unification", {}), ("yamaoka", {})), "E4", "qi-unification, yamaoka"),
    Bot("Mondrian", (("mondrian", {}), ("class-average", {})), "E1", "mondrian, class-average"),
)
BY_NAME = {bot.name: bot for bot in BOTS}
ANY_TABLE = (("record-deletion", {}),)
"""What works on a table that a bot's own methods do not fit."""
