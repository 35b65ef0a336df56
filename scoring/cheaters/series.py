# SPDX-License-Identifier: Apache-2.0
"""Series of releases of cheaters, their guesses of values, and their estimates of hidden counts."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from scoring.formats.sequential.series import Series, in_order
from scoring.formats.sequential.tables import Microdata, Release, Snapshot
from scoring.tables.equivalence import IntArray


def raw_series(microdata: Microdata, m: int) -> Series:
    """Each record as a group of its own, with its values; `m` changes nothing."""
    return _series(
        microdata, [_release(s, np.arange(len(s.ids)), m=1) for s in microdata.snapshots]
    )


def sorted_series(microdata: Microdata, m: int) -> Series:
    """Groups of m records that follow one another in the order of the quasi-identifiers, whatever their values."""
    orders = [np.lexsort(s.qi.T[::-1]) for s in microdata.snapshots]
    pairs = zip(microdata.snapshots, orders, strict=True)
    return _series(microdata, [_release(s, order, m) for s, order in pairs])


def one_record_series(microdata: Microdata, m: int) -> Series:
    """As many copies of the first m records as a table has records, in groups of these m."""
    copies = [np.arange(len(s.ids)) % max(1, min(m, len(s.ids))) for s in microdata.snapshots]
    pairs = zip(microdata.snapshots, copies, strict=True)
    return _series(microdata, [_release(s, rows, m) for s, rows in pairs])


def _series(microdata: Microdata, releases: Sequence[Release]) -> Series:
    nobody = tuple(np.zeros(0, dtype=np.int64) for _ in releases)
    return in_order(Series(microdata, tuple(releases), nobody, nobody, knows_counterfeits=False))


def _release(snapshot: Snapshot, rows: IntArray, m: int) -> Release:
    """Groups of m rows in this order, the last one with those left over; regions are no wider than their records."""
    group = np.minimum(np.arange(len(rows)) // m, max(len(rows) // m - 1, 0))
    qi = snapshot.qi[rows]
    low, high = np.full_like(qi, np.inf), np.full_like(qi, -np.inf)
    np.minimum.at(low, group, qi)
    np.maximum.at(high, group, qi)
    return Release(group + 1, low[group], high[group], snapshot.sensitive[rows], None, {}, None)


def constant_values(people: Microdata, releases: Sequence[Release]) -> IntArray:
    """The most frequent value of all releases for everybody: codes, shape (n_ids,); -1 without a row."""
    values = np.concatenate([release.sensitive for release in releases])
    usual = np.bincount(values).argmax() if len(values) else -1
    return np.full(len(people.ids), usual, dtype=np.int64)


def constant_counts(shape: Sequence[int], n_records: int) -> IntArray:
    """The same number of records in each cell; the first ones have one more.

    Examples
    --------
    >>> constant_counts((2, 2), 5).tolist()
    [[2, 1], [1, 1]]
    """
    n_cells = int(np.prod(shape))
    counts = np.full(n_cells, n_records // n_cells, dtype=np.int64)
    counts[: n_records % n_cells] += 1
    return counts.reshape(shape)
