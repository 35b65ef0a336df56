"""Answers that every page shares."""

from __future__ import annotations

from collections.abc import Callable

from django.http import HttpRequest, HttpResponse
from django.shortcuts import render

from pwscup.core import unavailable
from pwscup.core.storage import ErasedFileError

GONE = 410


class ErasedMiddleware:
    """Says that a file was deleted when the time to keep it was over, wherever somebody asks for its bytes."""

    def __init__(self, get_response: Callable[[HttpRequest], HttpResponse]) -> None:
        self.get_response = get_response

    def __call__(self, request: HttpRequest) -> HttpResponse:
        return self.get_response(request)

    def process_exception(self, request: HttpRequest, error: Exception) -> HttpResponse | None:
        if isinstance(error, ErasedFileError):
            return render(request, "410.html", status=GONE)
        return None


class UnavailableMiddleware:
    """Answers a page that met a full disk or a busy database: 507 or 503, with what to do."""

    def __init__(self, get_response: Callable[[HttpRequest], HttpResponse]) -> None:
        self.get_response = get_response

    def __call__(self, request: HttpRequest) -> HttpResponse:
        return self.get_response(request)

    def process_exception(self, request: HttpRequest, error: Exception) -> HttpResponse | None:
        return unavailable.answer(request, error)
