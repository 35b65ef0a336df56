# SPDX-License-Identifier: Apache-2.0
"""Conditions on columns that only one record of a table fulfils."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from scoring.scores.coding import Coded, CodedTable

MAX_CONDITIONS = 6
TRIES = 20
"""Conditions that are made for each one that is asked for."""

BoolArray = npt.NDArray[np.bool_]


@dataclass(frozen=True, slots=True)
class Condition:
    """The values of one column from `low` to `high`; for a category both are one code."""

    column: int
    low: float
    high: float


Predicate = tuple[Condition, ...]


def isolates(predicates: Sequence[Predicate], table: CodedTable) -> BoolArray:
    """True for each predicate that exactly one record of the table fulfils."""
    return np.array([_n_fulfilling(p, table) == 1 for p in predicates], dtype=np.bool_)


def isolating(
    coded: Coded, table: CodedTable, n: int, *, rng: np.random.Generator
) -> list[Predicate]:
    """Up to `n` different predicates that exactly one record of the table fulfils.

    Each is made from a random record and from one to `MAX_CONDITIONS` random columns: its category;
    at least its number where that is above the median, else at most its number.

    Parameters
    ----------
    coded : Coded
        What the columns are.
    table : CodedTable
        At least one record.
    n : int
        How many; at most `TRIES` times as many are tried.
    rng : Generator
    """
    medians = [
        0.0 if n_levels else float(np.sort(column)[(len(column) - 1) // 2])
        for n_levels, column in zip(coded.n_levels, table.columns, strict=True)
    ]
    found: dict[Predicate, None] = {}
    for _batch in range(TRIES):
        for record, columns in _drawn(n, len(table), len(coded.columns), rng):
            predicate = tuple(
                _condition(coded, i, float(table.columns[i][record]), medians[i])
                for i in sorted(columns)
            )
            if predicate not in found and _n_fulfilling(predicate, table) == 1:
                found[predicate] = None
                if len(found) == n:
                    return list(found)
    return list(found)


def random_predicates(
    coded: Coded, table: CodedTable, like: Sequence[Predicate], *, rng: np.random.Generator
) -> list[Predicate]:
    """For each predicate one on the same columns, its values and sides drawn for each column by itself."""
    guesses = []
    for predicate in like:
        guess = []
        for condition in predicate:
            column = condition.column
            value = float(table.columns[column][int(rng.integers(len(table)))])
            middle = np.inf if rng.integers(2) else -np.inf
            guess.append(_condition(coded, column, value, middle))
        guesses.append(tuple(guess))
    return guesses


def _drawn(
    n: int, n_records: int, n_columns: int, rng: np.random.Generator
) -> Iterator[tuple[int, list[int]]]:
    """`n` times a record and some columns, drawn together: one by one takes longer than counting."""
    records = rng.integers(n_records, size=n)
    sizes = rng.integers(1, min(MAX_CONDITIONS, n_columns) + 1, size=n)
    columns = np.argsort(rng.random((n, n_columns)), axis=1)
    for record, size, chosen in zip(records.tolist(), sizes.tolist(), columns, strict=True):
        yield record, chosen[:size].tolist()


def _condition(coded: Coded, column: int, value: float, middle: float) -> Condition:
    if coded.n_levels[column]:
        return Condition(column, value, value)
    if value > middle:
        return Condition(column, value, np.inf)
    return Condition(column, -np.inf, value)


def _n_fulfilling(predicate: Predicate, table: CodedTable) -> int:
    """The number of records that fulfil all conditions; each tests the records that the previous ones left."""
    left: npt.NDArray[np.int64] | slice = slice(None)
    for condition in predicate:
        values = table.columns[condition.column][left]
        holds = np.flatnonzero((values >= condition.low) & (values <= condition.high))
        left = holds if isinstance(left, slice) else left[holds]
    return len(table) if isinstance(left, slice) else len(left)
