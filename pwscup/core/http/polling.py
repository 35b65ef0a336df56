# SPDX-License-Identifier: Apache-2.0
"""Fragments that a page polls until their state is final."""

from __future__ import annotations

import hashlib
from typing import Any

from django.http import HttpRequest, HttpResponseBase
from django.shortcuts import render
from django.utils.cache import get_conditional_response
from django.utils.translation import get_language


def etag(*shown: object) -> str:
    """Changes with everything that the fragment shows, including its language."""
    return f'"{hashlib.sha256(repr((*shown, get_language())).encode()).hexdigest()[:20]}"'


def polled(
    request: HttpRequest, template: str, status: dict[str, Any], *, is_final: bool
) -> HttpResponseBase:
    """The live part of a page: 304 if unchanged; once final, it makes the browser reload the whole page.

    `status` is the template's context, with its `etag`.
    """
    response = render(request, template, status)
    response["ETag"] = status["etag"]
    response["Cache-Control"] = "private, no-cache"
    if is_final and request.htmx:
        response["HX-Refresh"] = "true"
    return get_conditional_response(request, etag=status["etag"], response=response)
