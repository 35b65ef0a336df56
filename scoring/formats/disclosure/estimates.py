# SPDX-License-Identifier: Apache-2.0
"""Estimates of a contingency table: the file that teams submit, and its errors."""

from __future__ import annotations

import math
import re
from collections.abc import Iterator, Sequence
from dataclasses import replace
from itertools import islice, product

import numpy as np

from scoring.errors import MAX_GOT, Collector, Problem, ProblemsFound, shorten
from scoring.formats.disclosure.attributes import (
    COUNT,
    MAX_CELLS,
    Attribute,
    check_cells,
    printable,
    sizes_of_attributes,
)
from scoring.formats.disclosure.queries import counts_csv
from scoring.privacy.domains import Integers
from scoring.privacy.tables import l2, spearman
from scoring.scores.options import TABLE_MEASURES
from scoring.tables.cells import ColumnProblems, read_numbers
from scoring.tables.published_rules import Rules
from scoring.tables.reading import check_header
from scoring.tables.schema import Column, Kind, Role
from scoring.tables.text import MAX_UNUSABLE, decode, note_length, read_header, records

MAX_COUNT = 10**12
L2, SPEARMAN = TABLE_MEASURES
_FEW = 3
_PLAIN = re.compile(r"[0-9]{1,12}")


def read_estimate(
    data: bytes, target: Sequence[Attribute], *, file: str = "estimate", most: int = MAX_COUNT
) -> Integers:
    """The counts of a file: one column for each attribute and `count`, one line for each cell.

    Parameters
    ----------
    data
        CSV, its columns and its lines in any order.
    target
        The attributes of the table, of at most `MAX_CELLS` cells.
    file
        What problems call the file.
    most
        The largest count.

    Returns
    -------
    int64 array
        Its shape is the numbers of values of the attributes.

    Raises
    ------
    ProblemsFound
        All problems: a wrong header, an unknown value, a count that is no integer from 0 to
        `most`, a cell that is repeated, and in one problem those that are missing.

    Examples
    --------
    >>> read_estimate(b"count,sex\\n3,M\\n4,F\\n", [Attribute("sex", ("F", "M"))]).tolist()
    [4, 3]
    """
    return _read(data, target, file, range(most + 1))


def read_answer(data: bytes, target: Sequence[Attribute], *, file: str = "answer") -> Integers:
    """As `read_estimate`, of an answer over the target's columns, whose noisy counts may be negative.

    Examples
    --------
    >>> read_answer(b"sex,count\\nF,3\\nM,-1\\n", [Attribute("sex", ("F", "M"))]).tolist()
    [3, -1]
    """
    return _read(data, target, file, range(-MAX_COUNT, MAX_COUNT + 1))


def _read(data: bytes, target: Sequence[Attribute], file: str, allowed: range) -> Integers:
    check_cells(target, MAX_CELLS)
    rows = records(decode(data, file=file), file=file)
    header = read_header(rows, file=file)
    names = [*(attribute.name for attribute in target), COUNT]
    if set(header) != set(names):
        check_header(header, names, file)
    lines = _Lines(target, header, file, allowed)
    try:
        lines.read(rows)
    except ProblemsFound as error:  # what comes after it is not read
        lines.problems.extend(error.problems, error.n_total)
    else:
        lines.check_complete()
    lines.problems.raise_if_any()
    return np.array(lines.counts, dtype=np.int64).reshape(sizes_of_attributes(target))


class _Lines:
    """The lines of a table of counts as they are read."""

    def __init__(
        self, target: Sequence[Attribute], header: Sequence[str], file: str, allowed: range
    ) -> None:
        self.target, self.file, self.n_columns, self.allowed = target, file, len(header), allowed
        self.problems = Collector()
        low, most = allowed[0], allowed[-1]
        self.count_column = Column(COUNT, Role.OTHER, Kind.INTEGER, min=low, max=most)
        self.count_at = header.index(COUNT)
        self.codes = [
            (header.index(a.name), {value: code for code, value in enumerate(a.values)})
            for a in target
        ]
        n_cells = math.prod(sizes_of_attributes(target))
        self.counts, self.first = [0] * n_cells, [0] * n_cells
        """The count of each cell, and the number of its record, from 1."""

    def read(self, rows: Iterator[list[str]]) -> None:
        unusable = 0
        for row, line in enumerate(rows, start=1):
            known = self.problems.n_total
            if len(line) == self.n_columns:
                self._line(row, line)
            else:
                note_length(line, self.n_columns, self.problems, file=self.file, row=row)
            unusable += self.problems.n_total > known
            if unusable == MAX_UNUSABLE:
                raise ProblemsFound([Problem("file.gave_up", {"expected": unusable}, self.file)])

    def _line(self, row: int, line: list[str]) -> None:
        cell: int | None = 0
        for attribute, (place, codes) in zip(self.target, self.codes, strict=True):
            code = codes.get(line[place])
            if code is None:
                self._unknown_value(row, attribute, line[place])
                cell = None
            elif cell is not None:
                cell = cell * len(codes) + code
        count = self._count(row, line[self.count_at])
        if cell is None:
            return
        if first := self.first[cell]:
            got = shorten(", ".join(line[place] for place, _codes in self.codes))
            self.problems.add("counts.repeated_cell", file=self.file, row=row, got=got, first=first)
        else:
            self.counts[cell], self.first[cell] = count, row

    def _unknown_value(self, row: int, attribute: Attribute, value: str) -> None:
        expected = shorten(", ".join(attribute.values[:MAX_GOT]))  # more of them than are shown
        self.problems.add(
            "cell.not_in_values" if value else "cell.empty",
            file=self.file,
            row=row,
            column=attribute.name,
            expected=expected,
            got=printable(value),
        )

    def _count(self, row: int, text: str) -> int:
        if _PLAIN.fullmatch(text) and int(text) in self.allowed:
            return int(text)
        found = read_numbers([text], self.count_column, file=self.file, original=True)
        if not isinstance(found, ColumnProblems):
            return int(found[0])
        self.problems.extend(replace(problem, row=row) for _at, problem in found.first)
        return 0

    def check_complete(self) -> None:
        """Note the cells that have no count, all in one problem."""
        if missing := self.first.count(0):
            cells = product(*(attribute.values for attribute in self.target))
            named = (", ".join(c) for c, first in zip(cells, self.first, strict=True) if not first)
            self.problems.add(
                "estimate.missing_cells",
                file=self.file,
                expected=len(self.first),
                missing=missing,
                got="; ".join(map(shorten, islice(named, _FEW))),
            )


def estimate_rules(target: Sequence[Attribute], most: int = MAX_COUNT) -> Rules:
    """The rules of an estimate as JSON; see `read_estimate` and `scoring.tables.published_rules`.

    Examples
    --------
    >>> estimate_rules([Attribute("sex", ("F", "M"))])["columns"]
    [{'name': 'sex', 'values': ['F', 'M']}]
    """
    return {
        "kind": "counts",
        "columns": [{"name": a.name, "values": list(a.values)} for a in target],
        "count": {"name": COUNT, "decimals": 0, "min": "0", "max": str(most)},
        "shown": _FEW,
    }


def write_estimate(counts: Integers, target: Sequence[Attribute]) -> bytes:
    """An estimate as the file that `read_estimate` reads.

    Examples
    --------
    >>> write_estimate(np.array([4, 3]), [Attribute("sex", ("F", "M"))])
    b'sex,count\\nF,4\\nM,3\\n'
    """
    names, values = [a.name for a in target], [a.values for a in target]
    return counts_csv(names, values, counts)


def template(target: Sequence[Attribute]) -> bytes:
    """An estimate of zeros, to be filled in.

    Examples
    --------
    >>> template([Attribute("sex", ("F", "M"))])
    b'sex,count\\nF,0\\nM,0\\n'
    """
    check_cells(target, MAX_CELLS)
    return write_estimate(np.zeros(sizes_of_attributes(target), dtype=np.int64), target)


def differing(
    estimate: Integers, truth: Integers, target: Sequence[Attribute], limit: int
) -> list[tuple[list[str], int, int]]:
    """The cells with the largest errors: for each its values, the estimate and the true count.

    Parameters
    ----------
    estimate, truth : int64 arrays
        Their shape is the numbers of values of the attributes.
    target : sequence of Attribute
    limit : int
        Maximum number of cells.

    Examples
    --------
    >>> sex = Attribute("sex", ("F", "M"))
    >>> differing(np.array([4, 9]), np.array([3, 3]), [sex], 5)
    [(['M'], 9, 3), (['F'], 4, 3)]
    """
    order = np.argsort(-np.abs(estimate - truth).ravel(), kind="stable")[:limit]
    where = zip(*np.unravel_index(order, truth.shape), strict=True)
    return [
        (
            [attribute.values[at] for attribute, at in zip(target, cell, strict=True)],
            int(estimate[cell]),
            int(truth[cell]),
        )
        for cell in where
    ]


def marks(estimate: Integers, truth: Integers) -> dict[str, float | None]:
    """The error of an estimate, by distance and by the order of cells.

    Returns
    -------
    dict
        `table-L2`: the L2 distance in records, 0 where all counts are right. `table-spearman`:
        Spearman's rank correlation of the cells, 1 where their order is right, -1 where it is
        reversed; None where all cells of either table are equal.

    Raises
    ------
    ValueError
        The shapes differ.

    Notes
    -----
    Yamaguchi, Terada & Yoshiura on batch and interactive disclosure under differential privacy,
    §3.2.

    Examples
    --------
    >>> marks(np.array([4, 7]), np.array([1, 3])), marks(np.array([2, 2]), np.array([2, 3]))
    ({'table-L2': 5.0, 'table-spearman': 1.0}, {'table-L2': 1.0, 'table-spearman': None})
    """
    order = spearman(estimate, truth)
    return {L2: l2(estimate, truth), SPEARMAN: None if math.isnan(order) else order}
