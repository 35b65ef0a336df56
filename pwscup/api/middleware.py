# SPDX-License-Identifier: Apache-2.0
"""Responses of the site's middleware in the form of the API."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING

from pwscup.api import problems, repeats

if TYPE_CHECKING:
    from django.http import HttpRequest, HttpResponse

PREFIX = "/api/"
JSON = ("application/json", problems.PROBLEM_JSON)
KEPT = ("Allow", "Retry-After")


class ApiMiddleware:
    """HEAD as GET, error pages as JSON, and what is left of the rate limit; no response is cached."""

    def __init__(self, get_response: Callable[[HttpRequest], HttpResponse]) -> None:
        self.get_response = get_response

    def __call__(self, request: HttpRequest) -> HttpResponse:
        if not request.path_info.startswith(PREFIX):
            return self.get_response(request)
        method = request.method
        if method == "HEAD":  # which no operation names; the server leaves out the body
            request.method = "GET"
        response = self.get_response(request)
        request.method = method
        is_json = response.get("Content-Type", "").startswith(JSON)
        if response.status_code >= 400 and not is_json:
            kept = {name: response[name] for name in KEPT if name in response}
            response = problems.of_status(response.status_code)
            for name, value in kept.items():
                response[name] = value
        if claimed := getattr(request, "claim", None):
            repeats.settle(claimed, response)
        for name, value in getattr(request, "rate_limit", {}).items():
            response[name] = value
        response.headers.setdefault("Cache-Control", "private, no-store")
        return response
