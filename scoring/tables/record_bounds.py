# SPDX-License-Identifier: Apache-2.0
"""The number of records that a synthetic table may have."""

from __future__ import annotations

from decimal import ROUND_CEILING, ROUND_FLOOR, Decimal


def record_bounds(n_original: int, low: float, high: float) -> tuple[int, int]:
    """The least and the largest number of records, from factors of those of the original; 1 at least.

    Examples
    --------
    >>> record_bounds(1049, 0.5, 1.0), record_bounds(30, 0.1, 2.5), record_bounds(30, 0, 1)
    ((525, 1049), (3, 75), (1, 30))
    """
    least, most = (
        int((Decimal(str(factor)) * n_original).to_integral_value(rounding))
        for factor, rounding in ((low, ROUND_CEILING), (high, ROUND_FLOOR))
    )
    return max(least, 1), max(most, 1)
