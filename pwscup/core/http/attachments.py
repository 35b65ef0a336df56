"""Responses that a browser saves as a file and never shows."""

from __future__ import annotations

from typing import TypeVar

from django.http.response import HttpResponseBase
from django.utils.http import content_disposition_header

R = TypeVar("R", bound=HttpResponseBase)


def attached(response: R, name: str, *, is_private: bool = False) -> R:
    """The response as a file of that name; a private one is not cached."""
    response["Content-Disposition"] = content_disposition_header(True, name)
    if is_private:
        response["Cache-Control"] = "private, no-store"
    return response
