# SPDX-License-Identifier: Apache-2.0
"""Tables, read strictly with every problem named."""

from __future__ import annotations

import csv
import io
from collections.abc import Iterator, Sequence
from dataclasses import replace
from itertools import islice
from typing import TYPE_CHECKING, Any

import numpy as np

from scoring.errors import Collector, ProblemsFound, shorten
from scoring.tables import ordinary_files
from scoring.tables.cells import ColumnProblems, check_categories, read_numbers
from scoring.tables.equivalence import IntArray
from scoring.tables.number_lists import ROW_HEADER, read_guess, read_rows, write_guess, write_rows
from scoring.tables.records import CodeArray, NumberArray, Records
from scoring.tables.schema import SOURCE_ROW, Column, Kind, Role, Schema
from scoring.tables.text import MAX_UNUSABLE, decode, note_length, read_header, records
from scoring.tables.writing import write_table

if TYPE_CHECKING:
    import pandas as pd

__all__ = [
    "MAX_UNUSABLE",
    "read_guess",
    "read_records",
    "read_rows",
    "read_table",
    "split_source_row",
    "write_guess",
    "write_rows",
    "write_table",
]

_BLOCK = 20_000  # records held as text at a time


def read_records(
    data: bytes,
    schema: Schema,
    *,
    file: str,
    original: bool = False,
    max_records: int | None = None,
) -> Records:
    """The records of a CSV file, their types from the schema only.

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
    Records
        Levels are in the order of the schema's list of values, else in the order of the file.

    Raises
    ------
    ProblemsFound
        All problems, in file order. Reading ends early at text that cannot be split into cells
        and after `MAX_UNUSABLE` records with a wrong number of cells.

    Examples
    --------
    >>> from scoring.examples import SCHEMA
    >>> data = b"QI1,QI2,QI3,SA1,SA2\\n2,1,1,100,100.5\\n"
    >>> read_records(data, SCHEMA, file="anonymized").numbers["SA2"].tolist()
    [100.5]
    """
    if ordinary_files.pays(len(data)):
        found = _read_ordinary(data, schema, original=original, max_records=max_records)
        if found is not None:
            return found
    return read_carefully(data, schema, file=file, original=original, max_records=max_records)


def read_table(
    data: bytes,
    schema: Schema,
    *,
    file: str,
    original: bool = False,
    max_records: int | None = None,
) -> pd.DataFrame:
    """The table of a CSV file, as `read_records` reads it.

    Returns
    -------
    DataFrame, shape (n_records, n_columns)
        Categories as str, numbers as float64, the integers of an original as int64.

    Examples
    --------
    >>> from scoring.examples import SCHEMA
    >>> data = b"QI1,QI2,QI3,SA1,SA2\\n2,1,1,100,100.5\\n"
    >>> read_table(data, SCHEMA, file="anonymized")["SA2"].tolist()
    [100.5]
    """
    found = read_records(data, schema, file=file, original=original, max_records=max_records)
    return found.to_frame()


def _read_ordinary(
    data: bytes, schema: Schema, *, original: bool, max_records: int | None
) -> Records | None:
    """As `read_records`; None where the file is not an ordinary one."""
    header = ordinary_files.Header.of(data)
    if header is None:
        return None
    columns = _expected_columns(header.names, schema, original=original)
    if header.names != tuple(column.name for column in columns):
        return None
    binding = [original] * len(columns)
    return ordinary_files.read_table(
        data, header, columns, original=binding, max_records=max_records
    )


def read_ordinary_file(
    data: bytes, schema: Schema, *, n_original: int
) -> tuple[Records, IntArray] | None:
    """The records and the declared 0-based rows of one ordinary file with a column `source_row`.

    None where a row is named twice, too; `split_source_row` then leads to what is wrong.
    """
    if not ordinary_files.pays(len(data)) or (header := ordinary_files.Header.of(data)) is None:
        return None
    columns = list(schema.public().columns)
    if SOURCE_ROW not in header.names:
        return None
    row = Column(SOURCE_ROW, Role.OTHER, Kind.INTEGER, min=1, max=n_original)
    columns.insert(header.names.index(SOURCE_ROW), row)
    if header.names != tuple(column.name for column in columns):
        return None
    binding = [column is row for column in columns]
    both = ordinary_files.read_table(
        data, header, columns, original=binding, max_records=n_original
    )
    if both is None:
        return None
    source = both.numbers[SOURCE_ROW].astype(np.int64) - 1
    if not ordinary_files.are_distinct(source, n_original):
        return None
    return both.without(SOURCE_ROW), source


def read_carefully(
    data: bytes,
    schema: Schema,
    *,
    file: str,
    original: bool = False,
    max_records: int | None = None,
) -> Records:
    """As `read_records`, cell by cell: slow, but able to say everything that is wrong."""
    rows = records(decode(data, file=file), file=file)
    header = read_header(rows, file=file)
    columns = _expected_columns(header, schema, original=original)
    check_header(header, [column.name for column in columns], file)
    reader = _TableReader(columns, file, original=original)
    try:
        reader.read(rows, max_records)
    except ProblemsFound as error:
        reader.problems.extend(error.problems, error.n_total)
    reader.problems.raise_if_any()
    return reader.table()


class _TableReader:
    """Reads records block by block, so that text takes little memory compared with the values."""

    def __init__(self, columns: Sequence[Column], file: str, *, original: bool) -> None:
        self.columns = columns
        self.file = file
        self.original = original
        self.problems = Collector()
        self.n_records = 0
        self.n_unusable = 0
        self._arrays: list[list[Any]] = [[] for _ in columns]
        self._positions = [{v: i for i, v in enumerate(c.values or ())} for c in columns]

    def read(self, rows: Iterator[list[str]], max_records: int | None) -> None:
        """Take in all records; where they cannot be split into cells, those before."""
        broken: ProblemsFound | None = None
        while broken is None:
            block, broken = _block_of(rows)
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
            if not block:
                break
        if broken is not None:
            raise broken
        if not self.n_records:
            self.problems.add("file.header_only", file=self.file)

    def table(self) -> Records:
        """The records that were read."""
        numbers: dict[str, NumberArray] = {}
        codes: dict[str, CodeArray] = {}
        levels: dict[str, tuple[str, ...]] = {}
        for column, arrays, positions in zip(
            self.columns, self._arrays, self._positions, strict=True
        ):
            array = np.concatenate(arrays)
            if column.is_numeric:
                numbers[column.name] = array
            else:
                codes[column.name], levels[column.name] = array, tuple(positions)
        return Records(tuple(column.name for column in self.columns), numbers, codes, levels)

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
            else:
                note_length(cells, n_cells, by_row, file=self.file, row=row)
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
            numbers = read_numbers(cells, column, file=self.file, original=self.original)
            if isinstance(numbers, ColumnProblems):
                return numbers
            self._arrays[position].append(numbers)
            return None
        if wrong := check_categories(cells, column, file=self.file):
            return wrong
        positions = self._positions[position]
        for value in dict.fromkeys(cells):
            positions.setdefault(value, len(positions))
        codes = np.fromiter(map(positions.__getitem__, cells), np.int32, len(cells))
        self._arrays[position].append(codes)
        return None


def _block_of(rows: Iterator[list[str]]) -> tuple[list[list[str]], ProblemsFound | None]:
    """The next records, none at the end; where these cannot be split into cells, those before and the problem."""
    block: list[list[str]] = []
    try:
        block.extend(islice(rows, _BLOCK))
    except ProblemsFound as problem:
        return block, problem
    return block, None


def _expected_columns(
    header: Sequence[str], schema: Schema, *, original: bool
) -> tuple[Column, ...]:
    identifiers = {c.name for c in schema.columns if c.role is Role.IDENTIFIER}
    if original and identifiers & set(header):
        return schema.columns
    return schema.public().columns


def check_header(header: Sequence[str], expected: Sequence[str], file: str) -> None:
    """Raise ProblemsFound where a header does not name exactly these columns in this order."""
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
        check_header(header, [*schema.public().names, SOURCE_ROW], file)
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
            note_length(cells, len(header), problems, file=file, row=row)
            if problems.n_total > MAX_UNUSABLE:
                break
    problems.raise_if_any()
    return table.getvalue().encode(), ("\n".join(numbers) + "\n").encode()
