"""Responses of the installation itself."""

from __future__ import annotations

import sys

from django.http import HttpRequest, HttpResponse
from django.views import defaults

from pwscup.core.http import unavailable


def failed(request: HttpRequest) -> HttpResponse:
    """The response if a middleware failed, which has no page of its own: Django calls this as error handler."""
    return unavailable.answer(request, sys.exc_info()[1]) or defaults.server_error(request)
