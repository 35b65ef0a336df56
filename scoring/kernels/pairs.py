# SPDX-License-Identifier: Apache-2.0
"""Distances between the records of two tables, with categories and numbers.

A distance is the sum, in the order of the columns, of the weights of the categories that differ and
then of |y - x| * factor, or its square, over the numbers.
"""

from __future__ import annotations

from typing import Any

import numpy as np
import numpy.typing as npt

from scoring.kernels.deferred import compiled, types

Array = npt.NDArray[Any]

BLOCK = 2_048  # distances held at a time: they stay in the processor's nearest cache

_CODES = types.Array(types.int32, 2, "C", readonly=True)
_NUMBERS = types.Array(types.float64, 2, "C", readonly=True)
_FACTORS = types.Array(types.float64, 1, "C", readonly=True)
_ROWS = types.Array(types.int64, 1, "C", readonly=True)
_FLAGS = types.Array(types.boolean, 1, "C", readonly=True)
_TABLES = (_CODES, _NUMBERS, _CODES, _NUMBERS, _FACTORS, _FACTORS, types.boolean)


def _plainly_fill(
    x_codes: Array,
    x_numbers: Array,
    y_codes: Array,
    y_numbers: Array,
    weights: Array,
    factors: Array,
    is_squared: bool,
    record: int,
    start: int,
    end: int,
    distances: Array,
) -> None:
    found = np.zeros(end - start)
    for codes, code, weight in zip(x_codes, y_codes[:, record], weights, strict=True):
        found += np.where(codes[start:end] != code, weight, 0.0)
    for numbers, number, factor in zip(x_numbers, y_numbers[:, record], factors, strict=True):
        if is_squared:
            part = (number - numbers[start:end]) * factor
            found += part * part
        else:
            found += abs(number - numbers[start:end]) * factor
    distances[: end - start] = found


@compiled(
    types.void(*_TABLES, types.int64, types.int64, types.int64, types.float64[::1]),
    plain=_plainly_fill,
)
def _fill(
    x_codes: Array,
    x_numbers: Array,
    y_codes: Array,
    y_numbers: Array,
    weights: Array,
    factors: Array,
    is_squared: bool,
    record: int,
    start: int,
    end: int,
    distances: Array,
) -> None:
    """The distances of one record of y to the records of x from `start` to `end`.

    Column by column, so that the inner loops run without a branch.
    """
    n = end - start
    distances[:n] = 0.0
    for column in range(len(weights)):
        code = y_codes[column, record]
        weight = weights[column]
        codes = x_codes[column, start:end]
        for i in range(n):
            distances[i] += weight if codes[i] != code else 0.0
    for column in range(len(factors)):
        number = y_numbers[column, record]
        factor = factors[column]
        numbers = x_numbers[column, start:end]
        if is_squared:
            for i in range(n):
                part = (number - numbers[i]) * factor
                distances[i] += part * part
        else:
            for i in range(n):
                distances[i] += abs(number - numbers[i]) * factor


def _work(*arguments: Any) -> Any:
    """The pairs that are compared, and the columns of each record."""
    weights, factors, records, starts, ends = (arguments[i] for i in (4, 5, 8, 9, 10))
    return (ends - starts).sum() + len(records) * (len(weights) + len(factors))


@compiled(
    types.void(
        *_TABLES, _ROWS, _ROWS, _ROWS, _ROWS, _FLAGS, types.int64[:, ::1], types.float64[:, ::1]
    ),
    work=_work,
)
def nearest(
    x_codes: Array,
    x_numbers: Array,
    y_codes: Array,
    y_numbers: Array,
    weights: Array,
    factors: Array,
    is_squared: bool,
    row_of: Array,
    records: Array,
    starts: Array,
    ends: Array,
    is_free: Array,
    found: Array,
    distances: Array,
) -> None:
    """Fill `found` and `distances` with the nearest free rows of x to each of some records of y.

    Parameters
    ----------
    x_codes, x_numbers, y_codes, y_numbers : arrays, shape (n_columns, n_records)
    weights, factors : float64 arrays, shape (n_columns,)
    is_squared : bool
    row_of : int64 array, shape (n_x,)
        The row that each position of x stands for; rows decide between equal distances.
    records : int64 array, shape (m,)
    starts, ends : int64 arrays, shape (m,)
        Record i looks at the positions from `starts[i]` to `ends[i]`.
    is_free : bool array, shape (n_x,)
        By row, whether it may be found.
    found, distances : arrays, shape (m, n)
        The nearest first, equally near ones in row order, -1 and infinity where there are too few.
    """
    n = found.shape[1]
    block = np.empty(BLOCK, dtype=np.float64)
    for i in range(len(records)):
        n_found = 0
        for start in range(starts[i], ends[i], BLOCK):
            end = min(start + BLOCK, ends[i])
            _fill(
                x_codes,
                x_numbers,
                y_codes,
                y_numbers,
                weights,
                factors,
                is_squared,
                records[i],
                start,
                end,
                block,
            )
            limit = distances[i, n - 1] if n_found == n else np.inf
            for position in range(start, end):
                distance = block[position - start]
                if distance > limit or not is_free[row_of[position]]:
                    continue
                row = row_of[position]
                if n_found == n and distance == limit and row > found[i, n - 1]:
                    continue
                at = min(n_found, n - 1)
                while at > 0 and (
                    distances[i, at - 1] > distance
                    or (distances[i, at - 1] == distance and found[i, at - 1] > row)
                ):
                    distances[i, at] = distances[i, at - 1]
                    found[i, at] = found[i, at - 1]
                    at -= 1
                distances[i, at] = distance
                found[i, at] = row
                n_found = min(n_found + 1, n)
                if n_found == n:
                    limit = distances[i, n - 1]
        found[i, n_found:] = -1
        distances[i, n_found:] = np.inf
