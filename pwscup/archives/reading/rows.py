# SPDX-License-Identifier: Apache-2.0
"""The rows of a checked archive: all are checked before the first is written."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from typing import IO, Any

from pwscup.archives import layout
from pwscup.archives.layout import Column, Sheet
from pwscup.archives.problems import ArchiveRefused
from pwscup.archives.reading.checking import Checked
from pwscup.archives.reading.values import WrongValue, value_of
from pwscup.archives.row_texts import Row, read_csv, read_json
from pwscup.core.db.columns import field_of
from scoring.tables import toml_text

MAX_DOCUMENT_BYTES = 16 * 1024 * 1024
CORRUPT = (ValueError, RecursionError)


@dataclass(slots=True)
class Reader:
    """An open archive; `keys` are the keys of the rows of each sheet.

    `document` is its contest.toml, `standings` its standings.json; both are parsed when they are checked.
    """

    checked: Checked
    document: dict[str, Any] = field(default_factory=dict)
    standings: dict[str, Any] = field(default_factory=dict)
    keys: dict[str, set[str]] = field(default_factory=dict)

    def open(self, entry: str) -> IO[bytes]:
        return self.checked.files[entry].open()

    def chunks(self, entry: str) -> Iterator[bytes]:
        return self.checked.files[entry].chunks()

    def read(self, entry: str) -> bytes:
        return b"".join(self.chunks(entry))

    def text(self, entry: str) -> str:
        """The text of an entry that is not a table."""
        if self.checked.entries[entry].size_bytes > MAX_DOCUMENT_BYTES:
            raise ValueError(f"more than {MAX_DOCUMENT_BYTES} bytes")
        return self.read(entry).decode()


# Rows


def columns_of(sheet: Sheet, manifest: dict[str, Any]) -> tuple[Column, ...]:
    """The columns of a sheet in this archive, without the long texts."""
    names_all = manifest["names"] == "all"
    columns = layout.columns_of(
        sheet, with_key=True, names_all=names_all, version=manifest["version"]
    )
    return tuple(column for column in columns if not column.text)


def is_in(sheet: Sheet, reader: Reader) -> bool:
    """An archive of this version has the sheet."""
    return bool(sheet.since <= reader.checked.manifest["version"])


def raw_rows(reader: Reader, sheet: Sheet) -> Iterator[Row]:
    """The raw rows of a sheet; none of one that was introduced later."""
    if not is_in(sheet, reader):
        return
    if sheet.is_toml:
        found = reader.document.get(sheet.name, [])
        found = [found] if sheet is layout.CONTEST_SHEET else found
        if not isinstance(found, list) or not all(isinstance(row, dict) for row in found):
            raise ValueError(f"{sheet.name} has an unexpected format")
        yield from found
        return
    with reader.open(sheet.entry) as source:
        if sheet.entry.endswith(".json"):
            yield from read_json(source)
            return
        lines = read_csv(source)
        header = next(lines, [])
        for line in lines:
            yield dict(zip(header, line, strict=True)) if len(line) == len(header) else {"": line}


def rows(reader: Reader, sheet: Sheet) -> Iterator[Row]:
    """The rows of a checked sheet with converted values; references stay keys."""
    columns = columns_of(sheet, reader.checked.manifest)
    for raw in raw_rows(reader, sheet):
        yield {"n": str(raw["n"])} | {c.name: _value(sheet, c, raw.get(c.name)) for c in columns}


def _value(sheet: Sheet, column: Column, raw: Any) -> Any:
    target = field_of(sheet.model, column.name)
    if not column.refers:
        return value_of(target, raw)
    if raw in (None, ""):
        if not target.null:
            raise WrongValue("empty")
        return None
    return str(raw)


# Checks


def check_rows(reader: Reader) -> None:
    """Check every row of every sheet, and its references; the first problem refuses the archive."""
    with _readable(layout.CONTEST):
        reader.document = toml_text.loads(reader.text(layout.CONTEST))
    areas: dict[str, str] = {}
    later: list[tuple[Sheet, Column, int, str]] = []
    for sheet in layout.SHEETS:
        reader.keys[sheet.name] = set()
        with _readable(sheet.entry):
            _check_sheet(reader, sheet, areas, later)
    for sheet, column, number, key in later:
        _check_reference(reader, sheet, column, number, key)


@contextmanager
def _readable(entry: str) -> Iterator[None]:
    try:
        yield
    except CORRUPT as error:
        raise ArchiveRefused("unreadable", entry=entry, got=error) from error


def _check_sheet(
    reader: Reader,
    sheet: Sheet,
    areas: dict[str, str],
    later: list[tuple[Sheet, Column, int, str]],
) -> None:
    columns = columns_of(sheet, reader.checked.manifest)
    expected = {"n", *(column.name for column in columns)}
    _check_header(reader, sheet, expected)
    seen: list[set[tuple[Any, ...]]] = [set() for _ in sheet.unique]
    for number, raw in enumerate(raw_rows(reader, sheet), start=1):
        _check_cells(sheet, raw, number, expected)
        row = _checked_row(sheet, columns, raw, number)
        for column in columns:
            key = row[column.name] if column.refers else None
            if key is None:
                continue
            if column.later:
                later.append((sheet, column, number, key))
                continue
            _check_reference(reader, sheet, column, number, key)
            if column.area and areas[key] != column.area:
                raise _wrong("area", sheet, number, column.name, column.area)
        if sheet is layout.FILES:
            areas[str(number)] = row["area"]
        _note_key(reader, sheet, row, number)
        _check_unique(sheet, row, number, seen)


def _check_header(reader: Reader, sheet: Sheet, expected: set[str]) -> None:
    if not sheet.entry.endswith(".csv") or not is_in(sheet, reader):
        return
    with reader.open(sheet.entry) as source:
        header = next(read_csv(source), [])
    if set(header) != expected or len(header) != len(expected):
        raise _wrong_columns(sheet, expected, set(header))


def _check_cells(sheet: Sheet, raw: Row, number: int, expected: set[str]) -> None:
    where = {"entry": sheet.entry, "row": number}
    if sheet.entry.endswith(".csv") and "" in raw:
        raise ArchiveRefused("cells", **where, expected=len(expected), got=len(raw[""]))
    if str(raw.get("n", "")) != str(number):
        raise ArchiveRefused("number", **where, expected=number, got=raw.get("n", ""))
    if not set(raw) <= expected | _further(sheet):
        raise _wrong_columns(sheet, expected, set(raw))


def _further(sheet: Sheet) -> set[str]:
    """The number of the current rules is stored next to the contest's own columns."""
    return {"rules"} if sheet is layout.CONTEST_SHEET else set()


def _wrong_columns(sheet: Sheet, expected: set[str], got: set[str]) -> ArchiveRefused:
    names = {"expected": ", ".join(sorted(expected)), "got": ", ".join(sorted(got))}
    return ArchiveRefused("columns", entry=sheet.entry, **names)


def _checked_row(sheet: Sheet, columns: Iterable[Column], raw: Row, number: int) -> Row:
    row: Row = {}
    for column in columns:
        value = raw.get(column.name)
        try:
            row[column.name] = _value(sheet, column, value)
        except WrongValue as wrong:
            raise _wrong(wrong.code, sheet, number, column.name, wrong.expected, value) from wrong
        if column.law is not None and not column.law(row[column.name]):
            raise _wrong("value", sheet, number, column.name, "", value)
    if sheet.law is not None and not sheet.law(row):
        raise ArchiveRefused("row", entry=sheet.entry, row=number)
    return row


def _wrong(
    code: str, sheet: Sheet, number: int, column: str, expected: str, got: Any = ""
) -> ArchiveRefused:
    where = {"entry": sheet.entry, "row": number, "column": column}
    return ArchiveRefused(code, **where, expected=expected, got="" if got is None else got)


def _check_reference(reader: Reader, sheet: Sheet, column: Column, number: int, key: str) -> None:
    if key not in reader.keys[column.refers]:
        entry = layout.BY_NAME[column.refers].entry
        raise _wrong("dangling", sheet, number, column.name, entry, key)


def _note_key(reader: Reader, sheet: Sheet, row: Row, number: int) -> None:
    key = str(number) if sheet.key == "n" else str(row[sheet.key])
    if key in reader.keys[sheet.name]:
        raise _wrong("twice", sheet, number, sheet.key, "", key)
    reader.keys[sheet.name].add(key)


def _check_unique(sheet: Sheet, row: Row, number: int, seen: list[set[tuple[Any, ...]]]) -> None:
    for names, known in zip(sheet.unique, seen, strict=True):
        found = tuple(row[name] for name in names)
        if found in known and found != (None,):
            raise _wrong("twice", sheet, number, ", ".join(names), "", ", ".join(map(str, found)))
        known.add(found)
