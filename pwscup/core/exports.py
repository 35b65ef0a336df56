"""Tables as CSV files that a spreadsheet may open: no cell starts a formula."""

from __future__ import annotations

import csv
import io
from collections.abc import Iterable

from django.http import HttpResponse

# Spreadsheets set to Japanese take the full-width signs for the narrow ones.
FORMULA_STARTS = ("=", "+", "-", "@", "\t", "\r", "\n", "＝", "＋", "－", "＠")


def harmless(cell: object) -> object:
    """The cell as text that no spreadsheet calculates; numbers stay numbers."""
    if isinstance(cell, int | float):
        return cell
    text = str(cell)
    return f"'{text}" if text.startswith(FORMULA_STARTS) else text


def csv_text(header: Iterable[str], rows: Iterable[Iterable[object]]) -> str:
    """Header and rows as CSV with CRLF, as RFC 4180 has it; a lone CR in a cell is then quoted, too."""
    out = io.StringIO()
    writer = csv.writer(out, lineterminator="\r\n")
    writer.writerow(map(harmless, header))
    writer.writerows(map(harmless, row) for row in rows)
    return out.getvalue()


def csv_response(
    name: str, header: Iterable[str], rows: Iterable[Iterable[object]]
) -> HttpResponse:
    """A download; the byte-order mark tells spreadsheets that it is UTF-8."""
    response = HttpResponse(
        "\ufeff" + csv_text(header, rows), content_type="text/csv; charset=utf-8"
    )
    response["Content-Disposition"] = f'attachment; filename="{name}"'
    return response
