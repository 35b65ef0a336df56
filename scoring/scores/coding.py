# SPDX-License-Identifier: Apache-2.0
"""Tables as plain arrays, coded alike and each in one canonical order, for measures that compare them.

The columns looked at are the scored ones: quasi-identifiers and sensitive columns of either kind.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from functools import cache
from itertools import accumulate, combinations, pairwise

import numpy as np
import pandas as pd
from threadpoolctl import ThreadpoolController

from scoring.scores.comparison import Comparison
from scoring.tables.equivalence import FloatArray, IntArray, comparable
from scoring.tables.schema import Column, Role, Schema

N_BINS = 10
"""A number's bins end at the tenths of the original's values."""
MAX_LEVELS = 30
"""Levels of a category that a model distinguishes; the rarer ones are one further level."""


@dataclass(frozen=True, slots=True)
class CodedTable:
    """One table: numbers as they are, categories as codes, records sorted by all columns.

    Attributes
    ----------
    columns : tuple of float64 or int64 arrays, shape (n_records,)
        In the order of the schema's scored columns; codes follow the sorted values.
    order : int64 array, shape (n_records,)
        The row of the given table that each record stands in. Equal records follow each other, so
        that values computed from `columns` only do not depend on the order of the rows.
    """

    columns: tuple[FloatArray | IntArray, ...]
    order: IntArray

    def __len__(self) -> int:
        return len(self.order)

    def take(self, records: IntArray) -> CodedTable:
        """Some of the records, in that order."""
        return CodedTable(tuple(column[records] for column in self.columns), self.order[records])


@dataclass(frozen=True, slots=True)
class Coded:
    """Several tables of one schema; `n_levels` is 0 for a number."""

    columns: tuple[Column, ...]
    n_levels: tuple[int, ...]
    tables: tuple[CodedTable, ...]

    @classmethod
    def of(cls, schema: Schema, *tables: pd.DataFrame) -> Coded:
        """Code the scored columns of the tables; equal values get equal codes in all of them.

        Raises
        ------
        ValueError
            Where a table lacks a scored column or has something else than finite numbers in a
            numeric one.
        """
        columns = scored(schema)
        coded = [_coded(column, tables) for column in columns]
        bounds = [0, *accumulate(map(len, tables))]
        parts = []
        for start, end in pairwise(bounds):
            own = [values[start:end] for values, _n_levels in coded]
            order = np.lexsort(own[::-1]) if own else np.arange(end - start)
            parts.append(CodedTable(tuple(values[order] for values in own), order.astype(np.int64)))
        return cls(columns, tuple(n for _values, n in coded), tuple(parts))

    @property
    def numeric(self) -> tuple[int, ...]:
        """Positions of the numeric columns."""
        return tuple(i for i, column in enumerate(self.columns) if column.is_numeric)

    @property
    def categories(self) -> tuple[int, ...]:
        """Positions of the category columns."""
        return tuple(i for i, column in enumerate(self.columns) if not column.is_numeric)


def scored(schema: Schema) -> tuple[Column, ...]:
    """The columns that are scored: quasi-identifiers and sensitive ones, in order."""
    return tuple(c for c in schema.columns if c.role in (Role.QUASI_IDENTIFIER, Role.SENSITIVE))


def coded_pair(comparison: Comparison) -> tuple[Coded, CodedTable, CodedTable]:
    """The original and the anonymized table of a comparison."""
    coded = Coded.of(comparison.schema, comparison.prepared.table, comparison.anonymized)
    original, anonymized = coded.tables
    return coded, original, anonymized


def told_apart(original: CodedTable, anonymized: CodedTable, source: IntArray) -> CodedTable:
    """The original with equal records in the order of what was made of them.

    Where records of X are drawn together with what Y has of them, it matters which of two equal ones is
    drawn, and the order of the rows must not say so. A deleted record comes before all others.

    Parameters
    ----------
    original, anonymized : CodedTable
        Whole tables, as they were coded.
    source : int64 array, shape (n_anonymized,)
        The declared row of each row of the anonymized table.
    """
    fate = np.full(len(original), -1, dtype=np.int64)
    fate[source[anonymized.order]] = np.arange(len(anonymized))
    differs = np.zeros(len(original), dtype=np.bool_)
    for column in original.columns:
        differs[1:] |= column[1:] != column[:-1]
    return original.take(np.lexsort((fate[original.order], np.cumsum(differs))).astype(np.int64))


def sample(
    original: CodedTable,
    anonymized: CodedTable,
    source: IntArray | None,
    n: int,
    *,
    rng: np.random.Generator,
) -> tuple[CodedTable, CodedTable]:
    """`n` random records of the original and what was made of them; all where there are no more.

    Drawn together, so that an unchanged table stays unchanged; without declared rows the same share of each table.
    """
    if len(original) <= n:
        return original, anonymized
    if source is None:
        share = n / len(original)
        sizes = ((original, n), (anonymized, max(1, round(share * len(anonymized)))))
        first, second = (
            table.take(np.sort(rng.choice(len(table), size, replace=False)))
            for table, size in sizes
        )
        return first, second
    apart = told_apart(original, anonymized, source)
    drawn = apart.take(np.sort(rng.choice(len(apart), n, replace=False)))
    is_drawn = np.zeros(len(original), dtype=np.bool_)
    is_drawn[drawn.order] = True
    return drawn, anonymized.take(np.flatnonzero(is_drawn[source[anonymized.order]]))


def bins(original: FloatArray, *others: FloatArray) -> tuple[int, list[IntArray]]:
    """Numbers as bins that end at the original's quantiles: how many bins, and each array's codes.

    The ends are the smallest values that i / `N_BINS` of the original's values do not exceed, each
    once; a value belongs to the bin that ends at it or above it. What lies below the original's
    minimum is the first bin, what lies above its maximum the last.
    """
    ordered = np.sort(original)
    positions = -(-np.arange(1, N_BINS + 1) * len(ordered) // N_BINS) - 1
    ends = np.unique(ordered[positions])
    codes = [
        np.where(values < ordered[0], 0, 1 + np.searchsorted(ends, values)).astype(np.int64)
        for values in (original, *others)
    ]
    return len(ends) + 2, codes


def cells(coded: Coded) -> list[tuple[int, list[IntArray]]]:
    """Each scored column of every table as cells, numbers in bins; the first table is the original."""
    found: list[tuple[int, list[IntArray]]] = []
    for position, n_levels in enumerate(coded.n_levels):
        values = [table.columns[position] for table in coded.tables]
        if n_levels:
            found.append((n_levels, [codes.astype(np.int64) for codes in values]))
        else:
            found.append(bins(*(numbers.astype(np.float64) for numbers in values)))
    return found


def frequent(n_levels: int, original: IntArray) -> IntArray:
    """For each level a code below `MAX_LEVELS` + 1: the original's most frequent ones, or the rest.

    The most frequent level has code 0; of two that are equally frequent the one whose value sorts
    first comes first.
    """
    counts = np.bincount(original, minlength=n_levels)
    ranked = np.lexsort((np.arange(n_levels), -counts))
    codes = np.full(n_levels, min(n_levels, MAX_LEVELS), dtype=np.int64)
    codes[ranked[:MAX_LEVELS]] = np.arange(min(n_levels, MAX_LEVELS))
    return codes


def pairs(n_columns: int) -> Iterator[tuple[int, int]]:
    """All pairs of distinct positions, in order."""
    return combinations(range(n_columns), 2)


@contextmanager
def one_thread() -> Iterator[None]:
    """Let numerical libraries use one thread, so that sums do not depend on the machine's cores."""
    with _threadpools().limit(limits=1):
        yield


@cache
def _threadpools() -> ThreadpoolController:
    """Looked up after scikit-learn was imported, which brings a pool of its own."""
    import sklearn.linear_model  # noqa: F401 — only for its pool

    return ThreadpoolController()


def _coded(column: Column, tables: Sequence[pd.DataFrame]) -> tuple[FloatArray | IntArray, int]:
    """A column of all tables after each other, and how many levels it has."""
    for table in tables:
        if column.name not in table.columns:
            raise ValueError(f"expected column {column.name} in every table")
    if column.is_numeric:
        numbers = np.concatenate([table[column.name].to_numpy(np.float64) for table in tables])
        if not np.isfinite(numbers).all():
            raise ValueError(f"expected finite numbers in column {column.name}")
        return numbers + 0.0, 0  # turns -0.0 into 0.0
    values = np.concatenate([comparable(table[column.name]).astype(object) for table in tables])
    codes, levels = pd.factorize(values, use_na_sentinel=False)
    rank = np.empty(len(levels), dtype=np.int64)
    rank[sorted(range(len(levels)), key=lambda code: str(levels[code]))] = np.arange(len(levels))
    return rank[codes], len(levels)
