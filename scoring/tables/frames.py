# SPDX-License-Identifier: Apache-2.0
"""Tables that come as pandas frames: checked by the schema, with the problems that a file would have."""

from __future__ import annotations

import math
from numbers import Real
from typing import TYPE_CHECKING, Any, TypeGuard

import numpy as np
import numpy.typing as npt

from scoring.errors import MAX_REPORTED, Collector, Problem, shorten
from scoring.tables.cells import Params, domain_problem
from scoring.tables.records import Records
from scoring.tables.schema import Column, Schema

if TYPE_CHECKING:
    import pandas as pd

Objects = npt.NDArray[np.object_]


def records_of_frame(
    table: pd.DataFrame, schema: Schema, *, file: str, original: bool = False
) -> Records:
    """The records of a frame, as `read_records` reads those of a file.

    Columns may stand in any order, and further ones are left out. Numbers are numbers, with any decimals
    where the schema allows some, and categories are text: nothing is converted.

    Raises
    ------
    ProblemsFound
        See `check_frame`.
    """
    check_frame(table, schema, file=file, original=original)
    found = Records.of(table, schema)
    codes, levels = dict(found.codes), dict(found.levels)
    for name, own in found.levels.items():
        listed = schema.column(name).values
        if listed is not None:  # as in a file: in the schema's order
            place = {value: code for code, value in enumerate(listed)}
            codes[name] = np.array([place[value] for value in own], dtype=np.int32)[codes[name]]
            levels[name] = listed
    return Records(found.names, found.numbers, codes, levels)


def check_frame(table: pd.DataFrame, schema: Schema, *, file: str, original: bool = False) -> None:
    """Check the columns that a schema and a frame have in common.

    Parameters
    ----------
    table : DataFrame
    schema : Schema
    file : str
        What problems call the table.
    original : bool
        Whether the integers of the schema must be integers; averages make fractions of anonymized ones.

    Raises
    ------
    ProblemsFound
        Where the frame has no record, a column is missing (identifiers may be), or a cell is missing, of
        another type or outside of its column's domain: row and column of each, from 1.

    Examples
    --------
    >>> from scoring.examples import SCHEMA, table
    >>> check_frame(table("noise").replace({"SA1": {110: math.nan}}), SCHEMA, file="anonymized")
    Traceback (most recent call last):
    ...
    scoring.errors.ProblemsFound: anonymized, record 1, column SA1 — an empty cell — expected a value
    """
    problems = Collector()
    if not len(table):
        problems.add("file.header_only", file=file)
    for name in schema.public().names:
        if name not in table.columns:
            problems.add("header.missing", file=file, column=name, expected=name)
    problems.raise_if_any()
    found: list[Problem] = []
    n_total = 0
    for column in schema.columns:
        if column.name not in table.columns:
            continue
        rows, values = _suspects(table[column.name], column, original=original)
        n_total += len(rows)
        for row, value in zip(rows[:MAX_REPORTED].tolist(), values, strict=False):
            code, params = _problem(value, column, original=original)
            found.append(Problem(code, params, file, row + 1, column.name))
    found.sort(key=lambda problem: problem.row or 0)
    problems.extend(found, n_total)
    problems.raise_if_any()


def _suspects(
    series: pd.Series, column: Column, *, original: bool
) -> tuple[npt.NDArray[np.int64], list[Any]]:
    """The rows whose cells are wrong, and the first cells among them."""
    if column.is_numeric and holds_numbers(series):
        numbers = series.to_numpy(dtype=np.float64, na_value=np.nan)
        low = -math.inf if column.min is None else column.min
        high = math.inf if column.max is None else column.max
        is_wrong = ~np.isfinite(numbers) | (numbers < low) | (numbers > high)
        if not column.most_decimals(original=original):
            is_wrong |= numbers != np.floor(numbers)
        rows = np.flatnonzero(is_wrong)
        return rows, numbers[rows[:MAX_REPORTED]].tolist()
    import pandas as pd

    codes, distinct = pd.factorize(series.to_numpy(dtype=object), use_na_sentinel=False)
    is_wrong = np.array(
        [_problem(value, column, original=original)[0] != "" for value in distinct], dtype=np.bool_
    )
    rows = np.flatnonzero(is_wrong[codes]) if len(distinct) else np.zeros(0, dtype=np.int64)
    return rows, [distinct[code] for code in codes[rows[:MAX_REPORTED]]]


def holds_numbers(series: pd.Series) -> bool:
    """True for a column of numbers; truth values are none."""
    import pandas as pd

    kinds = pd.api.types
    return bool(kinds.is_numeric_dtype(series.dtype) and not kinds.is_bool_dtype(series.dtype))


def _problem(value: Any, column: Column, *, original: bool) -> tuple[str, Params]:
    """The problem of a cell; an empty code where there is none."""
    import pandas as pd

    if value is None or (not isinstance(value, str) and pd.isna(value)):
        return "cell.empty", {}
    if not column.is_numeric:
        if not isinstance(value, str):
            return "cell.not_text", {"got": shorten(repr(value))}
        known = None if column.values is None else set(column.values)
        return domain_problem(value, column, known) or ("", {})
    if not isinstance(value, Real) or isinstance(value, bool | np.bool_):
        return "cell.text", {"got": shorten(str(value))}
    number = float(value)
    if not math.isfinite(number):
        return "cell.not_finite", {"got": str(number)}
    got = f"{number:.15g}"
    if column.min is not None and number < column.min:
        return "cell.below_minimum", {"expected": column.min, "got": got}
    if column.max is not None and number > column.max:
        return "cell.above_maximum", {"expected": column.max, "got": got}
    if not column.most_decimals(original=original) and not number.is_integer():
        return "cell.not_an_integer", {"got": got}
    return "", {}


def csv_of(table: pd.DataFrame) -> bytes:
    """A frame as a CSV file, its index left out; missing cells are empty.

    Examples
    --------
    >>> from scoring.examples import table
    >>> csv_of(table("noise").head(1))
    b'QI1,QI2,QI3,SA1,SA2\\n2,1,1,110,90\\n'
    """
    return table.to_csv(index=False, lineterminator="\n").encode()


def is_frame(value: object) -> TypeGuard[pd.DataFrame]:
    """True for a pandas frame; pandas is not loaded for the answer."""
    return type(value).__module__.partition(".")[0] == "pandas" and hasattr(value, "columns")
