# SPDX-License-Identifier: Apache-2.0
"""Hierarchies as tables: the CSV files of ARX, and of libraries that read the same, one file for each column.

A line has a value and its generalizations, the finest first, without a header: `34;30-39;0-49;*`.
"""

from __future__ import annotations

import csv
import io
import math
from collections.abc import Mapping, Sequence
from typing import Any

from scoring.errors import Collector, shorten
from scoring.errors import gettext_noop as _
from scoring.tables.hierarchy_files import HIERARCHY_FILE
from scoring.tables.schema import Column, Schema
from scoring.tables.text import UTF8_BOM

DELIMITERS = (";", ",", "\t")
Rows = Sequence[Sequence[str]]


def rows_of(data: bytes) -> Rows:
    """The lines of a file, whose cells are separated by semicolons, commas or tabs.

    Raises
    ------
    UnicodeDecodeError
        It is no text in UTF-8.

    Examples
    --------
    >>> rows_of(b"34;30-39;*\\n51;50-59;*\\n")
    [['34', '30-39', '*'], ['51', '50-59', '*']]
    """
    text = data.removeprefix(UTF8_BOM).decode()
    read = [
        [line for line in csv.reader(io.StringIO(text), delimiter=d) if line] for d in DELIMITERS
    ]
    return max(read, key=lambda lines: min(map(len, lines), default=0))


def content_of_rows(tables: Mapping[str, Rows], schema: Schema) -> dict[str, Any]:
    """Hierarchies of columns as a file of hierarchies has them (`attr_depth.json`).

    Depths with a single group, such as a last column of `*`, are left out: the whole is above all depths.

    Parameters
    ----------
    tables : mapping of str to rows
        By the name of the column.
    schema : Schema

    Raises
    ------
    ProblemsFound
        All problems: unknown columns, lines of other lengths, values that stand twice or are no numbers, groups of
        numbers that are no intervals.

    Examples
    --------
    >>> from scoring.tables.schema import Kind, Role
    >>> columns = [("age", Kind.INTEGER), ("city", Kind.CATEGORY)]
    >>> schema = Schema(tuple(Column(name, Role.QUASI_IDENTIFIER, kind) for name, kind in columns))
    >>> age = [["20", "20s", "*"], ["25", "20s", "*"], ["30", "30s", "*"]]
    >>> content_of_rows({"age": age, "city": [["Kyoto", "Kinki"], ["Edo", "Kanto"]]}, schema)
    {'age': {'type': 'numeric', 'threshold_1': '30'}, 'city': {'type': 'category', \
'definition': {'Kyoto': {'depth_1': 'Kinki'}, 'Edo': {'depth_1': 'Kanto'}}}}
    """
    problems = Collector()
    known, found = {column.name: column for column in schema.columns}, {}
    for name, rows in tables.items():
        if name not in known:
            expected = ", ".join(known)
            problems.add(
                "hierarchy.unknown_column",
                file=HIERARCHY_FILE,
                expected=expected,
                got=shorten(name),
            )
            continue
        column = known[name]
        levels = _levels(column, rows, problems)
        if levels is not None:
            made = _thresholds if column.is_numeric else _definition
            found[name] = made(column, levels, problems)
    problems.raise_if_any()
    return found


def _levels(column: Column, rows: Rows, problems: Collector) -> list[dict[str, str]] | None:
    """The label of each value at each level that has several groups; None where lines are unfit."""
    width = len(rows[0]) if rows else 0
    values: set[str] = set()
    n_before = problems.n_total
    for number, row in enumerate(rows, start=1):
        if len(row) != width or width < 2:
            _wrong(problems, column, number, _("a value and as many labels as the first line"), row)
        elif row[0] in values:
            _wrong(problems, column, number, _("each value in one line only"), row[0])
        else:
            values.add(row[0])
    if not rows:
        _wrong(problems, column, 1, _("a value and as many labels as the first line"), "")
    if problems.n_total > n_before:
        return None
    levels = [{row[0]: row[i] for row in rows} for i in range(1, width)]
    return [level for level in levels if len(set(level.values())) > 1] or levels[:1]


def _definition(
    column: Column, levels: list[dict[str, str]], _problems: Collector
) -> dict[str, Any]:
    values = {
        value: {f"depth_{depth}": level[value] for depth, level in enumerate(levels, start=1)}
        for value in levels[0]
    }
    return {"type": "category", "definition": values}


def _thresholds(
    column: Column, levels: list[dict[str, str]], problems: Collector
) -> dict[str, Any]:
    """The smallest number of each group but the lowest one."""
    numbers: dict[str, float] = {}
    for line, value in enumerate(levels[0], start=1):
        number = _number(value)
        if number is None:
            _wrong(problems, column, line, _("a number"), value)
        else:
            numbers[value] = number
    if len(numbers) < len(levels[0]):
        return {}
    ordered = sorted(numbers, key=numbers.__getitem__)
    found: dict[str, Any] = {"type": "numeric"}
    for depth, level in enumerate(levels, start=1):
        starts = [v for i, v in enumerate(ordered) if i and level[v] != level[ordered[i - 1]]]
        if len(starts) + 1 != len(set(level.values())):
            expected = _("groups of neighbouring numbers")
            _wrong(
                problems, column, f"depth_{depth}", expected, ", ".join(level[v] for v in starts)
            )
        found[f"threshold_{depth}"] = "/".join(f"{numbers[v]:.17g}" for v in starts)
    return found


def _number(text: str) -> float | None:
    try:
        number = float(text)
    except ValueError:
        return None
    return number if math.isfinite(number) else None


def _wrong(
    problems: Collector, column: Column, place: int | str, expected: str, got: object
) -> None:
    key = f"line {place}" if isinstance(place, int) else place
    problems.add(
        "hierarchy.wrong_value",
        file=HIERARCHY_FILE,
        column=column.name,
        key=key,
        expected=expected,
        got=shorten(got),
    )
