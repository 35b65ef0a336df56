# SPDX-License-Identifier: Apache-2.0
"""Aligned tables: line i is record i of the original, and a deleted record is a line of empty cells."""

from __future__ import annotations

import csv
import io
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from itertools import islice
from typing import Any

import numpy as np
import numpy.typing as npt

from scoring.errors import MAX_REPORTED, Collector, Problem, ProblemsFound, shorten
from scoring.tables.cells import ColumnProblems, check_categories, read_numbers
from scoring.tables.equivalence import IntArray, Table
from scoring.tables.original_values import NOT_IN_ORIGINAL, values_of
from scoring.tables.reading import check_header
from scoring.tables.records import CodeArray, NumberArray, Records, names_in, values_in
from scoring.tables.schema import Column, Schema
from scoring.tables.text import decode, read_header, records
from scoring.tables.writing import written

Values = npt.NDArray[Any] | Sequence[str]
"""A column's numbers, or its categories as text."""


def read_aligned(
    data: bytes,
    *,
    original: Table,
    schema: Schema,
    original_values_only: bool,
    blank_records: bool = True,
    file: str = "anonymized",
) -> tuple[Records, IntArray]:
    """The kept records of an aligned table, and which record of the original each was made from.

    Parameters
    ----------
    data : bytes
        CSV with the header and the columns of the original without identifiers, and as many lines
        as the original has records. An empty line, or a line of separators only, deletes its
        record; the final line feed starts no line.
    original : DataFrame or Records
        What was anonymized.
    schema : Schema
    original_values_only : bool
        Whether every value must occur in its column of the original.
    blank_records : bool
        Whether records may be deleted; where not, a line of empty cells is a problem.
    file : str
        What problems call the file.

    Returns
    -------
    records : Records, n_kept records
        Numbers are float64; `n_kept` is at least 1.
    source : int64 array, shape (n_kept,)
        0-based rows of the original, ascending.

    Raises
    ------
    ProblemsFound
        All problems, in file order; rows count from 1 and deleted records count. An empty cell next
        to one that is not is a problem, unless the empty text is a declared value of its column; a
        line of empty cells only is a deleted record even then.

    Examples
    --------
    >>> from scoring.examples import SCHEMA, table
    >>> data = b"QI1,QI2,QI3,SA1,SA2\\n2,1,1,100,400\\n\\n,,,,\\n1,1,2,100,500\\n"
    >>> found, source = read_aligned(
    ...     data, original=table("original"), schema=SCHEMA, original_values_only=True
    ... )
    >>> found.numbers["SA2"], source
    (array([400., 500.]), array([0, 3]))
    """
    n_original = len(original)
    public = schema.public()
    lines = _Lines.of(data, public, file, limit=n_original, blank_records=blank_records)
    if lines.n_lines != n_original and lines.n_lines and not lines.is_cut:
        lines.problems.add("aligned.count", file=file, expected=n_original, got=lines.n_lines)
    table = lines.table(public, original if original_values_only else None)
    return table, np.array(lines.rows, dtype=np.int64)


def read_release(
    data: bytes, *, schema: Schema, file: str = "release", max_lines: int = 1_000_000
) -> tuple[Records, IntArray, int]:
    """The records of a shuffled release, the line that each is, and the number of lines.

    Parameters
    ----------
    data : bytes
        As `read_aligned` takes it, of any number of lines.
    schema : Schema
    file : str
        What problems call the file.
    max_lines : int
        More is a problem.

    Returns
    -------
    records : Records, n_kept records
    lines : int64 array, shape (n_kept,)
        0-based, ascending; the other lines belong to deleted records.
    n_lines : int

    Raises
    ------
    ProblemsFound
        All problems, in file order.

    Examples
    --------
    >>> from scoring.examples import SCHEMA
    >>> data = b"QI1,QI2,QI3,SA1,SA2\\n,,,,\\n1,1,2,100,500\\n"
    >>> found, lines, n_lines = read_release(data, schema=SCHEMA)
    >>> found.numbers["SA1"], lines, n_lines
    (array([100.]), array([1]), 2)
    """
    public = schema.public()
    found = _Lines.of(data, public, file, limit=max_lines, blank_records=True)
    if found.n_lines > max_lines:
        found.problems.add("file.too_many_records", file=file, expected=max_lines)
    table = found.table(public, None)
    return table, np.array(found.rows, dtype=np.int64), found.n_lines


def write_aligned(table: Table, positions: IntArray, schema: Schema) -> bytes:
    """The canonical CSV of an aligned table or of a release.

    Parameters
    ----------
    table : DataFrame or Records
        The kept records.
    positions : int array, shape (n_lines,)
        Which of the kept records each line is, -1 for a line of separators only, which every CSV
        reader takes for a record (of a single column, for an empty text in quotation marks).
    schema : Schema

    Examples
    --------
    >>> from scoring.examples import SCHEMA, table
    >>> write_aligned(table("swapped").head(2), np.array([1, -1]), SCHEMA)
    b'QI1,QI2,QI3,SA1,SA2\\n2,1,1,100,400\\n,,,,\\n'
    """
    names = names_in(table)
    columns = [column for column in schema.public().columns if column.name in names]
    cells = [written(values_in(table, column.name), column) for column in columns]
    kept = list(zip(*cells, strict=True))
    empty = ("",) * len(columns)
    text = io.StringIO()
    writer = csv.writer(text, lineterminator="\n")
    writer.writerow([column.name for column in columns])
    writer.writerows(kept[at] if at >= 0 else empty for at in np.asarray(positions).tolist())
    return text.getvalue().encode()


@dataclass(slots=True)
class _Lines:
    """The lines after a header: those of kept records, and what is wrong so far."""

    file: str
    blank_records: bool
    problems: Collector
    n_lines: int = 0
    is_cut: bool = False
    rows: list[int] = field(default_factory=list)
    cells: list[list[str]] = field(default_factory=list)

    @classmethod
    def of(
        cls, data: bytes, schema: Schema, file: str, *, limit: int, blank_records: bool
    ) -> _Lines:
        """Split a file; lines beyond `limit` are only counted."""
        lines = records(decode(data, file=file), file=file)
        check_header(read_header(lines, file=file), schema.names, file)
        found = cls(file, blank_records, Collector())
        try:
            for cells in islice(lines, limit):
                found._add(cells, len(schema.columns))
            found.n_lines += sum(1 for _ in lines)
        except ProblemsFound as error:
            found.problems.extend(error.problems, error.n_total)
            found.is_cut = True
        return found

    def _add(self, cells: list[str], n_cells: int) -> None:
        self.n_lines += 1
        where: dict[str, Any] = {"file": self.file, "row": self.n_lines, "expected": n_cells}
        if not any(cells):
            if not self.blank_records:
                self.problems.add("record.empty_line", **where)
        elif len(cells) == n_cells:
            self.rows.append(self.n_lines - 1)
            self.cells.append(cells)
        else:
            self.problems.add("record.cell_count", got=len(cells), **where)

    def _placed(self, at: int, problem: Problem) -> Problem:
        """The problem of a cell, on its line; who may delete records may have meant to."""
        is_half = problem.code == "cell.empty" and self.blank_records
        code = "aligned.partly_empty" if is_half else problem.code
        return replace(problem, code=code, row=self.rows[at] + 1)

    def table(self, schema: Schema, original: Table | None) -> Records:
        """The kept records, their values out of those of `original` where it is given.

        Raises
        ------
        ProblemsFound
            All that is wrong with the file.
        """
        has_records = self.rows or any(problem.row for problem in self.problems.problems)
        if not has_records and not self.is_cut:
            code = "aligned.all_deleted" if self.n_lines else "file.header_only"
            self.problems.add(code, file=self.file)
        found = list(self.problems.problems)
        n_total = self.problems.n_total
        columns = zip(*self.cells, strict=True) if self.cells else ((),) * len(schema.columns)
        read: dict[str, Values] = {}
        for column, cells in zip(schema.columns, columns, strict=True):
            values = _read_column(cells, column, self.file, original)
            if isinstance(values, ColumnProblems):
                n_total += values.n_total
                found += [self._placed(at, problem) for at, problem in values.first]
            else:
                read[column.name] = values
        if n_total:
            raise ProblemsFound(sorted(found, key=lambda problem: problem.row or 0), n_total)
        return _records(read, schema)


def _read_column(
    cells: Sequence[str], column: Column, file: str, original: Table | None
) -> Values | ColumnProblems:
    """The values of a column; where one cannot be used, what is wrong with each."""
    known = None if original is None else values_of(original, column)
    values = _read_cells(cells, column, file)
    if not isinstance(values, ColumnProblems) and (known is None or _are_known(values, known)):
        return values
    judged: dict[str, Problem | None] = {}
    first: list[tuple[int, Problem]] = []
    n_total = 0
    for at, cell in enumerate(cells):
        if cell not in judged:
            judged[cell] = _problem_of(cell, column, file, known)
        if (problem := judged[cell]) is None:
            continue
        n_total += 1
        if len(first) < MAX_REPORTED:
            first.append((at, problem))
    return ColumnProblems(first, n_total)


def _read_cells(cells: Sequence[str], column: Column, file: str) -> Values | ColumnProblems:
    if not cells:
        return np.empty(0) if column.is_numeric else []
    if column.is_numeric:
        return read_numbers(cells, column, file=file, original=False)
    return check_categories(cells, column, file=file) or cells


def _are_known(values: Values, known: set[Any]) -> bool:
    return known.issuperset(values.tolist() if isinstance(values, np.ndarray) else values)


def _problem_of(cell: str, column: Column, file: str, known: set[Any] | None) -> Problem | None:
    values = _read_cells([cell], column, file)
    if isinstance(values, ColumnProblems):
        return values.first[0][1]
    if known is None or _are_known(values, known):
        return None
    return Problem(NOT_IN_ORIGINAL, {"got": shorten(cell)}, file, column=column.name)


def _records(read: Mapping[str, Values], schema: Schema) -> Records:
    numbers: dict[str, NumberArray] = {}
    codes: dict[str, CodeArray] = {}
    levels: dict[str, tuple[str, ...]] = {}
    for column in schema.columns:
        values = read[column.name]
        if isinstance(values, np.ndarray):
            numbers[column.name] = values.astype(np.float64)
            continue
        positions = {value: at for at, value in enumerate(column.values or ())}
        for value in dict.fromkeys(values):
            positions.setdefault(value, len(positions))
        found = map(positions.__getitem__, values)
        codes[column.name] = np.fromiter(found, np.int32, len(values))
        levels[column.name] = tuple(positions)
    return Records(schema.names, numbers, codes, levels)
