# SPDX-License-Identifier: Apache-2.0
"""Tables and columns of row numbers, written as canonical text."""

from __future__ import annotations

import csv
import io
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from types import SimpleNamespace
from typing import TYPE_CHECKING, Any

import numpy as np
import numpy.typing as npt

from scoring.tables.ordinary_files import pays
from scoring.tables.records import Records, values_in
from scoring.tables.schema import DECIMALS, Column, Schema

if TYPE_CHECKING:
    import pandas as pd

_N_CELL_BYTES = 6  # of a usual cell
_BLOCK = 16_384  # records written at a time
_MAX_BUFFER = 50_000_000
_DTYPES = (np.int32, np.float64, np.int64)  # in the order of the kernel's kinds
_SMALLEST = np.iinfo(np.int64).min


def write_table(table: pd.DataFrame | Records, schema: Schema) -> bytes:
    """The canonical CSV of a table: UTF-8, LF, as many decimals as a column may have, without trailing zeros.

    Columns are in the schema's order; those that the table lacks are left out.

    Examples
    --------
    >>> from scoring.examples import SCHEMA, table
    >>> write_table(table("averaged").head(1), SCHEMA)
    b'QI1,QI2,QI3,SA1,SA2\\n2,1,1,150,250\\n'
    """
    names = table.names if isinstance(table, Records) else table.columns
    columns = [column for column in schema.columns if column.name in names]
    text = io.BytesIO(_quoted([[column.name for column in columns]])[0])
    text.seek(0, io.SEEK_END)
    if columns and pays(len(table) * len(columns) * _N_CELL_BYTES):
        cells = [_cells(table, column, alone=len(columns) == 1) for column in columns]
        if format_lines(cells, text):
            return text.getvalue()
    return text.getvalue() + _lines_cell_by_cell(table, columns)


def _lines_cell_by_cell(table: pd.DataFrame | Records, columns: Sequence[Column]) -> bytes:
    text = io.StringIO()
    writer = csv.writer(text, lineterminator="\n")
    writer.writerows(zip(*(written(values_in(table, c.name), c) for c in columns), strict=True))
    return text.getvalue().encode()


def written(values: npt.NDArray[Any], column: Column) -> list[str]:
    """The cells of a column as they stand in a file."""
    if not column.is_numeric:
        return [str(value) for value in values.tolist()]
    if values.dtype.kind in "iu":
        return [str(number) for number in values.tolist()]
    decimals = column.most_decimals(original=False)
    return [_decimal(number, decimals) for number in values.tolist()]


def _decimal(number: float, decimals: int) -> str:
    if number.is_integer():
        return str(int(number))
    text = f"{number:.{decimals}f}"
    text = text.rstrip("0").rstrip(".") if decimals else text
    return "0" if text == "-0" else text


@dataclass(frozen=True, slots=True)
class Cells:
    """A column to be written: numbers, or codes of texts."""

    array: npt.NDArray[Any]
    texts: list[bytes] | None = None


def _cells(table: pd.DataFrame | Records, column: Column, *, alone: bool) -> Cells | None:
    """The column's cells; None where its type is not the schema's, or holds what is no value."""
    if isinstance(table, Records):
        if column.is_numeric:
            return _column_cells(table.numbers[column.name], column)
        return Cells(table.codes[column.name], _texts(table.levels[column.name], alone=alone))
    values = table[column.name]
    if column.is_numeric:
        return _column_cells(values.to_numpy(), column)
    import pandas as pd  # loaded already: the table is one of its own

    if not isinstance(values.dtype, pd.StringDtype):
        return None
    codes, levels = pd.factorize(values)
    if len(codes) and codes.min() < 0:
        return None
    return Cells(codes.astype(np.int32), _texts(levels.tolist(), alone=alone))


def _column_cells(values: npt.NDArray[Any], column: Column) -> Cells | None:
    """As `number_cells`; with other decimals than usual, each distinct number is a text."""
    if values.dtype.kind != "f" or column.most_decimals(original=False) == DECIMALS:
        return number_cells(values)
    if not np.isfinite(values).all():
        return None
    levels, codes = np.unique(values, return_inverse=True)
    texts = [cell.encode() for cell in written(levels, column)]
    return Cells(codes.astype(np.int32), texts)


def number_cells(values: npt.NDArray[Any]) -> Cells | None:
    """Numbers as cells; None where they are of another type, or too large for the compiled code."""
    if values.dtype.kind == "f" and values.dtype.itemsize <= 8:
        return Cells(values.astype(np.float64, copy=False))
    if values.dtype.kind == "i" and not (len(values) and values.min() == _SMALLEST):
        return Cells(values.astype(np.int64, copy=False))
    return None


def _texts(values: Sequence[str], *, alone: bool) -> list[bytes]:
    """As cells next to others or, as an empty cell is quoted there, `alone` in their lines."""
    if alone:
        return [line[:-1] for line in _quoted([value] for value in values)]
    return [line[:-2] for line in _quoted([value, ""] for value in values)]


def _quoted(rows: Iterable[list[str]]) -> list[bytes]:
    """The lines of the csv module."""
    lines: list[str] = []
    csv.writer(SimpleNamespace(write=lines.append), lineterminator="\n").writerows(rows)
    return [line.encode() for line in lines]


def format_lines(columns: Sequence[Cells | None], out: io.BytesIO) -> bool:
    """Write the columns side by side at the end of `out`; False, and nothing written, where that fails."""
    from scoring.kernels import csv_writing as kernel

    start = out.tell()
    usable = [column for column in columns if column is not None]
    if len(usable) < len(columns):
        return False
    kinds = [_kind(column) for column in usable]
    texts = [column.texts or [] for column in usable if column.texts is not None]
    flat = [b"", *(text for cells in texts for text in cells)]
    ends = np.cumsum([len(text) for text in flat], dtype=np.int64)
    first = np.cumsum([0, *map(len, texts)], dtype=np.int64)
    longest = sum(1 + max(map(len, cells), default=0) for cells in texts)
    longest += kernel.MAX_NUMBER_BYTES * (len(usable) - len(texts))
    fixed = (np.frombuffer(b"".join(flat), dtype=np.uint8), ends, first)
    n_records = len(usable[0].array)
    step = max(1, min(_BLOCK, _MAX_BUFFER // longest, n_records))
    buffer = np.empty(step * longest, dtype=np.uint8)
    for at in range(0, n_records, step):
        n = min(step, n_records - at)
        codes, numbers, integers = (
            np.array(
                [u.array[at : at + n] for u, k in zip(usable, kinds, strict=True) if k == kind]
            )
            .astype(dtype, copy=False)
            .reshape(-1, n)
            for kind, dtype in enumerate(_DTYPES)
        )
        n_bytes = kernel.format_records(
            np.array(kinds, np.int8), codes, numbers, integers, *fixed, n, buffer
        )
        if n_bytes == kernel.UNWRITABLE:
            out.seek(start)
            out.truncate()
            return False
        out.write(buffer[:n_bytes].data)
    return True


def _kind(column: Cells) -> int:
    return next(i for i, dtype in enumerate(_DTYPES) if column.array.dtype == dtype)
