# SPDX-License-Identifier: Apache-2.0
"""Phase 4, first half: the groups that a bucket of tuples makes.

A large bucket is halved again and again along its widest attribute, each value in the same proportion. In a part of
at most `PART` groups the most frequent value opens the groups, and the tuples of each other value join them one to
one so that regions grow least together (Kuhn and Munkres). Places that no tuple takes are counterfeits'.
"""

from __future__ import annotations

from itertools import pairwise

import numpy as np

from scoring.formats.sequential.phases import Buckets
from scoring.formats.sequential.tables import FloatArray
from scoring.tables.equivalence import IntArray

PART = 64


def split(buckets: Buckets, points: FloatArray, sensitive: IntArray) -> tuple[IntArray, IntArray]:
    """The group of each tuple, and the bucket of each group.

    Parameters
    ----------
    buckets : Buckets
        Every tuple is in one.
    points : float64 array, shape (n, d)
    sensitive : int64 array, shape (n,)

    Returns
    -------
    of_tuple : int64 array, shape (n,)
        From 0; the groups of a bucket are in the order of their lowest coordinates.
    bucket : int64 array, shape (n_groups,)

    Examples
    --------
    >>> buckets = Buckets([(0, 1)], np.array([0, 0, 0]), np.array([2]))
    >>> split(buckets, np.array([[1.0], [9.0], [8.0]]), np.array([0, 0, 1]))
    (array([0, 1, 1]), array([0, 0]))
    """
    parts, heights = _halved(buckets, points, sensitive)
    members = members_of(parts, len(heights))
    of_tuple = np.empty(len(points), dtype=np.int64)
    n_groups = 0
    for tuples, height in zip(members, heights.tolist(), strict=True):
        of_tuple[tuples] = n_groups + _groups(points[tuples], sensitive[tuples], height)
        n_groups += height
    bucket = np.empty(n_groups, dtype=np.int64)
    bucket[of_tuple] = buckets.of_tuple
    low = np.full((n_groups, points.shape[1]), np.inf)
    np.minimum.at(low, of_tuple, points)
    place = np.empty(n_groups, dtype=np.int64)
    place[np.lexsort((*low.T[::-1], bucket))] = np.arange(n_groups)
    return place[of_tuple], np.sort(bucket)


def members_of(part: IntArray, n_parts: int) -> list[IntArray]:
    """The tuples of each part, in order.

    Examples
    --------
    >>> members_of(np.array([2, 0, 2]), 3)
    [array([1]), array([], dtype=int64), array([0, 2])]
    """
    order = np.argsort(part, kind="stable")
    ends = np.cumsum(np.bincount(part, minlength=n_parts)).tolist()
    return [order[start:end] for start, end in pairwise([0, *ends])]


def _halved(buckets: Buckets, points: FloatArray, sensitive: IntArray) -> tuple[IntArray, IntArray]:
    """The part of each tuple and the height of each part: buckets, halved until they are small."""
    parts, heights = buckets.of_tuple.copy(), buckets.heights.copy()
    while (heights > PART).any():
        tuples = np.flatnonzero(heights[parts] > PART)
        part = parts[tuples]
        along = _along_widest(points[tuples], part, len(heights))
        order = np.lexsort((along, sensitive[tuples], part))
        key = part[order] * (sensitive.max() + 1) + sensitive[tuples][order]
        _keys, first, size = np.unique(key, return_index=True, return_counts=True)
        rank = np.arange(len(key)) - np.repeat(first, size)
        whole = heights[part[order]]
        half = whole // 2
        n = np.repeat(size, size)
        quota = np.clip((2 * n * half + whole) // (2 * whole), n - (whole - half), half)
        right = order[rank >= quota]
        new = np.full(len(heights), -1, dtype=np.int64)
        large = np.flatnonzero(heights > PART)
        new[large] = len(heights) + np.arange(len(large))
        parts[tuples[right]] = new[part[right]]
        heights = np.concatenate([heights, heights[large] - heights[large] // 2])
        heights[large] //= 2
    return parts, heights


def _along_widest(points: FloatArray, part: IntArray, n_parts: int) -> FloatArray:
    """Each tuple's coordinate of the attribute along which its part is widest."""
    low = np.full((n_parts, points.shape[1]), np.inf)
    high = -low
    np.minimum.at(low, part, points)
    np.maximum.at(high, part, points)
    widest = np.argmax(high - low, axis=1)
    found: FloatArray = points[np.arange(len(points)), widest[part]]
    return found


def _groups(points: FloatArray, sensitive: IntArray, height: int) -> IntArray:
    """The group of each tuple of a part, from 0 to height - 1."""
    values, counts = np.unique(sensitive, return_counts=True)
    found = np.empty(len(points), dtype=np.int64)
    from scipy.optimize import linear_sum_assignment

    first, *others = values[np.argsort(-counts, kind="stable")]
    opens = np.flatnonzero(sensitive == first)
    found[opens] = np.arange(height)
    low, high = points[opens].copy(), points[opens].copy()
    for value in others:
        joins = np.flatnonzero(sensitive == value)
        here = points[joins, None, :]
        growth = (np.maximum(low - here, 0) + np.maximum(here - high, 0)).sum(axis=2)
        rows, groups = linear_sum_assignment(growth)
        found[joins[rows]] = groups
        low[groups] = np.minimum(low[groups], points[joins[rows]])
        high[groups] = np.maximum(high[groups], points[joins[rows]])
    return found
