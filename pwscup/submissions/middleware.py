# SPDX-License-Identifier: Apache-2.0
"""The time of arrival, and requests that are too large."""

from __future__ import annotations

from collections.abc import Callable
from datetime import UTC, datetime
from typing import Any

from django.conf import settings
from django.core.exceptions import BadRequest, SuspiciousOperation
from django.http import HttpRequest, HttpResponse, QueryDict, UnreadablePostError
from django.http.multipartparser import MultiPartParserError
from django.shortcuts import render
from django.utils import timezone

from pwscup.contests.models import upload_grace
from pwscup.core.http import unavailable
from pwscup.core.http.bodies import is_too_large, most_bytes_at
from pwscup.core.http.requests import Arrived

ARRIVED_AT = "pwscup.arrived_at"
"""The key under which the web server stores the time of arrival of a complete request."""
UNREADABLE = "pwscup.unreadable"
"""The key under which it stores the reason why the body of a request is missing."""
CHUNK = 64 * 1024
MAX_DIGITS = 19


class ArrivalMiddleware:
    """Records the arrival of a request before its body is read; refuses a body that is too large or malformed."""

    def __init__(self, get_response: Callable[[HttpRequest], HttpResponse]) -> None:
        self.get_response = get_response

    def __call__(self, request: Arrived) -> HttpResponse:
        request.arrived_at = _noted(request) or timezone.now()
        request.unreadable = request.META.get(UNREADABLE)
        if request.unreadable is not None:
            request.POST = QueryDict()
        elif is_too_large(_declared(request), request.path_info):
            request.POST = QueryDict()  # neither the CSRF protection nor templates may parse it
        else:
            request.unreadable = _unreadable(request)
        return self.get_response(request)

    def process_view(self, request: HttpRequest, *_: Any) -> HttpResponse | None:
        """Run before the CSRF protection, which parses the body."""
        unreadable = getattr(request, "unreadable", None)
        if isinstance(unreadable, OSError) and not isinstance(unreadable, UnreadablePostError):
            return _out_of_space(request, unreadable)
        length = _declared(request)
        if not is_too_large(length, request.path_info):
            if unreadable is not None:
                raise BadRequest from unreadable
            return None
        _drain(request, length)
        request.POST = QueryDict()
        limit = min(most_bytes_at(request.path_info), settings.MAX_UPLOAD_BYTES)
        return render(
            request, "submissions/too_large.html", {"limit": limit, "got": length}, status=413
        )


def arrival(request: HttpRequest) -> datetime:
    """The arrival time of the request: its first byte, or its last one if the two are too far apart.

    A connection opened before the deadline does not keep it open for a file that is created later. The web
    server knows the time of the last byte; otherwise it is now.
    """
    if (noted := _noted(request)) is not None:
        return noted
    first: datetime = request.arrived_at  # type: ignore[attr-defined]  # see the middleware
    now = timezone.now()
    return first if now - first <= upload_grace() else now


def _noted(request: HttpRequest) -> datetime | None:
    seconds = request.META.get(ARRIVED_AT)
    return None if seconds is None else datetime.fromtimestamp(seconds, UTC)


def _declared(request: HttpRequest) -> int:
    length = request.META.get("CONTENT_LENGTH") or ""
    # The first digits of a number that is too long are large enough.
    return int(length[:MAX_DIGITS]) if length.isdecimal() else 0


def _out_of_space(request: HttpRequest, error: OSError) -> HttpResponse:
    """The response if the body could not be stored, and that is the reason."""
    answer = unavailable.answer(request, error)
    if answer is None:
        raise error
    return answer


def _unreadable(request: HttpRequest) -> Exception | None:
    """The reason why the form is unreadable; it is replaced by an empty form.

    Every page reads the form again, including the error page.
    """
    try:
        request.POST  # noqa: B018 — reading it parses it
    except (BadRequest, MultiPartParserError, SuspiciousOperation, OSError) as error:
        request.POST = QueryDict()
        return error
    return None


def _drain(request: HttpRequest, length: int) -> None:
    """Read and discard a moderately large body: a browser shows a response only after it has sent everything."""
    left = length if length <= 4 * settings.MAX_UPLOAD_BYTES else 0
    while left > 0:
        chunk = request.read(min(CHUNK, left))
        if not chunk:
            return
        left -= len(chunk)
