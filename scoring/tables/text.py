# SPDX-License-Identifier: Apache-2.0
"""From bytes to the cells of a CSV file: encoding, line ends and quoting, all of it strict."""

from __future__ import annotations

import csv
import io
import math
import re
import unicodedata
from collections.abc import Iterator

from scoring.errors import Collector, Problem, ProblemsFound, shorten
from scoring.tables.notes import add_note, noted

MAX_CATEGORY = 1_000
"""Characters of a value of a category."""
MAX_LINE = 1_000_000
MAX_CELL = 131_072
"""The limit of the csv module; a longer cell is nearly always a quotation mark left open."""
MAX_UNUSABLE = 10_000
"""Records with a wrong number of cells after which reading stops."""

_ZIP = b"PK\x03\x04"
_OLD_OFFICE = b"\xd0\xcf\x11\xe0"
SIGNATURES = (
    (_ZIP, "ZIP"),
    (b"PK\x05\x06", "ZIP"),
    (b"\x89PNG", "PNG"),
    (b"\xff\xd8\xff", "JPEG"),
    (b"GIF8", "GIF"),
    (b"%PDF", "PDF"),
    (b"\x1f\x8b", "gzip"),
    (b"BZh", "bzip2"),
    (b"\xfd7zXZ\x00", "xz"),
    (b"7z\xbc\xaf\x27\x1c", "7z"),
    (b"\x28\xb5\x2f\xfd", "Zstandard"),
    (b"PAR1", "Parquet"),
    (b"SQLite format 3\x00", "SQLite"),
    (b"\x7fELF", "ELF"),
)
WORKBOOK = {
    "old": _OLD_OFFICE.hex(),
    "zip": _ZIP.hex(),
    "types": "[Content_Types].xml",
    "entry": "xl/workbook",
}
"""The first bytes of Excel workbooks, and the entries by which their archives are recognised."""
UTF8_BOM = b"\xef\xbb\xbf"
SAMPLE = 4_096
"""Bytes by which an encoding is recognised."""
_CP932 = "cp932"
_USUAL = range(0x81, 0xA0)
"""The first bytes of kana, and of the kanji in common use, in CP932."""
_LEADS = {*_USUAL, *range(0xE0, 0xFD)}
"""The bytes with which a character of two bytes begins."""
_TRAILS = {*range(0x40, 0x7F), *range(0x80, 0xFD)}
_NO_CHARACTERS = frozenset("\x80\uf8f0\uf8f1\uf8f2\uf8f3")
"""Python's letters for single bytes that are no characters in CP932."""
SEPARATORS = {"\t": "file.tabs", ";": "file.semicolons"}
_QUOTED_NAME = re.compile(r'"[^"\n]*"([\t;])')
FULL_WIDTH = {0xFF10 + digit: str(digit) for digit in range(10)} | {
    0xFF0E: ".",  # full stop
    0xFF0D: "-",  # hyphen-minus
    0x2212: "-",  # minus sign, which some systems decode instead
}


def natural(text: str) -> list[tuple[int, int, str]]:
    """The key that sorts texts by the values of the numbers in them, numbers before letters.

    Examples
    --------
    >>> sorted(["100-109", "20-29", "5-9"], key=natural)
    ['5-9', '20-29', '100-109']
    """
    pieces = re.split(r"([0-9]+)", text)
    return [(0, int(p), p) if p.isascii() and p.isdigit() else (1, 0, p) for p in pieces]


def visible(name: str) -> str:
    """A name without control, format and unassigned characters.

    Examples
    --------
    >>> visible("a\\u202eb\\n.csv")
    'ab.csv'
    """
    return "".join(letter for letter in name if unicodedata.category(letter)[0] != "C")


def plain_digits(text: str) -> str:
    """The text with ASCII digits, points and minus signs for full-width ones.

    NFKC would also make a number of a superscript or of a digit in a circle.

    Examples
    --------
    >>> plain_digits("\uff11\uff10\uff0e\uff15"), plain_digits("10\u00b2")
    ('10.5', '10²')
    """
    return text if text.isascii() else text.translate(FULL_WIDTH)


def plain_number(
    cell: str, number: re.Pattern[str], *, file: str, column: str | None = None
) -> str:
    """The cell with ASCII digits, where these make a `number` of it, and a note if it had others; else the cell.

    Examples
    --------
    >>> plain_number("\uff11\uff10", re.compile("[0-9]+"), file="counts")
    '10'
    """
    if cell.isascii() or not number.fullmatch(plain := plain_digits(cell)):
        return cell
    add_note("note.full_width", file=file, column=column, got=shorten(cell))
    return plain


def decode(data: bytes, *, file: str) -> str:
    """The text of a file, its lines ending with LF or CRLF.

    UTF-8 with or without a byte order mark; else CP932, where nothing is lost, with a note.

    Raises
    ------
    ProblemsFound
        Naming another format or encoding where one is recognised.
    """
    if problem := _format_problem(data, file):
        raise ProblemsFound([problem])
    body = data.removeprefix(UTF8_BOM)
    try:
        text = body.decode("utf-8")
    except UnicodeDecodeError as error:
        text = _from_cp932(body, error, file)
    if "\r" in text:
        text = text.replace("\r\n", "\n")
        if (at := text.find("\r")) >= 0:
            line = text.count("\n", 0, at) + 1
            raise ProblemsFound([Problem("file.bare_cr", {"line": line}, file)])
    return text


def marked(data: bytes) -> bytes:
    """The file in UTF-8 with a byte order mark, by which Excel recognises the encoding.

    Examples
    --------
    >>> marked(b"age\\n20\\n") == marked(marked(b"age\\n20\\n"))
    True
    """
    return data if data.startswith(UTF8_BOM) else UTF8_BOM + data


def first_names(data: bytes) -> list[str]:
    """The cells of the first line; none where it cannot be read.

    Examples
    --------
    >>> first_names(b'age,"city"\\n20,A\\n')
    ['age', 'city']
    """
    line = data[: data.find(b"\n") + 1] or data
    try:
        with noted():
            return next(records(decode(line, file=""), file=""), [])
    except ProblemsFound:
        return []


def _format_problem(data: bytes, file: str) -> Problem | None:
    if data.startswith(_OLD_OFFICE) or (data.startswith(_ZIP) and _is_workbook(data)):
        return Problem("file.excel", {"got": "xlsx" if data.startswith(_ZIP) else "xls"}, file)
    for signature, name in SIGNATURES:
        if data.startswith(signature):
            return Problem("file.known_format", {"got": name}, file)
    at = data.find(0)
    if data.startswith((b"\xff\xfe", b"\xfe\xff")) or (at >= 0 and looks_like_utf16(data[:SAMPLE])):
        return Problem("file.utf16", {}, file)
    return Problem("file.binary", {"byte": at + 1}, file) if at >= 0 else None


def _is_workbook(archive: bytes) -> bool:
    """An archive with the entries of an Excel workbook; their names are not compressed."""
    entry, types = WORKBOOK["entry"].encode(), WORKBOOK["types"].encode()
    return entry in archive or types in archive[:SAMPLE]


def looks_like_utf16(sample: bytes) -> bool:
    """Without a byte order mark: ASCII in UTF-16 has a NUL at every other byte."""
    pairs = len(sample) // 2
    if not pairs or not {sample[0], sample[1]} - {0}:
        return False
    even, odd = sample[0 : 2 * pairs : 2].count(0), sample[1 : 2 * pairs : 2].count(0)
    return max(even, odd) > 0.7 * pairs and min(even, odd) < 0.1 * pairs


def _from_cp932(body: bytes, error: UnicodeDecodeError, file: str) -> str:
    """The text of a file in CP932; `error` says where it is no UTF-8.

    Raises
    ------
    ProblemsFound
        Where it is not likely to be CP932, or some bytes are no characters in it.
    """
    if not looks_like_cp932(body, error.start):
        line = body.count(b"\n", 0, error.start) + 1
        params: dict[str, str | int | float] = {"line": line, "got": f"{body[error.start]:02x}"}
        raise ProblemsFound([Problem("file.not_utf8", params, file)])
    try:
        text = body.decode(_CP932)
    except UnicodeError:
        text = None
    if text is None or not _NO_CHARACTERS.isdisjoint(text):
        raise ProblemsFound([Problem("file.cp932", {}, file)])
    add_note("note.cp932", file=file)
    return text


def looks_like_cp932(data: bytes, at: int) -> bool:
    """Around `at`, most characters beyond ASCII are in common use in CP932, unlike those of a wrong guess."""
    start_of_line = data.rfind(b"\n", max(0, at - SAMPLE), at) + 1
    sample = data[start_of_line or at : at + SAMPLE]
    n_usual, n_foreign, place = 0, 0, 0
    while place < len(sample):
        byte = sample[place]
        is_pair = byte in _LEADS
        if is_pair and place + 1 == len(sample):  # the sample ends within a character
            break
        if is_pair and sample[place + 1] not in _TRAILS:
            return False
        n_foreign += byte >= 0x80
        n_usual += byte in _USUAL
        place += 2 if is_pair else 1
    return 2 * n_usual > n_foreign


def records(text: str, *, file: str) -> Iterator[list[str]]:
    """The header and the records of a CSV text, one at a time; an empty line is an empty list.

    Raises
    ------
    ProblemsFound
        At the line from which on the text cannot be split into cells.
    """
    reader = csv.reader(_lines(text, file), strict=True)
    while True:
        try:
            yield next(reader)
        except StopIteration:
            return
        except csv.Error as error:
            problem = _csv_problem(error, reader.line_num, text, file)
            raise ProblemsFound([problem]) from None


def _lines(text: str, file: str) -> Iterator[str]:
    # StringIO yields a line at a time and, with this newline, splits at LF only.
    for number, line in enumerate(io.StringIO(text, newline="\n"), start=1):
        if len(line) > MAX_LINE:
            params: dict[str, str | int | float] = {"line": number, "expected": MAX_LINE}
            raise ProblemsFound([Problem("file.line_too_long", params, file)])
        yield line


def _csv_problem(error: csv.Error, line: int, text: str, file: str) -> Problem:
    if "field larger" in str(error):
        return Problem("file.cell_too_long", {"line": line, "expected": MAX_CELL}, file)
    if line == 1 and (separated := _QUOTED_NAME.match(text)):
        return Problem(SEPARATORS[separated[1]], {}, file)
    return Problem("file.quote", {"line": line}, file)


def read_header(rows: Iterator[list[str]], *, file: str) -> list[str]:
    """The column names, which are distinct and not empty.

    Raises
    ------
    ProblemsFound
        Where there is no header or it does not name each column once.
    """
    names = next(rows, None)
    if not names:
        code = "file.empty" if names is None else "header.no_line"
        raise ProblemsFound([Problem(code, {}, file)])
    for separator, code in SEPARATORS.items():
        if len(names) == 1 and separator in names[0]:
            raise ProblemsFound([Problem(code, {}, file)])
    problems = Collector()
    seen: set[str] = set()
    for position, name in enumerate(names, start=1):
        if not name:
            problems.add("header.empty_name", file=file, position=position)
        elif name in seen:
            problems.add("header.repeated", file=file, column=name[:200], got=name[:60])
        seen.add(name)
    problems.raise_if_any()
    return names


def note_length(
    cells: list[str], expected: int, problems: Collector, *, file: str, row: int
) -> None:
    """Note a line that has another number of cells than the header, or none at all.

    Examples
    --------
    >>> problems = Collector()
    >>> note_length(["1"], 2, problems, file="table", row=7)
    >>> [str(problem) for problem in problems.problems]
    ['table, record 7 — wrong number of cells — expected 2 — got 1']
    """
    if cells:
        problems.add("record.cell_count", file=file, row=row, expected=expected, got=len(cells))
    else:
        problems.add("record.empty_line", file=file, row=row, expected=expected)


def numbered_lines(
    rows: Iterator[list[str]], n_columns: int, file: str, problems: Collector
) -> Iterator[tuple[int, list[str]]]:
    """The lines of the right length with their numbers; the others are noted."""
    for row, line in enumerate(rows, start=1):
        if len(line) == n_columns:
            yield row, line
        else:
            note_length(line, n_columns, problems, file=file, row=row)


def finite_number(cell: str, column: str, row: int, file: str, problems: Collector) -> float | None:
    """The number of a cell as Python writes one; None where there is none, or it cannot be used."""
    if not cell:
        return None
    try:
        value = float(cell)
    except ValueError:
        code = "cell.not_a_number"
    else:
        if math.isfinite(value):
            return value
        code = "cell.not_finite"
    problems.add(code, file=file, row=row, column=column, got=shorten(cell))
    return None
