# SPDX-License-Identifier: Apache-2.0
"""Nearest values in one column: who is as near as the declared one, and who is nearest.

Values stand sorted and distinct within groups. Rounded differences |y - v| never fall on the way
out from y, so the nearest values are neighbours of each other and of where y would stand.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from scoring.kernels.deferred import compiled, njit, types

_STEPS = 16  # neighbours looked at one by one before halving begins

_FLOAT64 = types.Array(types.float64, 1, "C", readonly=True)
_INT64 = types.Array(types.int64, 1, "C", readonly=True)
_INT32 = types.Array(types.int32, 1, "C", readonly=True)


@njit
def _first_at_least(ordered: Any, low: Any, high: Any, y: Any) -> Any:
    while low < high:
        middle = (low + high) >> 1
        if ordered[middle] < y:
            low = middle + 1
        else:
            high = middle
    return low


@njit
def _first_above(ordered: Any, low: Any, high: Any, y: Any) -> Any:
    while low < high:
        middle = (low + high) >> 1
        if ordered[middle] <= y:
            low = middle + 1
        else:
            high = middle
    return low


@njit
def _nearest(values: Any, start: Any, end: Any, y: Any) -> Any:
    """The values from `start` to `end` that are nearest to y: the first, and the one behind the last."""
    middle = _first_at_least(values, start, end, y)
    best = np.inf
    if middle > start:
        best = abs(y - values[middle - 1])
    if middle < end:
        best = min(best, abs(y - values[middle]))
    low, high = start, middle
    while low < high:
        at = (low + high) >> 1
        if abs(y - values[at]) <= best:
            high = at
        else:
            low = at + 1
    first = low
    low, high = middle, end
    while low < high:
        at = (low + high) >> 1
        if abs(y - values[at]) <= best:
            low = at + 1
        else:
            high = at
    return first, low


@compiled(
    types.void(
        _FLOAT64,
        _INT32,
        _INT64,
        _FLOAT64,
        _INT32,
        _INT32,
        _INT32,
        types.int64,
        types.int64,
        types.int32[::1],
    ),
    work=lambda *each: _STEPS * (each[8] - each[7]),
)
def count_as_near_values(
    values: Any,
    run_starts: Any,
    starts: Any,
    column: Any,
    group: Any,
    queries: Any,
    places: Any,
    begin: Any,
    end: Any,
    ties: Any,
) -> Any:
    """The number of records whose values are as near as the declared one, 0 if one is nearer.

    For each y of `column` in `queries[begin:end]`, among the values of `group` of it; the records
    of value v are as many as from `run_starts[v]` to the next, and the declared one has the value
    `places` of it.
    """
    for at in range(begin, end):
        row = queries[at]
        y, place = column[row], places[row]
        start, end_ = starts[group[row]], starts[group[row] + 1]
        limit = abs(y - values[place])
        low, high = np.int64(place), np.int64(place) + 1
        is_beaten = False
        while high < end_ and high - place < _STEPS:
            distance = abs(y - values[high])
            if distance != limit:
                is_beaten |= distance < limit
                break
            high += 1
        while not is_beaten and low > start and place - low < _STEPS:
            distance = abs(y - values[low - 1])
            if distance != limit:
                is_beaten |= distance < limit
                break
            low -= 1
        if not is_beaten and (high - place >= _STEPS or place - low >= _STEPS):
            low, high = _nearest(values, start, end_, y)
            is_beaten = place < low or place >= high
        ties[row] = 0 if is_beaten else run_starts[high] - run_starts[low]


@compiled(
    types.void(_FLOAT64, _INT64, _FLOAT64, _INT64, types.int64[::1], types.int64[::1]),
    work=lambda _values, _starts, column, *_: _STEPS * len(column),
)
def find_nearest_values(
    values: Any, starts: Any, column: Any, group: Any, low: Any, high: Any
) -> Any:
    """The run of values nearest to each y of `column` within its group, from `low` to `high`."""
    for i in range(len(column)):
        low[i], high[i] = _nearest(values, starts[group[i]], starts[group[i] + 1], column[i])


@compiled(
    types.void(
        _FLOAT64,
        _FLOAT64,
        _INT32,
        _INT32,
        types.int64,
        types.int64,
        types.float64[::1],
    ),
    work=lambda *each: _STEPS * (each[5] - each[4]),
)
def meet_by_rank(
    ordered: Any, column: Any, low: Any, high: Any, begin: Any, end: Any, share: Any
) -> Any:
    """The probability that record i of `column[begin:end]` has the rank of an original with ranks `low` to `high`.

    `ordered` is the column sorted. Where the ranks [a, b) of records with this value and the
    ranks [c, d) of the original's equals meet, |[a, b) ∩ [c, d)| / ((b - a)(d - c)), else 0.
    """
    n = len(ordered)
    for i in range(begin, end):
        c, d = low[i], min(high[i], n)
        share[i] = 0.0
        y = column[i]
        if c >= d or y < ordered[c] or y > ordered[d - 1]:
            continue
        a = _first_at_least(ordered, c, d, y)
        if ordered[a] != y:
            continue
        if a == c:  # its equals may begin before
            step = 1
            while a - step >= 0 and ordered[a - step] == y:
                step *= 2
            a = _first_at_least(ordered, max(a - step, 0), a, y)
        b, step = max(a, c) + 1, 1
        while b - 1 + step < n and ordered[b - 1 + step] == y:
            step *= 2
        b = _first_above(ordered, b, min(b - 1 + step, n), y)
        shared = min(b, d) - max(a, c)
        share[i] = shared / ((b - a) * (high[i] - c))
