# SPDX-License-Identifier: Apache-2.0
"""Middleware for all pages."""

from __future__ import annotations

from collections.abc import Callable

from django.conf import settings
from django.http import FileResponse, HttpRequest, HttpResponse
from django.http.response import HttpResponseBase
from django.middleware.gzip import GZipMiddleware
from django.shortcuts import render

from pwscup.core.files.storage import ErasedFileError
from pwscup.core.http import unavailable

GONE = 410
TEXTS = ("text/", "application/json", "application/xml", "application/atom+xml", "image/svg+xml")
NOT_STORED = "private, no-store"


class CompressionMiddleware(GZipMiddleware):
    """Compresses text that is rendered for this response; stored files are sent as they are.

    An ETag becomes a weak one, which still identifies an unchanged page. Random bytes hide the exact length,
    and the CSRF token differs in each page, so that lengths reveal nothing about it.
    """

    def process_response(
        self, request: HttpRequest, response: HttpResponseBase
    ) -> HttpResponseBase:
        is_text = response.get("Content-Type", "").startswith(TEXTS)
        if not is_text or isinstance(response, FileResponse):
            return response
        return super().process_response(request, response)


class PrivateMiddleware:
    """Forbids caching of pages for known visitors, except for responses with an ETag, which are revalidated.

    A visitor with a session or a token is known, valid or not.
    """

    def __init__(self, get_response: Callable[[HttpRequest], HttpResponse]) -> None:
        self.get_response = get_response

    def __call__(self, request: HttpRequest) -> HttpResponse:
        response = self.get_response(request)
        is_known = settings.SESSION_COOKIE_NAME in request.COOKIES or (
            "Authorization" in request.headers
        )
        is_kept_right = "no-store" in response.get("Cache-Control", "") or response.has_header(
            "ETag"
        )
        if is_known and not is_kept_right:
            response["Cache-Control"] = NOT_STORED
        return response


class UnavailableMiddleware:
    """Answers a page that met a full disk or a busy database: 507 or 503, with advice; and 410 if it needs a
    file that was deleted after the retention period."""

    def __init__(self, get_response: Callable[[HttpRequest], HttpResponse]) -> None:
        self.get_response = get_response

    def __call__(self, request: HttpRequest) -> HttpResponse:
        return self.get_response(request)

    def process_exception(self, request: HttpRequest, error: Exception) -> HttpResponse | None:
        if isinstance(error, ErasedFileError):
            return render(request, "410.html", status=GONE)
        return unavailable.answer(request, error)
