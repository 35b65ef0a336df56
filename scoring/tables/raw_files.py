# SPDX-License-Identifier: Apache-2.0
"""Raw tables: files in any usual encoding and with any usual separator, and workbooks, as frames of text."""

from __future__ import annotations

import codecs
import csv
import io
import re
from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from itertools import chain, islice
from typing import TYPE_CHECKING

import numpy as np

from scoring.errors import Collector, Problem, ProblemsFound, shorten
from scoring.tables.text import MAX_UNUSABLE, UTF8_BOM, looks_like_cp932, looks_like_utf16
from scoring.tables.workbooks import MAX_CELLS, read_sheet

if TYPE_CHECKING:
    import pandas as pd

FILE = "raw"
AUTO = "auto"
ENCODINGS = ("utf-8", "cp932", "euc-jp", "iso-2022-jp", "utf-16", "windows-1252", "gb18030", "big5")
"""The encodings that are read; the first five and windows-1252 are found by themselves as well."""
SEPARATORS = {"comma": ",", "tab": "\t", "semicolon": ";", "bar": "|"}
MAX_HEADER = 50
"""The last line that may hold the names of the columns."""
MAX_NAME = 100
"""Characters of the name of a column."""

_ZIP, _OLD_OFFICE = b"PK\x03\x04", b"\xd0\xcf\x11\xe0"
_DETECTED = ["cp932", "euc_jp", "cp1252", "gb18030", "big5"]
_SAMPLE = 65_536
_SAMPLE_LINES = 100
_BLOCK = 20_000  # records held as text at a time
_SPACES = re.compile(r"\s+")


@dataclass(frozen=True, slots=True)
class Reading:
    """The way in which a raw file is read; `auto`, an empty sheet and header 0 are found from the file.

    `header` is the line, or the row of a sheet, that names the columns, from 1; what is above it is left out.
    """

    encoding: str = AUTO
    separator: str = AUTO
    sheet: str = ""
    header: int = 0


@dataclass(frozen=True, slots=True)
class RawTable:
    """A raw table: a frame whose columns are categories of text, the way in which it was read, and notes.

    `sheets` are the names of all sheets of a workbook; empty for a text.
    """

    table: pd.DataFrame
    reading: Reading
    notes: tuple[Problem, ...]
    sheets: tuple[str, ...] = ()


def read_raw(data: bytes, reading: Reading | None = None, *, file: str = FILE) -> RawTable:
    """The cells of a raw file as text.

    Empty lines are left out. Columns without a name get one, and repeated names a number; columns without a name and
    without a cell are left out.

    Parameters
    ----------
    data : bytes
        A text with separators, or an .xlsx workbook.
    reading : Reading, optional
        By default all is found from the file.
    file : str
        What problems call the file.

    Returns
    -------
    RawTable
        Its `reading` says what was found: with it, the same bytes give the same table.

    Raises
    ------
    ProblemsFound
        Where the file cannot be read in this way, with the place; after 10,000 records of a wrong length reading ends.

    Examples
    --------
    >>> raw = read_raw("年齢;職業\\n31;医師\\n".encode("cp932"))
    >>> raw.table["職業"].tolist(), raw.reading.encoding, raw.reading.separator
    (['医師'], 'cp932', 'semicolon')
    """
    reading = reading or Reading()
    notes: list[Problem] = []
    sheets: tuple[str, ...] = ()
    if data.startswith(_OLD_OFFICE):
        raise _refused("raw.old_workbook", file)
    if data.startswith(_ZIP):
        sheet = read_sheet(data, reading.sheet, file=file)
        if sheet.n_merged:
            notes.append(Problem("raw.merged", {"got": sheet.n_merged}, file))
        if sheet.n_formulas:
            notes.append(Problem("raw.formulas", {"got": sheet.n_formulas}, file))
        text, separator, sheets = sheet.text, ",", sheet.names
        reading = replace(reading, encoding=AUTO, separator=AUTO, sheet=sheet.name)
    else:
        text, encoding = _decoded(data, reading.encoding, file)
        name = _separator(text) if reading.separator == AUTO else reading.separator
        separator = SEPARATORS[name]
        reading = replace(reading, encoding=encoding, separator=name, sheet="")
    if not text.strip():
        raise _refused("raw.empty", file)
    rows = _rows(text, separator, file)
    first = list(islice(rows, MAX_HEADER))
    header = reading.header or _header_line(first)
    if header > len(first):
        raise _refused("raw.no_header", file, expected=len(first), got=header)
    names = first[header - 1]
    below = chain(first[header:], rows)
    table = _table(names, below, notes, file, n_above=header)
    return RawTable(table, replace(reading, header=header), tuple(notes), sheets)


def _decoded(data: bytes, encoding: str, file: str) -> tuple[str, str]:
    """The text with LF at the ends of its lines, and the encoding."""
    found = _encoding(data) if encoding == AUTO else encoding
    body = data.removeprefix(UTF8_BOM) if found == "utf-8" else data
    if found == "utf-16" and not data.startswith((codecs.BOM_UTF16_LE, codecs.BOM_UTF16_BE)):
        python_name = "utf-16-le" if data[1:2] == b"\0" else "utf-16-be"
    else:
        python_name = found
    try:
        text = body.decode(python_name)
    except UnicodeDecodeError as error:
        line = body.count(b"\n", 0, error.start) + 1
        got = f"0x{body[error.start]:02x}" if error.start < len(body) else "no byte"
        raise _refused("raw.encoding", file, expected=found, got=got, line=line) from None
    if (at := text.find("\0")) >= 0:
        raise _refused("raw.binary", file, line=text.count("\n", 0, at) + 1)
    return text.replace("\r\n", "\n").replace("\r", "\n"), found


def _encoding(data: bytes) -> str:
    """The most likely encoding."""
    if data.startswith((codecs.BOM_UTF16_LE, codecs.BOM_UTF16_BE)) or looks_like_utf16(
        data[:4_096]
    ):
        return "utf-16"
    if b"\x1b$" in data[:_SAMPLE]:
        return "iso-2022-jp"
    try:
        data.decode("utf-8")
    except UnicodeDecodeError as error:
        if looks_like_cp932(data, error.start):
            return "cp932"
        return _guessed(data, error.start)
    return "utf-8"


def _guessed(data: bytes, at: int) -> str:
    """The most likely encoding by the letters around a byte that is no UTF-8."""
    from charset_normalizer import from_bytes

    start = data.rfind(b"\n", 0, at) + 1
    end = data.find(b"\n", min(start + _SAMPLE, len(data)))
    sample = data[start : end if end >= 0 else len(data)]
    best = from_bytes(sample, cp_isolation=_DETECTED, enable_fallback=False).best()
    names = {codecs.lookup(name).name: name for name in ENCODINGS}
    return names[codecs.lookup(best.encoding).name] if best else "cp932"


def _separator(text: str) -> str:
    """The separator that parts most of the first lines into as many cells as the usual line, two at least."""
    lines = list(islice(io.StringIO(text, newline="\n"), _SAMPLE_LINES))
    scores = {}
    for name, separator in SEPARATORS.items():
        try:
            counts = Counter(len(row) for row in csv.reader(lines, delimiter=separator) if row)
        except csv.Error:
            continue
        width, n_lines = max(counts.items(), key=lambda item: (item[1], item[0]), default=(1, 0))
        scores[name] = (n_lines if width > 1 else 0, width)
    best = max(scores, key=lambda name: scores[name], default="comma")
    return best if scores.get(best, (0, 0))[0] else "comma"


def _rows(text: str, separator: str, file: str) -> Iterator[list[str]]:
    """The rows, without spaces around cells."""
    reader = csv.reader(io.StringIO(text, newline="\n"), delimiter=separator, strict=True)
    while True:
        try:
            yield [cell.strip() for cell in next(reader)]
        except StopIteration:
            return
        except csv.Error as error:
            code = "file.cell_too_long" if "field larger" in str(error) else "file.quote"
            limit = csv.field_size_limit()
            raise _refused(code, file, line=reader.line_num, expected=limit) from None


def _header_line(rows: Sequence[Sequence[str]]) -> int:
    """The first row that fills half of the usual width at least, from 1."""
    filled = [sum(map(bool, row)) for row in rows]
    widest = max(filled, default=0)
    return next((at for at, n in enumerate(filled, start=1) if n and 2 * n >= widest), 1)


def _table(
    names: Sequence[str],
    rows: Iterator[list[str]],
    notes: list[Problem],
    file: str,
    *,
    n_above: int,
) -> pd.DataFrame:
    """The frame of the rows below the header."""
    columns = [_Column() for _ in names]
    problems = Collector()
    n_records = n_read = n_empty = 0
    while block := list(islice(rows, _BLOCK)):
        usable = []
        for row in block:
            n_read += 1
            if not any(row):
                n_empty += 1
            elif len(row) == len(names):
                usable.append(row)
            elif len(row) > len(names) and not any(row[len(names) :]):
                usable.append(row[: len(names)])
            else:
                expected, got = len(names), len(row)
                problems.add(
                    "raw.cell_count", file=file, line=n_above + n_read, expected=expected, got=got
                )
        if problems.n_total > MAX_UNUSABLE:
            break
        n_records += len(usable)
        if n_records * len(names) > MAX_CELLS:
            raise _refused(
                "raw.too_many_cells", file, expected=MAX_CELLS, got=n_records * len(names)
            )
        if usable:
            for column, cells in zip(columns, zip(*usable, strict=True), strict=True):
                column.add(cells)
    problems.raise_if_any()
    if not n_records:
        raise _refused("file.header_only", file)
    if n_empty:
        notes.append(Problem("raw.empty_lines", {"got": n_empty}, file))
    return _frame(names, columns, notes, file)


class _Column:
    """The cells of a column, as positions in the list of its distinct texts."""

    def __init__(self) -> None:
        self.positions: dict[str, int] = {}
        self.codes: list[np.ndarray[tuple[int], np.dtype[np.int32]]] = []

    def add(self, cells: Sequence[str]) -> None:
        for cell in dict.fromkeys(cells):
            self.positions.setdefault(cell, len(self.positions))
        codes = np.fromiter(map(self.positions.__getitem__, cells), np.int32, len(cells))
        self.codes.append(codes)

    def to_series(self) -> pd.Series:
        import pandas as pd

        levels = pd.Index(list(self.positions), dtype="str")
        return pd.Series(pd.Categorical.from_codes(np.concatenate(self.codes), levels))


def _frame(
    names: Sequence[str], columns: Sequence[_Column], notes: list[Problem], file: str
) -> pd.DataFrame:
    """The columns under distinct names."""
    import pandas as pd

    data: dict[str, pd.Series] = {}
    for at, (given, column) in enumerate(zip(names, columns, strict=True), start=1):
        plain = _SPACES.sub(" ", given)[:MAX_NAME].strip()
        if not plain and set(column.positions) == {""}:
            continue
        name, n = plain or f"column {at}", 1
        while name in data:
            n += 1
            name = f"{plain or f'column {at}'} {n}"
        if name != given:
            params: dict[str, str | int | float] = {"position": at, "got": shorten(name)}
            notes.append(Problem("raw.named", params, file))
        data[name] = column.to_series()
    if not data:
        raise _refused("raw.empty", file)
    return pd.DataFrame(data)


def _refused(code: str, file: str, **params: str | int) -> ProblemsFound:
    return ProblemsFound([Problem(code, params, file)])
