# SPDX-License-Identifier: Apache-2.0
"""The bots: how each anonymizes, attacks, estimates from a disclosure, and publishes a series; cheaters."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from scoring.cheaters import CHEATERS

if TYPE_CHECKING:
    from scoring.formats.sequential.drafts import Side
    from scoring.formats.sequential.improved import Rule
    from scoring.formats.sequential.publishing import Method


@dataclass(frozen=True, slots=True)
class Way:
    """The publication method of a bot for a series: options of `scoring.formats.sequential.publishing`, and more.

    `more` is the number by which its groups are larger than the rules require. A bot that `forgets` publishes
    every table as if it were the first.
    """

    method: Method = "m-invariance"
    rule: Rule = "risk"
    side: Side = "below"
    more: int = 0
    forgets: bool = False

    @property
    def note(self) -> str:
        """The options as on the command line.

        Examples
        --------
        >>> Way("improved", rule="overlap").note, Way(more=2).note
        ('improved, rule overlap', 'm-invariance, m + 2')
        """
        said: list[str] = [self.method]
        if self.method == "improved":
            said.append(f"rule {self.rule}")
        if self.side != "below":
            said.append(f"side {self.side}")
        if self.more:
            said.append(f"m + {self.more}")
        if self.forgets:
            said.append("each table by itself")
        return ", ".join(said)


@dataclass(frozen=True, slots=True)
class Bot:
    """A team played by the platform.

    `methods` and `attacker` are for tables, `batch` and `interactive` for estimates, `series` and `values`
    for releases of a series and guesses of their values, `answers` for sheets of questions. A bot that asks
    submits as many `estimates`, each after it has spent more of its budget.
    """

    name: str
    methods: tuple[tuple[str, dict[str, Any]], ...]
    attacker: str
    note: str
    batch: str = "reconstruct"
    interactive: str = "target"
    estimates: int = 1
    series: Way = Way()
    values: str = "intersection"
    answers: str = "nearest"
    cheat: str = ""
    """The cheater that it plays, one of `CHEATERS`; its other ways are not used then."""


BOTS = (
    Bot(
        "Noise",
        (("sa-noise", {}),),
        "EUC1",
        "sa-noise",
        batch="count",
        values="baseline",
        answers="frequent",
    ),
    Bot(
        "Unify",
        (("record-deletion", {}), ("qi-unification", {})),
        "EUC2",
        "record-deletion, qi-unification",
        interactive="marginals",
        estimates=3,
        series=Way("improved"),
    ),
    Bot(
        "Average",
        (("qi-unification", {}), ("class-average", {})),
        "E2",
        "qi-unification, class-average",
        interactive="twice",
        series=Way(side="none", more=2),
    ),
    Bot("Swap", (("class-swap", {}),), "E3", "class-swap", estimates=4, series=Way(forgets=True)),
    Bot(
        "Yamaoka",
        (("qi-unification", {}), ("yamaoka", {})),
        "E4",
        "qi-unification, yamaoka",
        series=Way("last"),
    ),
    Bot(
        "Mondrian",
        (("mondrian", {}), ("class-average", {})),
        "E1",
        "mondrian, class-average",
        series=Way("improved", rule="overlap", side="above"),
    ),
)
BY_NAME = {bot.name: bot for bot in BOTS}
CAST = tuple(Bot(f"Cheater: {id_}", (), "", id_, cheat=id_) for id_ in CHEATERS)
"""The bots of dry runs who cheat."""
PLAYED = BY_NAME | {bot.name: bot for bot in CAST}
SACRIFICED = next(bot.name for bot in CAST if bot.cheat == "permuted")
"""The team whose file another one has."""
ANY_TABLE: tuple[tuple[str, dict[str, Any]], ...] = (("record-deletion", {}),)
"""The methods for tables that a bot's own methods do not fit."""
