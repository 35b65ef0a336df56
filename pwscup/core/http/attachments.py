# SPDX-License-Identifier: Apache-2.0
"""Responses that a browser saves as a file and never shows."""

from __future__ import annotations

from pathlib import Path
from typing import TypeVar

from django.http import FileResponse
from django.http.response import HttpResponseBase
from django.utils.http import content_disposition_header

R = TypeVar("R", bound=HttpResponseBase)


def file_response(path: Path, name: str, content_type: str) -> FileResponse:
    """A stored file as a download of that name."""
    return FileResponse(
        path.open("rb"), as_attachment=True, filename=name, content_type=content_type
    )


def attached(response: R, name: str, *, is_private: bool = False) -> R:
    """The response as a file of that name; a private one is not cached."""
    response["Content-Disposition"] = content_disposition_header(True, name)
    if is_private:
        response["Cache-Control"] = "private, no-store"
    return response
