# SPDX-License-Identifier: Apache-2.0
"""Similarity of counts: how far the answers to random range queries move."""

from __future__ import annotations

import math
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from scoring.scores.coding import Coded, CodedTable, coded_pair
from scoring.scores.comparison import Comparison, Options
from scoring.tables.equivalence import FloatArray, IntArray

DEFAULT = Options()
N_QUERIES = 1_000
N_DIMENSIONS = 3
SELECTIVITY = 0.01
"""The share of X's records that a query would hold if its columns were independent."""
SANITY = 0.001
"""The share of X's records below which a count is taken for this share, so that small ones do not decide."""

BoolArray = npt.NDArray[np.bool_]


@dataclass(frozen=True, slots=True)
class Predicate:
    """A condition on one column: numbers from `low` to `high`, or the levels in `chosen`."""

    column: int
    low: float
    high: float
    chosen: BoolArray | None

    def holds(self, table: CodedTable) -> BoolArray:
        """True for each record that fulfils it."""
        values = table.columns[self.column]
        if self.chosen is not None:
            return self.chosen[values.astype(np.int64)]
        found: BoolArray = (values >= self.low) & (values <= self.high)
        return found


def range_query_error(comparison: Comparison, options: Options = DEFAULT) -> float | None:
    """Mean relative error of 1,000 random range queries when they are put to Y instead of X.

    A query counts the records that lie in a range in each of three columns (in all of them, where
    the schema has fewer): \\|count in Y - count in X\\| / max(count in X, 0.001 n_original, 1).

    Parameters
    ----------
    comparison : Comparison
        X with n_original and Y with n_anonymized records; the declared rows play no part. Counts are
        not scaled up to n_original: a deleted record is missing in them.
    options : Options
        `seed`: where the drawing of the queries begins. They are drawn around random records of X,
        each range to hold a share of 0.01 ** (1/3) of X's values: so many values in a row, or values
        of a category in random order until they reach the share.

    Returns
    -------
    float or None
        0 where every count is kept, at most 1,000; about 1 where counts vanish. None without a
        scored column.

    Notes
    -----
    The queries are those of Xiao & Tao, “Anatomy: simple and effective privacy preservation”, section
    on experiments, with a fixed number of dimensions and a fixed expected selectivity; the bound
    for small counts is that of Xiao, Wang & Gehrke, “Differential privacy via wavelet transforms”,
    section on experiments (0.1 % of the records).

    Examples
    --------
    >>> from scoring.examples import comparison
    >>> range_query_error(comparison("original"))
    0.0
    """
    coded, original, anonymized = coded_pair(comparison)
    if not coded.columns:
        return None
    rng = np.random.default_rng(options.seed)
    queries = random_queries(coded, original, rng=rng)
    errors = relative_errors(queries, original, anonymized).tolist()
    return math.fsum(errors) / len(errors)


def random_queries(
    coded: Coded,
    original: CodedTable,
    *,
    rng: np.random.Generator,
    n_queries: int = N_QUERIES,
    n_dimensions: int = N_DIMENSIONS,
    selectivity: float = SELECTIVITY,
) -> list[tuple[Predicate, ...]]:
    """Range queries, each around a random record of the original, which it holds.

    Raises
    ------
    ValueError
        Where a number is below 1 or the selectivity is not above 0 and at most 1.
    """
    if n_queries < 1 or n_dimensions < 1:
        raise ValueError("expected at least one query and one dimension")
    if not 0 < selectivity <= 1:
        raise ValueError(f"selectivity: expected more than 0 and at most 1, got {selectivity}")
    n_dimensions = min(n_dimensions, len(coded.columns))
    share = selectivity ** (1 / n_dimensions)
    drawer = _Drawer.of(coded, original, share)
    records = rng.integers(len(original), size=n_queries)
    columns = np.argsort(rng.random((n_queries, len(coded.columns))), axis=1)[:, :n_dimensions]
    return [
        tuple(drawer.draw(int(column), int(record), rng) for column in sorted(chosen))
        for record, chosen in zip(records, columns, strict=True)
    ]


def counts(queries: list[tuple[Predicate, ...]], table: CodedTable) -> IntArray:
    """The number of records of a table that fulfil each query."""
    found = np.empty(len(queries), dtype=np.int64)
    for position, query in enumerate(queries):
        holds = query[0].holds(table)
        for predicate in query[1:]:
            holds &= predicate.holds(table)
        found[position] = np.count_nonzero(holds)
    return found


def relative_errors(
    queries: list[tuple[Predicate, ...]], original: CodedTable, anonymized: CodedTable
) -> FloatArray:
    """The relative error of each query's count."""
    x = counts(queries, original)
    y = counts(queries, anonymized)
    errors: FloatArray = np.abs(y - x) / np.maximum(x, max(1.0, SANITY * len(original)))
    return errors


@dataclass(frozen=True, slots=True)
class _Drawer:
    """Draws ranges that hold a share of the original's values."""

    original: CodedTable
    sorted_numbers: dict[int, FloatArray]
    level_counts: dict[int, IntArray]
    n_wanted: int

    @classmethod
    def of(cls, coded: Coded, original: CodedTable, share: float) -> _Drawer:
        numbers = {i: np.sort(original.columns[i].astype(np.float64)) for i in coded.numeric}
        level_counts = {
            i: np.bincount(original.columns[i].astype(np.int64), minlength=coded.n_levels[i])
            for i in coded.categories
        }
        return cls(original, numbers, level_counts, math.ceil(share * len(original)))

    def draw(self, column: int, record: int, rng: np.random.Generator) -> Predicate:
        """A range of one column that holds the record's value."""
        value = self.original.columns[column][record]
        if column in self.level_counts:
            return Predicate(column, 0.0, 0.0, self._levels(column, int(value), rng))
        ordered = self.sorted_numbers[column]
        first, last = np.searchsorted(ordered, value), np.searchsorted(ordered, value, "right")
        rank = int(rng.integers(first, last))  # one of the places that the value has in the order
        start = int(
            rng.integers(
                max(0, rank - self.n_wanted + 1), min(rank, len(ordered) - self.n_wanted) + 1
            )
        )
        return Predicate(
            column, float(ordered[start]), float(ordered[start + self.n_wanted - 1]), None
        )

    def _levels(self, column: int, level: int, rng: np.random.Generator) -> BoolArray:
        """The record's level and others in random order, until they hold enough records."""
        sizes = self.level_counts[column]
        others = rng.permutation(np.flatnonzero(sizes))  # the queries are the same for every Y
        order = np.append(level, others[others != level])
        n_chosen = int(np.searchsorted(np.cumsum(sizes[order]), self.n_wanted)) + 1
        chosen = np.zeros(len(sizes), dtype=np.bool_)
        chosen[order[:n_chosen]] = True
        return chosen
