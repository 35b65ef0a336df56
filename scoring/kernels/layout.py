# SPDX-License-Identifier: Apache-2.0
"""Points laid out for search: near ones together, in blocks of eight, with a bounding box around each node.

Medians part the points (J. L. Bentley, "Multidimensional Binary Search Trees Used for Associative
Searching"), always at the multiple of the highest power of two that there is within a group of records.
So the nodes of `scoring.kernels.search`, whose places are fixed, come out as the cells of the parting.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from scoring.kernels.deferred import compiled, njit, sizes, types
from scoring.kernels.search import LANES

_SAMPLE = 128  # points that decide the column along which a cell is split

_ROWS = types.Array(types.float64, 2, "C", readonly=True)
_INT64 = types.Array(types.int64, 1, "C", readonly=True)
_INT32 = types.Array(types.int32, 1, "C", readonly=True)


@njit
def _parting(start: Any, end: Any) -> Any:
    """The multiple of the highest power of two strictly between, 0 where there is none of a block."""
    bit = 1
    while (bit << 1) < end:
        bit <<= 1
    while bit >= LANES:
        multiple = (start // bit + 1) * bit
        if multiple < end:
            return multiple
        bit >>= 1
    return 0


@njit
def _widest(values: Any, order: Any, start: Any, end: Any) -> Any:
    """The column along which a sample of the points varies most; -1 where they are all equal."""
    step = max(1, (end - start) // _SAMPLE)
    widest, most = -1, 0.0
    for column in range(values.shape[1]):
        origin = values[order[start], column]
        n, total, squares = 0, 0.0, 0.0
        for at in range(start, end, step):
            t = values[order[at], column] - origin
            n += 1
            total += t
            squares += t * t
        variance = squares - total * total / n
        if variance > most:
            widest, most = column, variance
    return widest


@njit
def _part(keys: Any, order: Any, start: Any, end: Any, middle: Any) -> Any:
    """Move the lower keys before `middle`, the higher ones behind it (Hoare's selection)."""
    low, high = start, end - 1
    while low < high:
        a, b, c = keys[low], keys[(low + high) >> 1], keys[high]
        pivot = max(min(a, b), min(max(a, b), c))
        i, j = low, high
        while i <= j:
            while keys[i] < pivot:
                i += 1
            while keys[j] > pivot:
                j -= 1
            if i <= j:
                keys[i], keys[j] = keys[j], keys[i]
                order[i], order[j] = order[j], order[i]
                i += 1
                j -= 1
        if middle <= j:
            high = j
        elif middle >= i:
            low = i
        else:
            return


def _work_of_ordering(values: Any, _order: Any, starts: Any) -> Any:
    """The values of a sample of each cell, and the moves of its points: as many cells as blocks."""
    size = np.diff(starts)
    n_levels = np.ceil(np.log2(np.maximum(size, LANES) / LANES))
    return (size * n_levels).sum() * (values.shape[1] + 3)


@compiled(types.void(_ROWS, types.int32[::1], _INT64), work=_work_of_ordering)
def order_by_place(values: Any, order: Any, starts: Any) -> Any:
    """Reorder the rows of each group, `order[starts[g]:starts[g + 1]]`, so that near ones are together."""
    keys = np.empty(len(order))
    stack = np.empty((128, 2), np.int64)
    for group in range(len(starts) - 1):
        stack[0, 0], stack[0, 1] = starts[group], starts[group + 1]
        n = 1
        while n:
            n -= 1
            start, end = stack[n, 0], stack[n, 1]
            middle = _parting(start, end)
            if not middle:
                continue
            column = _widest(values, order, start, end)
            if column >= 0:
                for at in range(start, end):
                    keys[at] = values[order[at], column]
                _part(keys, order, start, end, middle)
            stack[n, 0], stack[n, 1] = start, middle
            stack[n + 1, 0], stack[n + 1, 1] = middle, end
            n += 2


@compiled(
    types.void(_ROWS, _INT32, types.float64[:, :, ::1]),
    work=lambda _values, _order, points: sizes(points),
)
def pack(values: Any, order: Any, points: Any) -> Any:
    """Write the rows in their order into blocks; the last row fills what is left of the last one."""
    for place in range(len(points) * LANES):
        row = order[min(place, len(order) - 1)]
        for column in range(values.shape[1]):
            points[place // LANES, column, place % LANES] = values[row, column]


@compiled(
    types.void(
        types.Array(types.float64, 3, "C", readonly=True),
        _INT32,
        _INT64,
        types.float64[:, :, ::1],
        types.float64[:, :, ::1],
        types.int32[::1],
    ),
    work=sizes,
)
def bound(points: Any, order: Any, offsets: Any, low: Any, high: Any, lowest: Any) -> Any:
    """The bounding box and the lowest row of each node, level by level; far away for nodes without points."""
    n_columns = points.shape[1]
    low[:] = np.inf
    high[:] = np.inf
    lowest[:] = np.iinfo(np.int32).max
    for block in range(len(points)):
        box, lane = block // LANES, block % LANES
        for column in range(n_columns):
            low[box, column, lane] = points[block, column].min()
            high[box, column, lane] = points[block, column].max()
        for place in range(block * LANES, min(block * LANES + LANES, len(order))):
            lowest[block] = min(lowest[block], order[place])
    n_nodes = len(points)
    for level in range(1, len(offsets) - 1):
        below = offsets[level - 1]
        n_children, n_nodes = n_nodes, (n_nodes + LANES - 1) // LANES
        for node in range(n_nodes):
            box, lane = offsets[level] + node // LANES, node % LANES
            n_lanes = min(LANES, n_children - node * LANES)
            for column in range(n_columns):
                low[box, column, lane] = low[below + node, column, :n_lanes].min()
                high[box, column, lane] = high[below + node, column, :n_lanes].max()
            first = (below + node) * LANES
            lowest[box * LANES + lane] = lowest[first : first + n_lanes].min()
