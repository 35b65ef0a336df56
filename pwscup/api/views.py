"""The OpenAPI document."""

from __future__ import annotations

from functools import cache
from typing import TYPE_CHECKING, Any

from django.http import JsonResponse
from django.views.decorators.http import require_safe

from pwscup.api.main import api

if TYPE_CHECKING:
    from django.http import HttpRequest

PREFIX = "api/v1/"


@require_safe
def openapi(request: HttpRequest) -> JsonResponse:
    """Public: it contains no data of contests."""
    return JsonResponse(document())


@cache
def document() -> dict[str, Any]:
    """The OpenAPI document."""
    return api.get_openapi_schema(path_prefix=PREFIX)
