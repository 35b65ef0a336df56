"""The moment of arrival, and requests too large to be read."""

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

ARRIVED_AT = "pwscup.arrived_at"
"""Where the web server notes the time of arrival of a request that it has read completely."""
UNREADABLE = "pwscup.unreadable"
"""Where it notes why it could not keep the body of a request."""
CHUNK = 64 * 1024
MAX_DIGITS = 19


class ArrivalMiddleware:
    """Notes when a request arrived, before its body is read; refuses a body that is too large or cannot be parsed."""

    def __init__(self, get_response: Callable[[HttpRequest], HttpResponse]) -> None:
        self.get_response = get_response

    def __call__(self, request: HttpRequest) -> HttpResponse:
        request.arrived_at = _noted(request) or timezone.now()
        request.unreadable = request.META.get(UNREADABLE)
        if request.unreadable is not None:
            request.POST = QueryDict()
        elif is_too_large(_declared(request), request.path_info):
            request.POST = QueryDict()  # neither the protection nor what draws a page may parse it
        else:
            request.unreadable = _unreadable(request)
        return self.get_response(request)

    def process_view(self, request: HttpRequest, *_: Any) -> HttpResponse | None:
        """Run before the protection against forged requests, which parses the body."""
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
    """When the request arrived: its first byte, or its last one where the two lie too far apart.

    A connection opened before the deadline does not keep it open for a file that is made afterwards. The web server
    knows when the last byte came; elsewhere that is now.
    """
    if _noted(request) is not None:
        return request.arrived_at
    first = request.arrived_at
    now = timezone.now()
    return first if now - first <= upload_grace() else now


def _noted(request: HttpRequest) -> datetime | None:
    seconds = request.META.get(ARRIVED_AT)
    return None if seconds is None else datetime.fromtimestamp(seconds, UTC)


def _declared(request: HttpRequest) -> int:
    length = request.META.get("CONTENT_LENGTH") or ""
    # The first digits of a number too long to be read are large enough.
    return int(length[:MAX_DIGITS]) if length.isdecimal() else 0


def _out_of_space(request: HttpRequest, error: OSError) -> HttpResponse:
    """Say that the body could not be kept, where that is the reason."""
    answer = unavailable.answer(request, error)
    if answer is None:
        raise error
    return answer


def _unreadable(request: HttpRequest) -> Exception | None:
    """Why the sent form cannot be read, and an empty form in its place.

    Every page reads the form again, the one that says what is wrong with it too.
    """
    try:
        request.POST  # noqa: B018 — reading it parses it
    except (BadRequest, MultiPartParserError, SuspiciousOperation, OSError) as error:
        request.POST = QueryDict()
        return error
    return None


def _drain(request: HttpRequest, length: int) -> None:
    """Read a moderately large body away: a browser shows an answer only after it has sent everything."""
    left = length if length <= 4 * settings.MAX_UPLOAD_BYTES else 0
    while left > 0:
        chunk = request.read(min(CHUNK, left))
        if not chunk:
            return
        left -= len(chunk)
