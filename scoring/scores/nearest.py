# SPDX-License-Identifier: Apache-2.0
"""Nearest originals in one column, or by Euclidean distance over several, ties included.

A tie is equality of 64-bit floats: |y - x| in one column, else the sum over the columns, in order,
of (y - x) * (y - x). Everything faster than that only narrows down which pairs are worth computing.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from scoring.kernels import layout, search, values
from scoring.kernels.parts import in_parts
from scoring.tables.equivalence import FloatArray, IntArray, NumberArray, frozen


@dataclass(frozen=True, slots=True)
class ValueIndex:
    """The distinct values of one column, sorted within groups of records.

    Attributes
    ----------
    order : int32 array, shape (n_records,)
        The records by group, value and row.
    values : float64 array, shape (n_values,)
        The distinct values, by group.
    run_starts : int32 array, shape (n_values + 1,)
        Where each value's records begin in `order`.
    starts : int64 array, shape (n_groups + 1,)
        Where each group's values begin.
    place : int32 array, shape (n_records,)
        Where each record's value is.
    """

    order: NumberArray
    values: FloatArray
    run_starts: NumberArray
    starts: IntArray
    place: NumberArray

    @classmethod
    def of(cls, column: FloatArray, group: NumberArray | IntArray | None = None) -> ValueIndex:
        """Sort a column, within groups numbered from 0 or as one group."""
        group = np.zeros(len(column), dtype=np.int32) if group is None else group
        order = np.lexsort((column, group)).astype(np.int32)
        ordered, ordered_group = column[order], group[order]
        is_new = np.ones(len(order), dtype=bool)
        is_new[1:] = (ordered_group[1:] != ordered_group[:-1]) | (ordered[1:] != ordered[:-1])
        place = np.empty(len(order), dtype=np.int32)
        place[order] = np.cumsum(is_new) - 1
        return cls(
            frozen(order),
            frozen(ordered[is_new]),
            frozen(np.append(np.flatnonzero(is_new), len(order)).astype(np.int32)),
            frozen(group_starts(ordered_group[is_new])),
            frozen(place),
        )

    def nearest(self, column: FloatArray, group: IntArray) -> tuple[IntArray, IntArray]:
        """The runs of `order` nearest to each value within its group, which has records."""
        low, high = np.empty(len(column), dtype=np.int64), np.empty(len(column), dtype=np.int64)
        values.find_nearest_values(
            self.values,
            self.starts,
            np.ascontiguousarray(column, dtype=np.float64),
            np.ascontiguousarray(group, dtype=np.int64),
            low,
            high,
        )
        starts = self.run_starts.astype(np.int64)
        return starts[low], starts[high]

    def count_as_near(
        self,
        column: FloatArray,
        group: NumberArray,
        queries: NumberArray,
        places: NumberArray,
        ties: NumberArray,
        threads: int = 1,
    ) -> None:
        """Write into `ties` how many originals are as near as the declared one, 0 where one is nearer.

        For the entries `queries` of `column` within the `group` of each; `places` is where the
        declared one's value is.
        """

        def work(begin: int, end: int) -> None:
            values.count_as_near_values(
                self.values,
                self.run_starts,
                self.starts,
                column,
                group,
                queries,
                places,
                begin,
                end,
                ties,
            )

        in_parts(len(queries), threads, work)


@dataclass(frozen=True, slots=True)
class PointIndex:
    """The points of some columns within groups of records, near ones together.

    Attributes
    ----------
    order : int32 array, shape (n_records,)
        The records by group and place.
    place : int32 array, shape (n_records,)
        Where each record is in `order`.
    points : float64 array, shape (n_blocks, n_columns, 8)
        Place p is lane p % 8 of block p // 8.
    starts : int64 array, shape (n_groups + 1,)
        Where each group begins in `order`.
    """

    order: NumberArray
    place: NumberArray
    points: FloatArray
    starts: IntArray
    _low: FloatArray
    _high: FloatArray
    _offsets: IntArray
    _lowest: NumberArray
    _clearances: FloatArray

    @classmethod
    def of(cls, rows: FloatArray, group: NumberArray | IntArray | None = None) -> PointIndex:
        """Lay out the rows of a matrix, within groups numbered from 0 or as one group."""
        rows = np.ascontiguousarray(rows, dtype=np.float64)
        n_records, n_columns = rows.shape
        group = np.zeros(n_records, dtype=np.int32) if group is None else group
        order = np.argsort(group, kind="stable").astype(np.int32)
        starts = group_starts(group[order])
        layout.order_by_place(rows, order, starts)
        place = np.empty_like(order)
        place[order] = np.arange(n_records, dtype=np.int32)
        points = np.empty((-(-n_records // search.LANES), n_columns, search.LANES))
        layout.pack(rows, order, points)
        n_nodes = [len(points)]
        while n_nodes[-1] > 1:
            n_nodes.append(-(-n_nodes[-1] // search.LANES))
        n_boxes = [-(-n // search.LANES) for n in n_nodes]
        offsets = np.append(0, np.cumsum(n_boxes)).astype(np.int64)
        low = np.empty((offsets[-1], n_columns, search.LANES))
        high = np.empty_like(low)
        lowest = np.empty(offsets[-1] * search.LANES, dtype=np.int32)
        layout.bound(points, order, offsets, low, high, lowest)
        clearances = np.empty(n_records)
        search.find_clearances(points, low, high, offsets, starts, clearances)
        return cls(
            frozen(order),
            frozen(place),
            frozen(points),
            frozen(starts),
            frozen(low),
            frozen(high),
            frozen(offsets),
            frozen(lowest),
            frozen(clearances),
        )

    def placed(self) -> FloatArray:
        """The rows of the matrix by place, shape (n_records, n_columns)."""
        n_blocks, n_columns, n_lanes = self.points.shape
        by_place = self.points.transpose(0, 2, 1).reshape(n_blocks * n_lanes, n_columns)
        return by_place[: len(self.order)]

    def count_as_near(
        self,
        rows: FloatArray,
        group: NumberArray,
        queries: NumberArray,
        places: NumberArray,
        ties: NumberArray,
        threads: int = 1,
    ) -> IntArray:
        """Write into `ties` how many originals are as near as the declared one, 0 where one is nearer.

        For the rows `queries` of a matrix within the `group` of each; `places` is where the
        declared one is. Neighbours among the queries best follow each other.

        Returns
        -------
        int64 array, shape (2,)
            The numbers of points compared and of bounding boxes tested.
        """
        n_done = np.zeros(2, dtype=np.int64)

        def work(begin: int, end: int) -> None:
            done = np.zeros(2, dtype=np.int64)
            search.count_as_near(
                self.points,
                self._low,
                self._high,
                self._offsets,
                self._clearances,
                rows,
                self.starts,
                group,
                queries,
                places,
                begin,
                end,
                ties,
                done,
            )
            np.add(n_done, done, out=n_done)

        in_parts(len(queries), threads, work, is_search=True)
        return n_done

    def nearest(
        self, rows: FloatArray, group: NumberArray, queries: NumberArray, guess: IntArray
    ) -> IntArray:
        """Write into `guess` the record nearest to each row of `queries`, the lowest of equally near ones.

        Each within its `group`, which has points. Returns what `count_as_near` does.
        """
        n_done = np.zeros(2, dtype=np.int64)
        search.find_nearest(
            self.points,
            self._low,
            self._high,
            self._offsets,
            self.order,
            self._lowest,
            rows,
            self.starts,
            group,
            queries,
            0,
            len(queries),
            guess,
            n_done,
        )
        return n_done


def group_starts(ordered_group: NumberArray | IntArray) -> IntArray:
    """The starts of groups 0, 1, … in an ascending array of group numbers, and the end of the last."""
    n_groups = int(ordered_group[-1]) + 1 if len(ordered_group) else 0
    return np.searchsorted(ordered_group, np.arange(n_groups + 1)).astype(np.int64)
