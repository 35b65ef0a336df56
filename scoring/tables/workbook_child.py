# SPDX-License-Identifier: Apache-2.0
"""The process that reads a workbook: it gets the bytes, and prints what is in a sheet, as JSON and then as CSV.

It runs under limits of memory and time, because a small file may claim a sheet of a billion cells. It imports
nothing of this project, and its caller is `scoring.tables.workbooks`.
"""

import contextlib
import csv
import datetime
import io
import json
import sys
from typing import Any

N_ROWS_AT_ONCE = 1_000


def text_of(value: Any) -> str:
    """A cell as text: numbers with the 15 digits that Excel shows, dates as in ISO 8601.

    Examples
    --------
    >>> text_of(3.0), text_of(0.1 + 0.2), text_of(True)
    ('3', '0.3', 'TRUE')
    """
    if isinstance(value, str):
        return value
    if isinstance(value, bool):
        return "TRUE" if value else "FALSE"
    if isinstance(value, float):
        return str(int(value)) if value.is_integer() and abs(value) < 1e15 else plain(value)
    if isinstance(value, datetime.datetime):
        is_day = value.time() == datetime.time()
        return value.date().isoformat() if is_day else value.isoformat(" ", "seconds")
    return str(value)


def plain(value: float) -> str:
    """A number with 15 digits at most, and without an exponent where it has few digits.

    >>> plain(0.00001), plain(2.5)
    ('0.00001', '2.5')
    """
    short = f"{value:.15g}"
    if "e" not in short:
        return short
    fixed = f"{value:.20f}".rstrip("0").rstrip(".")
    return fixed if len(fixed) <= 24 and float(fixed) == float(short) else short


def limit(memory: int, seconds: int) -> None:
    """Hold this process to so many bytes and seconds, where the system can."""
    with contextlib.suppress(ImportError, ValueError, OSError):
        import resource

        resource.setrlimit(resource.RLIMIT_AS, (memory, memory))
        resource.setrlimit(resource.RLIMIT_CPU, (seconds, seconds))
        resource.setrlimit(resource.RLIMIT_CORE, (0, 0))


def answer(out: io.TextIOBase, **found: Any) -> None:
    """The first line of the answer."""
    out.write(json.dumps(found) + "\n")


def show_sheet(data: bytes, wanted: str, most_cells: int, out: io.TextIOBase) -> None:
    """Print the sheet of this name, or the first one."""
    import python_calamine

    book = python_calamine.load_workbook(io.BytesIO(data))
    names = list(book.sheet_names)
    if not names or (wanted and wanted not in names):
        answer(out, error="raw.no_sheet", sheets=names)
        return
    name = wanted or names[0]
    sheet = book.get_sheet_by_name(name)
    n_cells = sheet.height * sheet.width
    if n_cells > most_cells:
        answer(out, error="raw.too_many_cells", got=n_cells)
        return
    merged = len(sheet.merged_cell_ranges or ())
    answer(out, sheet=name, sheets=names, merged=merged)
    writer = csv.writer(out, lineterminator="\n")
    block = []
    for row in sheet.iter_rows():
        block.append([text_of(cell) for cell in row])
        if len(block) == N_ROWS_AT_ONCE:
            writer.writerows(block)
            block.clear()
    writer.writerows(block)


def main() -> None:
    """Read a workbook from standard input; arguments: the sheet, the most bytes, seconds and cells."""
    wanted, memory, seconds, most_cells = sys.argv[1:]
    limit(int(memory), int(seconds))
    data = sys.stdin.buffer.read()
    out = io.TextIOWrapper(sys.stdout.buffer, encoding="utf-8", newline="", errors="replace")
    try:
        show_sheet(data, wanted, int(most_cells), out)
        out.flush()
    except MemoryError:
        sys.exit(3)
    except BaseException as error:  # a panic of the reader is no Exception
        sys.stderr.write(type(error).__name__)
        sys.exit(4)


if __name__ == "__main__":
    main()
