# SPDX-License-Identifier: Apache-2.0
"""Random COUNT queries to a changing table, and the answers of its releases."""

from __future__ import annotations

import math
from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from scoring.formats.sequential.boxes import Groups
from scoring.formats.sequential.tables import FloatArray, Microdata, Release, Snapshot

N_QUERIES = 1_000
"""To all tables together, in turn."""
SELECTIVITY = 0.05
"""The share of a table that a query would hold if it were uniform."""
SANITY = 0.001
"""The share of a table below which a count is taken for this share, so that small ones do not decide."""


@dataclass(frozen=True, slots=True)
class Query:
    """Query: the number of tuples of one time in a region with one of some sensitive values.

    Attributes
    ----------
    time : int
    low, high : float64 arrays, shape (d,)
    chosen : bool array, shape (n_values,)
    """

    time: int
    low: FloatArray
    high: FloatArray
    chosen: NDArray[np.bool_]


def queries(microdata: Microdata, seed: int) -> Iterator[Query]:
    """The queries to a microdata's tables: the same for every release of them, and for every order of their records.

    Each is drawn around a random tuple. With d quasi-identifiers and a share s = 0.05 ** (1 / (d + 1)),
    an interval of a number is s times as wide as the range of its values in the table, one of
    categories has a share of s of the list, and a share of s of the sensitive values of all tables are chosen.
    """
    rng = np.random.default_rng(seed)
    tables = [_in_order(snapshot, microdata.ids) for snapshot in microdata.snapshots]
    is_numeric = np.array([attribute.values is None for attribute in microdata.attributes])
    sizes = np.array([len(attribute.values or ()) for attribute in microdata.attributes])
    share = SELECTIVITY ** (1 / (len(is_numeric) + 1))
    bounds = [
        (
            np.where(is_numeric, table.qi.min(axis=0), 0.0),
            np.where(is_numeric, table.qi.max(axis=0), sizes - 1.0),
        )
        for table in tables
    ]
    values = _values(microdata)
    n_chosen = math.ceil(share * len(values))
    for number in range(N_QUERIES):
        time = number % len(tables)
        table, (least, most) = tables[time], bounds[time]
        record = int(rng.integers(len(table.ids)))
        width = np.where(is_numeric, share * (most - least), np.ceil(share * sizes) - 1)
        low = np.maximum(least, table.qi[record] - width)
        high = np.minimum(table.qi[record], most - width)
        at = rng.random(len(width))
        start = np.where(is_numeric, low + at * (high - low), low + np.floor(at * (high - low + 1)))
        others = rng.permutation(values)
        others = others[others != table.sensitive[record]][: n_chosen - 1]
        chosen = np.zeros(len(microdata.sensitive_values), dtype=np.bool_)
        chosen[[table.sensitive[record], *others]] = True
        yield Query(time, np.minimum(start, table.qi[record]), start + width, chosen)


def _in_order(snapshot: Snapshot, ids: tuple[str, ...]) -> Snapshot:
    """The tuples in the order of their ids' texts."""
    rows = sorted(range(len(snapshot.ids)), key=lambda row: ids[snapshot.ids[row]])
    return Snapshot(snapshot.ids[rows], snapshot.qi[rows], snapshot.sensitive[rows])


def _values(microdata: Microdata) -> NDArray[np.int64]:
    """The sensitive values that occur, in the order of their texts."""
    found = np.unique(np.concatenate([s.sensitive for s in microdata.snapshots]))
    names = microdata.sensitive_values
    return np.array(sorted(found.tolist(), key=names.__getitem__), dtype=np.int64)


def count(query: Query, snapshot: Snapshot) -> int:
    """The number of tuples of the query's time that fulfil it."""
    inside = ((query.low <= snapshot.qi) & (snapshot.qi <= query.high)).all(axis=1)
    return int(np.count_nonzero(inside & query.chosen[snapshot.sensitive]))


@dataclass(frozen=True, slots=True)
class Answers:
    """A release that answers queries, its rows spread evenly over their regions.

    Attributes
    ----------
    groups : Groups
    sensitive : int64 array, shape (n_rows,)
        By group, as `groups.rows`.
    weight : float64 array, shape (n_groups,)
        The share of a group's rows that are no counterfeits, as far as that is published; 1 of a group that is said
        to have nothing else.
    is_numeric : bool array, shape (d,)
    """

    groups: Groups
    sensitive: NDArray[np.int64]
    weight: FloatArray
    is_numeric: NDArray[np.bool_]

    @classmethod
    def of(cls, release: Release, microdata: Microdata) -> Answers:
        """The release of some tables; published counterfeits are subtracted."""
        groups = Groups.of(release)
        told = release.told(groups.numbers)
        sizes = np.diff(groups.starts)
        is_numeric = np.array([attribute.values is None for attribute in microdata.attributes])
        weight = np.where(told < sizes, 1 - told / sizes, 1.0)
        return cls(groups, release.sensitive[groups.rows], weight, is_numeric)

    def estimate(self, query: Query) -> float:
        """The expected number of tuples that fulfil the query."""
        low, high = self.groups.low, self.groups.high
        least, most = np.maximum(low, query.low), np.minimum(high, query.high)
        shares = np.where(self.is_numeric, _shares(low, high, least, most), 0.0)
        listed = np.maximum(0.0, most - least + 1) / (high - low + 1)
        share = np.where(self.is_numeric, shares, listed).prod(axis=1)
        n_rows = np.add.reduceat(query.chosen[self.sensitive], self.groups.starts[:-1], dtype=int)
        return float((share * n_rows * self.weight).sum())


def _shares(low: FloatArray, high: FloatArray, least: FloatArray, most: FloatArray) -> FloatArray:
    """The share of each interval that lies between two numbers; of a point 1 or 0."""
    wide = high > low
    shares: FloatArray = np.where(wide, 0.0, (least <= most).astype(np.float64))
    np.divide(np.maximum(most - least, 0.0), high - low, out=shares, where=wide)
    return shares
