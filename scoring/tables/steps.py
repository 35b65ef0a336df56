# SPDX-License-Identifier: Apache-2.0
"""The steps that make a table of a raw one, each a pure function from a frame of text to another one.

Every function takes a frame of `raw_files` and gives a `Done`: the new frame, the number of cells or records that
changed, and some examples.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from datetime import date
from decimal import ROUND_HALF_UP, Decimal, InvalidOperation
from heapq import nlargest
from typing import TYPE_CHECKING

import numpy as np

from scoring.errors import shorten
from scoring.tables.coded import (
    Counts,
    counts_of,
    levels_of,
    relabelled,
    without_rows,
)
from scoring.tables.raw_dates import age_on, order_of, parse_date
from scoring.tables.text import plain_digits

if TYPE_CHECKING:
    import pandas as pd

N_EXAMPLES = 5
MISSING = (
    "",
    "NA",
    "N/A",
    "n/a",
    "NaN",
    "nan",
    "NULL",
    "null",
    "None",
    "#N/A",
    "-",
    "–",
    "―",
    "?",
    "不明",
    "欠損",
)
"""The cells that are taken for missing values where a step names none."""
MISSING_LABEL = "missing"
"""The category of missing cells where no other is named."""
_MISSING = frozenset(MISSING)
CELLS, RECORDS, COLUMNS = "cells", "records", "columns"

_PLAIN = re.compile(r"-?[0-9]+(?:\.[0-9]+)?")
_GROUPED = re.compile(r"[0-9]{1,3}(?:[,'_ \u00a0\u202f][0-9]{3})+|[0-9]+")
_COMMAS = re.compile(r"-?[0-9]{1,3}(?:,[0-9]{3})+(?:\.[0-9]+)?")
_UNITS = re.compile(r"^[¥￥$€£\\]\s?|\s?[%％円]$")
_NEGATIVE = re.compile(r"^[△▲\u2212]\s?")
_EXPONENT = re.compile(r"[-+]?[0-9]+(?:\.[0-9]+)?[eE][-+]?[0-9]{1,2}")


class StepError(ValueError):
    """A step that a table does not allow: the code of the message, and what it names."""

    def __init__(self, code: str, **params: str | int | float) -> None:
        super().__init__(code)
        self.code = code
        self.params = params


@dataclass(frozen=True, slots=True)
class Example:
    """A value of a column before and after a step, and its number of records."""

    column: str
    before: str
    after: str
    n: int


@dataclass(frozen=True, slots=True)
class Done:
    """The result of a step.

    Attributes
    ----------
    table : DataFrame
        The frame after it.
    n : int
        How many cells, records or columns it changed or left out, as `unit` says.
    left : int
        How many cells it could not change: not a number, not a date.
    examples : tuple of Example
        Frequent values that changed.
    """

    table: pd.DataFrame
    n: int
    unit: str
    left: int = 0
    examples: tuple[Example, ...] = ()


def drop(table: pd.DataFrame, columns: Sequence[str]) -> Done:
    """Leave columns out.

    Raises
    ------
    StepError
        Where none would be left.
    """
    if len(set(columns)) == len(table.columns):
        raise StepError("step.no_columns")
    return Done(table.drop(columns=list(columns)), len(set(columns)), COLUMNS)


def rename(table: pd.DataFrame, column: str, name: str) -> Done:
    """Give a column another name.

    Raises
    ------
    StepError
        Where another column has the name.
    """
    if name in table.columns and name != column:
        raise StepError("step.name_taken", got=shorten(name))
    example = Example("", column, name, len(table))
    return Done(table.rename(columns={column: name}), 1, COLUMNS, examples=(example,))


def numbers(table: pd.DataFrame, columns: Sequence[str], decimal: str = ".") -> Done:
    """Make plain numbers of cells such as `1,234`, `¥1,234`, `△5`, `12％`, full-width digits and `1.5e3`.

    Parameters
    ----------
    columns : sequence of str
    decimal : str
        `.` or `,`: the sign before the decimals. The other one separates thousands.

    Returns
    -------
    Done
        `left` are cells that are no numbers, missing values left aside.
    """

    def change(cell: str) -> str:
        return plain_number_of(cell, decimal) or cell

    return _mapped(table, columns, change, is_done=lambda cell: _PLAIN.fullmatch(cell) is not None)


def rounded(table: pd.DataFrame, columns: Sequence[str], decimals: int) -> Done:
    """Round numbers to so many decimals, halves away from zero, without zeros at the end.

    Returns
    -------
    Done
        `left` are cells that are no numbers, missing values left aside.
    """

    def change(cell: str) -> str:
        whole, _point, fraction = cell.partition(".")
        if len(fraction) <= decimals and not fraction.endswith("0"):
            return cell
        if not _PLAIN.fullmatch(cell):
            return cell
        if len(fraction) > decimals and fraction[decimals] >= "5":
            sign, digits = ("-", whole[1:]) if whole[0] == "-" else ("", whole)
            up = str(int(digits + fraction[:decimals]) + 1).zfill(len(digits) + decimals)
            end = len(up) - decimals
            whole, fraction = sign + up[:end], up[end:]
        else:
            fraction = fraction[:decimals]
        fraction = fraction.rstrip("0")
        text = f"{whole}.{fraction}" if fraction else whole
        return "0" if text == "-0" else text

    return _mapped(table, columns, change, is_done=lambda cell: _PLAIN.fullmatch(cell) is not None)


def missing(
    table: pd.DataFrame,
    columns: Sequence[str],
    how: str,
    *,
    signs: Sequence[str] = MISSING,
    label: str = MISSING_LABEL,
) -> Done:
    """Treat missing values: empty cells and the given signs.

    Parameters
    ----------
    columns : sequence of str
    how : str
        `drop` leaves out records in which one of the columns is missing, `category` writes `label`, `empty` writes
        empty cells, `most-frequent`, `median` and `mean` write that value of the column. The median of an even number
        of values is the lower one of the two in the middle, the mean has as many decimals as the column.
    signs : sequence of str
        The cells that mean a missing value, in addition to empty ones.
    label : str

    Raises
    ------
    StepError
        Where no record would be left, or a column without a number is imputed by one.
    """
    marks = {"", *signs}
    if how == "drop":
        return _without_missing(table, columns, marks)
    changes: list[Example] = []
    data, n = table.copy(deep=False), 0
    for name in columns:
        levels, counts = levels_of(table[name]), counts_of(table[name])
        if not any(level in marks for level, k in zip(levels, counts, strict=True) if k):
            continue
        known = [
            (level, int(k))
            for level, k in zip(levels, counts, strict=True)
            if k and level not in marks
        ]
        value = _stand_in(name, known, how, label)
        after = [value if level in marks else level for level in levels]
        n += _note(changes, name, levels, after, counts)
        data[name] = relabelled(table[name], after)
    return Done(data, n, CELLS, examples=_first(changes))


def dates(
    table: pd.DataFrame,
    columns: Sequence[str],
    to: str,
    *,
    on: date | None = None,
    width: int = 10,
    order: str = "auto",
) -> Done:
    """Make a year, a month, an age or a class of ages of dates.

    Parameters
    ----------
    columns : sequence of str
    to : str
        `date` (2025-04-01), `month` (2025-04), `year` (2025), `age` on a day, or `age-class` (40-49).
    on : date
        The day of the age.
    width : int
        Years in a class.
    order : str
        `ymd`, `dmy`, `mdy`, or `auto`: found for each column.

    Returns
    -------
    Done
        `left` are cells that are no dates, or dates after the day of the age, missing values left aside.
    """
    changes: list[Example] = []
    data, n, left = table.copy(deep=False), 0, 0
    for name in columns:
        levels, counts = levels_of(table[name]), counts_of(table[name])
        used = order_of(levels) if order == "auto" else order
        after, is_date = [], []
        for level in levels:
            text = _dated(parse_date(level, used), to, on, width)
            after.append(level if text is None else text)
            is_date.append(text is not None or level in _MISSING)
        left += int(counts[~np.array(is_date, dtype=np.bool_)].sum())
        n += _note(changes, name, levels, after, counts)
        data[name] = relabelled(table[name], after)
    return Done(data, n, CELLS, left, _first(changes))


def merge_rare(
    table: pd.DataFrame, columns: Sequence[str], least: int, *, label: str = "other"
) -> Done:
    """Merge the values that few records have into one.

    Missing values are left as they are. In a column with fewer than two rare values nothing changes.

    Parameters
    ----------
    columns : sequence of str
    least : int
        The records that a value must have to stay, 2 or more.
    label : str
        The cell of the merged values. Records that have it already count with them.
    """
    changes: list[Example] = []
    data, n = table.copy(deep=False), 0
    for name in columns:
        levels, counts = levels_of(table[name]), counts_of(table[name])
        is_rare = [
            0 < k < least and level not in _MISSING and level != label
            for level, k in zip(levels, counts.tolist(), strict=True)
        ]
        if sum(is_rare) + (label in levels) < 2 or not any(is_rare):
            continue
        after = [label if rare else level for level, rare in zip(levels, is_rare, strict=True)]
        n += _note(changes, name, levels, after, counts)
        data[name] = relabelled(table[name], after)
    return Done(data, n, CELLS, examples=_first(changes))


def sample(table: pd.DataFrame, records: int, seed: int) -> Done:
    """Draw records without replacement, in their order; all where there are not more.

    Parameters
    ----------
    records : int
        How many to keep.
    seed : int
        128 bits that nobody can guess: who knows seed and raw table knows who was drawn.
    """
    n = len(table)
    is_kept = np.zeros(n, dtype=np.bool_)
    rng = np.random.default_rng(seed)
    is_kept[rng.choice(n, size=min(records, n), replace=False)] = True
    return Done(without_rows(table, is_kept), n - int(is_kept.sum()), RECORDS)


def plain_number_of(cell: str, decimal: str = ".") -> str | None:
    """The plain number of a cell with separators, a sign of a currency or full-width digits; None where it is none.

    Examples
    --------
    >>> plain_number_of("¥1,234.50"), plain_number_of("△１２"), plain_number_of("1.234,5", ","), plain_number_of("1,23")
    ('1234.50', '-12', '1234.5', None)
    """
    if decimal == ".":  # the usual cells first: columns may have 100,000 different ones
        if _PLAIN.fullmatch(cell):
            return cell
        if _COMMAS.fullmatch(cell):
            return cell.replace(",", "")
    text = plain_digits(cell).replace("，", ",").strip()
    if _EXPONENT.fullmatch(text):
        return f"{Decimal(text):f}"
    text = _UNITS.sub("", text)
    sign = ""
    if text.startswith(("-", "+")):
        sign, text = text[0], text[1:]
    elif _NEGATIVE.match(text):
        sign, text = "-", _NEGATIVE.sub("", text)
    text = _UNITS.sub("", text)
    whole, point, fraction = text.rpartition(decimal) if decimal in text else (text, "", "")
    if decimal == ",":
        whole = whole.replace(".", "_")
        if "," in whole:
            return None
    if not _GROUPED.fullmatch(whole) or (point and not re.fullmatch("[0-9]+", fraction)):
        return None
    digits = re.sub(r"[^0-9]", "", whole)
    return ("-" if sign == "-" else "") + digits + (f".{fraction}" if point else "")


def _mapped(
    table: pd.DataFrame,
    columns: Sequence[str],
    change: Callable[[str], str],
    *,
    is_done: Callable[[str], bool],
) -> Done:
    """The table with each cell of the columns changed; cells that are not as they should be afterwards are left."""
    changes: list[Example] = []
    data, n, left = table.copy(deep=False), 0, 0
    for name in columns:
        levels, counts = levels_of(table[name]), counts_of(table[name])
        after = list(map(change, levels))
        left += sum(
            int(k)
            for text, k in zip(after, counts.tolist(), strict=True)
            if k and not is_done(text) and text not in _MISSING
        )
        if after == levels:
            continue
        n += _note(changes, name, levels, after, counts)
        data[name] = relabelled(table[name], after)
    return Done(data, n, CELLS, left, _first(changes))


def _note(
    changes: list[Example], name: str, levels: list[str], after: list[str], counts: Counts
) -> int:
    """Note frequent changes of a column; how many cells changed."""
    found = [
        (int(k), before, new)
        for before, new, k in zip(levels, after, counts.tolist(), strict=True)
        if before != new and k
    ]
    top = nlargest(N_EXAMPLES, found, key=lambda one: one[0])
    changes += [Example(name, before, new, k) for k, before, new in top]
    return sum(k for k, _before, _new in found)


def _first(changes: list[Example]) -> tuple[Example, ...]:
    """Examples of all columns in turn."""
    by_column: dict[str, list[Example]] = {}
    for change in changes:
        by_column.setdefault(change.column, []).append(change)
    found = [each[at] for at in range(N_EXAMPLES) for each in by_column.values() if at < len(each)]
    return tuple(found[:N_EXAMPLES])


def _without_missing(table: pd.DataFrame, columns: Sequence[str], marks: set[str]) -> Done:
    is_kept = np.ones(len(table), dtype=np.bool_)
    changes: list[Example] = []
    for name in columns:
        levels = levels_of(table[name])
        is_mark = np.array([level in marks for level in levels], dtype=np.bool_)
        if is_mark.any():
            counts = counts_of(table[name])
            changes += [
                Example(name, level, "", int(k))
                for level, k, mark in zip(levels, counts, is_mark, strict=True)
                if mark and k
            ]
            is_kept &= ~is_mark[table[name].cat.codes.to_numpy()]
    if not is_kept.any():
        raise StepError("step.no_records")
    if is_kept.all():
        return Done(table, 0, RECORDS)
    return Done(without_rows(table, is_kept), int((~is_kept).sum()), RECORDS, 0, _first(changes))


def _stand_in(name: str, known: list[tuple[str, int]], how: str, label: str) -> str:
    """The text in the place of missing values."""
    if how == "category":
        return label
    if how == "empty":
        return ""
    if not known:
        raise StepError("step.no_value", got=shorten(name))
    if how == "most-frequent":
        return min(known, key=lambda one: (-one[1], one[0]))[0]
    try:
        values = sorted((Decimal(level), level, k) for level, k in known)
        if not all(value.is_finite() for value, _level, _k in values):
            raise InvalidOperation
    except InvalidOperation:
        got = next(level for level, _k in known if not _PLAIN.fullmatch(level))
        raise StepError("step.not_numbers", column=shorten(name), got=shorten(got)) from None
    n = sum(k for _value, _level, k in values)
    if how == "median":
        seen = 0
        for _value, level, k in values:
            seen += k
            if 2 * seen >= n:
                return level
    most = max(len(level.partition(".")[2]) for _value, level, _k in values)
    total = sum((value * k for value, _level, k in values), Decimal(0))
    return str((total / n).quantize(Decimal(1).scaleb(-most), ROUND_HALF_UP))


def _dated(day: date | None, to: str, on: date | None, width: int) -> str | None:
    """The text for a date; None where there is none, or nobody was born."""
    if day is None:
        return None
    if to in ("age", "age-class"):
        assert on is not None
        age = age_on(day, on)
        if age < 0:
            return None
        low = age // width * width
        return str(age) if to == "age" else f"{low}-{low + width - 1}"
    if to == "year":
        return str(day.year)
    return day.isoformat()[: {"month": 7, "date": 10}[to]]
