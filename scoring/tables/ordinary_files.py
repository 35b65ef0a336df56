# SPDX-License-Identifier: Apache-2.0
"""Files with nothing unusual about them, read by compiled code in one pass.

Every function answers None where a file is wrong or merely rare, for example where a quotation mark
stands inside a cell; the careful readers then say what is wrong, or read it.
"""

from __future__ import annotations

import sys
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
import numpy.typing as npt

from scoring.errors import ProblemsFound
from scoring.tables.cells import binds_integers
from scoring.tables.equivalence import IntArray
from scoring.tables.notes import noted
from scoring.tables.records import CodeArray, NumberArray, Records
from scoring.tables.schema import Column
from scoring.tables.text import MAX_LINE, UTF8_BOM, decode, read_header, records

Array = npt.NDArray[Any]

WORTH_LOADING = 20_000_000
"""Bytes from which on compiled code is quicker even where it has to be loaded first."""

_FIRST_N_LEVELS = 2_048
_N_FACTS = 5  # of a value
_MANY_ROWS = 100_000_000


def pays(n_bytes: int) -> bool:
    """True if compiled code is faster for a file of that size, or is loaded already."""
    return n_bytes >= WORTH_LOADING or "numba" in sys.modules


@dataclass(frozen=True, slots=True)
class Header:
    """The column names, and the byte that the first record starts with."""

    names: tuple[str, ...]
    end: int

    @classmethod
    def of(cls, data: bytes) -> Header | None:
        """The header of a file whose first line is one."""
        end = data.find(b"\n", 0, MAX_LINE) + 1
        try:
            with noted() as notes:
                lines = records(decode(data[:end], file=""), file="")
                names = tuple(read_header(lines, file=""))
        except ProblemsFound:
            return None
        return cls(names, end) if end and not notes else None


def read_table(
    data: bytes,
    header: Header,
    columns: Sequence[Column],
    *,
    original: Sequence[bool],
    max_records: int | None,
) -> Records | None:
    """The records below a header that names `columns`; `original` says of each whose cells it has."""
    n_records = _n_lines(data, header.end)
    least = n_records * (len(columns) + sum(column.is_numeric for column in columns))
    if not n_records or least > len(data) + 1:
        return None
    if max_records is not None and n_records > max_records:
        return None
    parsed = _Parsed.of(data, header.end, n_records, columns, original)
    if parsed is None:
        return None
    numbers: dict[str, NumberArray] = {}
    codes: dict[str, CodeArray] = {}
    levels: dict[str, tuple[str, ...]] = {}
    for position, column in enumerate(columns):
        array = parsed.arrays[position]
        if column.is_numeric:
            numbers[column.name] = array
            continue
        coded = _as_listed(array, parsed.values[position], column)
        if coded is None:
            return None
        codes[column.name], levels[column.name] = coded
    return Records(tuple(column.name for column in columns), numbers, codes, levels)


def _as_listed(
    codes: CodeArray, met: list[str], column: Column
) -> tuple[CodeArray, tuple[str, ...]] | None:
    """Codes by the column's list of values, if it has one; None where a value does not belong."""
    if column.values is None:
        return None if "" in met else (codes, tuple(met))
    position_of = {value: position for position, value in enumerate(column.values)}
    if not position_of.keys() >= set(met):
        return None
    listed = np.array([position_of[value] for value in met], np.int32)
    np.take(listed, codes, out=codes, mode="clip")  # without a copy: all codes are there
    return codes, column.values


@dataclass(frozen=True, slots=True)
class _Parsed:
    """The columns as they stand in a file: arrays, and the distinct values that codes stand for."""

    arrays: list[Any]
    values: list[list[str]]

    @classmethod
    def of(
        cls,
        data: bytes,
        start: int,
        n_records: int,
        columns: Sequence[Column],
        original: Sequence[bool],
    ) -> _Parsed | None:
        from scoring.kernels import csv

        kinds = np.array(
            [
                (csv.INTEGER if binds_integers(column, original=binds) else csv.NUMBER)
                if column.is_numeric
                else csv.CATEGORY
                for column, binds in zip(columns, original, strict=True)
            ],
            dtype=np.int8,
        )
        decimals = np.array(
            [
                column.most_decimals(original=binds)
                for column, binds in zip(columns, original, strict=True)
            ],
            dtype=np.int8,
        )
        blocks = [
            _columns(np.sum(kinds == kind), n_records, dtype)
            for kind, dtype in (
                (csv.CATEGORY, np.int32),
                (csv.NUMBER, np.float64),
                (csv.INTEGER, np.int64),
            )
        ]
        table = _Values(len(columns))
        most = [n_records if c.values is None else len(c.values) for c in columns]
        try:
            bounds = np.array([_bounds(column) for column in columns], dtype=np.float64)
        except OverflowError:
            return None
        fixed = (n_records, kinds, decimals, bounds, np.array(most, dtype=np.int64))
        view = np.frombuffer(data, dtype=np.uint8)
        state = (start, 0, 0)
        while True:
            state = csv.parse_records(view, state, *fixed, *table.arrays, *blocks)
            if state[0] == csv.UNUSUAL:
                return None
            if state[1] == n_records:
                break
            table.grow(state[2])
        values = table.texts(data, state[2])
        if values is None:
            return None
        rows = [iter(block) for block in blocks]
        return cls([next(rows[kind])[:n_records] for kind in kinds], values)


def _columns(n_columns: int, n_records: int, dtype: type[np.generic]) -> Array:
    # Columns a multiple of 4096 bytes apart would get in each other's way in the cache.
    apart = n_records - n_records % 1024 + 1024 + 72
    return np.empty((n_columns, apart), dtype=dtype)


def _bounds(column: Column) -> tuple[float, float]:
    low = -np.inf if column.min is None else float(column.min)
    high = np.inf if column.max is None else float(column.max)
    return low, high


class _Values:
    """The distinct values met in the categories of a file, as a hash table that grows."""

    def __init__(self, n_columns: int) -> None:
        self.counts = np.zeros(n_columns, dtype=np.int64)
        self.keys = np.empty(_FIRST_N_LEVELS, dtype=np.uint64)
        self.levels = np.empty((_FIRST_N_LEVELS, _N_FACTS), dtype=np.int64)
        self.slots = np.full(2 * _FIRST_N_LEVELS, -1, dtype=np.int32)

    @property
    def arrays(self) -> tuple[Array, Array, Array, Array]:
        """As the kernel wants them."""
        return self.counts, self.slots, self.keys, self.levels

    def grow(self, n_levels: int) -> None:
        """Make room for four times as many values."""
        from scoring.kernels.csv import fill_slots

        keys, levels = self.keys[:n_levels], self.levels[:n_levels]
        size = 4 * len(self.keys)
        self.keys = np.empty(size, dtype=np.uint64)
        self.levels = np.empty((size, _N_FACTS), dtype=np.int64)
        self.slots = np.full(2 * size, -1, dtype=np.int32)
        self.keys[:n_levels], self.levels[:n_levels] = keys, levels
        fill_slots(self.slots, self.keys, self.levels, n_levels)

    def texts(self, data: bytes, n_levels: int) -> list[list[str]] | None:
        """The values of each column, by code; None where one is no UTF-8."""
        texts: list[list[str]] = [[] for _ in self.counts]
        try:
            for column, start, length in self.levels[:n_levels, :3].tolist():
                texts[column].append(data[start : start + length].decode())
        except UnicodeDecodeError:
            return None
        return texts


def read_rows(
    data: bytes, header: bytes, *, low: int, high: int, n_rows: int | None
) -> IntArray | None:
    """The numbers of a file of one number per line, less 1; the first line may be `header`.

    An empty line is 0, and so unusual where `low` is more.

    None also where there are not `n_rows` or, if that is open, more than `high`.
    """
    from scoring.kernels.csv import parse_rows

    start = len(UTF8_BOM) if data.startswith(UTF8_BOM) else 0
    for line in (header + b"\n", header + b"\r\n"):
        if data.startswith(line, start):
            start += len(line)
            break
    n_lines = _n_lines(data, start)
    if not n_lines or (n_lines > high if n_rows is None else n_lines != n_rows):
        return None
    rows = np.empty(n_lines, dtype=np.int64)
    view = np.frombuffer(data, dtype=np.uint8)
    return rows if parse_rows(view, start, low, high, rows) else None


def are_distinct(rows: IntArray, n_original: int) -> bool:
    """True if no row is named twice; all are 0 to `n_original` - 1."""
    if n_original > _MANY_ROWS:  # perhaps a caller's word for any number
        return len(np.unique(rows)) == len(rows)
    seen = np.zeros(n_original, dtype=np.bool_)
    seen[rows] = True
    return int(np.count_nonzero(seen)) == len(rows)


def _n_lines(data: bytes, start: int) -> int:
    from scoring.kernels.csv import count_line_feeds

    n_whole = count_line_feeds(np.frombuffer(data, dtype=np.uint8), start)
    return n_whole + (len(data) > start and not data.endswith(b"\n"))
