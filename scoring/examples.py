# SPDX-License-Identifier: Apache-2.0
"""The worked examples of Ito & Kikuchi, PWSCup 2015 evaluation: Tables 2a, 2b, 3, 8 and 9."""

from __future__ import annotations

import numpy as np
import pandas as pd

from scoring.scores.comparison import Comparison
from scoring.tables.schema import Column, Kind, Role, Schema

SCHEMA = Schema(
    columns=(
        *(
            Column(f"QI{i}", Role.QUASI_IDENTIFIER, Kind.CATEGORY, cross=True, values=("1", "2"))
            for i in (1, 2, 3)
        ),
        *(Column(f"SA{i}", Role.SENSITIVE, Kind.INTEGER) for i in (1, 2)),
    ),
    e2_column="SA1",
    e4_column="SA1",
)

EXAMPLE_TABLES: dict[str, tuple[tuple[int, ...], ...]] = {
    "original": (
        (2, 1, 1, 100, 100),
        (2, 1, 1, 200, 400),
        (1, 1, 2, 300, 200),
        (1, 1, 2, 400, 500),
    ),
    "noise": ((2, 1, 1, 110, 90), (2, 1, 1, 220, 390), (1, 1, 2, 280, 210), (1, 1, 2, 390, 520)),
    "unified": ((2, 1, 1, 100, 100), (2, 1, 1, 200, 400), (1, 1, 1, 300, 200), (1, 1, 1, 400, 500)),
    "averaged": ((2, 1, 1, 150, 250),) * 2 + ((1, 1, 2, 350, 350),) * 2,
    "swapped": ((2, 1, 1, 200, 100), (2, 1, 1, 100, 400), (1, 1, 2, 300, 500), (1, 1, 2, 400, 200)),
}
"""X, B, D, F and G: three quasi-identifiers and two amounts for each of four records."""


def table(name: str) -> pd.DataFrame:
    """One of the tables, typed as its schema says."""
    frame = pd.DataFrame(EXAMPLE_TABLES[name], columns=list(SCHEMA.names))
    return frame.astype(dict.fromkeys(SCHEMA.quasi_identifiers, "str"))


def comparison(name: str) -> Comparison:
    """One of the tables compared with the original; every record declares its own row."""
    return Comparison.of(table("original"), table(name), np.arange(4), SCHEMA)
