# SPDX-License-Identifier: Apache-2.0
"""Declaring operations: address, answer, media types and refusals of each, for the server and for its description."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Protocol

from ninja import Field, Router, Schema

from pwscup.api.repeats import OWN

if TYPE_CHECKING:
    from collections.abc import Callable, Collection, Mapping

    from django.db.models import QuerySet
    from django.http import HttpRequest, HttpResponse

PREFIX = "/api/v1"
READING = frozenset({401, 403, 404, 409, 410, 422, 429, 503})
WRITING = READING | {400, 413, 415, 507}
"""The refusals of an operation; their texts are in `problems`."""
REFUSALS = "x-refusals"
"""The key under which an operation notes its refusals, until the description is made: they are described once for all
operations, not as a type of each."""
MEDIA = "x-media"
"""The key under which an operation notes the media types of a file that it answers, until the description is made."""
BINARY = {"schema": {"type": "string", "format": "binary"}}
IDEMPOTENCY = {
    "in": "header",
    "name": "Idempotency-Key",
    "required": False,
    "schema": {"type": "string"},
    "description": (
        "any text of your own for each request: sent again with it, the request is carried out once, and its first "
        "answer comes again"
    ),
}
METHODS = {"GET": READING, "POST": WRITING, "PUT": WRITING, "PATCH": WRITING, "DELETE": WRITING}


class Operations(Router):
    """The operations of one part of the API."""

    def add(
        self,
        method: str,
        path: str,
        name: str,
        answer: Any,
        summary: str,
        *,
        as_: str = "",
        status: int = 200,
        takes: Mapping[str, Any] | None = None,
        gives: Collection[str] = (),
        also: Mapping[int, Any] | None = None,
        repeats: bool = False,
    ) -> Callable[[Callable[..., Any]], Callable[..., Any]]:
        """Declare the decorated function as an operation.

        `name` names the address, `as_` the operation, if not by its address. `takes` is the content of a body that is
        no JSON, by its media type; `gives` the media types of an answer that is a file. `also` are further answers by
        their status. An operation that `repeats` looks at the key of a request itself; for others `repeats.claim` does.
        """
        extra: dict[str, Any] = {REFUSALS: sorted(METHODS[method])}
        if takes is not None:
            extra["requestBody"] = {"required": True, "content": dict(takes)}
        if gives:
            extra[MEDIA] = list(gives)
        if method == "POST":
            extra["parameters"] = [IDEMPOTENCY]
        if repeats:
            OWN.add(f"api-{name}")
        return self.api_operation(
            [method],
            path,
            response={status: answer, **(also or {})},
            url_name=f"api-{name}",
            operation_id=(as_ or name).replace("-", "_"),
            summary=summary,
            openapi_extra=extra,
        )

    def looks(self, path: str, name: str, answer: Any, summary: str, **more: Any) -> Any:
        """An operation that reads."""
        return self.add("GET", path, name, answer, summary, **more)

    def file(self, path: str, name: str, gives: Collection[str], summary: str, **more: Any) -> Any:
        """An operation that answers a file."""
        return self.add("GET", path, name, bytes, summary, gives=gives, **more)

    def acts(self, path: str, name: str, answer: Any, summary: str, **more: Any) -> Any:
        """An operation that does something."""
        return self.add(more.pop("method", "POST"), path, name, answer, summary, **more)


class Paging(Schema):
    """A part of a list."""

    page: int = Field(default=1, ge=1, le=1_000_000, description="from 1")
    per_page: int = Field(default=50, ge=1, le=200)


class _Sized(Protocol):
    def __len__(self) -> int: ...
    def __getitem__(self, part: slice) -> Any: ...


def paged(
    request: HttpRequest, response: HttpResponse, rows: QuerySet[Any] | _Sized, paging: Paging
) -> list[Any]:
    """The rows of one page; headers of the response say how many there are in all, and where the next ones are."""
    n_rows = rows.count() if hasattr(rows, "query") else len(rows)  # type: ignore[union-attr]
    start = (paging.page - 1) * paging.per_page
    response["X-Total-Count"] = str(n_rows)
    if start + paging.per_page < n_rows:
        query = request.GET.copy()
        query["page"] = str(paging.page + 1)
        response["Link"] = f'<{request.path}?{query.urlencode()}>; rel="next"'
    return list(rows[start : start + paging.per_page])
