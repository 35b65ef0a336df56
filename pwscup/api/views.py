# SPDX-License-Identifier: Apache-2.0
"""The OpenAPI document, and the page that shows it."""

from __future__ import annotations

from functools import cache
from http.client import responses
from typing import TYPE_CHECKING, Any

from django.http import HttpResponse, JsonResponse
from django.shortcuts import render
from django.views.decorators.http import require_safe

from pwscup.api import reference
from pwscup.api.auth import scope_of
from pwscup.api.main import api
from pwscup.api.operations import BINARY, MEDIA, REFUSALS, WRITING
from pwscup.api.problems import PROBLEM_JSON
from pwscup.api.schemas import Problems

if TYPE_CHECKING:
    from django.http import HttpRequest

PREFIX = "api/v1/"
SCHEMA, RESPONSE = "#/components/schemas/{model}", "#/components/responses/%s"
TEXT = {"schema": {"type": "string"}}
RATE = ("RateLimit-Limit", "RateLimit-Remaining", "RateLimit-Reset")


@require_safe
def openapi(request: HttpRequest) -> JsonResponse:
    """Public: it contains no data of contests."""
    return JsonResponse(document())


@require_safe
def docs(request: HttpRequest) -> HttpResponse:
    """The same as a page."""
    return render(request, "api/docs.html", reference.context(document()))


@cache
def document() -> dict[str, Any]:
    """The OpenAPI document: that of ninja, with the media types of files and refusals, the headers, and the scopes."""
    found = api.get_openapi_schema(path_prefix=PREFIX)
    for path, operations in found["paths"].items():
        for method, operation in operations.items():
            _describe(operation, scope_of(method.upper(), path))
    components = found["components"]
    schema = Problems.model_json_schema(ref_template=SCHEMA, mode="serialization")
    components["schemas"] |= {**schema.pop("$defs", {}), Problems.__name__: schema}
    components["responses"] = {str(status): _refusal(status) for status in sorted(WRITING)}
    return found


def _refusal(status: int) -> dict[str, Any]:
    """The answer of a refusal, which all operations share."""
    return {
        "description": responses[status],
        "headers": dict.fromkeys(RATE, TEXT),
        "content": {PROBLEM_JSON: {"schema": {"$ref": SCHEMA.format(model=Problems.__name__)}}},
    }


def _describe(operation: dict[str, Any], scope: str) -> None:
    media = operation.pop(MEDIA, None)
    for response in operation["responses"].values():
        response["headers"] = dict.fromkeys(RATE, TEXT)
        if media is not None:
            response["content"] = dict.fromkeys(media, BINARY)
    operation["responses"] |= {
        status: {"$ref": RESPONSE % status} for status in operation.pop(REFUSALS)
    }
    operation["security"] = [{name: [scope] for name in one} for one in operation["security"]]
    if any(one["name"] == "per_page" for one in operation["parameters"]):
        operation["responses"][200]["headers"] |= {"X-Total-Count": TEXT, "Link": TEXT}
