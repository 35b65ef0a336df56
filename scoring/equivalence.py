"""Equivalence classes: records with the same vector of values, as whole numbers."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, TypeVar

import numpy as np
import numpy.typing as npt
import pandas as pd

IntArray = npt.NDArray[np.int64]
FloatArray = npt.NDArray[np.float64]
AnyArray = TypeVar("AnyArray", bound=npt.NDArray[Any])

_LARGEST_CODE = 2**62


@dataclass(frozen=True, slots=True)
class Classes:
    """The equivalence classes of a table on some columns, and where a class is in another table.

    Attributes
    ----------
    of_row : int64 array, shape (n_records,)
        The class of each record, 0 to `n_classes` - 1.
    n_classes : int
        How many distinct vectors the table has.
    """

    columns: tuple[str, ...]
    of_row: IntArray
    n_classes: int
    _levels: tuple[pd.Index, ...]
    _known: tuple[IntArray | None, ...]

    @classmethod
    def of(cls, table: pd.DataFrame, columns: Sequence[str]) -> Classes:
        """Number the classes of `table` on `columns`; no columns make one class of everything."""
        codes = np.zeros(len(table), dtype=np.int64)
        size = 1
        levels, known = [], []
        for name in columns:
            column, level = pd.factorize(comparable(table[name]), use_na_sentinel=False)
            codes, size, kept = _append(codes, size, column.astype(np.int64), len(level))
            levels.append(pd.Index(level, dtype=level.dtype))
            known.append(kept)
        distinct, of_row = np.unique(codes, return_inverse=True)
        known.append(distinct)
        return cls(
            tuple(columns),
            frozen(of_row.astype(np.int64)),
            len(distinct),
            tuple(levels),
            tuple(known),
        )

    def sizes(self) -> IntArray:
        """How many records each class has."""
        return np.bincount(self.of_row, minlength=self.n_classes).astype(np.int64)

    def locate(self, table: pd.DataFrame) -> IntArray:
        """The class with each record's vector, -1 where no record of this table has it."""
        codes = np.zeros(len(table), dtype=np.int64)
        found = np.ones(len(table), dtype=bool)
        for name, level, known in zip(self.columns, self._levels, self._known, strict=False):
            if known is not None:
                codes, found = _position(known, codes, found)
            values = comparable(table[name])
            column = level.get_indexer(pd.Index(values, dtype=values.dtype))
            found &= column >= 0
            codes = codes * len(level) + column
        last = self._known[-1]
        assert last is not None
        codes, found = _position(last, codes, found)
        return np.where(found, codes, -1)


def frozen(array: AnyArray) -> AnyArray:
    """The array itself, from now on read-only."""
    array.setflags(write=False)
    return array


def comparable(column: pd.Series) -> npt.NDArray[np.generic]:
    """A column as an array in which equal values compare equal whatever their storage type."""
    if pd.api.types.is_numeric_dtype(column.dtype):
        return column.to_numpy(dtype=np.float64)
    return column.to_numpy(dtype=object)


def _append(
    codes: IntArray, size: int, column: IntArray, n_levels: int
) -> tuple[IntArray, int, IntArray | None]:
    """Vectors one column longer; the distinct codes so far where they had to be renumbered."""
    known = None
    if size * n_levels > _LARGEST_CODE:
        known, codes = np.unique(codes, return_inverse=True)
        size = len(known)
    return codes * n_levels + column, size * n_levels, known


def _position(
    known: IntArray, codes: IntArray, found: npt.NDArray[np.bool_]
) -> tuple[IntArray, npt.NDArray[np.bool_]]:
    position = np.minimum(np.searchsorted(known, codes), len(known) - 1)
    return position, found & (known[position] == codes)
