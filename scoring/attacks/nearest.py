"""Nearest originals in one column, or by Euclidean distance over several, ties included.

A tie is equality of 64-bit floats: |y - x| in one column, else the sum over the columns, in order,
of (y - x) * (y - x). Everything faster than that only narrows down which pairs are worth computing.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from functools import cache

import numpy as np
import numpy.typing as npt
from threadpoolctl import ThreadpoolController  # type: ignore[import-untyped]  # ships no types

from scoring.equivalence import FloatArray, IntArray, frozen

_FEW_PAIRS = 2_048  # below, comparing all pairs of a group at once is quicker than a product
_BLOCK = 1 << 20  # matrix entries held at a time
_LARGEST_SQUARE = 1e30
_TINY = 1e-30  # against underflow
_PAIR_BLOCK = 1 << 16  # pairs whose distances are computed at a time: they fit the cache


@dataclass(frozen=True, slots=True)
class ValueIndex:
    """The values of one column, sorted within groups of records.

    Attributes
    ----------
    order : int64 array, shape (n_records,)
        The records by group, value and row.
    values : float64 array, shape (n_records,)
        Their values.
    starts : int64 array, shape (n_groups + 1,)
        Where each group begins.
    """

    order: IntArray
    values: FloatArray
    starts: IntArray

    @classmethod
    def of(cls, values: FloatArray, group: IntArray | None = None) -> ValueIndex:
        """Sort a column, within groups numbered from 0 or as one group."""
        group = np.zeros(len(values), dtype=np.int64) if group is None else group
        order = np.lexsort((values, group)).astype(np.int64)
        return cls(frozen(order), frozen(values[order]), frozen(group_starts(group[order])))

    def nearest(self, values: FloatArray, group: IntArray) -> tuple[IntArray, IntArray]:
        """The runs of `order` nearest to each value within its group, which has records."""
        start, end = self.starts[group], self.starts[group + 1]
        middle = _first_where(start, end, lambda at: self.values[at] >= values)
        last = len(self.values) - 1
        before = np.abs(values - self.values[np.maximum(middle - 1, 0)])
        after = np.abs(values - self.values[np.minimum(middle, last)])
        before[middle == start] = np.inf
        after[middle == end] = np.inf
        best = np.minimum(before, after)

        def distance(at: IntArray) -> FloatArray:
            return np.abs(values - self.values[at])

        # Rounded differences never fall on the way out, so each side's best are one run.
        low = _first_where(start, middle, lambda at: distance(at) <= best)
        high = _first_where(middle, end, lambda at: distance(at) > best)
        return low, high


@dataclass(frozen=True, slots=True)
class PointIndex:
    """The distinct points of some columns within groups of records.

    Attributes
    ----------
    order : int64 array, shape (n_records,)
        The records by group, point and row.
    points : float64 array, shape (n_columns, n_points)
        The distinct points, by group.
    run_starts : int64 array, shape (n_points + 1,)
        Where each point's records begin in `order`.
    starts : int64 array, shape (n_groups + 1,)
        Where each group's points begin.
    """

    order: IntArray
    points: FloatArray
    run_starts: IntArray
    starts: IntArray
    _center: FloatArray
    _scale: float
    _factors: npt.NDArray[np.float32]

    @classmethod
    def of(cls, values: FloatArray, group: IntArray | None = None) -> PointIndex:
        """Sort the rows of `values`, within groups numbered from 0 or as one group."""
        n_records = len(values)
        group = np.zeros(n_records, dtype=np.int64) if group is None else group
        order = np.lexsort((*values.T[::-1], group)).astype(np.int64)
        ordered, ordered_group = values[order], group[order]
        is_new = np.ones(n_records, dtype=bool)
        is_new[1:] = (ordered_group[1:] != ordered_group[:-1]) | (ordered[1:] != ordered[:-1]).any(
            axis=1
        )
        run_starts = np.append(np.flatnonzero(is_new), n_records).astype(np.int64)
        points = ordered[is_new]
        center = points.mean(axis=0)
        centered = points - center
        scale = float(np.sqrt((centered * centered).sum(axis=1).max())) or 1.0
        scaled = centered / scale
        squares = (scaled * scaled).sum(axis=1) * (1 - _slack(values.shape[1]))
        return cls(
            frozen(order),
            frozen(np.ascontiguousarray(points.T)),
            frozen(run_starts),
            frozen(group_starts(ordered_group[is_new])),
            frozen(center),
            scale,
            frozen(np.ascontiguousarray(np.column_stack([scaled, squares]).T, dtype=np.float32)),
        )

    def nearest(self, values: FloatArray, group: IntArray) -> tuple[IntArray, IntArray]:
        """The nearest points to each row of `values` within its group, which has points.

        Returns
        -------
        run_starts : int64 array, shape (n_queries + 1,)
            The nearest points of query i are those from `run_starts[i]` to `run_starts[i + 1]`.
        nearest : int64 array
            Points, ascending for each query.
        """
        columns = np.ascontiguousarray(values.T)
        queries, points = [np.empty(0, np.int64)], [np.empty(0, np.int64)]
        # The products are small: a second thread waits longer than it works on a busy machine.
        with _blas().limit(limits=1, user_api="blas"):
            for query, point in self._promising(columns, group):
                best = _keep_nearest(columns, self.points, query, point)
                queries.append(query[best])
                points.append(point[best])
        query, point = np.concatenate(queries), np.concatenate(points)
        order = np.argsort(query, kind="stable")
        counts = np.bincount(query, minlength=len(values))
        return np.append(0, np.cumsum(counts)), point[order]

    def _promising(
        self, columns: FloatArray, group: IntArray
    ) -> Iterator[tuple[IntArray, IntArray]]:
        """Pairs among which every nearest point is; all pairs of a query come in one batch."""
        n_points = np.diff(self.starts)
        n_pairs = np.bincount(group, minlength=len(n_points)) * n_points
        is_large = n_pairs > _FEW_PAIRS
        few = np.flatnonzero(~is_large[group])
        yield from self._all_pairs(few, group[few])
        many = np.flatnonzero(is_large[group])
        many = many[np.argsort(group[many], kind="stable")]
        bounds = np.flatnonzero(np.diff(group[many])) + 1
        for queries in np.split(many, bounds):
            if len(queries):
                yield from self._filtered_pairs(columns, queries, int(group[queries[0]]))

    def _all_pairs(self, queries: IntArray, group: IntArray) -> Iterator[tuple[IntArray, IntArray]]:
        sizes = self.starts[group + 1] - self.starts[group]
        ends = np.cumsum(sizes)
        batch = (ends - sizes) // _PAIR_BLOCK
        for part in np.split(np.arange(len(queries)), np.flatnonzero(np.diff(batch)) + 1):
            if len(part):
                yield expand(queries[part], self.starts[group[part]], sizes[part])

    def _filtered_pairs(
        self, columns: FloatArray, queries: IntArray, group: int
    ) -> Iterator[tuple[IntArray, IntArray]]:
        """Pairs whose distance may be the smallest, by a matrix product in 32-bit floats.

        With p = x - center and q = y - center the distance is |p|² - 2pq + |q|². The product gives
        |p|² - 2pq, too low by at most `_slack` of |p|² + |q|² and never too high by more than
        `_slack` of |q|². So no point of a lower or equal distance than one that was computed as
        the definition says, here that of the apparently nearest point, is above `limit`.
        """
        start, end = int(self.starts[group]), int(self.starts[group + 1])
        factors = self._factors[:, start:end]
        slack = _slack(len(columns))
        n_rows = max(1, _BLOCK // (end - start))
        for at in range(0, len(queries), n_rows):
            block = queries[at : at + n_rows]
            scaled = (columns[:, block].T - self._center) / self._scale
            squares = (scaled * scaled).sum(axis=1)
            if not squares.max() < _LARGEST_SQUARE:  # beyond the range of 32-bit floats
                yield from self._all_pairs(block, np.full(len(block), group))
                continue
            rows = np.arange(len(block))
            product = np.column_stack([-2 * scaled, np.ones(len(block))]).astype(np.float32)
            product = product @ factors
            nearest = product.argmin(axis=1)
            distances = squared_distances(columns, self.points, block, nearest + start)
            scaled_distances = distances / (self._scale * self._scale)
            limit = scaled_distances * (1 + slack) - squares * (1 - slack) + _TINY
            limit = np.nextafter(limit.astype(np.float32), np.float32(np.inf))
            product[rows, nearest] = np.inf
            has_rivals = product.min(axis=1) <= limit
            yield block[~has_rivals], nearest[~has_rivals] + start
            product[rows, nearest] = -np.inf
            query, point = np.nonzero(product[has_rivals] <= limit[has_rivals, None])
            yield block[has_rivals][query], point + start


@cache
def _blas() -> ThreadpoolController:
    return ThreadpoolController()


def _slack(n_columns: int) -> float:
    """Twice what rounding to 32 bits and adding up in 32 bits can amount to, relatively."""
    return 2 * (n_columns + 4) * float(np.finfo(np.float32).eps)


def _keep_nearest(
    columns: FloatArray, points: FloatArray, query: IntArray, point: IntArray
) -> npt.NDArray[np.bool_]:
    """Which pairs are the nearest of their query; the pairs of a query stand together."""
    if not len(query):
        return np.zeros(0, dtype=bool)
    distances = np.empty(len(query))
    for at in range(0, len(query), _PAIR_BLOCK):
        part = slice(at, at + _PAIR_BLOCK)
        distances[part] = squared_distances(columns, points, query[part], point[part])
    firsts = np.flatnonzero(np.diff(query, prepend=-1))
    smallest = np.minimum.reduceat(distances, firsts)
    is_nearest: npt.NDArray[np.bool_] = distances == np.repeat(
        smallest, np.diff(np.append(firsts, len(query)))
    )
    return is_nearest


def squared_distances(
    columns: FloatArray, points: FloatArray, query: IntArray, point: IntArray
) -> FloatArray:
    """The sum over the columns, in order, of (y - x) * (y - x), for pairs of positions."""
    total = np.zeros(len(query))
    for y, x in zip(columns, points, strict=True):
        difference = y[query]
        difference -= x[point]
        difference *= difference
        total += difference
    return total


def expand(owner: IntArray, start: IntArray, size: IntArray) -> tuple[IntArray, IntArray]:
    """Ranges written out: each owner repeated `size` times beside start, start + 1, …"""
    ends = np.cumsum(size)
    within = np.arange(ends[-1] if len(ends) else 0) - np.repeat(ends - size, size)
    return np.repeat(owner, size), np.repeat(start, size) + within


def group_starts(ordered_group: IntArray) -> IntArray:
    """Where groups 0, 1, … begin in an ascending array of group numbers, and where the last ends."""
    n_groups = int(ordered_group[-1]) + 1 if len(ordered_group) else 0
    return np.searchsorted(ordered_group, np.arange(n_groups + 1)).astype(np.int64)


def _first_where(
    low: IntArray, high: IntArray, holds: Callable[[IntArray], npt.NDArray[np.bool_]]
) -> IntArray:
    """The first position in [low, high) from which a monotone condition holds, `high` if none."""
    low, high = low.copy(), high.copy()
    while (is_open := low < high).any():
        middle = (low + high) // 2
        is_true = holds(np.where(is_open, middle, 0)) & is_open
        high[is_true] = middle[is_true]
        is_false = is_open & ~is_true
        low[is_false] = middle[is_false] + 1
    return low
