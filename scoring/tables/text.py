"""From bytes to the cells of a CSV file: encoding, line ends and quoting, all of it strict."""

from __future__ import annotations

import codecs
import csv
import io
import math
import unicodedata
from collections.abc import Iterator

from scoring.errors import Collector, Problem, ProblemsFound, shorten

MAX_LINE = 1_000_000
MAX_CELL = 131_072
"""The limit of the csv module; a longer cell is nearly always a quotation mark left open."""
MAX_UNUSABLE = 10_000
"""Records with a wrong number of cells after which reading stops."""

_SIGNATURES = (
    (b"PK\x03\x04", "ZIP / Excel (xlsx)"),
    (b"PK\x05\x06", "ZIP"),
    (b"\xd0\xcf\x11\xe0", "Excel (xls)"),
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
UTF8_BOM = b"\xef\xbb\xbf"
_SAMPLE = 4_096


def visible(name: str) -> str:
    """A name without control, format and unassigned characters.

    Examples
    --------
    >>> visible("a\\u202eb\\n.csv")
    'ab.csv'
    """
    return "".join(letter for letter in name if unicodedata.category(letter)[0] != "C")


def decode(data: bytes, *, file: str) -> str:
    """The text of a file: UTF-8 with or without a byte order mark, lines ending with LF or CRLF.

    Raises
    ------
    ProblemsFound
        Naming another format or encoding where one is recognised.
    """
    if problem := _format_problem(data, file):
        raise ProblemsFound([problem])
    try:
        text = data.removeprefix(UTF8_BOM).decode("utf-8")
    except UnicodeDecodeError as error:
        raise ProblemsFound([_encoding_problem(data, error, file)]) from None
    if "\r" in text:
        text = text.replace("\r\n", "\n")
        if (at := text.find("\r")) >= 0:
            line = text.count("\n", 0, at) + 1
            raise ProblemsFound([Problem("file.bare_cr", {"line": line}, file)])
    return text


def _format_problem(data: bytes, file: str) -> Problem | None:
    for signature, name in _SIGNATURES:
        if data.startswith(signature):
            return Problem("file.known_format", {"got": name}, file)
    if data.startswith((b"\xff\xfe", b"\xfe\xff")) or _looks_like_utf16(data[:_SAMPLE]):
        return Problem("file.utf16", {}, file)
    if (at := data.find(0)) >= 0:
        return Problem("file.binary", {"byte": at + 1}, file)
    return None


def _looks_like_utf16(sample: bytes) -> bool:
    """Without a byte order mark: ASCII in UTF-16 has a NUL at every other byte."""
    pairs = len(sample) // 2
    if not pairs or not {sample[0], sample[1]} - {0}:
        return False
    even, odd = sample[0 : 2 * pairs : 2].count(0), sample[1 : 2 * pairs : 2].count(0)
    return max(even, odd) > 0.7 * pairs and min(even, odd) < 0.1 * pairs


def _encoding_problem(data: bytes, error: UnicodeDecodeError, file: str) -> Problem:
    body = data.removeprefix(UTF8_BOM)
    if _looks_like_cp932(body, error.start):
        return Problem("file.cp932", {}, file)
    line = body.count(b"\n", 0, error.start) + 1
    params: dict[str, str | int | float] = {"line": line, "got": f"{body[error.start]:02x}"}
    return Problem("file.not_utf8", params, file)


def _looks_like_cp932(data: bytes, at: int) -> bool:
    """Around `at`, bytes decode as CP932, and not to the half-width kana of a wrong guess."""
    start_of_line = data.rfind(b"\n", max(0, at - _SAMPLE), at) + 1
    sample = data[start_of_line or at : at + _SAMPLE]
    try:
        text = codecs.getincrementaldecoder("cp932")().decode(sample)
    except UnicodeDecodeError:
        return False
    foreign = [character for character in text if not character.isascii()]
    n_odd = sum("\uff61" <= c <= "\uff9f" or not c.isprintable() for c in foreign)
    return 2 * n_odd < len(foreign)


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
            raise ProblemsFound([_csv_problem(error, reader.line_num, file)]) from None


def _lines(text: str, file: str) -> Iterator[str]:
    # StringIO yields a line at a time and, with this newline, splits at LF only.
    for number, line in enumerate(io.StringIO(text, newline="\n"), start=1):
        if len(line) > MAX_LINE:
            params: dict[str, str | int | float] = {"line": number, "expected": MAX_LINE}
            raise ProblemsFound([Problem("file.line_too_long", params, file)])
        yield line


def _csv_problem(error: csv.Error, line: int, file: str) -> Problem:
    if "field larger" in str(error):
        return Problem("file.cell_too_long", {"line": line, "expected": MAX_CELL}, file)
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
