# SPDX-License-Identifier: Apache-2.0
"""An anonymized table in the order of its declared sources, which is the order that scoring works in.

Record by record it then matches the order of the original's indexes: who is compared
stands together, and whatever order a file was in, the same numbers are added up in the same order.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from scoring.kernels import amounts
from scoring.kernels.parts import in_parts
from scoring.tables.equivalence import (
    Classes,
    FloatArray,
    IntArray,
    NumberArray,
    Table,
    numbered,
    vector_keys,
)
from scoring.tables.records import Records

if TYPE_CHECKING:
    import pandas as pd

_BLOCK = 4_096  # rows that stay in the cache until all their columns are there


@dataclass(frozen=True, slots=True)
class Alignment:
    """The anonymized record of each slot.

    Attributes
    ----------
    record : int32 array, shape (n_anonymized,)
        The record in each slot.
    places : int32 array, shape (n_anonymized,)
        The place of its declared source in the original's order, ascending.
    rows : float64 array, shape (n_anonymized, n_columns)
        Its numeric sensitive columns.
    """

    record: NumberArray
    places: NumberArray
    rows: FloatArray

    @classmethod
    def of(
        cls,
        anonymized: Table,
        source: IntArray,
        place_of_row: NumberArray,
        columns: Sequence[str],
        threads: int,
    ) -> Alignment:
        """Put the records in the order of their declared rows.

        Raises
        ------
        ValueError
            Where rows repeat or a number is not finite.
        """
        n_records = len(source)
        record, places, slot = (np.empty(n_records, dtype=np.int32) for _ in range(3))
        if not amounts.arrange(source, place_of_row, record, places, slot):
            raise ValueError("source: expected distinct rows")
        rows = np.empty((n_records, len(columns)))
        values = [column(anonymized, name) for name in columns]
        is_finite = []

        def work(begin: int, end: int) -> None:
            for block in range(begin, end, _BLOCK):
                for position, numbers in enumerate(values):
                    stop = min(block + _BLOCK, end)
                    is_finite.append(amounts.scatter(numbers, slot, block, stop, rows, position))

        in_parts(n_records, threads, work)
        if not all(is_finite):
            raise ValueError("anonymized: expected finite numbers in the sensitive columns")
        return cls(record, places, rows)

    @classmethod
    def without_rows(cls, anonymized: Table, columns: Sequence[str]) -> Alignment:
        """The records in their own order, where none has a source: their places say nothing.

        Raises
        ------
        ValueError
            Where a number is not finite.
        """
        rows = numbers(anonymized, columns)
        if not np.isfinite(rows).all():
            raise ValueError("anonymized: expected finite numbers in the sensitive columns")
        record = np.arange(len(rows), dtype=np.int32)
        return cls(record, np.zeros(len(rows), dtype=np.int32), rows)


@dataclass(frozen=True, slots=True)
class Vectors:
    """The classes that anonymized records are in, the original's and others, numbered on from them.

    Attributes
    ----------
    numbers : int32 array, shape (n_anonymized,)
        By slot; below `n_known` a class of the original.
    n_known : int
    sizes : int64 array
        How many anonymized records each class has, 0 for some of the original's.
    """

    numbers: NumberArray
    n_known: int
    sizes: IntArray

    @classmethod
    def of(
        cls,
        anonymized: Table,
        original: Classes,
        alignment: Alignment,
        expected: NumberArray,
        threads: int,
    ) -> Vectors:
        """Find each record's class; `expected` is that of its declared source."""
        n_known = n_all = original.n_classes
        numbers = original.located(anonymized, alignment.record, expected, threads)
        if len(numbers) and numbers.min() < 0:
            keys = vector_keys(anonymized, original.columns, threads)[alignment.record]
            numbers, n_all, *_table = numbered(keys, numbers, n_known)
        return cls.counted(numbers, n_known, n_all)

    @classmethod
    def counted(cls, numbers: NumberArray, n_known: int, n_all: int) -> Vectors:
        """Numbers below `n_all`, and how often each occurs."""
        return cls(numbers, n_known, np.bincount(numbers, minlength=n_all).astype(np.int64))


def column(table: Table, name: str) -> FloatArray:
    """One numeric column."""
    values = table.numbers[name] if isinstance(table, Records) else table[name].to_numpy()
    return np.ascontiguousarray(values, dtype=np.float64)


def numbers(table: Table, columns: Sequence[str]) -> FloatArray:
    """Numeric columns as a matrix, shape (n_records, n_columns)."""
    matrix = np.empty((len(table), len(columns)))
    for position, name in enumerate(columns):
        matrix[:, position] = column(table, name)
    return matrix


def frame_of(table: Table) -> pd.DataFrame:
    """The table as pandas has it."""
    return table.to_frame() if isinstance(table, Records) else table
