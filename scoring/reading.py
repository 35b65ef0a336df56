"""Tables, read strictly with every problem named, and written."""

from __future__ import annotations

import csv
import io
from collections.abc import Iterator, Sequence
from dataclasses import replace
from itertools import islice
from typing import Any

import numpy as np
import pandas as pd

from scoring.cells import (
    MAX_DECIMALS,
    ColumnProblems,
    NumberArray,
    binds_integers,
    check_categories,
    read_numbers,
)
from scoring.errors import Collector, ProblemsFound, shorten
from scoring.row_numbers import ROW_HEADER, read_guess, read_rows, write_guess, write_rows
from scoring.schema import SOURCE_ROW, Column, Role, Schema
from scoring.text import MAX_UNUSABLE, decode, read_header, records

__all__ = [
    "MAX_UNUSABLE",
    "read_guess",
    "read_rows",
    "read_table",
    "split_source_row",
    "write_guess",
    "write_rows",
    "write_table",
]

_BLOCK = 20_000  # records held as text at a time


def read_table(
    data: bytes,
    schema: Schema,
    *,
    file: str,
    original: bool = False,
    max_records: int | None = None,
) -> pd.DataFrame:
    """The table of a CSV file, its types from the schema alone.

    Parameters
    ----------
    data : bytes
    schema : Schema
    file : str
        What problems call the file.
    original : bool
        Kind `integer` binds, and identifier columns may be there.
    max_records : int, optional
        More is a problem, and ends the reading.

    Returns
    -------
    DataFrame, shape (n_records, n_columns)
        Categories as str, numbers as float64, the integers of an original as int64.

    Raises
    ------
    ProblemsFound
        All problems, in file order. Reading ends early at text that cannot be split into cells
        and after `MAX_UNUSABLE` records with a wrong number of cells.

    Examples
    --------
    >>> from scoring.examples import SCHEMA
    >>> data = b"QI1,QI2,QI3,SA1,SA2\\n2,1,1,100,100.5\\n"
    >>> read_table(data, SCHEMA, file="anonymized")["SA2"].tolist()
    [100.5]
    """
    rows = records(decode(data, file=file), file=file)
    header = read_header(rows, file=file)
    columns = _expected_columns(header, schema, original=original)
    _check_header(header, [column.name for column in columns], file)
    reader = _TableReader(columns, file, original=original)
    try:
        reader.read(rows, max_records)
    except ProblemsFound as error:
        reader.problems.extend(error.problems, error.n_total)
    reader.problems.raise_if_any()
    return reader.table()


class _TableReader:
    """Reads records block by block, so that text takes little memory beside the values."""

    def __init__(self, columns: Sequence[Column], file: str, *, original: bool) -> None:
        self.columns = columns
        self.file = file
        self.original = original
        self.problems = Collector()
        self.n_records = 0
        self.n_unusable = 0
        self._numbers: list[list[NumberArray]] = [[] for _ in columns]
        self._categories: list[list[str]] = [[] for _ in columns]
        self._shared: list[dict[str, str]] = [{} for _ in columns]

    def read(self, rows: Iterator[list[str]], max_records: int | None) -> None:
        """Take in all records."""
        while block := list(islice(rows, _BLOCK)):
            is_too_long = max_records is not None and self.n_records + len(block) > max_records
            if max_records is not None and is_too_long:
                block = block[: max_records - self.n_records]
            self._add(block)
            if max_records is not None and is_too_long:
                row = max_records + 1
                expected = max_records
                self.problems.add(
                    "file.too_many_records", file=self.file, row=row, expected=expected
                )
                return
            if self.n_unusable > MAX_UNUSABLE:
                self.problems.add("file.gave_up", file=self.file, expected=self.n_unusable)
                return
        if not self.n_records:
            self.problems.add("file.header_only", file=self.file)

    def table(self) -> pd.DataFrame:
        """What was read."""
        data: dict[str, pd.Series[Any]] = {}
        for column, numbers, categories in zip(
            self.columns, self._numbers, self._categories, strict=True
        ):
            if column.is_numeric:
                data[column.name] = pd.Series(np.concatenate(numbers))
            else:
                data[column.name] = pd.Series(categories, dtype="str")
        return pd.DataFrame(data)

    def _add(self, block: list[list[str]]) -> None:
        first_row = self.n_records + 1
        self.n_records += len(block)
        n_cells = len(self.columns)
        if set(map(len, block)) <= {n_cells}:
            row_numbers: Sequence[int] = range(first_row, first_row + len(block))
            self._add_usable(block, row_numbers, Collector())
            return
        by_row = Collector()
        usable, row_numbers = [], []
        for row, cells in enumerate(block, start=first_row):
            if len(cells) == n_cells:
                usable.append(cells)
                row_numbers.append(row)
            elif cells:
                by_row.add(
                    "record.cell_count", file=self.file, row=row, expected=n_cells, got=len(cells)
                )
            else:
                by_row.add("record.empty_line", file=self.file, row=row, expected=n_cells)
        self.n_unusable += by_row.n_total
        self._add_usable(usable, row_numbers, by_row)

    def _add_usable(
        self, block: list[list[str]], row_numbers: Sequence[int], found: Collector
    ) -> None:
        """Take in records of the right length; problems in file order, `found` among them."""
        problems = list(found.problems)
        n_total = found.n_total
        columns = zip(*block, strict=True) if block else [()] * len(self.columns)
        for position, cells in enumerate(columns):
            if cells and (wrong := self._add_column(position, cells)):
                n_total += wrong.n_total
                problems += [replace(p, row=row_numbers[at]) for at, p in wrong.first]
        problems.sort(key=lambda problem: problem.row or 0)
        self.problems.extend(problems, n_total)

    def _add_column(self, position: int, cells: Sequence[str]) -> ColumnProblems | None:
        column = self.columns[position]
        if column.is_numeric:
            integral = binds_integers(column, original=self.original)
            numbers = read_numbers(cells, column, file=self.file, integral=integral)
            if isinstance(numbers, ColumnProblems):
                return numbers
            self._numbers[position].append(numbers)
            return None
        if wrong := check_categories(cells, column, file=self.file):
            return wrong
        share = self._shared[position].setdefault  # one string object for each value
        self._categories[position] += map(share, cells, cells)
        return None


def _expected_columns(
    header: Sequence[str], schema: Schema, *, original: bool
) -> tuple[Column, ...]:
    identifiers = {c.name for c in schema.columns if c.role is Role.IDENTIFIER}
    if original and identifiers & set(header):
        return schema.columns
    return schema.public().columns


def _check_header(header: Sequence[str], expected: Sequence[str], file: str) -> None:
    problems = Collector()
    for name in expected:
        if name not in header:
            problems.add("header.missing", file=file, column=name, expected=name)
    known = set(expected)
    for name in header:
        if name not in known:
            got = shorten(name)
            problems.add("header.unexpected", file=file, column=got, got=got)
    if not problems:
        for position, (name, wanted) in enumerate(zip(header, expected, strict=True), start=1):
            if name != wanted:
                problems.add(
                    "header.order", file=file, position=position, expected=wanted, got=name
                )
                break
    problems.raise_if_any()


def split_source_row(data: bytes, schema: Schema) -> tuple[bytes, bytes]:
    """Part one CSV file with a column `source_row` into a table and a row-number file.

    Returns
    -------
    table, rows : bytes
        Unchecked beyond what parting them takes.

    Raises
    ------
    ProblemsFound
        Where the file cannot be split into cells, has no such column or a record of another length.

    Examples
    --------
    >>> from scoring.examples import SCHEMA
    >>> split_source_row(b"QI1,source_row\\n2,7\\n", SCHEMA)
    (b'QI1\\n2\\n', b'row\\n7\\n')
    """
    file = "anonymized"
    rows = records(decode(data, file=file), file=file)
    header = read_header(rows, file=file)
    if SOURCE_ROW not in header:
        _check_header(header, [*schema.public().names, SOURCE_ROW], file)
    position = header.index(SOURCE_ROW)
    problems = Collector()
    table, numbers = io.StringIO(), [ROW_HEADER]
    writer = csv.writer(table, lineterminator="\n")
    writer.writerow(header[:position] + header[position + 1 :])
    for row, cells in enumerate(rows, start=1):
        if len(cells) == len(header):
            numbers.append(cells.pop(position))
            writer.writerow(cells)
        else:
            got, expected = len(cells), len(header)
            problems.add("record.cell_count", file=file, row=row, expected=expected, got=got)
            if problems.n_total > MAX_UNUSABLE:
                break
    problems.raise_if_any()
    return table.getvalue().encode(), ("\n".join(numbers) + "\n").encode()


def write_table(table: pd.DataFrame, schema: Schema) -> bytes:
    """The canonical CSV of a table: UTF-8, LF, at most 4 decimals without trailing zeros.

    Columns are in the schema's order; those that the table lacks are left out.

    Examples
    --------
    >>> from scoring.examples import SCHEMA, table
    >>> write_table(table("averaged").head(1), SCHEMA)
    b'QI1,QI2,QI3,SA1,SA2\\n2,1,1,150,250\\n'
    """
    columns = [column for column in schema.columns if column.name in table.columns]
    text = io.StringIO()
    writer = csv.writer(text, lineterminator="\n")
    writer.writerow([column.name for column in columns])
    writer.writerows(zip(*(_written(table[c.name], c) for c in columns), strict=True))
    return text.getvalue().encode()


def _written(values: pd.Series, column: Column) -> list[str]:
    if not column.is_numeric:
        return [str(value) for value in values.tolist()]
    numbers = values.to_numpy()
    if numbers.dtype.kind in "iu":
        return [str(number) for number in numbers.tolist()]
    return [_decimal(number) for number in numbers.tolist()]


def _decimal(number: float) -> str:
    if number.is_integer():
        return str(int(number))
    text = f"{number:.{MAX_DECIMALS}f}".rstrip("0").rstrip(".")
    return "0" if text == "-0" else text
