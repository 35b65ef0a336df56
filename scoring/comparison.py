"""What measures and attacks look at: the original table, an anonymized one, the declared rows."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property

import numpy as np
import pandas as pd

from scoring.attacks.candidates import Candidates
from scoring.attacks.nearest import PointIndex, ValueIndex, group_starts
from scoring.equivalence import Classes, FloatArray, IntArray, frozen
from scoring.schema import Schema
from scoring.sums import Sums, class_sums, column_sums, exact_mean


@dataclass(frozen=True, slots=True)
class Options:
    """How a score settles what the definitions leave open.

    Attributes
    ----------
    ties : {"expected", "strict", "first"}
        Among t equally good originals: 1/t, a miss, or the lowest row number.
    no_match : {"miss", "own_row", "all"}
        EUC1 where no original has the record's quasi-identifiers: a miss, the record's own
        position, or the nearest over all originals.
    cells : {"anonymized", "union"}
        U2 and U3 over the cells of the anonymized table, or over those of either table.
    denominator : {"anonymized", "original"}
        Whose number of records a re-identification rate is divided by.
    seed : int
        Where measures that draw at random begin. They sort the records first, so that their order
        decides nothing.
    """

    ties: str = "expected"
    no_match: str = "miss"
    cells: str = "anonymized"
    denominator: str = "anonymized"
    seed: int = 1

    def check(self) -> None:
        """Raise ValueError where an option has an unknown value."""
        for name, choices in OPTION_CHOICES.items():
            value = getattr(self, name)
            if value not in choices:
                raise ValueError(f"{name}: expected one of {', '.join(choices)}, got {value!r}")


OPTION_CHOICES: dict[str, tuple[str, ...]] = {
    "ties": ("expected", "strict", "first"),
    "no_match": ("miss", "own_row", "all"),
    "cells": ("anonymized", "union"),
    "denominator": ("anonymized", "original"),
}


@dataclass(frozen=True, slots=True)
class Index:
    """An original table, sorted once for attackers who look at some of its columns."""

    classes: Classes
    sensitive_columns: tuple[str, ...]
    by_class: IntArray
    class_starts: IntArray
    points: PointIndex | None
    points_in_classes: PointIndex | None

    @classmethod
    def of(
        cls, table: pd.DataFrame, quasi_identifiers: Sequence[str], sensitive: Sequence[str]
    ) -> Index:
        """Sort `table` by these quasi-identifiers and these numeric sensitive columns."""
        classes = Classes.of(table, quasi_identifiers)
        by_class = np.argsort(classes.of_row, kind="stable").astype(np.int64)
        values = numbers(table, sensitive) if sensitive else None
        return cls(
            classes,
            tuple(sensitive),
            frozen(by_class),
            frozen(group_starts(classes.of_row[by_class])),
            None if values is None else PointIndex.of(values),
            None if values is None else PointIndex.of(values, classes.of_row),
        )


@dataclass(frozen=True, slots=True)
class Prepared:
    """An original table with its indexes, built once; read-only, so that workers may share it.

    `table` has the schema's columns without identifiers; `control` holds records of the same kind
    that the anonymized table was not made from, for the measures that compare an attack with one
    on strangers.
    """

    schema: Schema
    table: pd.DataFrame
    control: pd.DataFrame | None
    n_records: int
    sensitive: FloatArray
    totals: Sums
    correlations: FloatArray
    sums: FloatArray
    cells: Classes
    cell_sums: Sums
    index: Index
    e2_in_classes: ValueIndex | None
    e2_values: ValueIndex | None
    e4_values: ValueIndex | None

    @classmethod
    def of(
        cls, original: pd.DataFrame, schema: Schema, *, control: pd.DataFrame | None = None
    ) -> Prepared:
        """Index `original`, whose columns are the schema's; identifiers may be absent.

        Raises
        ------
        ValueError
            Where the table is empty, lacks a scored column or has something else than finite
            numbers in a numeric one.
        """
        check_table(original, schema, "original")
        if control is not None:
            check_table(control, schema, "control")
        public = [name for name in schema.public().names if name in original.columns]
        sensitive = frozen(numbers(original, schema.sensitive_numeric))
        cells = Classes.of(original, schema.cross)
        index = Index.of(original, schema.quasi_identifiers, schema.sensitive_numeric)
        e2 = _column(original, schema.e2_column)
        e4 = _column(original, schema.e4_column)
        return cls(
            schema=schema,
            table=original[public].reset_index(drop=True),
            control=control,
            n_records=len(original),
            sensitive=sensitive,
            totals=column_sums(sensitive),
            correlations=frozen(correlations(sensitive)),
            sums=frozen(row_sums(sensitive)),
            cells=cells,
            cell_sums=class_sums(sensitive, cells.of_row, cells.n_classes),
            index=index,
            e2_in_classes=None if e2 is None else ValueIndex.of(e2, index.classes.of_row),
            e2_values=None if e2 is None else ValueIndex.of(e2),
            e4_values=None if e4 is None else ValueIndex.of(e4),
        )


@dataclass(frozen=True)
class Comparison:
    """An anonymized table beside its original, and the rows that its makers declared."""

    prepared: Prepared
    anonymized: pd.DataFrame
    source: IntArray

    @classmethod
    def of(
        cls,
        original: pd.DataFrame | Prepared,
        anonymized: pd.DataFrame,
        source: IntArray,
        schema: Schema,
    ) -> Comparison:
        """Put two tables beside each other.

        Parameters
        ----------
        original : DataFrame or Prepared, n_original records
        anonymized : DataFrame, n_anonymized records
        source : int array, shape (n_anonymized,)
            The 0-based original row that each anonymized record was made from, all distinct.
        schema : Schema

        Raises
        ------
        ValueError
            Where a table lacks a column or the rows do not fit the tables.
        """
        if not isinstance(original, Prepared):
            original = Prepared.of(original, schema)
        elif original.schema.public() != schema.public():
            raise ValueError("schema: expected the one that the original was prepared with")
        check_table(anonymized, original.schema, "anonymized")
        declared = np.asarray(source)
        if declared.shape != (len(anonymized),) or declared.dtype.kind not in "iu":
            raise ValueError("source: expected one integer for each anonymized record")
        if declared.min() < 0 or declared.max() >= original.n_records:
            raise ValueError(f"source: expected rows from 0 to {original.n_records - 1}")
        if len(np.unique(declared)) < len(declared):
            raise ValueError("source: expected distinct rows")
        return cls(original, anonymized, declared.astype(np.int64))

    @property
    def schema(self) -> Schema:
        return self.prepared.schema

    @cached_property
    def sensitive(self) -> FloatArray:
        """The numeric sensitive columns of the anonymized table, shape (n_anonymized, n_columns)."""
        return numbers(self.anonymized, self.schema.sensitive_numeric)

    @cached_property
    def cells(self) -> Classes:
        """The cells of the cross columns that the anonymized table fills."""
        return Classes.of(self.anonymized, self.schema.cross)

    @cached_property
    def original_cells(self) -> IntArray:
        """The original's number of each cell of `cells`, -1 where the original leaves it empty."""
        located = np.empty(self.cells.n_classes, dtype=np.int64)
        located[self.cells.of_row] = self.prepared.cells.locate(self.anonymized)
        return located

    @cached_property
    def class_sizes(self) -> IntArray:
        """Sizes of the anonymized table's equivalence classes."""
        return Classes.of(self.anonymized, self.schema.quasi_identifiers).sizes()

    @cached_property
    def released(self) -> Released:
        """What an attacker gets to see."""
        return Released(self.prepared, self.anonymized)


@dataclass(frozen=True)
class Released:
    """What an attacker has: the original table and an anonymized one, but no declared rows."""

    prepared: Prepared
    anonymized: pd.DataFrame

    @property
    def n_records(self) -> int:
        return len(self.anonymized)

    @cached_property
    def classes(self) -> IntArray:
        """The original class with each record's quasi-identifiers, -1 where there is none."""
        return self.prepared.index.classes.locate(self.anonymized)

    @cached_property
    def sensitive(self) -> FloatArray:
        """The numeric sensitive columns, shape (n_anonymized, n_columns)."""
        return numbers(self.anonymized, self.prepared.schema.sensitive_numeric)

    @cached_property
    def nearest_in_class(self) -> list[Candidates] | None:
        """The originals of each record's class nearest to it; None without sensitive numbers."""
        index = self.prepared.index.points_in_classes
        matched = np.flatnonzero(self.classes >= 0)
        return None if index is None else self._nearest(index, matched, self.classes[matched])

    @cached_property
    def nearest_anywhere(self) -> list[Candidates]:
        """The originals nearest to each record that no original shares a class with."""
        index = self.prepared.index.points
        unmatched = np.flatnonzero(self.classes < 0)
        return self._nearest(index, unmatched, np.zeros_like(unmatched)) if index else []

    def _nearest(self, index: PointIndex, records: IntArray, group: IntArray) -> list[Candidates]:
        if not len(records):
            return []
        starts, points = index.nearest(self.sensitive[records], group)
        low, high = index.run_starts[points], index.run_starts[points + 1]
        return [Candidates(records, index.order, starts, low, high)]

    def column(self, name: str) -> FloatArray:
        """One numeric column."""
        return self.anonymized[name].to_numpy(dtype=np.float64)


def check_table(table: pd.DataFrame, schema: Schema, name: str) -> None:
    """Raise ValueError where a table cannot be scored under a schema."""
    if not len(table):
        raise ValueError(f"{name}: expected at least one record")
    scored = schema.quasi_identifiers + schema.sensitive_numeric
    missing = [column for column in scored if column not in table.columns]
    if missing:
        raise ValueError(f"{name}: expected columns {', '.join(missing)}")
    if not np.isfinite(numbers(table, schema.sensitive_numeric)).all():
        raise ValueError(f"{name}: expected finite numbers in the sensitive columns")


def numbers(table: pd.DataFrame, columns: Sequence[str]) -> FloatArray:
    """Numeric columns as a matrix, shape (n_records, n_columns)."""
    matrix = np.empty((len(table), len(columns)), order="F")
    for position, name in enumerate(columns):
        matrix[:, position] = table[name].to_numpy(dtype=np.float64)
    return matrix


def correlations(values: FloatArray) -> FloatArray:
    """Pearson's r of each pair of distinct columns, in order; 0 where a column is constant."""
    n_columns = values.shape[1]
    centered = values - np.array([exact_mean(column) for column in values.T])
    varies = values.max(axis=0) > values.min(axis=0)
    products = centered.T @ centered
    lengths = np.sqrt(np.where(varies, np.diag(products), 1.0))
    r = np.where(varies[:, None] & varies, products / np.outer(lengths, lengths), 0.0)
    pairs: FloatArray = r[np.triu_indices(n_columns, k=1)]
    return pairs


def row_sums(values: FloatArray) -> FloatArray:
    """The sum of each row, column by column in order."""
    total = np.zeros(len(values))
    for column in values.T:
        total += column
    return total


def _column(table: pd.DataFrame, name: str | None) -> FloatArray | None:
    return None if name is None else table[name].to_numpy(dtype=np.float64)
