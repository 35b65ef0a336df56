# SPDX-License-Identifier: Apache-2.0
"""Sums over the records: exact where the numbers allow it, else with about 106 bits.

A sum is carried as two floats, the rounded sum and what the roundings lost (D. E. Knuth, "The Art of
Computer Programming", volume 2, section 4.2.2: the error of a sum is itself a float). With n
numbers below m in size, what is lost is below n·u·n·m and its own roundings below n²·u²·n·m, u = 2^-53:
for a million amounts of 10^7 that moves a mean by less than 2^-42, a thousandth of the ninth decimal.
Integers, and numbers of few decimals, sum exactly.

Records go by in a fixed order, cut into chunks of a fixed size, so that neither the order of a file nor
the number of threads is of account.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from scoring.kernels.deferred import compiled, njit, sizes, types

CHUNK = 4_096
_FEW = 256  # fewer equals than that are counted before they are divided

_POINTS = types.Array(types.float64, 3, "C", readonly=True)
_ROWS = types.Array(types.float64, 2, "C", readonly=True)
_FLOAT64 = types.Array(types.float64, 1, "C", readonly=True)
_INT64 = types.Array(types.int64, 1, "C", readonly=True)
_INT32 = types.Array(types.int32, 1, "C", readonly=True)


@compiled(
    types.boolean(_INT64, _INT32, types.int32[::1], types.int32[::1], types.int32[::1]),
    work=sizes,
)
def arrange(source: Any, place_of_row: Any, record: Any, places: Any, slot: Any) -> Any:
    """Number the records by the places of their declared rows; whether the rows are distinct.

    Slot s then holds `record[s]`, declared at `places[s]`; `slot` is the inverse of `record`.
    """
    present = np.full(len(place_of_row), -1, np.int32)
    for r in range(len(source)):
        place = place_of_row[source[r]]
        if present[place] >= 0:
            return False
        present[place] = r
    n = 0
    for place in range(len(present)):
        if present[place] >= 0:
            record[n] = present[place]
            places[n] = place
            slot[present[place]] = n
            n += 1
    return True


@compiled(
    types.boolean(_FLOAT64, _INT32, types.int64, types.int64, types.float64[:, ::1], types.int64),
    work=lambda *each: each[3] - each[2],
)
def scatter(values: Any, slot: Any, begin: Any, end: Any, rows: Any, column: Any) -> Any:
    """Write a column's values from `begin` to `end` to their slots; whether they are finite."""
    is_finite = True
    for r in range(begin, end):
        rows[slot[r], column] = values[r]
        is_finite &= abs(values[r]) < np.inf
    return is_finite


@compiled(
    types.void(_ROWS, types.float64[::1], types.int64, types.int64),
    work=lambda rows, _sums, begin, end: (end - begin) * rows.shape[1],
)
def add_rows(rows: Any, sums: Any, begin: Any, end: Any) -> Any:
    """The sum of each row from `begin` to `end`, column by column in order."""
    for i in range(begin, end):
        total = 0.0
        for j in range(rows.shape[1]):
            total += rows[i, j]
        sums[i] = total


@compiled(
    types.void(
        _ROWS, _INT32, types.float64[:, ::1], types.float64[:, ::1], types.int64, types.int64
    ),
    work=lambda rows, _numbers, _high, _low, first, last: len(rows) * (last - first),
)
def add_classes(rows: Any, numbers: Any, high: Any, low: Any, first: Any, last: Any) -> Any:
    """Add the columns from `first` to `last` of each row to the sums of its class."""
    for i in range(len(rows)):
        c = numbers[i]
        for j in range(first, last):
            old, value = high[c, j], rows[i, j]
            new = old + value
            part = new - old
            high[c, j] = new
            low[c, j] += (old - (new - part)) + (value - part)


def _rows(rows: Any, begin: int, end: int) -> int:
    """The rows of the chunks from `begin` to `end`."""
    return max(0, min(end * CHUNK, len(rows)) - begin * CHUNK)


@compiled(
    types.void(
        _POINTS,
        _ROWS,
        _INT32,
        types.int64,
        types.int64,
        types.float64[:, ::1],
        types.float64[:, ::1],
        types.int64[:, ::1],
    ),
    work=lambda _points, rows, _places, begin, end, *_: _rows(rows, begin, end) * rows.shape[1],
)
def add_differences(
    points: Any, rows: Any, places: Any, begin: Any, end: Any, high: Any, low: Any, changed: Any
) -> Any:
    """Sum |y - x| in each column and count where it is not 0, for the chunks from `begin` to `end`.

    x is the point at the record's place.
    """
    lanes = points.shape[2]
    for chunk in range(begin, end):
        for i in range(chunk * CHUNK, min(chunk * CHUNK + CHUNK, len(rows))):
            block, lane = places[i] // lanes, places[i] % lanes
            for j in range(rows.shape[1]):
                value = abs(rows[i, j] - points[block, j, lane])
                old = high[chunk, j]
                new = old + value
                part = new - old
                high[chunk, j] = new
                low[chunk, j] += (old - (new - part)) + (value - part)
                changed[chunk, j] += value != 0.0


@compiled(
    types.void(
        _ROWS,
        _ROWS,
        types.int64,
        types.int64,
        types.float64[:, :, ::1],
        types.int64[:, ::1],
    ),
    work=lambda rows, _means, begin, end, *_: _rows(rows, begin, end) * rows.shape[1] ** 2 // 4,
)
def add_products(rows: Any, means: Any, begin: Any, end: Any, products: Any, changes: Any) -> Any:
    """Sum the products of centered columns, pair by pair, for the chunks from `begin` to `end`.

    `changes` counts the rows in which a column is not as in the first row of all.
    """
    n_columns = rows.shape[1]
    centered = np.empty(n_columns)
    for chunk in range(begin, end):
        for i in range(chunk * CHUNK, min(chunk * CHUNK + CHUNK, len(rows))):
            for j in range(n_columns):
                centered[j] = (rows[i, j] - means[0, j]) - means[1, j]
                changes[chunk, j] += rows[i, j] != rows[0, j]
            for a in range(n_columns):
                factor = centered[a]
                for b in range(n_columns):
                    products[chunk, a, b] += factor * centered[b]


@njit
def _add(high: Any, low: Any, value: Any) -> Any:
    new = high + value
    part = new - high
    return new, low + ((high - (new - part)) + (value - part))


@compiled(types.float64(_FLOAT64), work=sizes)
def add_all(values: Any) -> Any:
    """The sum of all values; ones are counted and zeros passed over."""
    n_ones, high, low = 0, 0.0, 0.0
    for i in range(len(values)):
        if values[i] == 1.0:
            n_ones += 1
        elif values[i] != 0.0:
            high, low = _add(high, low, values[i])
    high, low = _add(high, low, float(n_ones))
    return high + low


@compiled(types.float64(_INT32), work=sizes)
def add_shares(ties: Any) -> Any:
    """The sum of 1/t over records with t equally good originals; 0 of them is a miss."""
    counts = np.zeros(_FEW, np.int64)
    high, low = 0.0, 0.0
    for i in range(len(ties)):
        if ties[i] < _FEW:
            counts[ties[i]] += 1
        else:
            high, low = _add(high, low, 1.0 / ties[i])
    for t in range(1, _FEW):
        if counts[t]:
            high, low = _add(high, low, counts[t] / t)
    return high + low
