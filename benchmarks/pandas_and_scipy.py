# SPDX-License-Identifier: Apache-2.0
"""The fourteen values by pandas, NumPy and SciPy as somebody writes them who knows the libraries and the definitions.

What the original allows is prepared once: codes of its categories, sorted values, a tree of its points and one of each
large class. A record is compared with its declared row first, so that the others have to be nearer or as near;
classes of a few records are compared pair by pair, in one array. Nothing loops over records.
"""

from __future__ import annotations

import io
from dataclasses import dataclass
from typing import Any

import numpy as np
import numpy.typing as npt
import pandas as pd
from scipy.spatial import cKDTree

from scoring.tables.schema import Schema

Ints = npt.NDArray[np.int64]
Floats = npt.NDArray[np.float64]

_MARGIN = 1e-9  # relative, for distances that a tree rounds otherwise
_FEW, _SOME = 16, 400  # records of a class: compared pair by pair, all with all, or else by a tree
_PAIRS = 1_000_000  # at a time


@dataclass(frozen=True)
class Sorted:
    """A column within groups, as sorted whole numbers of group and value."""

    values: Floats
    keys: Ints
    counts: Ints

    @classmethod
    def of(cls, column: Floats, groups: Ints) -> Sorted:
        values, rank = np.unique(column, return_inverse=True)
        keys, counts = np.unique(groups * len(values) + rank, return_counts=True)
        return cls(values, keys, counts)

    def ties(self, column: Floats, groups: Ints, limit: Floats) -> Ints:
        """The number of values of its group as near to each value as `limit`, 0 if one is nearer."""
        n = len(self.values)
        above = np.searchsorted(self.keys, groups * n + np.searchsorted(self.values, column))
        found = np.zeros(len(column), dtype=np.int64)
        is_beaten = np.zeros(len(column), dtype=bool)
        for at in (above - 1, above):
            inside = (at >= 0) & (at < len(self.keys))
            at = np.where(inside, at, 0)
            inside &= self.keys[at] // n == groups
            distance = np.abs(column - self.values[self.keys[at] % n])
            is_beaten |= inside & (distance < limit)
            found += np.where(inside & (distance == limit), self.counts[at], 0)
        found[is_beaten] = 0
        return found


class Original:
    """An original with what is prepared of it once."""

    def __init__(self, data: bytes, schema: Schema) -> None:
        self.schema = schema
        self.qi, self.amounts = list(schema.quasi_identifiers), list(schema.sensitive_numeric)
        self.types: Any = dict.fromkeys(self.qi, "category") | dict.fromkeys(self.amounts, float)
        x = self._read(data)
        self.levels = {name: x[name].cat.categories for name in self.qi}
        self.points = x[self.amounts].to_numpy(dtype=float)
        self.known, self.classes = np.unique(self._keys(x, self.qi), return_inverse=True)
        self.sizes = np.bincount(self.classes)
        self.members = np.argsort(self.classes, kind="stable")
        self.starts = np.append(0, np.cumsum(self.sizes))
        self.tree = cKDTree(self.points)
        self.trees = {
            number: cKDTree(self.points[self._class(number)])
            for number in np.flatnonzero(self.sizes > _SOME).tolist()
        }
        everywhere = np.zeros(len(x), dtype=np.int64)
        e2, e4 = (self._column(self.points, name) for name in (schema.e2_column, schema.e4_column))
        self.e2_in_class, self.e2 = Sorted.of(e2, self.classes), Sorted.of(e2, everywhere)
        self.e4 = Sorted.of(e4, everywhere)
        self.sums = _row_sums(self.points)
        ranked = np.sort(self.sums)
        self.low = np.searchsorted(ranked, self.sums, "left")
        self.high = np.searchsorted(ranked, self.sums, "right")
        self.means, self.correlations = self.points.mean(axis=0), _correlations(self.points)
        self.spans = np.ptp(self.points, axis=0)
        self.cells = _Cells.of(self._keys(x, list(schema.cross)), self.points)

    def score(self, anonymized: bytes, rows: bytes) -> dict[str, Any]:
        """The fourteen values of a submission."""
        y = self._read(anonymized)
        source = pd.read_csv(io.BytesIO(rows), dtype=np.int64).iloc[:, 0].to_numpy() - 1
        values = y[self.amounts].to_numpy(dtype=float)
        keys = self._keys(y, self.qi)
        at = np.minimum(np.searchsorted(self.known, keys), len(self.known) - 1)
        is_known, own = self.known[at] == keys, self.classes[source]
        is_own = is_known & (at == own)  # nobody else's can be found in its class
        sizes = pd.Series(keys).value_counts(sort=False)
        return self._utility(y, values, source) | {
            "S1": int(sizes.min()),
            "S2": len(y) / len(sizes),
            "E1": float(np.where(is_own, 1 / self.sizes[own], 0).mean()),
            "E2": self._e2(values, source, is_own, ~is_known),
            "E3": self._e3(values, source),
            "E4": self._e4(values, source),
            **self._euc(values, source, is_own, ~is_known),
        }

    def _read(self, data: bytes) -> pd.DataFrame:
        return pd.read_csv(io.BytesIO(data), usecols=[*self.types], dtype=self.types)

    def _keys(self, table: pd.DataFrame, columns: list[str]) -> Ints:
        """The vectors of categories as whole numbers; values that no original has come last."""
        keys = np.zeros(len(table), dtype=np.int64)
        for name in columns:
            known, met = self.levels[name], table[name].cat
            codes = known.get_indexer(met.categories)
            codes[codes < 0] = np.arange(len(known), len(known) + (codes < 0).sum())
            keys = keys * (len(known) + 16) + codes[met.codes]
        return keys

    def _class(self, number: int) -> Ints:
        return self.members[self.starts[number] : self.starts[number + 1]]

    def _column(self, points: Floats, name: str | None) -> Floats:
        assert name is not None
        return np.ascontiguousarray(points[:, self.amounts.index(name)])

    def _utility(self, y: pd.DataFrame, values: Floats, source: Ints) -> dict[str, Any]:
        cells = _Cells.of(self._keys(y, list(self.schema.cross)), values)
        counts, means = self.cells.at(cells.keys)
        pairs = np.triu_indices(len(self.amounts), k=1)
        return {
            "U1": float(np.abs(self.means - values.mean(axis=0)).mean()),
            "U2": float(np.abs(means - cells.means).mean()),
            "U3": float(np.abs(counts - cells.counts).mean()),
            "U4": float(np.abs(self.correlations - _correlations(values))[pairs].mean()),
            "U5": float((np.abs(values - self.points[source]) / self.spans).mean()),
            "U6": len(self.points) - len(y),
        }

    def _e2(self, values: Floats, source: Ints, is_own: Any, is_alone: Any) -> float:
        column, declared = (
            self._column(points, self.schema.e2_column) for points in (values, self.points[source])
        )
        limit, ties = np.abs(column - declared), np.zeros(len(source), dtype=np.int64)
        ties[is_own] = self.e2_in_class.ties(
            column[is_own], self.classes[source[is_own]], limit[is_own]
        )
        ties[is_alone] = self.e2.ties(
            column[is_alone], np.zeros(is_alone.sum(), dtype=np.int64), limit[is_alone]
        )
        return _rate(ties)

    def _e3(self, values: Floats, source: Ints) -> float:
        sums = _row_sums(values)
        ranked = np.sort(sums)
        a, b = np.searchsorted(ranked, sums, "left"), np.searchsorted(ranked, sums, "right")
        c, d = self.low[source], self.high[source]
        shared = np.maximum(np.minimum(b, d) - np.maximum(a, c), 0)
        return float((shared / ((b - a) * (d - c))).mean())

    def _e4(self, values: Floats, source: Ints) -> float:
        column, declared = (
            self._column(points, self.schema.e4_column) for points in (values, self.points[source])
        )
        everywhere = np.zeros(len(source), dtype=np.int64)
        return _rate(self.e4.ties(column, everywhere, np.abs(column - declared)))

    def _euc(self, values: Floats, source: Ints, is_own: Any, is_alone: Any) -> dict[str, float]:
        limit, ties = _squared(values, self.points[source]), np.zeros(len(source), dtype=np.int64)
        sizes = self.sizes[self.classes[source]]
        for records in _parts(np.flatnonzero(is_own & (sizes <= _FEW)), sizes):
            n = sizes[records]
            pairs = np.repeat(np.arange(len(records)), n)
            first = self.starts[self.classes[source[records]]] - (np.cumsum(n) - n)
            members = self.members[np.arange(len(pairs)) + first[pairs]]
            ties[records] = self._compared(values[records], limit[records], pairs, members)
        large = np.flatnonzero(is_own & (sizes > _FEW))
        large = large[np.argsort(self.classes[source[large]], kind="stable")]
        numbers = self.classes[source[large]]
        for records in np.split(large, np.flatnonzero(np.diff(numbers)) + 1) if len(large) else ():
            number = int(self.classes[source[records[0]]])
            members, rows = self._class(number), (values[records], limit[records])
            if number in self.trees:
                ties[records] = self._around(self.trees[number], members, *rows)
            else:
                ties[records] = _all_with_all(self.points[members], *rows)
        euc1 = _rate(ties)
        if is_alone.any():
            everyone = np.arange(len(self.points))
            ties[is_alone] = self._around(self.tree, everyone, values[is_alone], limit[is_alone])
        return {"EUC1": euc1, "EUC2": _rate(ties)}

    def _around(self, tree: cKDTree, rows: Ints, values: Floats, limit: Floats) -> Ints:
        """By a tree: who is beaten, then pairs with those at about the declared row's distance."""
        radius = np.sqrt(limit) * (1 + _MARGIN)
        nearest, _ = tree.query(values, distance_upper_bound=np.inf)
        ties = np.zeros(len(values), dtype=np.int64)
        open_ = np.flatnonzero(nearest >= np.sqrt(limit) * (1 - _MARGIN))
        found = tree.query_ball_point(values[open_], radius[open_])
        pairs = np.repeat(np.arange(len(open_)), [len(near) for near in found])
        if len(pairs):
            members = rows[np.concatenate([np.array(near, dtype=np.int64) for near in found])]
            ties[open_] = self._compared(values[open_], limit[open_], pairs, members)
        return ties

    def _compared(self, values: Floats, limit: Floats, pairs: Ints, members: Ints) -> Ints:
        """The number of partners as near to each record as `limit`, 0 if one is nearer."""
        distances = _squared(values[pairs], self.points[members])
        n_nearer = np.bincount(pairs[distances < limit[pairs]], minlength=len(values))
        n_equal = np.bincount(pairs[distances == limit[pairs]], minlength=len(values))
        return np.where(n_nearer > 0, 0, n_equal)


@dataclass(frozen=True)
class _Cells:
    """Records and means by cell."""

    keys: Ints
    counts: Ints
    means: Floats

    @classmethod
    def of(cls, keys: Ints, values: Floats) -> _Cells:
        known, cell, counts = np.unique(keys, return_inverse=True, return_counts=True)
        sums = [np.bincount(cell, weights=column) for column in values.T]
        return cls(known, counts, np.stack(sums, axis=1) / counts[:, None])

    def at(self, keys: Ints) -> tuple[Ints, Floats]:
        """The counts and means of some cells, 0 where there is no record."""
        at = np.minimum(np.searchsorted(self.keys, keys), len(self.keys) - 1)
        is_known = self.keys[at] == keys
        return self.counts[at] * is_known, self.means[at] * is_known[:, None]


def _squared(y: Floats, x: Floats) -> Floats:
    """Squared distances row by row, added column by column as the definition says."""
    total = np.zeros(len(y))
    for column in range(y.shape[1]):
        difference = y[:, column] - x[:, column]
        total += difference * difference
    return total


def _all_with_all(points: Floats, values: Floats, limit: Floats) -> Ints:
    distances = np.zeros((len(values), len(points)))
    for column in range(values.shape[1]):
        difference = values[:, column, None] - points[:, column]
        distances += difference * difference
    is_beaten = (distances < limit[:, None]).any(axis=1)
    return np.where(is_beaten, 0, (distances == limit[:, None]).sum(axis=1))


def _row_sums(values: Floats) -> Floats:
    total = np.zeros(len(values))
    for column in values.T:
        total += column
    return total


def _correlations(values: Floats) -> Floats:
    return np.corrcoef(values, rowvar=False)


def _rate(ties: Ints) -> float:
    return float((1 / ties[ties > 0]).sum() / len(ties))


def _parts(records: Ints, sizes: Ints) -> list[Ints]:
    """Records with about so many pairs at a time."""
    if not len(records):
        return []
    parts = np.cumsum(sizes[records]) // _PAIRS
    return np.split(records, np.flatnonzero(np.diff(parts)) + 1)
