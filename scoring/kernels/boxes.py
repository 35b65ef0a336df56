# SPDX-License-Identifier: Apache-2.0
"""Regions that contain points: each point tests the regions that reach into its cell of a grid."""

from __future__ import annotations

from typing import Any

import numpy.typing as npt

from scoring.kernels.deferred import compiled, sizes, types

Array = npt.NDArray[Any]

_NUMBERS = types.Array(types.float64, 2, "C", readonly=True)
_ROWS = types.Array(types.int64, 1, "C", readonly=True)
_CORNERS = types.Array(types.int64, 2, "C", readonly=True)
_GRID = (_ROWS, _ROWS, _ROWS, _NUMBERS, _NUMBERS, _NUMBERS)


@compiled(types.boolean(_NUMBERS, types.int64, _NUMBERS, _NUMBERS, types.int64))
def _holds(points: Array, point: int, low: Array, high: Array, box: int) -> bool:
    for column in range(points.shape[1]):
        value = points[point, column]
        if value < low[box, column] or value > high[box, column]:
            return False
    return True


@compiled(types.void(_CORNERS, _CORNERS, types.int64, types.int64[::1]), work=sizes)
def count_cells(first: Array, last: Array, width: int, counts: Array) -> None:
    """Add to `counts` how many regions reach into each cell; the arguments are those of `fill_cells`."""
    for box in range(len(first)):
        for x in range(first[box, 0], last[box, 0] + 1):
            for y in range(first[box, 1], last[box, 1] + 1):
                counts[x * width + y] += 1


@compiled(
    types.void(_CORNERS, _CORNERS, types.int64, types.int64[::1], types.int64[::1]), work=sizes
)
def fill_cells(first: Array, last: Array, width: int, at: Array, boxes: Array) -> None:
    """Write each region into the cells that it reaches into.

    Parameters
    ----------
    first, last : int64 arrays, shape (n_boxes, 2)
        The cells of its corners.
    width : int
        Cells in a row of the grid.
    at : int64 array, shape (n_cells,)
        Where each cell's next region is written; moved on.
    boxes : int64 array
        Filled, cell after cell.
    """
    for box in range(len(first)):
        for x in range(first[box, 0], last[box, 0] + 1):
            for y in range(first[box, 1], last[box, 1] + 1):
                cell = x * width + y
                boxes[at[cell]] = box
                at[cell] += 1


@compiled(types.void(*_GRID, types.int64[::1]), work=sizes)
def count_boxes(
    cells: Array, starts: Array, boxes: Array, points: Array, low: Array, high: Array, counts: Array
) -> None:
    """Fill `counts` with how many regions contain each point; cell c has regions[starts[c]:starts[c + 1]]."""
    for point in range(len(cells)):
        n = 0
        for at in range(starts[cells[point]], starts[cells[point] + 1]):
            n += _holds(points, point, low, high, boxes[at])
        counts[point] = n


@compiled(types.void(*_GRID, types.int64[::1]), work=sizes)
def list_boxes(
    cells: Array, starts: Array, boxes: Array, points: Array, low: Array, high: Array, found: Array
) -> None:
    """Fill `found` with the regions that contain each point, one point after the other."""
    n = 0
    for point in range(len(cells)):
        for at in range(starts[cells[point]], starts[cells[point] + 1]):
            if _holds(points, point, low, high, boxes[at]):
                found[n] = boxes[at]
                n += 1


@compiled(types.void(*_GRID, _ROWS, _ROWS, types.int64[:, ::1]), work=sizes)
def count_values(
    cells: Array,
    starts: Array,
    boxes: Array,
    points: Array,
    low: Array,
    high: Array,
    row_starts: Array,
    values: Array,
    counts: Array,
) -> None:
    """Add up in `counts`, by point and value, the rows of the regions that contain each point.

    The rows of region b have the values values[row_starts[b]:row_starts[b + 1]].
    """
    for point in range(len(cells)):
        for at in range(starts[cells[point]], starts[cells[point] + 1]):
            box = boxes[at]
            if _holds(points, point, low, high, box):
                for row in range(row_starts[box], row_starts[box + 1]):
                    counts[point, values[row]] += 1
