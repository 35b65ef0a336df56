# SPDX-License-Identifier: Apache-2.0
"""Tables: read, drawn, and checked as a submission."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

import pandas as pd

from scoring import plugins
from scoring.catalogs import UnknownNameError
from scoring.datasets import MAX_RECORDS, USUAL
from scoring.datasets.catalog import generated
from scoring.errors import ProblemsFound
from scoring.facade.given import SchemaLike, files_for, frame_for, schema_for
from scoring.facade.progress import steps
from scoring.facade.results import AnonymizedTable, Validation
from scoring.rulesets.gates import gated, outside
from scoring.rulesets.loader import load_schema
from scoring.rulesets.submitted import ruleset_of, submitted
from scoring.scores.comparison import Comparison
from scoring.tables.frames import csv_of
from scoring.tables.notes import noted
from scoring.tables.number_lists import read_rows
from scoring.tables.reading import read_table
from scoring.tables.schema import Schema

if TYPE_CHECKING:
    from numpy.typing import ArrayLike

    from scoring.rulesets import Ruleset


def generate(
    dataset: str, records: int | None = None, *, seed: int = 1, progress: bool = True
) -> tuple[pd.DataFrame, Schema]:
    """Draw a synthetic table to practise on.

    Parameters
    ----------
    dataset : {"households", "census", "diabetes", "health", "profile", "ratings", "survival"}
    records : int, optional
        How many, up to 1,000,000; by default as many as a contest with such a table begins with.
    seed : int
    progress : bool
        Show a progress bar after two seconds.

    Returns
    -------
    table, schema : DataFrame and Schema

    Raises
    ------
    UnknownNameError
        Where there is no such dataset.
    ValueError
        Where the number of records is out of range.

    Examples
    --------
    >>> table, schema = generate("census", 100, seed=1)
    >>> table.shape, schema.quasi_identifiers[:3], schema.sensitive
    ((100, 9), ('age', 'work', 'education'), ('income',))
    """
    if dataset not in USUAL:
        raise UnknownNameError("dataset", dataset, USUAL)
    n_records = USUAL[dataset] if records is None else records
    if not 1 <= n_records <= MAX_RECORDS:
        raise ValueError(f"records: expected 1 to {MAX_RECORDS}, got {records}")
    schema = load_schema(dataset)
    with steps(len(schema.columns), progress=progress) as step:
        table = generated(
            dataset, n_records, seed=seed, progress=lambda i, n: step(f"column {i} of {n}")
        )
    return table, schema


def read(
    table: str | Path | bytes | pd.DataFrame,
    schema: SchemaLike,
    *,
    rows: str | Path | bytes | None = None,
    original: bool | None = None,
) -> pd.DataFrame:
    """Read a CSV file, or a frame as the file that `to_csv` makes of it, with the types of a schema.

    Parameters
    ----------
    table : path, bytes or DataFrame
        The file, its content, or a frame: its truth values, numbers and missing cells become texts where the schema has
        categories. Texts such as `NA` stay texts.
    schema : Schema, path or str
        A schema, its TOML file, or the name of one of the library.
    rows : path or bytes, optional
        The row-number file of an anonymized table: the index of the frame becomes the declared rows, from 0, so that
        other functions find them.
    original : bool, optional
        Whether identifiers may be there and integers must be integers; by default where there are no rows.

    Returns
    -------
    DataFrame
        Categories as str, numbers as float64, the integers of an original as int64.

    Raises
    ------
    ProblemsFound
        All problems of the file.

    Examples
    --------
    >>> from scoring.examples import SCHEMA
    >>> read(b"QI1,QI2,QI3,SA1,SA2\\n2,1,1,100,100.5\\n", SCHEMA, rows=b"row\\n7\\n").index.tolist()
    [6]
    """
    known = _schema_of_file(schema)
    is_original = rows is None if original is None else original
    file = "original" if is_original else "anonymized"
    data = csv_of(table) if isinstance(table, pd.DataFrame) else _bytes(table)
    found = read_table(data, known, file=file, original=is_original)
    if rows is None:
        if isinstance(table, pd.DataFrame):
            found.index = table.index
        return found
    n_original = 2**31 - 1  # the original is not at hand: its rows are checked with it
    found.index = pd.Index(
        read_rows(_bytes(rows), n_original=n_original, n_records=len(found)), name="row"
    )
    return found


def validate(
    original: pd.DataFrame,
    anonymized: pd.DataFrame | AnonymizedTable,
    schema: SchemaLike | None = None,
    *,
    rows: ArrayLike | None = None,
    ruleset: str | Path | None = None,
    stage: str | None = None,
) -> Validation:
    """Check a submission as the platform does, and list every problem.

    Parameters
    ----------
    original : DataFrame, n_original records
    anonymized : DataFrame or AnonymizedTable, n_anonymized records
        Checked as the file that `to_csv(index=False)` makes of a frame, and `save` of a result.
    schema : Schema, path or str, optional
        By default that of the result, else one that is proposed, with a warning.
    rows : int array, shape (n_anonymized,), optional
        The 0-based row of the original that each record was made from. By default those of a result, of a column
        `source_row`, which counts from 1, or those that the index of the frame names.
    ruleset : str or path, optional
        A ruleset of the library or its TOML file: which values a table may hold, whether it has rows, and the bounds
        of its measures.
    stage : str, optional
        The stage whose bounds hold; those of all by default.

    Returns
    -------
    Validation
        True where there is no problem.

    Raises
    ------
    ProblemsFound
        Where the original does not fit the schema.
    ValueError
        Where rows are needed and not known.

    Examples
    --------
    >>> from scoring.examples import SCHEMA, table
    >>> bool(validate(table("original"), table("noise"), SCHEMA))
    True
    >>> found = validate(table("original"), table("noise").replace({"QI1": {"1": "3"}}), SCHEMA)
    >>> found.n_problems, found.problems[0].code
    (2, 'cell.not_in_values')
    """
    rules = rules_of(ruleset)
    known_schema = schema_for(schema, original, anonymized)
    known = frame_for(original, known_schema, file="original", original=True)
    files = files_for(anonymized, original, rows, rules)
    problems: ProblemsFound | None = None
    n_anonymized = None
    with noted() as notes:
        try:
            table, source = submitted(*files, known, known_schema, rules)
            n_anonymized = len(table)
            if rules is not None and rules.gates:
                comparison = Comparison.of(known, table, source, known_schema)
                values = gated(rules, comparison, rules.options)
                if beyond := outside(rules, values, stage):
                    raise ProblemsFound(beyond)
        except ProblemsFound as error:
            problems = error
    found = () if problems is None else problems.problems
    n_problems = 0 if problems is None else problems.n_total
    return Validation(len(original), n_anonymized, found, n_problems, tuple(notes))


def rules_of(ruleset: str | Path | None) -> Ruleset | None:
    """A ruleset about one table; None where none is named.

    Raises
    ------
    UnknownNameError
        Where there is none of this name.
    ValueError
        Where it is about several tables, which only the command line reads.
    """
    if ruleset is None:
        return None
    plugins.load()
    found = ruleset_of(ruleset)
    if found.data.parts or found.sequential is not None:
        raise ValueError(f"ruleset: expected one about a single table, got {found.id}")
    return found


def _schema_of_file(schema: SchemaLike) -> Schema:
    return schema_for(schema, pd.DataFrame())


def _bytes(source: str | Path | bytes) -> bytes:
    return source if isinstance(source, bytes) else Path(source).read_bytes()
