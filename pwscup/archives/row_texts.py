# SPDX-License-Identifier: Apache-2.0
"""Rows as text: CSV, JSON with one object per line, and their values; writing and reading."""

from __future__ import annotations

import csv
import io
import json
from collections.abc import Iterable, Iterator, Mapping
from datetime import UTC, datetime
from decimal import Decimal
from pathlib import Path
from typing import IO, Any
from uuid import UUID

from scoring.reporting.spreadsheets import FORMULA_STARTS

Row = dict[str, Any]
MAX_CELL = 8 * 1024 * 1024
MAX_ROW = 2 * MAX_CELL
"""The maximum length of a row: a longer one would be held in memory before it can be refused."""
GUARD = "'"
GUARDED = (GUARD, *FORMULA_STARTS)
"""A text with this prefix is preceded by an apostrophe, so that no spreadsheet evaluates it."""


def plain(value: Any) -> Any:
    """A value for JSON; times in UTC."""
    if isinstance(value, datetime):
        return value.astimezone(UTC).isoformat(timespec="microseconds")
    return str(value) if isinstance(value, Decimal | UUID) else value


def dumped(value: Any, *, indent: int | None = None) -> str:
    return json.dumps(value, ensure_ascii=False, sort_keys=True, indent=indent, allow_nan=False)


class _Lines:
    """The lines of a text; ValueError if more than `MAX_ROW` characters come before `n_taken` is reset."""

    def __init__(self, text: io.TextIOWrapper) -> None:
        self._text, self.n_taken = text, 0

    def __iter__(self) -> _Lines:
        return self

    def __next__(self) -> str:
        line = self._text.readline(MAX_ROW + 1)
        self.n_taken += len(line)
        if self.n_taken > MAX_ROW:
            raise ValueError(f"a row of more than {MAX_ROW} characters")
        if not line:
            raise StopIteration
        return line


# CSV


def write_csv(path: Path, header: Iterable[str], rows: Iterable[Mapping[str, Any]]) -> None:
    """Header and rows in UTF-8; None is an empty cell."""
    names = list(header)
    with path.open("w", encoding="utf-8", newline="") as handle:
        writer = csv.writer(handle, lineterminator="\r\n")
        writer.writerow(names)
        writer.writerows([_cell(row[name]) for name in names] for row in rows)


def _cell(value: Any) -> str:
    if value is None:
        return ""
    if isinstance(value, bool):
        return "true" if value else "false"
    if isinstance(value, str):
        return f"{GUARD}{value}" if value.startswith(GUARDED) else value
    return dumped(value)


def read_csv(source: IO[bytes]) -> Iterator[list[str]]:
    """The lines of a CSV written by `write_csv`, the header first.

    Raises
    ------
    ValueError
        If it is not valid.
    """
    lines = _Lines(io.TextIOWrapper(source, encoding="utf-8", newline=""))
    reader = csv.reader(lines, strict=True)
    while (line := _next(reader)) is not None:
        lines.n_taken = 0
        yield [cell.removeprefix(GUARD) for cell in line]


def _next(reader: Iterator[list[str]]) -> list[str] | None:
    """The next line; the limit of a cell is global, and is restored immediately."""
    before = csv.field_size_limit(MAX_CELL)
    try:
        return next(reader, None)
    except csv.Error as error:
        raise ValueError(str(error)) from error
    finally:
        csv.field_size_limit(before)


# JSON


def write_json(path: Path, rows: Iterable[Mapping[str, Any]]) -> None:
    """A JSON array with an object on every line."""
    with path.open("w", encoding="utf-8", newline="") as handle:
        handle.write("[")
        for number, row in enumerate(rows):
            handle.write(",\n" if number else "\n")
            handle.write(dumped(row))
        handle.write("\n]\n")


def read_json(source: IO[bytes]) -> Iterator[Row]:
    """The objects of `write_json`, one at a time.

    Raises
    ------
    ValueError
        If a line is not an object.
    """
    lines = _Lines(io.TextIOWrapper(source, encoding="utf-8"))
    if next(lines, "").strip() != "[":
        raise ValueError("the first line is not “[”")
    for line in lines:
        lines.n_taken = 0
        text = line.strip()
        if text == "]":
            return
        row = json.loads(text.removesuffix(","))
        if not isinstance(row, dict):
            raise ValueError("a line is not an object")
        yield row
    raise ValueError("the last line “]” is missing")
