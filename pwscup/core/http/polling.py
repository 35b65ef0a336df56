# SPDX-License-Identifier: Apache-2.0
"""Fragments that a page polls until their state is final."""

from __future__ import annotations

import hashlib
from typing import Any

from django.http import HttpRequest, HttpResponse
from django.shortcuts import render
from django.utils.cache import get_conditional_response
from django.utils.translation import get_language


def etag(*shown: object) -> str:
    """Changes with everything that the fragment shows, including its language."""
    return f'"{hashlib.sha256(repr((*shown, get_language())).encode()).hexdigest()[:20]}"'


def wants_part(request: HttpRequest) -> bool:
    """A script asks, which puts the response into the page, or loads the whole page again with `HX-Refresh`."""
    return request.headers.get("HX-Request") == "true"


def conditional(request: HttpRequest, response: HttpResponse) -> HttpResponse:
    """The response, or 304 if the browser has it by its ETag."""
    return (
        get_conditional_response(request, etag=response.get("ETag"), response=response) or response
    )


def polled(
    request: HttpRequest, template: str, status: dict[str, Any], *, is_final: bool
) -> HttpResponse:
    """The live part of a page: 304 if unchanged; once final, it makes the browser reload the whole page.

    `status` is the template's context, with its `etag`.
    """
    response = render(request, template, status)
    response["ETag"] = status["etag"]
    response["Cache-Control"] = "private, no-cache"
    if is_final and wants_part(request):
        response["HX-Refresh"] = "true"
    return conditional(request, response)
