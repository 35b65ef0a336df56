# SPDX-License-Identifier: Apache-2.0
"""Reads a submission's files together, so that all problems are reported together."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

from scoring.errors import Collector, Problem, ProblemsFound
from scoring.tables.equivalence import IntArray
from scoring.tables.reading import read_ordinary_file, read_records, read_rows, split_source_row
from scoring.tables.records import Records
from scoring.tables.schema import SOURCE_ROW, Schema
from scoring.tables.text import first_names

if TYPE_CHECKING:
    import pandas as pd


def read_submission(
    anonymized: bytes, rows: bytes | None, *, original: pd.DataFrame, schema: Schema
) -> tuple[pd.DataFrame, IntArray]:
    """As `read_submitted_records`, given the original itself; the records come as a DataFrame.

    Examples
    --------
    >>> from scoring.examples import SCHEMA, table
    >>> data = b"QI1,QI2,QI3,SA1,SA2,source_row\\n2,1,1,100,100.5,1\\n"
    >>> _, source = read_submission(data, None, original=table("original"), schema=SCHEMA)
    >>> source
    array([0])
    """
    found, source = read_submitted_records(
        anonymized, rows, n_original=len(original), schema=schema
    )
    return found.to_frame(), source


def read_submitted_records(
    anonymized: bytes, rows: bytes | None, *, n_original: int, schema: Schema
) -> tuple[Records, IntArray]:
    """The anonymized records and the declared rows of a submission.

    Parameters
    ----------
    anonymized : bytes
        The anonymized table, as CSV.
    rows : bytes or None
        The row-number file; None where the table has a column `source_row`.
    n_original : int
        How many records the original has; no anonymized table has more.
    schema : Schema

    Returns
    -------
    records : Records, n_anonymized records
        Numbers are float64.
    source : int64 array, shape (n_anonymized,)
        0-based, distinct.

    Raises
    ------
    ProblemsFound
        The problems of both files.

    Examples
    --------
    >>> from scoring.examples import SCHEMA
    >>> data = b"QI1,QI2,QI3,SA1,SA2,source_row\\n2,1,1,100,100.5,1\\n"
    >>> found, source = read_submitted_records(data, None, n_original=4, schema=SCHEMA)
    >>> found.numbers["SA2"], source
    (array([100.5]), array([0]))
    """
    is_one_file = rows is None
    if rows is not None and _is_table(rows, schema) and not _is_table(anonymized, schema):
        raise ProblemsFound([Problem("submission.swapped", {})])
    if rows is None:
        if (both := read_ordinary_file(anonymized, schema, n_original=n_original)) is not None:
            return both
        anonymized, rows = _split(anonymized, schema)
    problems = Collector()
    if rows is None:
        problems.add("submission.no_rows", file="rows", expected=SOURCE_ROW)
    table, n_records = None, None
    try:
        table = read_records(anonymized, schema, file="anonymized", max_records=n_original)
        n_records = len(table)
    except ProblemsFound as error:
        problems.extend(error.problems, error.n_total)
    source = None
    if rows is not None:
        try:
            source = read_rows(rows, n_original=n_original, n_records=n_records)
        except ProblemsFound as error:
            found = map(_in_table, error.problems) if is_one_file else error.problems
            problems.extend(found, error.n_total)
    problems.raise_if_any()
    assert table is not None
    assert source is not None
    return table, source


def _is_table(data: bytes, schema: Schema) -> bool:
    """True if the first line is the table's header, as in most files."""
    return first_names(data) == list(schema.public().names)


def _split(data: bytes, schema: Schema) -> tuple[bytes, bytes | None]:
    """As `split_source_row`; a table without the column is returned as it is, to be checked all the same."""
    try:
        return split_source_row(data, schema)
    except ProblemsFound as error:
        if any(p.code == "header.missing" and p.column == SOURCE_ROW for p in error.problems):
            return data, None
        raise


def _in_table(problem: Problem) -> Problem:
    return replace(problem, file="anonymized", column=SOURCE_ROW)
