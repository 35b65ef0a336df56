# SPDX-License-Identifier: Apache-2.0
"""The two tables of a comparison as columns for statistical analyses, each in one canonical order."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from scoring.tables.equivalence import FloatArray, IntArray
from scoring.tables.records import Records

if TYPE_CHECKING:
    from scoring.tables.equivalence import Table
    from scoring.tables.schema import Schema


@dataclass(frozen=True, slots=True)
class Sheet:
    """The columns of one table.

    Attributes
    ----------
    n : int
        Records.
    numbers : mapping of str to float64 array, shape (n,)
    codes : mapping of str to int64 array, shape (n,)
        Positions in `levels`.
    levels : mapping of str to tuple of str
        The sorted values that a category has in any of the tables that were coded together.
    """

    n: int
    numbers: Mapping[str, FloatArray]
    codes: Mapping[str, IntArray]
    levels: Mapping[str, tuple[str, ...]]

    def take(self, rows: IntArray) -> Sheet:
        """Some of the records, in that order."""
        return Sheet(
            len(rows),
            {name: values[rows] for name, values in self.numbers.items()},
            {name: values[rows] for name, values in self.codes.items()},
            self.levels,
        )

    def sorted(self) -> Sheet:
        """The records sorted by all columns: equal tables are equal sheets, whatever order they were in."""
        values = [*self.codes.values(), *self.numbers.values()]
        return self.take(np.lexsort(values[::-1]).astype(np.int64)) if values else self


def sheets_of(schema: Schema, *tables: Table) -> tuple[Sheet, ...]:
    """The columns of the tables without identifiers, coded together, the records in the order given.

    Raises
    ------
    ValueError
        Where a number is not finite.
    """
    public = schema.public()
    records = [t if isinstance(t, Records) else Records.of(t, public) for t in tables]
    names = [name for name in public.names if all(name in found.names for found in records)]
    categories = [name for name in names if not public.column(name).is_numeric]
    levels = {
        name: tuple(sorted({str(v) for found in records for v in _present(found, name)}))
        for name in categories
    }
    return tuple(
        Sheet(
            len(found),
            {name: _numbers(found, name) for name in names if name not in levels},
            {name: _codes(found, name, levels[name]) for name in categories},
            levels,
        )
        for found in records
    )


def _present(found: Records, name: str) -> Sequence[str]:
    return [found.levels[name][code] for code in np.unique(found.codes[name])]


def _codes(found: Records, name: str, levels: tuple[str, ...]) -> IntArray:
    position = {level: code for code, level in enumerate(levels)}
    code_of = np.array([position.get(str(v), -1) for v in found.levels[name]], dtype=np.int64)
    codes: IntArray = code_of[found.codes[name]]
    return codes


def _numbers(found: Records, name: str) -> FloatArray:
    numbers = found.numbers[name].astype(np.float64) + 0.0  # turns -0.0 into 0.0
    if not np.isfinite(numbers).all():
        raise ValueError(f"expected finite numbers in column {name}")
    return numbers
