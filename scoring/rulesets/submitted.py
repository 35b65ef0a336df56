# SPDX-License-Identifier: Apache-2.0
"""A submission's files, checked by the rules of a contest: on the command line, and of frames written as files."""

from __future__ import annotations

from pathlib import Path

from scoring.catalogs import UnknownNameError
from scoring.rulesets.base import Ruleset
from scoring.rulesets.kinds import WITHOUT_ROWS
from scoring.rulesets.loader import load_ruleset, parse_ruleset, ruleset_names
from scoring.tables.aligned import read_aligned
from scoring.tables.equivalence import IntArray, Table
from scoring.tables.original_values import check_original_values
from scoring.tables.record_bounds import record_bounds
from scoring.tables.records import Records
from scoring.tables.row_order import note_row_order
from scoring.tables.schema import Schema
from scoring.tables.synthetic import read_synthetic
from scoring.tables.validation import read_submitted_records


def ruleset_of(name: str | Path) -> Ruleset:
    """A ruleset of the library, or that of a TOML file.

    Raises
    ------
    UnknownNameError
        Where it is neither.
    ProblemsFound
        Where the file is no ruleset.

    Examples
    --------
    >>> ruleset_of("pwscup2015").id
    'pwscup2015'
    """
    if name in ruleset_names():
        return load_ruleset(str(name))
    if Path(name).suffix == ".toml":
        return parse_ruleset(Path(name).read_text(encoding="utf-8-sig"))
    raise UnknownNameError("ruleset", str(name), ruleset_names())


def is_aligned(ruleset: Ruleset) -> bool:
    """True if teams submit aligned tables, which need no row numbers."""
    kinds = (file.kind for spec in ruleset.rounds for file in spec.files)
    return "aligned_table" in kinds


def has_rows(ruleset: Ruleset) -> bool:
    """True if the records of a submission declare rows of the original; synthetic tables do not."""
    return ruleset.tables not in WITHOUT_ROWS


def submitted(
    anonymized: bytes,
    rows: bytes | None,
    original: Table,
    schema: Schema,
    ruleset: Ruleset | None = None,
) -> tuple[Records, IntArray | None]:
    """The records of a submission and the original row of each, both checked.

    Parameters
    ----------
    anonymized : bytes
        The anonymized table, as CSV.
    rows : bytes or None
        The row-number file. None for an aligned or a synthetic table, or one with a column `source_row`.
    original : DataFrame or Records, n_original records
    schema : Schema
    ruleset : Ruleset, optional
        It decides whether the table is an aligned one, which values it may hold, and whether there are rows.

    Returns
    -------
    records : Records, n_anonymized records
    source : int64 array, shape (n_anonymized,), or None
        0-based, distinct; None for a synthetic table.

    Raises
    ------
    ProblemsFound
        All problems of both files.

    Examples
    --------
    >>> from scoring.examples import SCHEMA, table
    >>> data = b"QI1,QI2,QI3,SA1,SA2,source_row\\n2,1,1,100,100.5,1\\n"
    >>> submitted(data, None, table("original"), SCHEMA)[1]
    array([0])
    """
    values_only = ruleset is not None and ruleset.validity.values == "original"
    if ruleset is not None and not has_rows(ruleset):
        limits, n = ruleset.limits, len(original)
        least, most = record_bounds(n, limits.min_records_factor, limits.max_records_factor)
        own = original if values_only else None
        return read_synthetic(anonymized, schema, least=least, most=most, original=own), None
    if ruleset is not None and is_aligned(ruleset):
        table, source = read_aligned(
            anonymized,
            original=original,
            schema=schema,
            original_values_only=values_only,
            blank_records=ruleset.validity.blank_records,
        )
    else:
        n_original = len(original)
        table, source = read_submitted_records(
            anonymized, rows, n_original=n_original, schema=schema
        )
        if values_only:
            check_original_values(table, original, schema)
    note_row_order(original, table, source)
    return table, source
