# SPDX-License-Identifier: Apache-2.0
"""From the cells of one column to its values, strictly as the schema says."""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import cache, partial
from typing import Any

import numpy as np
import numpy.typing as npt

from scoring.errors import MAX_REPORTED, Problem, shorten
from scoring.tables.schema import DECIMALS, Column, Kind
from scoring.tables.text import MAX_CATEGORY, plain_number

MAX_DIGITS = 15
"""Before the decimal point; so many decimal digits survive a 64-bit float."""

NumberArray = npt.NDArray[np.number[Any]]
Params = dict[str, str | int | float]

_INTEGER = re.compile(rf"-?[0-9]{{1,{MAX_DIGITS}}}")
_LONG_NUMBER = re.compile(r"-?([0-9]+)(?:\.([0-9]+))?")
REASONS = (
    (
        "cell.not_finite",
        re.compile(r"[+-]?(?:[nN][aA][nN]|[iI][nN][fF](?:[iI][nN][iI][tT][yY])?)"),
    ),
    ("cell.exponent", re.compile(r"[+-]?(?:[0-9]+\.?[0-9]*|\.[0-9]+)[eE][+-]?[0-9]+")),
    (
        "cell.separator",
        re.compile(r"[+-]?[0-9]{1,3}(?:[,_' \u00a0\u202f][0-9]{3})+(?:\.[0-9]+)?"),
    ),
)
"""Forms of cells that are no numbers here, and the problem of each."""
FORMS = {"integer": _INTEGER, "long_number": _LONG_NUMBER}


@cache
def _number(decimals: int) -> re.Pattern[str]:
    """A number of so many decimals at most."""
    fraction = rf"(?:\.[0-9]{{1,{decimals}}})?" if decimals else ""
    return re.compile(_INTEGER.pattern + fraction)


@cache
def _numbers(decimals: int) -> re.Pattern[str]:
    """Such numbers, a line each."""
    return re.compile(rf"(?:{_number(decimals).pattern}\n)*+")


@dataclass(frozen=True, slots=True)
class ColumnProblems:
    """The first problems of a column, by position of the cell, and the number of all."""

    first: list[tuple[int, Problem]]
    n_total: int


def read_numbers(
    cells: Sequence[str], column: Column, *, file: str, original: bool
) -> NumberArray | ColumnProblems:
    """The numbers of a column, int64 for the integers of an original, else float64."""
    joined = "\n".join(cells) + "\n"
    decimals = column.most_decimals(original=original)
    # One match over all cells is much quicker than one a cell; a cell may hold line feeds itself.
    if not (_numbers(decimals).fullmatch(joined) and joined.count("\n") == len(cells)):
        if not joined.isascii() and (plain := _plain(cells, column, decimals, file)) != list(cells):
            return read_numbers(plain, column, file=file, original=original)
        problem = partial(_number_problem, column=column, decimals=decimals)
        return _collect(cells, problem, column, file)
    integral = binds_integers(column, original=original)
    convert = float if "." in joined else int  # int is the quicker one, and as exact
    numbers = np.array(list(map(convert, cells))).astype(np.int64 if integral else np.float64)
    low = -np.inf if column.min is None else column.min
    high = np.inf if column.max is None else column.max
    if numbers.min() < low or numbers.max() > high:
        return _collect(cells, partial(_outside, column=column), column, file)
    return numbers + 0  # turns -0.0 into 0.0


def _plain(cells: Sequence[str], column: Column, decimals: int, file: str) -> list[str]:
    """The cells with ASCII digits for full-width ones, where that makes numbers of so many decimals of them."""
    pattern = _number(decimals)
    return [plain_number(cell, pattern, file=file, column=column.name) for cell in cells]


def check_categories(cells: Sequence[str], column: Column, *, file: str) -> ColumnProblems | None:
    """The problems of the values of a category."""
    known = None if column.values is None else set(column.values)
    wrong = {cell: found for cell in set(cells) if (found := domain_problem(cell, column, known))}
    return _collect(cells, wrong.get, column, file) if wrong else None


def is_number(cell: str, decimals: int = DECIMALS) -> bool:
    """True if a cell is a number that a table may contain in a column of so many decimals."""
    return _number(decimals).fullmatch(cell) is not None


def is_integer(cell: str) -> bool:
    """True if a cell is an integer that a table may contain."""
    return _INTEGER.fullmatch(cell) is not None


def _collect(
    cells: Sequence[str],
    problem: Callable[[str], tuple[str, Params] | None],
    column: Column,
    file: str,
) -> ColumnProblems:
    first: list[tuple[int, Problem]] = []
    n_total = 0
    for position, cell in enumerate(cells):
        if (found := problem(cell)) is None:
            continue
        n_total += 1
        if len(first) < MAX_REPORTED:
            first.append((position, Problem(*found, file=file, column=column.name)))
    return ColumnProblems(first, n_total)


def _number_problem(cell: str, column: Column, *, decimals: int) -> tuple[str, Params] | None:
    if is_number(cell, decimals):
        return _outside(cell, column)
    return _not_a_number(cell, decimals=decimals)


def _outside(cell: str, column: Column) -> tuple[str, Params] | None:
    number = float(cell)
    if column.min is not None and number < column.min:
        return "cell.below_minimum", {"expected": column.min, "got": cell}
    if column.max is not None and number > column.max:
        return "cell.above_maximum", {"expected": column.max, "got": cell}
    return None


def _not_a_number(cell: str, *, decimals: int) -> tuple[str, Params]:
    """The most specific reason why a cell is not a number that a table may contain."""
    got: Params = {"got": shorten(cell)}
    if not cell:
        return "cell.empty", {}
    if match := _LONG_NUMBER.fullmatch(cell):
        if len(match[1]) > MAX_DIGITS:
            return "cell.too_many_digits", got | {"expected": MAX_DIGITS}
        if not decimals:
            return "cell.not_an_integer", got
        return "cell.too_many_decimals", got | {"expected": decimals}
    if cell != cell.strip():
        return "cell.spaces", got
    for code, pattern in REASONS:
        if pattern.fullmatch(cell):
            return code, got
    if not cell.isascii() and _LONG_NUMBER.fullmatch(_with_ascii_digits(cell)):
        return "cell.not_ascii_digits", got
    return "cell.not_a_number", got


def _with_ascii_digits(cell: str) -> str:
    return unicodedata.normalize("NFKC", cell).replace("\u2212", "-")


def domain_problem(cell: str, column: Column, known: set[str] | None) -> tuple[str, Params] | None:
    """The problem of a text in a column of categories; `known` has its values, where they are listed."""
    if known is not None and cell in known:
        return None
    if not cell:
        return "cell.empty", {}
    if known is not None:
        expected = shorten(", ".join(column.values or ()))
        return "cell.not_in_values", {"expected": expected, "got": shorten(cell)}
    if len(cell) > MAX_CATEGORY:
        return "cell.too_long", {"expected": MAX_CATEGORY, "got": len(cell)}
    return None


def binds_integers(column: Column, *, original: bool) -> bool:
    """True if the cells are read as integers; numbers of an anonymized table are floats, whatever their decimals."""
    return original and column.kind is Kind.INTEGER
