# SPDX-License-Identifier: Apache-2.0
"""Tables of counts with the names of their attributes and values: from a file, from records, or the published one."""

from __future__ import annotations

import math
import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from itertools import product
from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np

from scoring.errors import MAX_REPORTED, Collector, Problem, ProblemsFound, shorten
from scoring.privacy.domains import Integers
from scoring.tables.text import (
    MAX_UNUSABLE,
    decode,
    note_length,
    plain_number,
    read_header,
    records,
)

if TYPE_CHECKING:
    import pandas as pd

COUNT = "count"
MAX_CELLS = 10_000
"""Cells of a table that an experiment takes: every method and trial holds one."""
MAX_COUNT = 10**9
PUBLISHED = Path(__file__).parent.parent / "data" / "movielens-1m-users.csv"
_INTEGER = re.compile(r"[0-9]+")


@dataclass(frozen=True, slots=True)
class Counts:
    """The number of records with each combination of values.

    Attributes
    ----------
    attributes : tuple of str
        The names of the attributes.
    values : tuple of tuple of str
        The values of each, two or more.
    table : int64 array
        The counts; its shape is the numbers of values.
    """

    attributes: tuple[str, ...]
    values: tuple[tuple[str, ...], ...]
    table: Integers

    @property
    def sizes(self) -> tuple[int, ...]:
        return tuple(map(len, self.values))

    @property
    def n_records(self) -> int:
        return int(self.table.sum())

    def cells(self) -> list[tuple[str, ...]]:
        """The combinations of values, in the order of the table's cells."""
        return list(product(*self.values))

    @classmethod
    def of_records(cls, table: pd.DataFrame, columns: Sequence[str]) -> Counts:
        """The counts of columns of a table of records; their values are those that occur, sorted.

        Raises
        ------
        ProblemsFound
            A column has one value only, or the combinations are too many.

        Examples
        --------
        >>> import pandas as pd
        >>> table = pd.DataFrame({"sex": ["F", "M", "F"], "age": [30, 20, 20]})
        >>> counts = Counts.of_records(table, ["sex", "age"])
        >>> counts.values, counts.table.tolist()
        ((('F', 'M'), ('20', '30')), [[1, 1], [1, 0]])
        """
        coded = [np.unique(table[name].to_numpy(), return_inverse=True) for name in columns]
        values = tuple(tuple(map(str, found)) for found, _ in coded)
        problems = Collector()
        _check_domain(tuple(columns), values, None, problems)
        problems.raise_if_any()
        sizes = tuple(map(len, values))
        cells = np.ravel_multi_index(tuple(codes for _, codes in coded), sizes)
        counted = np.bincount(cells, minlength=math.prod(sizes))
        return cls(tuple(columns), values, counted.astype(np.int64).reshape(sizes))


def published_counts() -> Counts:
    """The 14 counts of the published experiment: users of MovieLens 1M by gender and age group.

    Examples
    --------
    >>> counts = published_counts()
    >>> counts.sizes, counts.n_records
    ((2, 7), 6040)
    """
    return read_counts(PUBLISHED.read_bytes(), file="counts")


def read_counts(data: bytes, *, file: str) -> Counts:
    """The table of a file of counts.

    Parameters
    ----------
    data : bytes
        CSV. The header names the attributes and then `count`; one line for every combination of
        values, those with a count of 0 among them. Values are in the order of their first line.
    file : str
        What problems call the file.

    Raises
    ------
    ProblemsFound
        All problems: a wrong header, a count that is negative, fractional or too large, a
        combination that is missing or repeated, an attribute with one value, too many cells.

    Examples
    --------
    >>> counts = read_counts(b"sex,count\\nF,78\\nM,144\\n", file="C.csv")
    >>> counts.attributes, counts.values, counts.table.tolist()
    (('sex',), (('F', 'M'),), [78, 144])
    """
    problems = Collector()
    rows = records(decode(data, file=file), file=file)
    header = read_header(rows, file=file)
    if header[-1] != COUNT:
        got = shorten(header[-1])
        problems.add("counts.last_column", file=file, expected=COUNT, got=got)
        problems.raise_if_any()
    attributes = tuple(header[:-1])
    if not attributes:
        problems.add("counts.no_attributes", file=file, expected=COUNT)
        problems.raise_if_any()
    counted = _Lines(file, header, problems)
    counted.read(rows)
    values = tuple(tuple(own) for own in counted.values)
    if not counted.cells and not problems:
        problems.add("file.header_only", file=file)
    elif counted.cells and _check_domain(attributes, values, file, problems):
        counted.check_complete()
    problems.raise_if_any()
    sizes = tuple(map(len, values))
    numbers = [counted.cells[cell][1] for cell in product(*values)]
    if not any(numbers):
        problems.add("counts.no_records", file=file)
        problems.raise_if_any()
    return Counts(attributes, values, np.array(numbers, dtype=np.int64).reshape(sizes))


class _Lines:
    """The lines of a file of counts as they are read."""

    def __init__(self, file: str, header: list[str], problems: Collector) -> None:
        self.file, self.header, self.problems = file, header, problems
        self.cells: dict[tuple[str, ...], tuple[int, int]] = {}
        self.values: list[dict[str, None]] = [{} for _ in header[:-1]]

    def read(self, rows: Iterator[list[str]]) -> None:
        unusable = 0
        for number, row in enumerate(rows, start=1):
            if len(row) != len(self.header):
                note_length(row, len(self.header), self.problems, file=self.file, row=number)
                unusable += 1
            else:
                self._line(number, row)
            if unusable == MAX_UNUSABLE or len(self.cells) > MAX_CELLS:
                code = "file.gave_up" if unusable == MAX_UNUSABLE else "file.too_many_records"
                limit = MAX_UNUSABLE if unusable == MAX_UNUSABLE else MAX_CELLS
                self.problems.add(code, file=self.file, expected=limit)
                raise ProblemsFound(self.problems.problems, self.problems.n_total)

    def _line(self, number: int, row: list[str]) -> None:
        *cell, text = row
        for name, value, known in zip(self.header, cell, self.values, strict=False):
            if not value:
                self.problems.add("cell.empty", file=self.file, row=number, column=name)
            known[value] = None
        count = self._count(number, text)
        key = tuple(cell)
        if key in self.cells:
            got, first = shorten(", ".join(cell)), self.cells[key][0]
            self.problems.add(
                "counts.repeated_cell", file=self.file, row=number, got=got, first=first
            )
        else:
            self.cells[key] = (number, count)

    def _count(self, number: int, text: str) -> int:
        text = plain_number(text, _INTEGER, file=self.file, column=COUNT)
        if _INTEGER.fullmatch(text):
            if len(text.lstrip("0")) <= len(str(MAX_COUNT)) and int(text) <= MAX_COUNT:
                return int(text)
            problem = Problem("counts.too_large", {"expected": MAX_COUNT, "got": shorten(text)})
        elif text:
            problem = Problem("counts.not_a_count", {"got": shorten(text)})
        else:
            problem = Problem("cell.empty")
        self.problems.extend([replace(problem, file=self.file, row=number, column=COUNT)])
        return 0

    def check_complete(self) -> None:
        missing = [cell for cell in product(*self.values) if cell not in self.cells]
        for cell in missing[:MAX_REPORTED]:
            got = shorten(", ".join(cell))
            self.problems.add("counts.missing_cell", file=self.file, got=got)
        self.problems.n_total += max(0, len(missing) - MAX_REPORTED)


def _check_domain(
    attributes: tuple[str, ...],
    values: tuple[tuple[str, ...], ...],
    file: str | None,
    problems: Collector,
) -> bool:
    """Note attributes with one value, and too many combinations; whether there are none of these."""
    for name, own in zip(attributes, values, strict=True):
        if len(own) < 2:
            got = shorten(", ".join(own))
            problems.add("counts.one_value", file=file, column=name, got=got)
    n_cells = math.prod(map(len, values))
    if n_cells > MAX_CELLS:
        problems.add("counts.too_many_cells", file=file, expected=MAX_CELLS, got=n_cells)
    return n_cells <= MAX_CELLS
