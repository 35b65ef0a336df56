# SPDX-License-Identifier: Apache-2.0
"""The rule that an anonymized table holds no value that its column lacks in the original."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
import numpy.typing as npt

from scoring.errors import Collector, Problem, shorten
from scoring.tables.equivalence import Table
from scoring.tables.records import Records, names_in, values_in
from scoring.tables.schema import Column, Schema
from scoring.tables.writing import written

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
    found: list[Problem] = []
    for column in schema.public().columns:
        if column.name not in names_in(table):
            continue
        values = values_in(table, column.name)
        known = values_of(original, column)
        for at in _unknown(table, values, column, known):
            [cell] = written(values[at : at + 1], column)
            params: dict[str, str | int | float] = {"got": shorten(cell)}
            found.append(Problem(NOT_IN_ORIGINAL, params, file, at + 1, column.name))
    problems = Collector()
    problems.extend(sorted(found, key=lambda problem: problem.row or 0))
    problems.raise_if_any()


def _unknown(
    table: Table, values: npt.NDArray[Any], column: Column, known: set[Any]
) -> Sequence[int]:
    """The records whose value of a column is none of those known."""
    if isinstance(table, Records) and column.name in table.codes:
        levels = table.levels[column.name]
        is_unknown = np.array([level not in known for level in levels], dtype=np.bool_)
        return np.flatnonzero(is_unknown[table.codes[column.name]]).tolist()
    return [at for at, value in enumerate(values.tolist()) if value not in known]


def values_of(original: Table, column: Column) -> set[Any]:
    """The values that a column of the original has.

    Examples
    --------
    >>> from scoring.examples import SCHEMA, table
    >>> sorted(values_of(table("original"), SCHEMA.column("SA1")))
    [100, 200, 300, 400]
    """
    if not isinstance(original, Records):
        return set(original[column.name].tolist())
    if column.is_numeric:
        return set(original.numbers[column.name].tolist())
    levels = original.levels[column.name]
    return {levels[code] for code in np.unique(original.codes[column.name]).tolist()}
