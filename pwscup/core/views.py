# SPDX-License-Identifier: Apache-2.0
"""Responses of the installation itself."""

from __future__ import annotations

import sys

from django.http import Http404, HttpRequest, HttpResponse
from django.shortcuts import render
from django.utils.translation import gettext_lazy
from django.views import defaults
from django.views.decorators.http import require_safe

import scoring
from pwscup.core.http import health, unavailable
from pwscup.core.http.attachments import attached
from pwscup.core.installation import wheel

NAMES = {
    "database": gettext_lazy("Database"),
    "broker": gettext_lazy("Queue of submissions"),
    "storage": gettext_lazy("Storage of files"),
}
"""The checks of `/readyz` in words."""


@require_safe
def library(request: HttpRequest, name: str) -> HttpResponse:
    """The wheel of the library, under the name that installers need."""
    if name != wheel.file_name():
        raise Http404
    return attached(HttpResponse(wheel.content(), content_type=wheel.TYPE), name)


@require_safe
def about(request: HttpRequest) -> HttpResponse:
    """The source, terms and privacy of this installation."""
    page = {"version": scoring.__version__, "library": wheel.file_name()}
    return render(request, "core/about.html", page)


@require_safe
def status(request: HttpRequest) -> HttpResponse:
    """The state of the dependencies of this process, as `/readyz` has it for programs."""
    found = health.readiness.found()
    is_well = all(state == "ok" for state in found.values())
    parts = [(NAMES[name], state == "ok") for name, state in found.items()]
    return render(request, "core/status.html", {"parts": parts, "is_well": is_well})


def failed(request: HttpRequest) -> HttpResponse:
    """The response if a middleware failed, which has no page of its own: Django calls this as error handler."""
    return unavailable.answer(request, sys.exc_info()[1]) or defaults.server_error(request)
