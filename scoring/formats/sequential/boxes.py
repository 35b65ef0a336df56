# SPDX-License-Identifier: Apache-2.0
"""Points in regions: the groups of a release that a person may be in, by its quasi-identifiers only."""

from __future__ import annotations

from dataclasses import dataclass, replace

import numpy as np

from scoring.formats.sequential.tables import FloatArray, Release
from scoring.kernels import boxes as kernels
from scoring.tables.equivalence import IntArray

_MOST_CELLS = 256  # in a row of the grid
_MOST_ENTRIES = 20_000_000  # regions written into cells, the same region in many


@dataclass(frozen=True, slots=True)
class Groups:
    """The groups of a release in the order of their numbers: regions, and rows one group after the other.

    Attributes
    ----------
    numbers : int64 array, shape (n_groups,)
        As published.
    low, high : float64 arrays, shape (n_groups, d)
    rows : int64 array, shape (n_rows,)
        Rows of the release, those of group g at starts[g] to starts[g + 1].
    starts : int64 array, shape (n_groups + 1,)
    of_row : int64 array, shape (n_rows,)
        The group of each row of the release.
    """

    numbers: IntArray
    low: FloatArray
    high: FloatArray
    rows: IntArray
    starts: IntArray
    of_row: IntArray

    @classmethod
    def of(cls, release: Release) -> Groups:
        """The groups of a release, each with the region of its first row.

        Examples
        --------
        >>> box = np.zeros((3, 1))
        >>> release = Release(np.array([7, 2, 7]), box, box, np.array([0, 1, 1]), None, {}, None)
        >>> groups = Groups.of(release)
        >>> groups.numbers, groups.rows, groups.starts
        (array([2, 7]), array([1, 0, 2]), array([0, 1, 3]))
        """
        numbers, first, of_row, sizes = np.unique(
            release.group, return_index=True, return_inverse=True, return_counts=True
        )
        rows = np.argsort(of_row, kind="stable")
        starts = np.concatenate([[0], np.cumsum(sizes)])
        low, high = release.low[first], release.high[first]
        return cls(numbers, low, high, rows, starts, of_row)


def opened(release: Release, groups: IntArray) -> Release:
    """The release with regions that contain everything for some groups, by their numbers.

    Examples
    --------
    >>> box = np.zeros((2, 1))
    >>> release = Release(np.array([1, 2]), box, box, np.array([0, 1]), None, {}, None)
    >>> opened(release, np.array([2])).high.tolist()
    [[0.0], [inf]]
    """
    is_open = np.isin(release.group, groups)[:, None]
    low, high = np.where(is_open, -np.inf, release.low), np.where(is_open, np.inf, release.high)
    return replace(release, low=low, high=high)


@dataclass(frozen=True, slots=True)
class Grid:
    """Regions by the cells of a grid over two of the columns; a point looks into its own cell only."""

    columns: tuple[int, int]
    edges: tuple[FloatArray, FloatArray]
    starts: IntArray
    boxes: IntArray
    low: FloatArray
    high: FloatArray

    @classmethod
    def of(cls, low: FloatArray, high: FloatArray) -> Grid:
        """The grid of some regions: finer where there are many, coarser where they are wide."""
        low, high = np.ascontiguousarray(low), np.ascontiguousarray(high)
        n_distinct = [len(np.unique(column)) for column in low.T]
        order = sorted(range(low.shape[1]), key=lambda column: -n_distinct[column])
        columns = (order[0], order[-1] if len(order) < 2 else order[1])
        width = int(np.clip(np.sqrt(len(low)), 1, _MOST_CELLS))
        while True:
            edges = (_edges(low[:, columns[0]], width), _edges(low[:, columns[1]], width))
            first, last = _cells(low, columns, edges), _cells(high, columns, edges)
            if width == 1 or np.prod(last - first + 1, axis=1).sum() <= _MOST_ENTRIES:
                break
            width //= 2
        row = len(edges[1]) + 1
        starts = np.zeros((len(edges[0]) + 1) * row + 1, dtype=np.int64)
        kernels.count_cells(first, last, row, starts[1:])
        np.cumsum(starts, out=starts)
        boxes = np.empty(starts[-1], dtype=np.int64)
        kernels.fill_cells(first, last, row, starts[:-1].copy(), boxes)
        return cls(columns, edges, starts, boxes, low, high)

    def holding(self, points: FloatArray) -> tuple[IntArray, IntArray]:
        """The regions that contain each point.

        Parameters
        ----------
        points : float64 array, shape (n, d)

        Returns
        -------
        starts, boxes : int64 arrays
            Point i lies in regions[starts[i]:starts[i + 1]], its borders included.

        Examples
        --------
        >>> grid = Grid.of(np.array([[0.0], [2.0]]), np.array([[2.0], [5.0]]))
        >>> starts, boxes = grid.holding(np.array([[1.0], [2.0], [9.0]]))
        >>> starts, boxes
        (array([0, 1, 3, 3]), array([0, 0, 1]))
        """
        starts = np.concatenate([[0], np.cumsum(self.sizes(points))])
        return starts, self.listed(points, int(starts[-1]))

    def listed(self, points: FloatArray, n: int) -> IntArray:
        """The regions that contain each point, one point after the other; as many as `sizes` adds up to."""
        boxes = np.empty(n, dtype=np.int64)
        kernels.list_boxes(*self._asked(points), boxes)
        return boxes

    def sizes(self, points: FloatArray) -> IntArray:
        """The number of regions that contain each point, to check if they fit into memory.

        Examples
        --------
        >>> Grid.of(np.array([[0.0], [2.0]]), np.array([[2.0], [5.0]])).sizes(np.array([[2.0], [9.0]]))
        array([2, 0])
        """
        found = np.zeros(len(points), dtype=np.int64)
        kernels.count_boxes(*self._asked(points), found)
        return found

    def values(
        self, points: FloatArray, row_starts: IntArray, values: IntArray, n_values: int
    ) -> IntArray:
        """By point and value, the rows of the regions that contain the point; shape (n, n_values).

        The rows of region b have the values values[row_starts[b]:row_starts[b + 1]].
        """
        counts = np.zeros((len(points), n_values), dtype=np.int64)
        kernels.count_values(*self._asked(points), row_starts, values, counts)
        return counts

    def _asked(
        self, points: FloatArray
    ) -> tuple[IntArray, IntArray, IntArray, FloatArray, FloatArray, FloatArray]:
        cells = _cells(points, self.columns, self.edges)
        numbers = cells[:, 0] * (len(self.edges[1]) + 1) + cells[:, 1]
        points = np.ascontiguousarray(points)
        return numbers, self.starts, self.boxes, points, self.low, self.high


def _edges(values: FloatArray, width: int) -> FloatArray:
    """The borders of about `width` equally full cells."""
    return np.unique(np.quantile(values, np.arange(1, width) / width, method="lower"))


def _cells(
    points: FloatArray, columns: tuple[int, int], edges: tuple[FloatArray, FloatArray]
) -> IntArray:
    """The cell of each point along both columns; it never falls where a coordinate grows."""
    along = [
        np.searchsorted(edge, points[:, column], side="right")
        for column, edge in zip(columns, edges, strict=True)
    ]
    return np.ascontiguousarray(np.column_stack(along), dtype=np.int64)
