# SPDX-License-Identifier: Apache-2.0
"""Equivalence classes: records with the same vector of values, as whole numbers."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, TypeAlias, TypeVar

import numpy as np
import numpy.typing as npt

from scoring.kernels import vectors
from scoring.kernels.parts import in_parts
from scoring.tables.records import Records

if TYPE_CHECKING:
    import pandas as pd

IntArray = npt.NDArray[np.int64]
NumberArray = npt.NDArray[np.int32]
FloatArray = npt.NDArray[np.float64]
BoolArray = npt.NDArray[np.bool_]
AnyArray = TypeVar("AnyArray", bound=npt.NDArray[Any])

"""Kernels are imported where they run: many modules want no more of this one than these names."""

Table: TypeAlias = "pd.DataFrame | Records"
Levels = FloatArray | Sequence[Any]

_LARGEST_CODE = 2**62
_BLOCK = 1 << 14  # vectors that grow column by column while they are in the cache


@dataclass(frozen=True, slots=True)
class _Values:
    """The distinct values of a column, and where each is among them."""

    levels: Levels
    positions: dict[Any, int]
    bits: IntArray | None
    order: IntArray | None

    @classmethod
    def of(cls, levels: Levels) -> _Values:
        if isinstance(levels, np.ndarray):
            bits = levels.view(np.int64)
            order = np.argsort(bits)
            return cls(levels, {}, bits[order], order)
        return cls(levels, {value: place for place, value in enumerate(levels)}, None, None)

    def places(self, levels: Levels) -> IntArray:
        """The position of each of `levels` among these values, -1 if it is missing."""
        if isinstance(levels, np.ndarray) and self.bits is not None and self.order is not None:
            bits = levels.view(np.int64)
            at = np.minimum(np.searchsorted(self.bits, bits), len(self.bits) - 1)
            return np.where(self.bits[at] == bits, self.order[at], -1)
        positions = self.positions
        if self.bits is not None:
            positions = {value: place for place, value in enumerate(list(self.levels))}
        return np.array([positions.get(value, -1) for value in levels], dtype=np.int64)


@dataclass(frozen=True, slots=True)
class _Vectors:
    """Some columns' vectors behind those of the segment before, numbered: mixed-radix codes of 62 bits."""

    columns: tuple[str, ...]
    values: tuple[_Values, ...]
    known: IntArray
    table_keys: IntArray
    table_numbers: NumberArray

    def locate(
        self, keys: IntArray, expected: NumberArray | None = None, threads: int = 1
    ) -> NumberArray:
        """The number of each vector, -1 where there is none; `expected` ones are tried first."""
        numbers = np.empty(len(keys), dtype=np.int32)
        expected = np.zeros(len(keys), dtype=np.int32) if expected is None else expected

        def work(begin: int, end: int) -> None:
            vectors.locate(
                keys,
                self.table_keys,
                self.table_numbers,
                self.known,
                expected,
                numbers,
                begin,
                end,
            )

        in_parts(len(keys), threads, work)
        return numbers


@dataclass(frozen=True, slots=True)
class Classes:
    """The equivalence classes of a table on some columns, and where a class is in another table.

    Attributes
    ----------
    numbers : int32 array, shape (n_records,)
        The class of each record, 0 to `n_classes` - 1, in the order of the first columns' values.
    n_classes : int
        How many distinct vectors the table has.
    """

    columns: tuple[str, ...]
    numbers: NumberArray
    n_classes: int
    _segments: tuple[_Vectors, ...]

    @classmethod
    def of(cls, table: Table, columns: Sequence[str]) -> Classes:
        """Number the classes of `table` on `columns`; no columns make one class of everything."""
        keys = np.zeros(len(table), dtype=np.int64)
        size = 1
        segments: list[_Vectors] = []
        names: list[str] = []
        values: list[_Values] = []
        for name in columns:
            codes, levels = coded(table, name)
            if size * len(levels) > _LARGEST_CODE:
                numbers, segment = _numbered(keys, names, values)
                segments.append(segment)
                keys, size = numbers.astype(np.int64), len(segment.known)
                names, values = [], []
            n_levels = len(levels)
            vectors.append_code(keys, codes, np.arange(n_levels), n_levels, 0, len(keys))
            size *= n_levels
            names.append(name)
            values.append(_Values.of(levels))
        numbers, segment = _numbered(keys, names, values)
        segments.append(segment)
        return cls(tuple(columns), frozen(numbers), len(segment.known), tuple(segments))

    @property
    def of_row(self) -> IntArray:
        """The class of each record, int64."""
        return self.numbers.astype(np.int64)

    def sizes(self) -> IntArray:
        """The number of records of each class."""
        return np.bincount(self.numbers, minlength=self.n_classes).astype(np.int64)

    def locate(self, table: Table) -> IntArray:
        """The class with each record's vector, -1 where no record of this table has it."""
        return self.located(table).astype(np.int64)

    def located(
        self,
        table: Table,
        order: NumberArray | None = None,
        expected: NumberArray | None = None,
        threads: int = 1,
    ) -> NumberArray:
        """As `locate`, for the records in some order, and quicker where many are as `expected`."""
        keys = np.zeros(len(table), dtype=np.int64)
        if not self.n_classes:
            return np.full(len(table), -1, dtype=np.int32)
        last = self._segments[-1]
        for segment in self._segments:
            coded_columns = [coded(table, name) for name in segment.columns]
            _append(
                keys,
                [codes for codes, _levels in coded_columns],
                [
                    known.places(levels)
                    for known, (_codes, levels) in zip(segment.values, coded_columns, strict=True)
                ],
                [len(known.levels) for known in segment.values],
                threads,
            )
            if segment is not last:
                keys = segment.locate(keys, threads=threads).astype(np.int64)
        return last.locate(keys if order is None else keys[order], expected, threads)


def _append(
    keys: IntArray,
    codes: Sequence[NumberArray],
    places: Sequence[IntArray],
    sizes: Sequence[int],
    threads: int,
) -> None:
    """Make vectors longer by some columns, block by block."""

    def work(begin: int, end: int) -> None:
        for block in range(begin, end, _BLOCK):
            for column, place, size in zip(codes, places, sizes, strict=True):
                vectors.append_code(keys, column, place, size, block, min(block + _BLOCK, end))

    in_parts(len(keys), threads, work)


def vector_keys(table: Table, columns: Sequence[str], threads: int = 1) -> IntArray:
    """A whole number for each record, equal where the vectors of the columns are."""
    keys = np.zeros(len(table), dtype=np.int64)
    coded_columns = [coded(table, name) for name in columns]
    size, first = 1, 0
    for at, (_codes, levels) in enumerate([*coded_columns, (None, ())]):
        is_last = at == len(coded_columns)
        if is_last or size * len(levels) > _LARGEST_CODE:
            codes = [column for column, _levels in coded_columns[first:at]]
            sizes = [len(level) for _codes, level in coded_columns[first:at]]
            _append(keys, codes, [np.arange(n) for n in sizes], sizes, threads)
            if is_last:
                break
            numbers, n_known, *_table = numbered(keys)
            keys, size, first = numbers.astype(np.int64), n_known, at
        size *= len(levels)
    return keys


def numbered(
    keys: IntArray, numbers: NumberArray | None = None, n_known: int = 0
) -> tuple[NumberArray, int, IntArray, NumberArray]:
    """Numbers of keys in the order in which they first appear, how many, and the hash table.

    Where `numbers` are given, those that are not -1 stay, and the others begin at `n_known`.
    """
    if numbers is None:
        numbers = np.full(len(keys), -1, dtype=np.int32)
        n_open = len(keys)
    else:
        numbers = numbers.copy()
        n_open = int((numbers < 0).sum())
    n_slots = 1 << (2 * max(n_open, 1)).bit_length()
    table_keys = np.zeros(n_slots, dtype=np.int64)
    table_numbers = np.full(n_slots, -1, dtype=np.int32)
    n_known = vectors.number(keys, table_keys, table_numbers, numbers, n_known)
    return numbers, n_known, table_keys, table_numbers


def _numbered(
    keys: IntArray, columns: Sequence[str], values: Sequence[_Values]
) -> tuple[NumberArray, _Vectors]:
    """Numbers of vectors in ascending order, and what finds them."""
    numbers, n_known, _keys, _numbers = numbered(keys)
    known = np.empty(n_known, dtype=np.int64)
    known[numbers] = keys
    order = np.argsort(known)
    rank = np.empty(n_known, dtype=np.int32)
    rank[order] = np.arange(n_known, dtype=np.int32)
    known = known[order]
    _same, _n, table_keys, table_numbers = numbered(known)
    segment = _Vectors(
        tuple(columns), tuple(values), frozen(known), frozen(table_keys), frozen(table_numbers)
    )
    return rank[numbers], segment


def frozen(array: AnyArray) -> AnyArray:
    """The array itself, from now on read-only."""
    array.setflags(write=False)
    return array


def coded(table: Table, name: str) -> tuple[NumberArray, Levels]:
    """A column as positions in its values; some of the values may not occur."""
    if isinstance(table, Records):
        if name in table.codes:
            return np.ascontiguousarray(table.codes[name]), table.levels[name]
        return _coded_numbers(table.numbers[name].astype(np.float64))
    values = comparable(table[name])
    if values.dtype == np.float64:
        return _coded_numbers(values.astype(np.float64))
    import pandas as pd  # loaded already: the table is one of its own

    codes, levels = pd.factorize(values, use_na_sentinel=False)
    return codes.astype(np.int32), levels.tolist()


def _coded_numbers(values: FloatArray) -> tuple[NumberArray, FloatArray]:
    keys = (values + 0.0).view(np.int64)  # without a negative zero
    numbers, n_known, _keys, _numbers = numbered(keys)
    bits = np.empty(n_known, dtype=np.int64)
    bits[numbers] = keys
    return numbers, bits.view(np.float64)


def comparable(column: pd.Series) -> npt.NDArray[np.generic]:
    """A column as an array in which equal values compare equal whatever their storage type."""
    from pandas.api.types import is_numeric_dtype

    if is_numeric_dtype(column.dtype):
        return column.to_numpy(dtype=np.float64)
    return column.to_numpy(dtype=object)
