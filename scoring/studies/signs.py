# SPDX-License-Identifier: Apache-2.0
"""Signs from measured values: a rule for the words of Table 10."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

from scoring.studies.paper import SIGNED, Signs

UNCHANGED, LITTLE, MUCH = "-", "△", "x"
STRONG, A_LITTLE_STRONG, WEAK = "○", "△", "x"

LITTLE_AT_MOST = 0.03
"""Utility: a loss of up to 3 % of its scale is a little, beyond it much."""
RISES_BY = 1.01
"""S1 and S2: a rise of less than 1 % is none; a tenth of the records deleted raises S2 by 0.3 %."""
STRONG_AT_MOST, STRONG_A_LITTLE_AT_MOST = 0.05, 0.90
"""Attacks: a rate of up to 5 % of the original's is strong, up to 90 % a little strong."""

RULE = (
    "Utility: “-” where the value is 0, “△” up to 3 % of its scale, “x” beyond. The scale of U1 and "
    "U2 is the mean of all amounts of the original, that of U3 the mean count of its cells, that of "
    "U4 and U5 is 1, that of U6 the number of records. Safety: “○” where S1 or S2 is at least 1 % above "
    "the original's, else “x”. Attacks: “○” where the rate is at most 5 % of what the attack finds in "
    "the untouched table, “△” at most 90 %, else “x”."
)


@dataclass(frozen=True, slots=True)
class Baseline:
    """The untouched table: its values and the scales of its losses.

    `values` are those of the table compared with itself; where they are unknown to a reader of printed
    figures, S1, S2 and the rates at least must be given.
    """

    values: Mapping[str, float | int | None]
    n_records: int
    n_cells: int
    mean_amount: float

    def scale(self, measure: str) -> float:
        """The reference of a loss of utility."""
        scales = {
            "U1": self.mean_amount,
            "U2": self.mean_amount,
            "U3": self.n_records / self.n_cells,
            "U6": float(self.n_records),
        }
        return scales.get(measure, 1.0)


def sign(measure: str, value: float, baseline: Baseline) -> str:
    """The sign of one value."""
    if measure.startswith("U"):
        if value <= 0:
            return UNCHANGED
        return LITTLE if value <= LITTLE_AT_MOST * baseline.scale(measure) else MUCH
    untouched = baseline.values[measure] or 0
    if measure.startswith("S"):
        return STRONG if value >= RISES_BY * untouched else WEAK
    if value <= STRONG_AT_MOST * untouched:
        return STRONG
    return A_LITTLE_STRONG if value <= STRONG_A_LITTLE_AT_MOST * untouched else WEAK


def signs(values: Mapping[str, float | int | None], baseline: Baseline) -> Signs:
    """The signs of a table, measure by measure."""
    return {measure: sign(measure, values[measure] or 0, baseline) for measure in SIGNED}


def worse_of(first: str, second: str, measure: str) -> str:
    """The expected effect of two methods together: the larger loss of utility, the larger gain of safety."""
    order = (UNCHANGED, LITTLE, MUCH) if measure.startswith("U") else (WEAK, LITTLE, STRONG)
    return max(first, second, key=order.index)
