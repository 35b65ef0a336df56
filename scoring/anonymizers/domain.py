# SPDX-License-Identifier: Apache-2.0
"""Values that a schema allows: rounding and bounding numbers, the order of categories."""

from __future__ import annotations

from math import ceil, floor
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

from scoring.tables.cells import MAX_DIGITS
from scoring.tables.schema import Column, Kind

if TYPE_CHECKING:
    import pandas as pd

LARGEST = 10**MAX_DIGITS - 1
"""The largest whole number that a table may hold, whatever the column's bounds."""


def units_of(column: Column, *, original: bool = True) -> int:
    """The units of 1: numbers of d decimals are multiples of 1 / 10^d."""
    return int(10 ** column.most_decimals(original=original))


def to_domain(values: NDArray[np.float64], column: Column) -> NDArray[np.float64 | np.int64]:
    """Numbers rounded to what the column may hold, and bounded by its minimum and maximum."""
    units = units_of(column)
    low = -LARGEST if column.min is None else max(column.min, -LARGEST)
    high = LARGEST if column.max is None else min(column.max, LARGEST)
    bounded = np.clip(values, -LARGEST, LARGEST)  # what is infinite cannot be rounded
    whole = np.clip(np.rint(bounded * units), ceil(low * units), floor(high * units))
    return whole.astype(np.int64) if column.kind is Kind.INTEGER else whole / units


def ordinal(series: pd.Series, column: Column) -> tuple[NDArray[np.int64], NDArray[np.object_]]:
    """Codes of a category column and the values that they represent, in the column's order."""
    import pandas as pd

    values = column.values if column.values is not None else tuple(sorted(series.unique()))
    codes = pd.Index(values, dtype=object).get_indexer(pd.Index(series, dtype=object))
    return codes.astype(np.int64), np.array(values, dtype=object)


def most_frequent(
    codes: NDArray[np.int64], groups: NDArray[np.int64], n_values: int
) -> NDArray[np.int64]:
    """The most frequent code of each group, 0 to the last group; the first one where two are."""
    keys, counts = np.unique(groups * n_values + codes, return_counts=True)
    order = np.lexsort((keys, -counts, keys // n_values))
    of_group = keys[order] // n_values
    first = np.r_[True, of_group[1:] != of_group[:-1]]
    best: NDArray[np.int64] = keys[order][first] % n_values
    return best


def one_value_each(series: pd.Series, column: Column, groups: NDArray[np.int64]) -> pd.Series:
    """A value of the column for each group of records, 0 to the last group, none of them empty.

    The most frequent category, of equally frequent ones the first in the column's order; the
    (lower) median of numbers.
    """
    import pandas as pd

    if column.kind is Kind.CATEGORY:
        codes, values = ordinal(series, column)
        chosen = values[most_frequent(codes, groups, len(values))]
        return pd.Series(chosen[groups], dtype=series.dtype)
    return pd.Series(lower_medians(series.to_numpy(), groups)[groups])


def lower_medians(
    values: NDArray[np.float64 | np.int64], groups: NDArray[np.int64]
) -> NDArray[np.float64 | np.int64]:
    """The median of each group; of an even number the lower one, so that it is a value."""
    order = np.lexsort((values, groups))
    sizes = np.bincount(groups)
    starts = np.cumsum(sizes) - sizes
    medians: NDArray[np.float64 | np.int64] = values[order][starts + (sizes - 1) // 2]
    return medians
