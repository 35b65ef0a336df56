# SPDX-License-Identifier: Apache-2.0
"""One-to-one attacks: no two anonymized records are linked to the same original."""

from __future__ import annotations

import heapq
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt
import pandas as pd

from scoring.attacks.pairs import Known, Pairs, searches
from scoring.scores.comparison import Prepared
from scoring.tables.equivalence import FloatArray, IntArray
from scoring.tables.schema import Schema

FIRST_CANDIDATES = 8  # found for all records together; records that lose them all search again
MOST_CANDIDATES = 256  # held for one record at a time


def guess_greedy_assignment(
    original: pd.DataFrame | Prepared,
    anonymized: pd.DataFrame,
    schema: Schema,
    *,
    rng: np.random.Generator | None = None,
    quasi_identifiers: Sequence[str] | None = None,
    sensitive: Sequence[str] | None = None,
    distance: str = "z",
    within: str = "class-or-anywhere",
) -> IntArray:
    """One original each: the nearest pair of both tables is linked, then the nearest of the rest.

    Parameters
    ----------
    original, anonymized : DataFrame, n_original and n_anonymized records
        The attacker has both tables only, and knows that no person is in the table twice.
    quasi_identifiers : sequence of str, optional
        The quasi-identifiers used; all by default.
    sensitive : sequence of str, optional
        The sensitive columns used; all by default.
    distance : {"euclidean", "z", "log", "range", "rank", "gower"}
        Euclidean over the numeric columns, as they are or scaled, or Gower's over all.
    within : {"class-or-anywhere", "class", "anywhere"}
        Links originals with the record's quasi-identifiers only, any original, or any that is left after those are used
        up.

    Returns
    -------
    int64 array, shape (n_anonymized,)
        0-based original rows, each at most once; -1 where no original is left, and all -1 without a
        column. Equally near pairs are linked in the order of the anonymized records, then of the
        originals.

    Raises
    ------
    ValueError
        Where a table, a column or an option does not fit.

    Notes
    -----
    What the lecture's Attack_id does without duplicates, over all pairs instead of a list of
    candidates. Each record holds its nearest free originals only and looks again when it has lost
    them all, which changes no answer. Costs the distances of all pairs once, within classes or
    between all records; where many records want the same originals, of some again for each 256 that
    a record loses.

    Examples
    --------
    >>> from scoring.examples import SCHEMA, table
    >>> guess_greedy_assignment(table("original"), table("averaged"), SCHEMA)
    array([0, 1, 2, 3])
    """
    known = Known.of(original, anonymized, schema, quasi_identifiers, sensitive)
    matching = Matching.of(known.pairs(known.metric(distance)))
    for in_class in searches(within):
        matching.greedy(in_class=in_class)
    return matching.guess


def guess_optimal_assignment(
    original: pd.DataFrame | Prepared,
    anonymized: pd.DataFrame,
    schema: Schema,
    *,
    rng: np.random.Generator | None = None,
    quasi_identifiers: Sequence[str] | None = None,
    sensitive: Sequence[str] | None = None,
    distance: str = "z",
    within: str = "class-or-anywhere",
    candidates: int = 20,
    edges: int = 4_000_000,
) -> IntArray:
    """One original each, so that all distances together are least.

    Parameters
    ----------
    original, anonymized : DataFrame, n_original and n_anonymized records
        The attacker has both tables only, and knows that no person is in the table twice.
    quasi_identifiers : sequence of str, optional
        The quasi-identifiers used; all by default.
    sensitive : sequence of str, optional
        The sensitive columns used; all by default.
    distance : {"euclidean", "z", "log", "range", "rank", "gower"}
        Euclidean over the numeric columns, as they are or scaled, or Gower's over all.
    within : {"class-or-anywhere", "class", "anywhere"}
        Links originals with the record's quasi-identifiers only, any original, or any that is left after those are used
        up.
    candidates : int
        Number of originals that a record may choose from if not all pairs can be weighed.
    edges : int
        The most pairs that one assignment weighs.

    Returns
    -------
    int64 array, shape (n_anonymized,)
        0-based original rows, each at most once; -1 where no original is left, and all -1 without a
        column. Of several best assignments the one that the solver finds, always the same.

    Raises
    ------
    ValueError
        Where a table, a column or an option does not fit.

    Notes
    -----
    The sum of squared Euclidean or of Gower's distances is minimized; for Euclidean distances under equal normal noise
    that is the most likely assignment. Where a class, or the whole table, has at most `edges` pairs, all of them are
    weighed (Crouse, “On implementing 2D rectangular assignment algorithms”, as in SciPy's linear_sum_assignment).
    Otherwise each record may have its nearest `candidates`, fewer where that is still too much, as many records as
    possible are linked at the smallest sum (Jonker & Volgenant, “A shortest augmenting path algorithm for dense and
    sparse linear assignment problems”, SciPy's min_weight_full_bipartite_matching), and the rest are linked greedily.
    Weighing n records against n takes time up to n³ and 8 n² bytes, so that `edges` bounds both without a clock: 4
    million are 2,000 records against 2,000, some seconds and 100 MB.

    Examples
    --------
    >>> from scoring.examples import SCHEMA, table
    >>> guess_optimal_assignment(table("original"), table("noise"), SCHEMA)
    array([0, 1, 2, 3])
    """
    known = Known.of(original, anonymized, schema, quasi_identifiers, sensitive)
    matching = Matching.of(known.pairs(known.metric(distance)))
    for in_class in searches(within):
        matching.optimal(in_class=in_class, candidates=candidates, edges=edges)
        matching.greedy(in_class=in_class)
    return matching.guess


@dataclass(frozen=True, slots=True)
class Matching:
    """Links made so far: each record's original or -1, and which originals are still free."""

    pairs: Pairs
    guess: IntArray
    is_free: npt.NDArray[np.bool_]

    @classmethod
    def of(cls, pairs: Pairs) -> Matching:
        """No links yet."""
        guess = np.full(len(pairs.y), -1, dtype=np.int64)
        return cls(pairs, guess, np.ones(len(pairs.x), dtype=bool))

    def link(self, records: IntArray, rows: IntArray) -> None:
        """Link each record to its row; -1 is none."""
        is_linked = rows >= 0
        self.guess[records[is_linked]] = rows[is_linked]
        self.is_free[rows[is_linked]] = False

    def waiting(self, *, in_class: bool) -> IntArray:
        """The records without a link that could get one."""
        is_waiting = self.guess < 0
        if in_class:
            is_waiting &= self.pairs.class_of >= 0
        can_be_linked = self.pairs.metric.has_columns and self.is_free.any()
        return np.flatnonzero(is_waiting) if can_be_linked else np.empty(0, dtype=np.int64)

    def greedy(self, *, in_class: bool) -> None:
        """Link the nearest pair of a waiting record and a free row, again and again."""
        records = self.waiting(in_class=in_class)
        if not len(records):
            return
        rows, distances = self._nearest(records, FIRST_CANDIDATES, in_class=in_class)
        lists = {
            record: _Wishes(*wishes)
            for record, wishes in zip(
                records.tolist(), zip(rows.tolist(), distances.tolist(), strict=True), strict=True
            )
        }
        heap = [
            (wishes.distances[0], record, wishes.rows[0])
            for record, wishes in lists.items()
            if wishes.rows[0] >= 0
        ]
        heapq.heapify(heap)
        while heap:
            _distance, record, row = heap[0]
            if self.is_free[row]:
                self.guess[record] = row
                self.is_free[row] = False
                heapq.heappop(heap)
                continue
            wish = self._next_wish(record, lists[record], in_class=in_class)
            if wish is None:
                heapq.heappop(heap)
            else:
                heapq.heapreplace(heap, (wish[0], record, wish[1]))

    def _next_wish(
        self, record: int, wishes: _Wishes, *, in_class: bool
    ) -> tuple[float, int] | None:
        """The nearest row that is free, None where none is."""
        while True:
            wishes.at += 1
            if wishes.at == len(wishes.rows):  # lost them all: look again, among what is free
                n = min(2 * len(wishes.rows), MOST_CANDIDATES)
                rows, distances = self._nearest(np.array([record]), n, in_class=in_class)
                wishes.rows, wishes.distances = rows[0].tolist(), distances[0].tolist()
                wishes.at = 0
            row = wishes.rows[wishes.at]
            if row < 0:
                return None
            if self.is_free[row]:
                return wishes.distances[wishes.at], row

    def optimal(self, *, in_class: bool, candidates: int, edges: int) -> None:
        """Link waiting records to free rows at the least sum, as far as `edges` allow."""
        records = self.waiting(in_class=in_class)
        if not in_class:
            self._solve(records, np.flatnonzero(self.is_free), candidates, edges, in_class=False)
            return
        classes = self.pairs.class_of[records]
        order = np.argsort(classes, kind="stable")
        bounds = np.flatnonzero(np.diff(classes[order])) + 1
        for part in np.split(records[order], bounds):
            if len(part):
                rows = self.pairs.classes.members(int(self.pairs.class_of[part[0]]))
                self._solve(part, rows[self.is_free[rows]], candidates, edges, in_class=True)

    def _solve(
        self, records: IntArray, rows: IntArray, candidates: int, edges: int, *, in_class: bool
    ) -> None:
        from scipy.optimize import linear_sum_assignment

        if not (len(records) and len(rows)):
            return
        if len(records) == len(rows) == 1:
            self.link(records, rows)
        elif len(records) * len(rows) <= edges:
            i, j = linear_sum_assignment(self.pairs.distances(records, rows))
            self.link(records[i], rows[j])
        else:
            n = max(1, min(candidates, edges // len(records), len(rows)))
            found, distances = self._nearest(records, n, in_class=in_class)
            self.link(records, sparse_assignment(found, distances))

    def _nearest(self, records: IntArray, n: int, *, in_class: bool) -> tuple[IntArray, FloatArray]:
        return self.pairs.nearest(records, n, in_class=in_class, is_free=self.is_free)


@dataclass(slots=True)
class _Wishes:
    """The nearest rows of a record, and the number of them already taken by others."""

    rows: list[int]
    distances: list[float]
    at: int = 0


def sparse_assignment(candidates: IntArray, distances: FloatArray) -> IntArray:
    """One candidate each: as many records as possible, then the least sum of distances.

    Parameters
    ----------
    candidates : int64 array, shape (n_records, n)
        Rows, -1 for none.
    distances : float64 array, shape (n_records, n)
        Their distances.

    Returns
    -------
    int64 array, shape (n_records,)
        A row each, none twice; -1 where a record gets none.
    """
    from scipy.sparse import csr_array
    from scipy.sparse.csgraph import (
        min_weight_full_bipartite_matching,
    )

    n_records = len(candidates)
    is_edge = candidates >= 0
    record = np.nonzero(is_edge)[0]
    rows, column = np.unique(candidates[is_edge], return_inverse=True)
    found = distances[is_edge]
    # An edge must not weigh 0. A private last resort lets every record be matched, at a price that
    # no detour of the others can be worth.
    weight = 1 + found / (found.max(initial=0.0) or 1.0)
    price = 2.0 * (n_records + 1)
    everyone = np.arange(n_records)
    graph = csr_array(
        (
            np.append(weight, np.full(n_records, price)),
            (np.append(record, everyone), np.append(column, len(rows) + everyone)),
        ),
        shape=(n_records, len(rows) + n_records),
    )
    matched, taken = min_weight_full_bipartite_matching(graph)
    links = np.full(n_records, -1, dtype=np.int64)
    is_row = taken < len(rows)
    links[matched[is_row]] = rows[taken[is_row]]
    return links
