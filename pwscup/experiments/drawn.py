# SPDX-License-Identifier: Apache-2.0
"""The numbers that figures of experiments draw, from the tables that the library writes next to them."""

from __future__ import annotations

import csv
import io
from dataclasses import dataclass
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from pwscup.experiments.models import Experiment

FIGURE3, CURVES = "figure3", ("figure8", "figure9")
SETTINGS = ("aggregate", "rho_rule", "stopping_rule", "trials", "seed")
"""Columns that have the same value in every row, and stand above the figures."""
ORIGINAL = "original"
Rows = tuple[tuple[str, ...], ...]


@dataclass(frozen=True, slots=True)
class Sheet:
    """The numbers of a figure: the names of the columns, and the rows."""

    names: tuple[str, ...]
    rows: Rows

    def largest(self, most: int) -> Sheet:
        """The rows with the largest original counts, in their order, as a figure draws them."""
        if ORIGINAL not in self.names or len(self.rows) <= most:
            return self
        at = self.names.index(ORIGINAL)
        order = sorted(range(len(self.rows)), key=lambda row: (-float(self.rows[row][at]), row))
        return Sheet(self.names, tuple(self.rows[row] for row in sorted(order[:most])))


def table_name(stem: str) -> str:
    """The file with the numbers of a figure."""
    what = stem.partition("-epsilon-")[0]
    if what.startswith(CURVES):
        return "tables/figures8-9-curves.csv"
    return "tables/figure3-rho.csv" if what.startswith(FIGURE3) else f"tables/{what}.csv"


def sheet_of(experiment: Experiment, stem: str) -> Sheet:
    """The numbers of a figure; empty where the library has written none."""
    found = experiment.files.filter(name=table_name(stem)).first()
    return Sheet((), ()) if found is None else sheet(found.data, stem)


def sheet(data: bytes, stem: str) -> Sheet:
    """The rows of a table that belong to a figure, without settings."""
    lines = list(csv.reader(io.StringIO(data.decode())))
    names, rows = lines[0], lines[1:]
    _what, mark, epsilon = stem.partition("-epsilon-")
    if mark:
        rows = [row for row in rows if f"{float(row[0]):g}" == epsilon]
    kept = [at for at, name in enumerate(names) if name not in {*SETTINGS, _not_drawn(stem)}]
    return Sheet(
        tuple(names[at] for at in kept), tuple(tuple(row[at] for at in kept) for row in rows)
    )


def _not_drawn(stem: str) -> str:
    """The measure of the other figure that shares a table."""
    others = {
        "figure3-epsilon": "k",
        "figure3-k": "epsilon",
        "figure8": "rank_correlation",
        "figure9": "l2",
    }
    return next((name for start, name in others.items() if stem.startswith(start)), "")
