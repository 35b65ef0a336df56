"""How a score settles what the definitions leave open: plain words, so that rules are read without any table."""

from __future__ import annotations

from dataclasses import dataclass


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
    """

    ties: str = "expected"
    no_match: str = "miss"
    cells: str = "anonymized"
    denominator: str = "anonymized"
    seed: int = 1

    def check(self) -> None:
        """Raise ValueError where an option has an unknown value."""
        for name, choices in OPTION_CHOICES.items():
            value = getattr(self, name)
            if value not in choices:
                raise ValueError(f"{name}: expected one of {', '.join(choices)}, got {value!r}")


OPTION_CHOICES: dict[str, tuple[str, ...]] = {
    "ties": ("expected", "strict", "first"),
    "no_match": ("miss", "own_row", "all"),
    "cells": ("anonymized", "union"),
    "denominator": ("anonymized", "original"),
}
