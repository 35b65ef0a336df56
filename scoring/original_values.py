"""The rule that an anonymized table holds no value that its column lacks in the original."""

from __future__ import annotations

from typing import Any

import numpy as np
import pandas as pd

from scoring.alignment import names
from scoring.equivalence import Table
from scoring.errors import Collector, Problem, shorten
from scoring.records import Records
from scoring.schema import Column, Schema
from scoring.writing import written

NOT_IN_ORIGINAL = "aligned.not_in_original"


def check_original_values(
    table: Table, original: Table, schema: Schema, *, file: str = "anonymized"
) -> None:
    """Refuse a table with values that do not occur in the same column of its original.

    Parameters
    ----------
    table : DataFrame or Records
        The anonymized table; rows of problems count from 1.
    original : DataFrame or Records
    schema : Schema
        Columns that the anonymized table lacks are passed over.
    file : str
        What problems call the file.

    Raises
    ------
    ProblemsFound
        Naming each such cell, in file order.

    Examples
    --------
    >>> from scoring.examples import SCHEMA, table
    >>> check_original_values(table("swapped"), table("original"), SCHEMA)
    >>> try:
    ...     check_original_values(table("averaged"), table("original"), SCHEMA)
    ... except ValueError as error:
    ...     error.n_total, str(error).partition(" — ")[0]
    (8, 'anonymized, record 1, column SA1')
    """
    frame = table.to_frame() if isinstance(table, Records) else table
    found: list[Problem] = []
    for column in schema.public().columns:
        if column.name not in names(table):
            continue
        known = values_of(original, column)
        for at, value in enumerate(frame[column.name].tolist()):
            if value not in known:
                [cell] = written(pd.Series([value]), column)
                params: dict[str, str | int | float] = {"got": shorten(cell)}
                found.append(Problem(NOT_IN_ORIGINAL, params, file, at + 1, column.name))
    problems = Collector()
    problems.extend(sorted(found, key=lambda problem: problem.row or 0))
    problems.raise_if_any()


def values_of(original: Table, column: Column) -> set[Any]:
    """The values that a column of the original has.

    Examples
    --------
    >>> from scoring.examples import SCHEMA, table
    >>> sorted(values_of(table("original"), SCHEMA.column("SA1")))
    [100, 200, 300, 400]
    """
    if isinstance(original, pd.DataFrame):
        return set(original[column.name].tolist())
    if column.is_numeric:
        return set(original.numbers[column.name].tolist())
    levels = original.levels[column.name]
    return {levels[code] for code in np.unique(original.codes[column.name]).tolist()}
