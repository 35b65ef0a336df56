"""Pages about the installation itself."""

from __future__ import annotations

import sys

from django.db import DatabaseError, connection
from django.http import HttpRequest, HttpResponse, JsonResponse
from django.views import defaults
from django.views.decorators.cache import never_cache
from django.views.decorators.http import require_safe

from pwscup.core import unavailable


@require_safe
@never_cache
def health(request: HttpRequest) -> JsonResponse:
    """Whether this process can serve pages: a database that answers. Uploads are taken without a broker."""
    try:
        with connection.cursor() as cursor:
            cursor.execute("SELECT 1")
    except DatabaseError:
        return JsonResponse({"status": "no database"}, status=503)
    return JsonResponse({"status": "ok"})


def failed(request: HttpRequest) -> HttpResponse:
    """The answer where a middleware failed, which has no page of its own: Django calls this as it handles the error."""
    return unavailable.answer(request, sys.exc_info()[1]) or defaults.server_error(request)
