# SPDX-License-Identifier: Apache-2.0
"""Row counting: what an attacker finds who counts the rows of the regions that contain a person."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

import numpy as np

from scoring.formats.sequential.boxes import Grid, Groups
from scoring.formats.sequential.tables import FloatArray, Microdata, Release, lifespans, true_codes
from scoring.tables.equivalence import IntArray

_MOST_CELLS = 20_000_000  # counts of values by point that are held at a time


def counting_risks(microdata: Microdata, releases: Sequence[Release]) -> FloatArray:
    """The share of each person's true value among the rows that row counting leaves.

    The attacker knows names, quasi-identifiers and lifespans. Left are the rows of the last release
    in the person's life whose region contains the person and whose value such rows have in every release
    of that life.

    Parameters
    ----------
    microdata : Microdata
    releases : sequence of Release
        One for each snapshot, or for the first of them.

    Returns
    -------
    float64 array, shape (n_ids,)
        From 0, none of the rows that are left has the true value, to 1, all have it. NaN where no
        row is left, or the person has not come yet.

    Notes
    -----
    Zhang, Kamidoi & Wakabayashi, on safer generalization by m-invariance for sequential release,
    section 4.2.

    Examples
    --------
    >>> from scoring.formats.sequential.examples import TABLE_10, microdata
    >>> low, high = np.array([[21.0, 12_000]] * 4), np.array([[24.0, 25_000]] * 4)
    >>> release = Release(np.ones(4, int), low, high, np.array([0, 1, 0, 2]), None, {}, None)
    >>> counting_risks(microdata(TABLE_10), [release])
    array([0.5 , 0.25, 0.5 , 0.25])
    """
    true_value = true_codes(microdata)
    risks = np.full(len(microdata.ids), np.nan)
    for ids, counts in rows_left(microdata, releases):
        risks[ids] = _shares(counts, true_value[ids])
    return risks


def rows_left(
    microdata: Microdata, releases: Sequence[Release]
) -> Iterator[tuple[IntArray, IntArray]]:
    """The rows that row counting leaves each person, by value.

    Parameters
    ----------
    microdata : Microdata
        Its sensitive values are not looked at.
    releases : sequence of Release
        One for each snapshot, or for the first of them.

    Yields
    ------
    ids, counts : int64 arrays, shapes (n,) and (n, n_values)
        Each person who has come once, with the rows of the last release in its life that are left.

    Examples
    --------
    >>> from scoring.formats.sequential.examples import SMALL
    >>> from scoring.formats.sequential.publishing import Options, publish
    >>> releases = publish(SMALL, Options(m=2)).releases
    >>> [len(ids) for ids, _counts in rows_left(SMALL, releases)]
    [2, 3]
    """
    _first, last = lifespans(microdata)
    last = np.minimum(last, len(releases) - 1)
    n_values = len(microdata.sensitive_values)
    possible = np.ones((len(microdata.ids), n_values), dtype=np.bool_)
    for time, (snapshot, release) in enumerate(zip(microdata.snapshots, releases, strict=False)):
        ends = last[snapshot.ids] == time
        points, which = np.unique(snapshot.qi, axis=0, return_inverse=True)
        groups = Groups.of(release)
        grid = Grid.of(groups.low, groups.high)
        values = release.sensitive[groups.rows]
        by_point = np.argsort(which, kind="stable")
        step = max(1, _MOST_CELLS // n_values)
        for start in range(0, len(points), step):
            counts = grid.values(points[start : start + step], groups.starts, values, n_values)
            low, high = np.searchsorted(which[by_point], [start, start + len(counts)])
            people = by_point[low:high]
            ids, counts = snapshot.ids[people], counts[which[people] - start]
            possible[ids] &= counts > 0
            ending = ends[people]
            yield ids[ending], counts[ending] * possible[ids[ending]]


def _shares(counts: IntArray, true_values: IntArray) -> FloatArray:
    """The share of the true value in each line of counts by value; NaN in an empty line."""
    totals = counts.sum(axis=1)
    shares = np.full(len(counts), np.nan)
    hits = counts[np.arange(len(counts)), true_values]
    np.divide(hits, totals, out=shares, where=totals > 0)
    return shares
