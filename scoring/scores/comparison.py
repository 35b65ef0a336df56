# SPDX-License-Identifier: Apache-2.0
"""Input of measures and attacks: the original table, an anonymized one, the declared rows."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from typing import TYPE_CHECKING

import numpy as np

from scoring.scores.alignment import Alignment, Vectors, column, frame_of, numbers
from scoring.scores.options import CANONICAL, OPTION_CHOICES, Options
from scoring.scores.prepared import (
    ColumnIndex,
    Index,
    Prepared,
    check_columns,
    check_table,
    row_sums,
)
from scoring.scores.sheets import Sheet, sheets_of
from scoring.scores.sums import Sums, class_sums, correlations
from scoring.tables.equivalence import Classes, FloatArray, IntArray, NumberArray, Table
from scoring.tables.records import Records
from scoring.tables.schema import Schema
from scoring.tables.synthetic import in_canonical_order

if TYPE_CHECKING:
    import pandas as pd

__all__ = [
    "OPTION_CHOICES",
    "ColumnIndex",
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


@dataclass(frozen=True)
class Comparison:
    """An anonymized table with its original, and the declared rows; None for a table that has none."""

    prepared: Prepared
    table: Table
    declared: IntArray | None
    alignment: Alignment
    threads: int = 1
    files: Mapping[str, bytes] = field(default_factory=dict)
    """Further files of the submission by their kind: a model."""
    references: Sequence[Table] = ()
    """Further tables whose records may not be published: other originals, shared records, candidates."""

    @classmethod
    def of(
        cls,
        original: Table | Prepared,
        anonymized: Table,
        source: IntArray | None,
        schema: Schema,
        *,
        threads: int = 1,
    ) -> Comparison:
        """Compare two tables.

        Parameters
        ----------
        original : DataFrame, Records or Prepared, n_original records
        anonymized : DataFrame or Records, n_anonymized records
        source : int array, shape (n_anonymized,), or None
            The 0-based original row that each anonymized record was made from, all distinct. None for a table of any
            number of records that were made from no certain ones: it is compared in canonical order.
        schema : Schema
        threads : int
            How many work at it; the values are the same.

        Raises
        ------
        ValueError
            Where a table lacks a column, the rows do not fit the tables or there is no thread.
        """
        if threads < 1:
            raise ValueError(f"threads: expected 1 or more, got {threads}")
        if not isinstance(original, Prepared):
            original = Prepared.of(original, schema)
        elif original.schema != schema and original.schema.public() != schema.public():
            raise ValueError("schema: expected the one that the original was prepared with")
        check_columns(anonymized, original.schema, "anonymized")
        columns = original.schema.sensitive_numeric
        if source is None:
            if not isinstance(anonymized, Records):
                anonymized = Records.of(anonymized, original.schema)
            table = in_canonical_order(anonymized, original.schema)
            return cls(original, table, None, Alignment.without_rows(table, columns), threads)
        declared = np.asarray(source)
        if declared.shape != (len(anonymized),) or declared.dtype.kind not in "iu":
            raise ValueError("source: expected one integer for each anonymized record")
        if declared.min() < 0 or declared.max() >= original.n_records:
            raise ValueError(f"source: expected rows from 0 to {original.n_records - 1}")
        declared = np.ascontiguousarray(declared, dtype=np.int64)
        place_of_row = original.index.in_classes.place
        alignment = Alignment.of(anonymized, declared, place_of_row, columns, threads)
        return cls(original, anonymized, declared, alignment, threads)

    @property
    def schema(self) -> Schema:
        return self.prepared.schema

    @property
    def n_records(self) -> int:
        """The number of anonymized records."""
        return len(self.table)

    @property
    def source(self) -> IntArray:
        """The declared 0-based original row of each record.

        Raises
        ------
        ValueError
            Where the table has none.
        """
        if self.declared is None:
            raise ValueError("source: expected a table with declared rows, got one without")
        return self.declared

    @cached_property
    def anonymized(self) -> pd.DataFrame:
        """The anonymized table."""
        return frame_of(self.table)

    @cached_property
    def sensitive(self) -> FloatArray:
        """The numeric sensitive columns of the anonymized table, shape (n_anonymized, n_columns)."""
        return numbers(self.table, self.schema.sensitive_numeric)

    @cached_property
    def values(self) -> dict[tuple[str, Options], float | int | None]:
        """The measures that are known already, by identifier and options."""
        return {}

    @cached_property
    def sheets(self) -> tuple[Sheet, Sheet]:
        """The columns of both tables, each in canonical order: no row number and no file order has an effect."""
        original, anonymized = sheets_of(self.schema, self.prepared.original, self.table)
        return original.sorted(), anonymized.sorted()

    def sheets_in(self, order: str) -> tuple[Sheet, Sheet]:
        """The columns of both tables: each in canonical order, or in that of its file."""
        if order == CANONICAL:
            return self.sheets
        tables = (self.prepared.original, self.table)
        x, y = (t.in_file_order() if isinstance(t, Records) else t for t in tables)
        original, anonymized = sheets_of(self.schema, x, y)
        return original, anonymized

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
        """The view of an attacker."""
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
        classes, cells = self.class_vectors, self.prepared.cells
        if len(classes.sizes) == classes.n_known:  # every class is one of the original's
            numbers = self.prepared.cell_of_class[classes.numbers]
            return Vectors.counted(numbers, cells.n_classes, cells.n_classes)
        own = self.prepared.cell_of_class[self.own_class]
        return Vectors.of(self.table, cells, self.alignment, own, self.threads)

    @cached_property
    def cell_sums(self) -> Sums:
        """The amounts summed in each cell."""
        cells = self.cell_vectors
        return class_sums(self.alignment.rows, cells.numbers, len(cells.sizes), self.threads)

    @cached_property
    def totals(self) -> Sums:
        """The amounts summed over all records."""
        return self.cell_sums.total()

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
        """The number of records of its class as near as a record's source, 0 if one is nearer."""
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
    """The tables of an attacker: the original and an anonymized one, but no declared rows."""

    prepared: Prepared
    table: Table

    @property
    def n_records(self) -> int:
        return len(self.table)

    @cached_property
    def anonymized(self) -> pd.DataFrame:
        """The anonymized table."""
        return frame_of(self.table)

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


def _where(condition: np.ndarray) -> NumberArray:
    return np.flatnonzero(condition).astype(np.int32)
