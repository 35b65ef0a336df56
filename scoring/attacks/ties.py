# SPDX-License-Identifier: Apache-2.0
"""The number of candidates tied with each record's declared source, 0 if another is better.

A score needs no more, and no full search: it starts from the declared source and ends at the first better one. Arrays
are by slot, in the order of `comparison.alignment`.
"""

from __future__ import annotations

import numpy as np

from scoring.kernels import values
from scoring.kernels.parts import in_parts
from scoring.scores.comparison import ColumnIndex, Comparison, row_sums
from scoring.scores.nearest import PointIndex
from scoring.tables.equivalence import FloatArray, NumberArray

_BLOCK = 1 << 14  # rows gathered at a time


def same_class(comparison: Comparison) -> NumberArray:
    """E1: the originals with the record's quasi-identifiers."""
    ties = np.zeros(comparison.n_records, dtype=np.int32)
    matched = comparison.matched
    ties[matched] = comparison.prepared.index.sizes[comparison.own_class[matched]]
    return ties


def nearest_value_in_class(comparison: Comparison) -> NumberArray:
    """E2: the nearest in the schema's E2 column, which must exist."""
    index = comparison.prepared.e2
    assert index is not None
    ties = np.zeros(comparison.n_records, dtype=np.int32)
    column = _column(comparison, index)
    index.in_classes.count_as_near(
        column,
        comparison.own_class,
        comparison.matched,
        index.places_in_classes[comparison.alignment.places],
        ties,
        comparison.threads,
    )
    _count_anywhere(comparison, index, column, comparison.unmatched, ties)
    return ties


def shares_of_ranks(comparison: Comparison) -> FloatArray:
    """E3: the probability that each record has its source's rank, equal sums being in random order."""
    sums = row_sums(comparison.alignment.rows, comparison.threads)
    ordered, shares = np.sort(sums), np.empty(len(sums))
    low = comparison.prepared.rank_low[comparison.alignment.places]
    high = comparison.prepared.rank_high[comparison.alignment.places]

    def work(begin: int, end: int) -> None:
        values.meet_by_rank(ordered, sums, low, high, begin, end, shares)

    in_parts(len(sums), comparison.threads, work)
    return shares


def nearest_value(comparison: Comparison) -> NumberArray:
    """E4: the nearest in the schema's E4 column, which must exist."""
    index = comparison.prepared.e4
    assert index is not None
    ties = np.zeros(comparison.n_records, dtype=np.int32)
    everyone = np.arange(comparison.n_records, dtype=np.int32)
    _count_anywhere(comparison, index, _column(comparison, index), everyone, ties)
    return ties


def nearest_point(comparison: Comparison, *, no_match: str) -> NumberArray:
    """EUC: the nearest by Euclidean distance over the numeric sensitive columns, which must exist.

    `no_match` is used for a record without a class: "miss", "own_row" or "all".
    """
    index = comparison.prepared.index.anywhere
    assert index is not None
    ties = comparison.as_near_in_class.copy()
    unmatched = comparison.unmatched
    if no_match == "all" and len(unmatched):
        _count_points_anywhere(comparison, index, unmatched, ties)
    elif no_match == "own_row":
        records = comparison.alignment.record[unmatched]
        ties[unmatched] = comparison.source[records] == records
    return ties


def _count_points_anywhere(
    comparison: Comparison, index: PointIndex, queries: NumberArray, ties: NumberArray
) -> None:
    """In blocks whose rows are brought together first: they are far apart, their sources are not."""
    alignment, at = comparison.alignment, comparison.prepared.anywhere_at

    def work(begin: int, end: int) -> None:
        for start in range(begin, end, _BLOCK):
            block = queries[start : min(start + _BLOCK, end)]
            found = np.zeros(len(block), dtype=np.int32)
            everyone = np.arange(len(block), dtype=np.int32)
            places = at[alignment.places[block]]
            one_group = np.zeros(len(block), dtype=np.int32)
            index.count_as_near(alignment.rows[block], one_group, everyone, places, found)
            ties[block] = found

    in_parts(len(queries), comparison.threads, work, is_search=True)


def _column(comparison: Comparison, index: ColumnIndex) -> FloatArray:
    position = comparison.schema.sensitive_numeric.index(index.name)
    return np.ascontiguousarray(comparison.alignment.rows[:, position])


def _count_anywhere(
    comparison: Comparison,
    index: ColumnIndex,
    column: FloatArray,
    queries: NumberArray,
    ties: NumberArray,
) -> None:
    places = index.places_anywhere[comparison.alignment.places]
    everyone = np.zeros_like(ties)
    threads = comparison.threads
    index.anywhere.count_as_near(column, everyone, queries, places, ties, threads)
