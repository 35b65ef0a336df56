"""Tables as CSV files that a spreadsheet may open: no cell starts a formula."""

from __future__ import annotations

import csv
import io
import itertools
from collections.abc import Iterable, Iterator
from typing import TYPE_CHECKING, Any, TypeVar

from django.http import HttpResponse, StreamingHttpResponse
from django.http.response import HttpResponseBase

if TYPE_CHECKING:
    from django.db.models import QuerySet

R = TypeVar("R", bound=HttpResponseBase)
CSV = "text/csv; charset=utf-8"
BOM = "\ufeff"
NUMBERS = (int, float)
ROWS_AT_A_TIME = 5_000

# Spreadsheets set to Japanese take the full-width signs for the narrow ones.
FORMULA_STARTS = ("=", "+", "-", "@", "\t", "\r", "\n", "＝", "＋", "－", "＠")


def harmless(cell: object) -> object:
    """The cell as text that no spreadsheet calculates; numbers stay numbers."""
    if isinstance(cell, int | float):
        return cell
    text = str(cell)
    return f"'{text}" if text[:1] in FORMULA_STARTS else text


def csv_parts(header: Iterable[str], rows: Iterable[Iterable[object]]) -> Iterator[str]:
    """Header and rows as CSV with CRLF, as RFC 4180 has it; a lone CR in a cell is then quoted, too.

    Some rows at a time, so that no part grows with their number.
    """
    out = io.StringIO()
    writer = csv.writer(out, lineterminator="\r\n")
    writer.writerow(map(harmless, header))
    unwritten = iter(rows)
    while some := list(itertools.islice(unwritten, ROWS_AT_A_TIME)):
        writer.writerows(
            [cell if cell.__class__ in NUMBERS or cell == "" else harmless(cell) for cell in row]
            for row in some
        )
        yield out.getvalue()
        out.seek(0)
        out.truncate()
    if out.tell():
        yield out.getvalue()


def csv_text(header: Iterable[str], rows: Iterable[Iterable[object]]) -> str:
    """The whole of it, of tables that are small."""
    return "".join(csv_parts(header, rows))


def csv_response(
    name: str, header: Iterable[str], rows: Iterable[Iterable[object]]
) -> HttpResponse:
    """A download; the byte-order mark tells spreadsheets that it is UTF-8."""
    return _download(name, HttpResponse(BOM + csv_text(header, rows), content_type=CSV))


def csv_stream(
    name: str, header: Iterable[str], rows: Iterable[Iterable[object]]
) -> StreamingHttpResponse:
    """The same, sent while the rows are read."""
    parts = itertools.chain([BOM], csv_parts(header, rows))
    return _download(name, StreamingHttpResponse(parts, content_type=CSV))


def _download(name: str, response: R) -> R:
    response["Content-Disposition"] = f'attachment; filename="{name}"'
    return response


def in_parts(newest_first: QuerySet[Any]) -> Iterator[Any]:
    """The rows of a query by descending key, read some at a time: a slow reader holds no snapshot open."""
    last = None
    while True:
        some = newest_first if last is None else newest_first.filter(pk__lt=last)
        found = list(some[:ROWS_AT_A_TIME])
        yield from found
        if len(found) < ROWS_AT_A_TIME:
            return
        last = found[-1].pk
