# SPDX-License-Identifier: Apache-2.0
"""An original table with what is built once for all that is compared with it."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING, Any

import numpy as np

from scoring.kernels import amounts
from scoring.kernels.parts import in_parts
from scoring.scores.alignment import column, frame_of, numbers
from scoring.scores.nearest import PointIndex, ValueIndex
from scoring.scores.sums import Sums, class_sums, correlations
from scoring.tables.equivalence import Classes, FloatArray, IntArray, NumberArray, Table, frozen
from scoring.tables.records import Records, names_in
from scoring.tables.schema import Schema

if TYPE_CHECKING:
    import pandas as pd


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


@dataclass(frozen=True, slots=True)
class _Kept:
    """An original without what its index has as well: of records, no amounts and no wide codes."""

    table: Table
    amounts: Mapping[str, np.dtype[Any]]

    @classmethod
    def of(cls, table: Table, schema: Schema) -> _Kept:
        """Keep what the points of the numeric sensitive columns do not hold."""
        if not isinstance(table, Records):
            return cls(table, {})
        amounts = {name: table.numbers[name].dtype for name in schema.sensitive_numeric}
        numbers = {name: column for name, column in table.numbers.items() if name not in amounts}
        codes = {
            name: column.astype(np.min_scalar_type(max(len(table.levels[name]) - 1, 0)))
            for name, column in table.codes.items()
        }
        return cls(Records(table.names, numbers, codes, table.levels), amounts)

    def restored(self, points: PointIndex) -> Table:
        """The whole table, its amounts from the points."""
        if not isinstance(self.table, Records):
            return self.table
        rows = points.placed()
        amounts = {
            name: rows[:, at][points.place].astype(dtype)
            for at, (name, dtype) in enumerate(self.amounts.items())
        }
        codes = {name: column.astype(np.int32) for name, column in self.table.codes.items()}
        numbers = {
            name: amounts[name] if name in amounts else self.table.numbers[name]
            for name in self.table.names
            if name in amounts or name in self.table.numbers
        }
        return Records(self.table.names, numbers, codes, self.table.levels)


@dataclass(frozen=True)
class Prepared:
    """An original table with its indexes, built once; read-only, so that workers may share it.

    `original` and `table` have the schema's columns without identifiers; `control` holds records of
    the same kind that the anonymized table was not made from, for the measures that compare an attack
    with one on strangers. The amounts of records that were read are kept once, as the points of the index.

    Attributes
    ----------
    sums : float64 array, shape (n_records,)
        Each record's sum over the numeric sensitive columns.
    rank_low, rank_high : int32 arrays, shape (n_records,)
        The ranks of equal sums, by place.
    cell_of_class : int32 array, shape (n_classes,)
        The cell that each class is in.
    class_at, anywhere_at : int32 arrays, shape (n_records,)
        By place: the class, the place in `index.anywhere`.
    """

    schema: Schema
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
    cell_of_class: NumberArray
    class_at: NumberArray
    anywhere_at: NumberArray
    e2: ColumnIndex | None
    e4: ColumnIndex | None
    _kept: _Kept

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
        spans, sums = values.max(axis=0) - values.min(axis=0), row_sums(values)
        others = [name for name in schema.quasi_identifiers if name not in schema.cross]
        index = Index.of(values, Classes.of(original, [*schema.cross, *others]))
        del values  # of a million records, a tenth of all the memory there is
        cells = Classes.of(original, schema.cross)
        order, ordered = index.in_classes.order, index.in_classes.placed()
        cell_at = cells.numbers[order]
        cell_sums = class_sums(ordered, cell_at, cells.n_classes)
        totals = cell_sums.total()
        ranked, placed_sums = np.sort(sums), sums[order]
        anywhere = index.anywhere
        return cls(
            schema=schema,
            control=control,
            n_records=len(original),
            index=index,
            cells=cells,
            cell_sums=cell_sums,
            totals=totals,
            spans=frozen(spans),
            correlations=frozen(correlations(ordered, totals.means())),
            sums=frozen(sums),
            rank_low=frozen(np.searchsorted(ranked, placed_sums, "left").astype(np.int32)),
            rank_high=frozen(np.searchsorted(ranked, placed_sums, "right").astype(np.int32)),
            cell_of_class=frozen(cell_at[index.in_classes.starts[:-1]]),
            class_at=frozen(index.classes.numbers[order]),
            anywhere_at=frozen(order if anywhere is None else anywhere.place[order]),
            e2=ColumnIndex.of(original, schema.e2_column, index),
            e4=ColumnIndex.of(original, schema.e4_column, index),
            _kept=_Kept.of(_public(original, schema), schema),
        )

    def __len__(self) -> int:
        return self.n_records

    @property
    def original(self) -> Table:
        """The original's columns without identifiers; of records, put together when it is asked for."""
        return self._kept.restored(self.index.in_classes)

    @property
    def kept(self) -> Table:
        """The original without its amounts, where it consists of records: nothing is put together for it."""
        return self._kept.table

    @cached_property
    def table(self) -> pd.DataFrame:
        """The original's columns without identifiers."""
        return frame_of(self.original)

    @property
    def sensitive(self) -> FloatArray:
        """The numeric sensitive columns, shape (n_records, n_columns), read-only."""
        points = self.index.in_classes
        return frozen(points.placed()[points.place])


def check_columns(table: Table, schema: Schema, name: str) -> None:
    """Raise ValueError where a table has no record or lacks a scored column."""
    if not len(table):
        raise ValueError(f"{name}: expected at least one record")
    scored = schema.quasi_identifiers + schema.sensitive_numeric
    known = set(names_in(table))
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


def _public(table: Table, schema: Schema) -> Table:
    public = [name for name in schema.public().names if name in names_in(table)]
    if not isinstance(table, Records):
        return table[public].reset_index(drop=True)
    for name in table.names:
        if name not in public:
            table = table.without(name)
    return table
