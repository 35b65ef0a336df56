# SPDX-License-Identifier: Apache-2.0
"""Arguments of the public functions: schemas, frames, declared rows, and settings of methods."""

from __future__ import annotations

import warnings
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np
import pandas as pd

from scoring.anonymizers import ANONYMIZERS
from scoring.errors import ProblemsFound
from scoring.facade.results import AnonymizedTable
from scoring.options import Value, having
from scoring.rulesets.loader import load_schema, schema_names
from scoring.rulesets.submitted import has_rows, is_aligned
from scoring.tables.equivalence import IntArray
from scoring.tables.frames import check_frame, csv_of
from scoring.tables.notes import noted
from scoring.tables.number_lists import read_rows, write_rows
from scoring.tables.row_order import note_row_order
from scoring.tables.schema import SOURCE_ROW, Schema
from scoring.tables.suggestion import ProposedSchema, proposed_schema

if TYPE_CHECKING:
    from numpy.typing import ArrayLike

    from scoring.rulesets import Ruleset

SchemaLike = Schema | str | Path
"""A schema, the path of its TOML file, or the name of a schema of the library."""
Steps = list[tuple[str, dict[str, Value]]]


class UnconfirmedRolesWarning(UserWarning):
    """Roles of columns were proposed from names and cells, and nobody has confirmed them."""


@dataclass(frozen=True, slots=True)
class Pair:
    """An original, an anonymized table, and the declared rows; None for a synthetic table."""

    original: pd.DataFrame
    anonymized: pd.DataFrame
    rows: IntArray | None
    schema: Schema

    @property
    def declared(self) -> IntArray:
        """The declared rows.

        Raises
        ------
        ValueError
            Where the table has none.
        """
        if self.rows is None:
            raise ValueError(
                "rows: expected a table whose records declare rows, got a synthetic one"
            )
        return self.rows


def schema_for(
    schema: SchemaLike | None,
    original: pd.DataFrame,
    anonymized: pd.DataFrame | AnonymizedTable | None = None,
) -> Schema:
    """The schema that was given, read, taken from a result or, with a warning, proposed."""
    check_frames(original=original)
    if schema is None and isinstance(anonymized, AnonymizedTable):
        return anonymized.schema
    if schema is None:
        schema = proposed_schema(original)
    if isinstance(schema, ProposedSchema):
        text = f"proposed roles that nobody has confirmed: {schema.roles}; Schema.confirm() does"
        warnings.warn(text, UnconfirmedRolesWarning, stacklevel=3)
        return schema.confirm()
    if isinstance(schema, Schema):
        return schema
    if schema in schema_names():
        return load_schema(str(schema))
    return Schema.from_toml(Path(schema).read_text(encoding="utf-8-sig"))


def frame_for(
    table: pd.DataFrame, schema: Schema, *, file: str, original: bool = False
) -> pd.DataFrame:
    """The columns of a frame that the schema names, checked, in its order and with a plain index.

    Truth values are texts, as in a file.

    Raises
    ------
    ProblemsFound
        As `scoring.tables.frames.check_frame`.
    """
    check_frames(**{file: table})
    names = [name for name in schema.names if name in table.columns]
    truths = table.columns[(table.dtypes == "bool").to_numpy()]
    found = table.astype(dict.fromkeys(truths, str)) if len(truths) else table
    check_frame(found, schema, file=file, original=original)
    return found[names].reset_index(drop=True)


def pair_for(
    original: pd.DataFrame,
    anonymized: pd.DataFrame | AnonymizedTable,
    schema: SchemaLike | None,
    rows: ArrayLike | None,
    *,
    synthetic: bool = False,
) -> Pair:
    """Both tables, checked, with the declared rows."""
    check_frames(original=original, anonymized=anonymized)
    known = schema_for(schema, original, anonymized)
    if isinstance(anonymized, AnonymizedTable):
        rows = anonymized.rows if rows is None else rows
        anonymized = anonymized.table
    source = None if synthetic else rows_for(rows, anonymized, original)
    pair = Pair(
        frame_for(original, known, file="original", original=True),
        frame_for(anonymized, known, file="anonymized"),
        source,
        known,
    )
    if source is not None:
        with noted() as notes:
            note_row_order(pair.original, pair.anonymized, source)
        for note in notes:
            warnings.warn(str(note), stacklevel=3)
    return pair


def check_frames(**tables: object) -> None:
    """Raise TypeError where a table is no frame but, for example, a path."""
    for name, table in tables.items():
        if not isinstance(table, pd.DataFrame | AnonymizedTable):
            raise TypeError(f"{name}: expected a DataFrame, got {type(table).__name__}")


def rows_for(rows: ArrayLike | None, anonymized: pd.DataFrame, original: pd.DataFrame) -> IntArray:
    """The declared 0-based rows: those given, those of a column `source_row`, or those that the index names.

    Raises
    ------
    ProblemsFound
        As of a row-number file: rows that are not there, or named twice, and a wrong number of them.
    ValueError
        Where no rows are given, and the index does not name different records of the original.
    """
    if rows is None:
        if SOURCE_ROW in anonymized.columns:
            rows = anonymized[SOURCE_ROW].to_numpy() - 1
        else:
            rows = _rows_of_index(anonymized.index, original.index)
    source = np.asarray(rows)
    if source.ndim != 1 or source.dtype.kind not in "iu":
        raise ValueError(
            f"rows: expected one integer for each record, got {source.dtype} of shape {source.shape}"
        )
    source = source.astype(np.int64)
    return read_rows(write_rows(source), n_original=len(original), n_records=len(anonymized))


def _rows_of_index(index: pd.Index, known: pd.Index) -> IntArray:
    was_reset = isinstance(index, pd.RangeIndex) and len(index) < len(known)
    if was_reset or not (index.is_unique and known.is_unique):
        rows = np.full(len(index), -1)
    else:
        rows = known.get_indexer(index)
    if (rows < 0).any():
        raise ValueError(
            "rows: expected the original row of each record, from 0; "
            "the index of the anonymized table does not name records of the original"
        )
    return rows.astype(np.int64)


def files_for(
    anonymized: pd.DataFrame | AnonymizedTable,
    original: pd.DataFrame,
    rows: ArrayLike | None,
    ruleset: Ruleset | None,
) -> tuple[bytes, bytes | None]:
    """The files of a submission: the table as `to_csv` writes a frame and `save` a result, and the row numbers.

    There is no file of row numbers where the rules want none, or a column of the table has them.
    """
    needs_rows = ruleset is None or (has_rows(ruleset) and not is_aligned(ruleset))
    if isinstance(anonymized, AnonymizedTable):
        return anonymized.file(), write_rows(anonymized.rows) if needs_rows else None
    if rows is None and SOURCE_ROW in anonymized.columns:
        needs_rows = False
    declared = write_rows(rows_for(rows, anonymized, original)) if needs_rows else None
    return csv_of(anonymized), declared


def steps_for(
    methods: str | Sequence[str | tuple[str, Mapping[str, Value]]], options: Mapping[str, Value]
) -> Steps:
    """Each method with its options; those by name are for every method that has them, `method.name` for one.

    Raises
    ------
    ProblemsFound
        Where a method is unknown, or no method has an option.
    """
    named = [methods] if isinstance(methods, str) else list(methods)
    steps: Steps = [(m, {}) if isinstance(m, str) else (m[0], dict(m[1])) for m in named]
    if problems := ANONYMIZERS.unknown(method for method, _ in steps):
        raise ProblemsFound(problems)
    chain = [(ANONYMIZERS[method], values) for method, values in steps]
    for name, value in options.items():
        method, _dot, option = name.rpartition(".")
        for _method, _option, values in having(chain, option, method or None):
            values[option] = tuple(value) if isinstance(value, list) else value
    return steps
