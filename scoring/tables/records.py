# SPDX-License-Identifier: Apache-2.0
"""A table as plain arrays: what the reader makes of a file, and what scoring looks at."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any

import numpy as np
import numpy.typing as npt

from scoring.tables.schema import Schema

if TYPE_CHECKING:
    import pandas as pd

CodeArray = npt.NDArray[np.int32]
NumberArray = npt.NDArray[np.float64] | npt.NDArray[np.int64]


@dataclass(frozen=True, slots=True)
class Records:
    """The columns of a table, each as one contiguous array, in the order of the file.

    Attributes
    ----------
    names : tuple of str
        The columns in order.
    numbers : mapping of str to float64 or int64 array, shape (n_records,)
        The numeric columns; int64 only for the integers of an original.
    codes : mapping of str to int32 array, shape (n_records,)
        The category columns, as positions in `levels`.
    levels : mapping of str to tuple of str
        The distinct values of each category column; some may not occur. Where the schema lists the
        values, a table that was read has them in the schema's order.
    lines : int64 array, shape (n_records,), optional
        The 0-based position of each record in the file, of records that were put into another order.
    """

    names: tuple[str, ...]
    numbers: Mapping[str, NumberArray]
    codes: Mapping[str, CodeArray]
    levels: Mapping[str, tuple[str, ...]]
    lines: npt.NDArray[np.int64] | None = None

    def __len__(self) -> int:
        columns = self.codes or self.numbers
        return len(next(iter(columns.values()))) if columns else 0

    @classmethod
    def of(cls, table: pd.DataFrame, schema: Schema) -> Records:
        """The columns of `table` that the schema knows, their types from the schema."""
        import pandas as pd

        numbers: dict[str, NumberArray] = {}
        codes: dict[str, CodeArray] = {}
        levels: dict[str, tuple[str, ...]] = {}
        names = tuple(column.name for column in schema.columns if column.name in table.columns)
        for name in names:
            if schema.column(name).is_numeric:
                numbers[name] = table[name].to_numpy(dtype=np.float64)
            else:
                found, values = pd.factorize(
                    table[name].to_numpy(dtype=object), use_na_sentinel=False
                )
                codes[name] = found.astype(np.int32)
                levels[name] = tuple(values)
        return cls(names, numbers, codes, levels)

    @classmethod
    def of_texts(cls, columns: Mapping[str, Sequence[str]]) -> Records:
        """Columns of texts to be written, equal ones with a code each."""
        codes = {name: np.arange(len(texts), dtype=np.int32) for name, texts in columns.items()}
        levels = {name: tuple(texts) for name, texts in columns.items()}
        return cls(tuple(columns), {}, codes, levels)

    def without(self, name: str) -> Records:
        """The other columns."""
        names = tuple(other for other in self.names if other != name)
        parts: tuple[Mapping[str, Any], ...] = (self.numbers, self.codes, self.levels)
        kept = [{key: part[key] for key in names if key in part} for part in parts]
        return Records(names, kept[0], kept[1], kept[2], self.lines)

    def taken(self, rows: npt.NDArray[np.int64]) -> Records:
        """The records with these 0-based numbers, in that order."""
        return Records(
            self.names,
            {name: values[rows] for name, values in self.numbers.items()},
            {name: codes[rows] for name, codes in self.codes.items()},
            self.levels,
            None if self.lines is None else self.lines[rows],
        )

    def in_file_order(self) -> Records:
        """The records in the order of the file that they were read from."""
        if self.lines is None:
            return self
        return replace(self.taken(np.argsort(self.lines)), lines=None)

    def values(self, name: str) -> npt.NDArray[Any]:
        """One column as numbers, or as str in an array of objects."""
        if name in self.numbers:
            return self.numbers[name]
        return np.array(self.levels[name], dtype=object)[self.codes[name]]

    def to_frame(self) -> pd.DataFrame:
        """The table with categories as str."""
        import pandas as pd  # which reading and scoring do without

        data: dict[str, pd.Series] = {}
        for name in self.names:
            if name in self.numbers:
                data[name] = pd.Series(self.numbers[name])
            else:
                values = pd.array(list(self.levels[name]), dtype="str")
                data[name] = pd.Series(values.take(self.codes[name]))
        return pd.DataFrame(data)


def names_in(table: pd.DataFrame | Records) -> Sequence[str]:
    """The columns of a table."""
    return table.names if isinstance(table, Records) else list(table.columns)


def values_in(table: pd.DataFrame | Records, name: str) -> npt.NDArray[Any]:
    """One column of a table as an array."""
    return table.values(name) if isinstance(table, Records) else table[name].to_numpy()
