"""How a score settles what the definitions leave open: plain words, so that rules are read without any table."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from scoring.errors import Problem, shorten

if TYPE_CHECKING:
    from scoring.tables.schema import Schema


DECIMALS = 9
"""Values are rounded to so many decimals, below which only floating-point noise differs."""


@dataclass(frozen=True, slots=True)
class Options:
    """How a score settles what the definitions leave open.

    Attributes
    ----------
    ties : {"expected", "strict", "first"}
        Among t equally good originals: 1/t, a miss, or the lowest row number.
    no_match : {"miss", "own_row", "all"}
        EUC1 where no original has the record's quasi-identifiers: a miss, the record's own
        position, or the nearest over all originals.
    cells : {"anonymized", "union"}
        U2 and U3 over the cells of the anonymized table, or over those of either table.
    denominator : {"anonymized", "original"}
        Whose number of records a re-identification rate is divided by.
    seed : int
        Where measures that draw at random begin. They sort the records first, so that their order
        decides nothing.
    table_columns : tuple of str
        The columns of the contingency table of table-L2 and table-spearman; where there are none,
        all quasi-identifiers that are categories.
    """

    ties: str = "expected"
    no_match: str = "miss"
    cells: str = "anonymized"
    denominator: str = "anonymized"
    seed: int = 1
    table_columns: tuple[str, ...] = ()

    def check(self) -> None:
        """Raise ValueError where an option has an unknown value."""
        for name, choices in OPTION_CHOICES.items():
            value = getattr(self, name)
            if value not in choices:
                raise ValueError(f"{name}: expected one of {', '.join(choices)}, got {value!r}")

    def problems(self, schema: Schema) -> list[Problem]:
        """The chosen columns that participants do not hand in where their tables have this schema."""
        known = schema.public().names
        return [
            Problem(
                "toml.wrong_value",
                {
                    "key": "scoring.options.table_columns",
                    "expected": f"columns out of: {', '.join(known)}",
                    "got": shorten(name),
                },
                file="ruleset",
            )
            for name in self.table_columns
            if name not in known
        ]


TABLE_MEASURES = ("table-L2", "table-spearman")
"""The measures of tables of counts: those that `table_columns` is for, and the marks of estimates."""
OPTION_CHOICES: dict[str, tuple[str, ...]] = {
    "ties": ("expected", "strict", "first"),
    "no_match": ("miss", "own_row", "all"),
    "cells": ("anonymized", "union"),
    "denominator": ("anonymized", "original"),
}
