"""The rows of a checked archive: every one is looked at, and everything that is wrong told at once."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field
from typing import IO, Any

from pwscup.archives import layout
from pwscup.archives.layout import Column, Sheet
from pwscup.archives.problems import Findings
from pwscup.archives.reading.checking import Checked
from pwscup.archives.reading.values import WrongValue, value_of
from pwscup.archives.row_texts import Row, read_csv, read_json
from scoring.tables import toml_text

MAX_DOCUMENT_BYTES = 16 * 1024 * 1024
CORRUPT = (ValueError, RecursionError)


@dataclass(slots=True)
class Reader:
    """An archive that is read; `document` is its contest.toml, `keys` what names the rows of each sheet."""

    checked: Checked
    document: dict[str, Any] = field(default_factory=dict)
    keys: dict[str, set[str]] = field(default_factory=dict)

    def open(self, entry: str) -> IO[bytes]:
        return self.checked.files[entry].open()

    def chunks(self, entry: str) -> Iterator[bytes]:
        return self.checked.files[entry].chunks()

    def read(self, entry: str) -> bytes:
        return b"".join(self.chunks(entry))

    def text(self, entry: str) -> str:
        """A text of an entry, which is not that of a table."""
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


def raw_rows(reader: Reader, sheet: Sheet) -> Iterator[Row]:
    """The rows of a sheet as they are written."""
    if sheet.is_toml:
        found = reader.document.get(sheet.name, [])
        found = [found] if sheet is layout.CONTEST_SHEET else found
        if not isinstance(found, list) or not all(isinstance(row, dict) for row in found):
            raise ValueError(f"{sheet.name} is not what it should be")
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
    """The rows of a sheet that was checked, their values as the fields have them; references stay keys."""
    columns = columns_of(sheet, reader.checked.manifest)
    for raw in raw_rows(reader, sheet):
        yield {"n": str(raw["n"])} | {c.name: _value(sheet, c, raw.get(c.name)) for c in columns}


def _value(sheet: Sheet, column: Column, raw: Any) -> Any:
    target = sheet.model._meta.get_field(column.name)
    if not column.refers:
        return value_of(target, raw)
    if raw in (None, ""):
        if not target.null:
            raise WrongValue("empty")
        return None
    return str(raw)


# Checks


def check_rows(reader: Reader, findings: Findings) -> None:
    """Every row of every sheet, and that what they point at is there."""
    try:
        reader.document = toml_text.loads(reader.text(layout.CONTEST))
    except CORRUPT as error:
        findings.add("unreadable", entry=layout.CONTEST, got=error)
        return
    areas: dict[str, str] = {}
    later: list[tuple[Sheet, Column, str, str]] = []
    for sheet in layout.SHEETS:
        reader.keys[sheet.name] = set()
        try:
            _check_sheet(reader, sheet, findings, areas, later)
        except CORRUPT as error:
            findings.add("unreadable", entry=sheet.entry, got=error)
    for sheet, column, n, key in later:
        if key not in reader.keys[column.refers]:
            _dangling(findings, sheet, column, n, key)


def _check_sheet(
    reader: Reader,
    sheet: Sheet,
    findings: Findings,
    areas: dict[str, str],
    later: list[tuple[Sheet, Column, str, str]],
) -> None:
    columns = columns_of(sheet, reader.checked.manifest)
    expected = {"n", *(column.name for column in columns)}
    if _has_wrong_header(reader, sheet, expected, findings):
        return
    seen: list[set[tuple[Any, ...]]] = [set() for _ in sheet.unique]
    for number, raw in enumerate(raw_rows(reader, sheet), start=1):
        if "" in raw:
            got = len(raw[""])
            findings.add("cells", entry=sheet.entry, row=number, expected=len(expected), got=got)
            continue
        if str(raw.get("n", "")) != str(number):
            got = raw.get("n", "")
            findings.add("number", entry=sheet.entry, row=number, expected=number, got=got)
        if sheet.entry.endswith((".json", ".toml")) and not set(raw) <= expected | _further(sheet):
            _wrong_columns(sheet, expected, set(raw), findings)
        row = _checked_row(sheet, columns, raw, number, findings)
        for column in columns:
            key = row.get(column.name) if column.refers else None
            if key is None:
                continue
            if column.later:
                later.append((sheet, column, str(number), key))
            elif key not in reader.keys[column.refers]:
                _dangling(findings, sheet, column, str(number), key)
            elif column.area and areas[key] != column.area:
                _wrong(findings, "area", sheet, number, column.name, column.area)
        if sheet is layout.FILES:
            areas[str(number)] = row.get("area", "")
        _note_key(reader, sheet, row, number, findings)
        _check_unique(sheet, row, number, seen, findings)


def _has_wrong_header(reader: Reader, sheet: Sheet, expected: set[str], findings: Findings) -> bool:
    if not sheet.entry.endswith(".csv"):
        return False
    with reader.open(sheet.entry) as source:
        header = next(read_csv(source), [])
    if set(header) == expected and len(header) == len(expected):
        return False
    _wrong_columns(sheet, expected, set(header), findings)
    return True


def _further(sheet: Sheet) -> set[str]:
    """The number of the rules that hold stands beside the contest's own columns."""
    return {"rules"} if sheet is layout.CONTEST_SHEET else set()


def _wrong_columns(sheet: Sheet, expected: set[str], got: set[str], findings: Findings) -> None:
    names = {"expected": ", ".join(sorted(expected)), "got": ", ".join(sorted(got))}
    findings.add("columns", entry=sheet.entry, **names)


def _checked_row(
    sheet: Sheet, columns: Iterable[Column], raw: Row, number: int, findings: Findings
) -> Row:
    """The values that are right; the others are told of."""
    row: Row = {}
    for column in columns:
        value = raw.get(column.name)
        try:
            row[column.name] = _value(sheet, column, value)
        except WrongValue as wrong:
            _wrong(findings, wrong.code, sheet, number, column.name, wrong.expected, value)
            continue
        if column.law is not None and not column.law(row[column.name]):
            _wrong(findings, "value", sheet, number, column.name, "", value)
            del row[column.name]
    is_whole = all(column.name in row for column in columns)
    if is_whole and sheet.law is not None and not sheet.law(row):
        findings.add("row", entry=sheet.entry, row=number)
    return row


def _wrong(
    findings: Findings,
    code: str,
    sheet: Sheet,
    number: int,
    column: str,
    expected: str,
    got: Any = "",
) -> None:
    where = {"entry": sheet.entry, "row": number, "column": column}
    findings.add(code, **where, expected=expected, got="" if got is None else got)


def _dangling(findings: Findings, sheet: Sheet, column: Column, n: str, key: str) -> None:
    where = {"entry": sheet.entry, "row": n, "column": column.name}
    findings.add("dangling", **where, expected=layout.BY_NAME[column.refers].entry, got=key)


def _note_key(reader: Reader, sheet: Sheet, row: Row, number: int, findings: Findings) -> None:
    key = str(number) if sheet.key == "n" else str(row.get(sheet.key, ""))
    if key in reader.keys[sheet.name] and sheet.key in row:
        _wrong(findings, "twice", sheet, number, sheet.key, "", key)
    reader.keys[sheet.name].add(key)


def _check_unique(
    sheet: Sheet, row: Row, number: int, seen: list[set[tuple[Any, ...]]], findings: Findings
) -> None:
    for names, known in zip(sheet.unique, seen, strict=True):
        found = tuple(row.get(name) for name in names)
        is_nothing = len(found) == 1 and found[0] is None
        if found in known and not is_nothing:
            got = ", ".join(map(str, found))
            _wrong(findings, "twice", sheet, number, ", ".join(names), "", got)
        known.add(found)
