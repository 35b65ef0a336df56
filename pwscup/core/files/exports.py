# SPDX-License-Identifier: Apache-2.0
"""Tables as CSV files to download, and what goes into them."""

from __future__ import annotations

import itertools
from collections.abc import Iterable, Iterator
from datetime import UTC, datetime
from functools import lru_cache
from typing import TYPE_CHECKING, Any

from django.db.models import Func, TextField
from django.http import HttpResponse, StreamingHttpResponse

from pwscup.core.http.attachments import attached
from scoring.reporting.spreadsheets import BOM, ROWS_AT_A_TIME, csv_parts, csv_text

if TYPE_CHECKING:
    from zoneinfo import ZoneInfo

    from django.db.models import QuerySet

CSV = "text/csv; charset=utf-8"


class Seconds(Func):
    """A time as text in UTC to the second, for `local_time`; this avoids creating a datetime."""

    output_field = TextField()
    function = "SUBSTR"
    template = "%(function)s(%(expressions)s, 1, 19)"

    def as_postgresql(self, compiler: Any, connection: Any, **context: Any) -> Any:
        template = "TO_CHAR(%(expressions)s AT TIME ZONE 'UTC', 'YYYY-MM-DD HH24:MI:SS')"
        return self.as_sql(compiler, connection, template=template, **context)


def local_time(seconds: str, zone: ZoneInfo) -> str:
    """A time of `Seconds` in a zone, in ISO 8601."""
    minute, offset = _local_minute(seconds[:16], zone)
    return f"{minute}{seconds[16:]}{offset}"


@lru_cache(maxsize=20_000)
def _local_minute(minute: str, zone: ZoneInfo) -> tuple[str, str]:
    """The minute in the zone, and the offset of the zone at that time, in whole minutes since 1972."""
    local = datetime.fromisoformat(minute).replace(tzinfo=UTC).astimezone(zone).isoformat()
    return local[:16], local[19:]


def csv_response(
    name: str, header: Iterable[str], rows: Iterable[Iterable[object]]
) -> HttpResponse:
    """A download; spreadsheets recognize UTF-8 by its BOM."""
    return attached(HttpResponse(BOM + csv_text(header, rows), content_type=CSV), name)


def csv_stream(
    name: str, header: Iterable[str], rows: Iterable[Iterable[object]]
) -> StreamingHttpResponse:
    """The same, streamed while the rows are read."""
    parts = itertools.chain([BOM], csv_parts(header, rows))
    return attached(StreamingHttpResponse(parts, content_type=CSV), name)


def in_parts(newest_first: QuerySet[Any]) -> Iterator[Any]:
    """The rows of a query by descending key, read in parts: a slow reader keeps no snapshot open."""
    last = None
    while True:
        some = newest_first if last is None else newest_first.filter(pk__lt=last)
        found = list(some[:ROWS_AT_A_TIME])
        yield from found
        if len(found) < ROWS_AT_A_TIME:
            return
        last = found[-1].pk
