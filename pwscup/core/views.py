"""Responses of the installation itself."""

from __future__ import annotations

import sys

from django.http import Http404, HttpRequest, HttpResponse
from django.views import defaults
from django.views.decorators.http import require_safe

from pwscup.core.http import unavailable
from pwscup.core.http.attachments import attached
from pwscup.core.installation import wheel


@require_safe
def library(request: HttpRequest, name: str) -> HttpResponse:
    """The wheel of the library, under the name that installers need."""
    if name != wheel.file_name():
        raise Http404
    return attached(HttpResponse(wheel.content(), content_type=wheel.TYPE), name)


def failed(request: HttpRequest) -> HttpResponse:
    """The response if a middleware failed, which has no page of its own: Django calls this as error handler."""
    return unavailable.answer(request, sys.exc_info()[1]) or defaults.server_error(request)
