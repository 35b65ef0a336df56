"""What measures and attacks look at: the original table, an anonymized one, the declared rows."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property

import numpy as np
import pandas as pd

from scoring.alignment import Alignment, Vectors, column, names, numbers
from scoring.attacks.nearest import PointIndex, ValueIndex
from scoring.equivalence import Classes, FloatArray, IntArray, NumberArray, Table, frozen
from scoring.kernels import amounts
from scoring.kernels.parts import in_parts
from scoring.records import Records
from scoring.schema import Schema
from scoring.sums import Sums, class_sums, correlations

__all__ = [
    "OPTION_CHOICES",
    "Comparison",
    "Index",
    "Options",
    "Prepared",
    "Released",
    "check_table",
    "correlations",
    "numbers",
    "row_sums",
]


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
    """An original table's classes and points, laid out once.

    The order of `in_classes`, by class and within a class near points together, is the one that
    scoring works in; a place is a position in it.

    Attributes
    ----------
    classes : Classes
        On the quasi-identifiers, the `cross` columns first, so that a cell's classes are together.
    sizes : int64 array, shape (n_classes,)
    first_row : int32 array, shape (n_classes,)
        The lowest row of each class.
    in_classes : PointIndex
        Over the numeric sensitive columns, of which there may be none.
    anywhere : PointIndex or None
        The same points as one group; None where there is no such column.
    """

    classes: Classes
    sizes: IntArray
    first_row: NumberArray
    in_classes: PointIndex
    anywhere: PointIndex | None

    @classmethod
    def of(cls, rows: FloatArray, classes: Classes) -> Index:
        """Lay out the rows of an original, whose classes are these."""
        in_classes = PointIndex.of(rows, classes.numbers)
        first_row = np.minimum.reduceat(in_classes.order, in_classes.starts[:-1])
        anywhere = PointIndex.of(rows) if rows.shape[1] else None
        return cls(classes, frozen(classes.sizes()), frozen(first_row), in_classes, anywhere)


@dataclass(frozen=True, slots=True)
class ColumnIndex:
    """The values of one column, within classes or anywhere, and where they are by place."""

    name: str
    in_classes: ValueIndex
    places_in_classes: NumberArray
    anywhere: ValueIndex
    places_anywhere: NumberArray

    @classmethod
    def of(cls, table: Table, name: str | None, index: Index) -> ColumnIndex | None:
        """Sort a column; None where there is none."""
        if name is None:
            return None
        values = column(table, name)
        in_classes = ValueIndex.of(values, index.classes.numbers)
        anywhere = ValueIndex.of(values)
        order = index.in_classes.order
        return cls(
            name,
            in_classes,
            frozen(in_classes.place[order]),
            anywhere,
            frozen(anywhere.place[order]),
        )


@dataclass(frozen=True)
class Prepared:
    """An original table with its indexes, built once; read-only, so that workers may share it.

    `table` has the schema's columns without identifiers; `control` holds records of the same kind
    that the anonymized table was not made from, for the measures that compare an attack with one
    on strangers.

    Attributes
    ----------
    sums : float64 array, shape (n_records,)
        Each record's sum over the numeric sensitive columns.
    rank_low, rank_high : int32 arrays, shape (n_records,)
        The ranks of equal sums, by place.
    class_at, cell_at, anywhere_at : int32 arrays, shape (n_records,)
        By place: the class, the cell, the place in `index.anywhere`.
    """

    schema: Schema
    original: Table
    control: pd.DataFrame | None
    n_records: int
    index: Index
    cells: Classes
    cell_sums: Sums
    totals: Sums
    spans: FloatArray
    correlations: FloatArray
    sums: FloatArray
    rank_low: NumberArray
    rank_high: NumberArray
    class_at: NumberArray
    cell_at: NumberArray
    anywhere_at: NumberArray
    e2: ColumnIndex | None
    e4: ColumnIndex | None

    @classmethod
    def of(
        cls, original: Table, schema: Schema, *, control: pd.DataFrame | None = None
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
        values = numbers(original, schema.sensitive_numeric)
        others = [name for name in schema.quasi_identifiers if name not in schema.cross]
        index = Index.of(values, Classes.of(original, [*schema.cross, *others]))
        cells = Classes.of(original, schema.cross)
        order = index.in_classes.order
        ordered = values[order]
        cell_at = cells.numbers[order]
        cell_sums = class_sums(ordered, cell_at, cells.n_classes)
        totals = cell_sums.total()
        sums = row_sums(values)
        ranked, placed_sums = np.sort(sums), sums[order]
        anywhere = index.anywhere
        return cls(
            schema=schema,
            original=_public(original, schema),
            control=control,
            n_records=len(original),
            index=index,
            cells=cells,
            cell_sums=cell_sums,
            totals=totals,
            spans=frozen(values.max(axis=0) - values.min(axis=0)),
            correlations=frozen(correlations(ordered, totals.means())),
            sums=frozen(sums),
            rank_low=frozen(np.searchsorted(ranked, placed_sums, "left").astype(np.int32)),
            rank_high=frozen(np.searchsorted(ranked, placed_sums, "right").astype(np.int32)),
            class_at=frozen(index.classes.numbers[order]),
            cell_at=frozen(cell_at),
            anywhere_at=frozen(order if anywhere is None else anywhere.place[order]),
            e2=ColumnIndex.of(original, schema.e2_column, index),
            e4=ColumnIndex.of(original, schema.e4_column, index),
        )

    @cached_property
    def table(self) -> pd.DataFrame:
        """The original's columns without identifiers."""
        return _frame(self.original)

    @property
    def sensitive(self) -> FloatArray:
        """The numeric sensitive columns, shape (n_records, n_columns), read-only."""
        return frozen(numbers(self.original, self.schema.sensitive_numeric))


@dataclass(frozen=True)
class Comparison:
    """An anonymized table beside its original, and the rows that its makers declared."""

    prepared: Prepared
    table: Table
    source: IntArray
    alignment: Alignment
    threads: int = 1

    @classmethod
    def of(
        cls,
        original: Table | Prepared,
        anonymized: Table,
        source: IntArray,
        schema: Schema,
        *,
        threads: int = 1,
    ) -> Comparison:
        """Put two tables beside each other.

        Parameters
        ----------
        original : DataFrame, Records or Prepared, n_original records
        anonymized : DataFrame or Records, n_anonymized records
        source : int array, shape (n_anonymized,)
            The 0-based original row that each anonymized record was made from, all distinct.
        schema : Schema
        threads : int
            How many work at it; the values are the same.

        Raises
        ------
        ValueError
            Where a table lacks a column or the rows do not fit the tables.
        """
        if not isinstance(original, Prepared):
            original = Prepared.of(original, schema)
        elif original.schema.public() != schema.public():
            raise ValueError("schema: expected the one that the original was prepared with")
        check_columns(anonymized, original.schema, "anonymized")
        declared = np.asarray(source)
        if declared.shape != (len(anonymized),) or declared.dtype.kind not in "iu":
            raise ValueError("source: expected one integer for each anonymized record")
        if declared.min() < 0 or declared.max() >= original.n_records:
            raise ValueError(f"source: expected rows from 0 to {original.n_records - 1}")
        declared = np.ascontiguousarray(declared, dtype=np.int64)
        columns = original.schema.sensitive_numeric
        place_of_row = original.index.in_classes.place
        alignment = Alignment.of(anonymized, declared, place_of_row, columns, threads)
        return cls(original, anonymized, declared, alignment, threads)

    @property
    def schema(self) -> Schema:
        return self.prepared.schema

    @property
    def n_records(self) -> int:
        """How many anonymized records there are."""
        return len(self.source)

    @cached_property
    def anonymized(self) -> pd.DataFrame:
        """The anonymized table."""
        return _frame(self.table)

    @cached_property
    def sensitive(self) -> FloatArray:
        """The numeric sensitive columns of the anonymized table, shape (n_anonymized, n_columns)."""
        return numbers(self.table, self.schema.sensitive_numeric)

    @cached_property
    def cells(self) -> Classes:
        """The cells of the cross columns that the anonymized table fills."""
        return Classes.of(self.table, self.schema.cross)

    @cached_property
    def class_sizes(self) -> IntArray:
        """Sizes of the anonymized table's equivalence classes."""
        sizes = self.class_vectors.sizes
        return sizes[sizes > 0]

    @cached_property
    def released(self) -> Released:
        """What an attacker gets to see."""
        return Released(self.prepared, self.table)

    # By slot, in the order of the alignment

    @cached_property
    def own_class(self) -> NumberArray:
        """The class of each record's declared source."""
        own: NumberArray = self.prepared.class_at[self.alignment.places]
        return own

    @cached_property
    def class_vectors(self) -> Vectors:
        """The class that each record is in."""
        classes = self.prepared.index.classes
        return Vectors.of(self.table, classes, self.alignment, self.own_class, self.threads)

    @cached_property
    def cell_vectors(self) -> Vectors:
        """The cell that each record is in."""
        own = self.prepared.cell_at[self.alignment.places]
        return Vectors.of(self.table, self.prepared.cells, self.alignment, own, self.threads)

    @cached_property
    def cell_sums(self) -> Sums:
        """The amounts summed in each cell."""
        cells = self.cell_vectors
        return class_sums(self.alignment.rows, cells.numbers, len(cells.sizes), self.threads)

    @cached_property
    def matched(self) -> NumberArray:
        """The slots of records in the class of their declared source: nobody else's can be found."""
        return _where(self.class_vectors.numbers == self.own_class)

    @cached_property
    def unmatched(self) -> NumberArray:
        """The slots of records with which no original shares a class, near sources together."""
        slots = _where(self.class_vectors.numbers >= self.class_vectors.n_known)
        if not len(slots):
            return slots
        at = self.prepared.anywhere_at[self.alignment.places[slots]]
        return slots[np.argsort(at)]

    @cached_property
    def as_near_in_class(self) -> NumberArray:
        """How many of its class are as near by distance as a record's source, 0 where one is nearer."""
        ties = np.zeros(self.n_records, dtype=np.int32)
        self.prepared.index.in_classes.count_as_near(
            self.alignment.rows,
            self.own_class,
            self.matched,
            self.alignment.places,
            ties,
            self.threads,
        )
        return ties


@dataclass(frozen=True)
class Released:
    """What an attacker has: the original table and an anonymized one, but no declared rows."""

    prepared: Prepared
    table: Table

    @property
    def n_records(self) -> int:
        return len(self.table)

    @cached_property
    def anonymized(self) -> pd.DataFrame:
        """The anonymized table."""
        return _frame(self.table)

    @cached_property
    def classes(self) -> IntArray:
        """The original class with each record's quasi-identifiers, -1 where there is none."""
        return self.prepared.index.classes.locate(self.table)

    @cached_property
    def sensitive(self) -> FloatArray:
        """The numeric sensitive columns, shape (n_anonymized, n_columns)."""
        return numbers(self.table, self.prepared.schema.sensitive_numeric)

    def column(self, name: str) -> FloatArray:
        """One numeric column."""
        return column(self.table, name)


def check_columns(table: Table, schema: Schema, name: str) -> None:
    """Raise ValueError where a table has no record or lacks a scored column."""
    if not len(table):
        raise ValueError(f"{name}: expected at least one record")
    scored = schema.quasi_identifiers + schema.sensitive_numeric
    known = set(names(table))
    missing = [column for column in scored if column not in known]
    if missing:
        raise ValueError(f"{name}: expected columns {', '.join(missing)}")


def check_table(table: Table, schema: Schema, name: str) -> None:
    """Raise ValueError where a table cannot be scored under a schema."""
    check_columns(table, schema, name)
    if not all(np.isfinite(column(table, column_)).all() for column_ in schema.sensitive_numeric):
        raise ValueError(f"{name}: expected finite numbers in the sensitive columns")


def row_sums(values: FloatArray, threads: int = 1) -> FloatArray:
    """The sum of each row, column by column in order."""
    rows = np.ascontiguousarray(values, dtype=np.float64)
    sums = np.empty(len(rows))
    in_parts(len(rows), threads, lambda begin, end: amounts.add_rows(rows, sums, begin, end))
    return sums


def _where(condition: np.ndarray) -> NumberArray:
    return np.flatnonzero(condition).astype(np.int32)


def _public(table: Table, schema: Schema) -> Table:
    public: Sequence[str] = [name for name in schema.public().names if name in names(table)]
    if isinstance(table, pd.DataFrame):
        return table[public].reset_index(drop=True)
    for name in table.names:
        if name not in public:
            table = table.without(name)
    return table


def _frame(table: Table) -> pd.DataFrame:
    return table.to_frame() if isinstance(table, Records) else table
