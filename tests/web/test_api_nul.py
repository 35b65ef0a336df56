# SPDX-License-Identifier: Apache-2.0
"""The character NUL, which PostgreSQL cannot store or compare: refused before the database sees it, everywhere."""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import Any
from urllib.parse import quote

import pytest
from django.db import connection

from pwscup.api.views import document
from tests.web import pipeline
from tests.web.api import ROOT, Program

pytestmark = pytest.mark.usefixtures("unsent", "refusing")
CUP = "/organize/contests/cup"
NUL = "a\0b"
TIME = "2031-01-10T10:00:00+09:00"
PLACES = {"slug": "cup", "key": "anonymization", "team": "red", "number": "1"}


@pytest.fixture
def refusing() -> Iterator[None]:
    """The database refuses NUL as PostgreSQL does."""

    def refuse(execute, sql, params, many, context):
        for row in params if many else [params or ()]:
            if any(isinstance(one, str) and "\0" in one for one in row):
                raise ValueError("A string literal cannot contain NUL (0x00) characters.")
        return execute(sql, params, many, context)

    with connection.execute_wrapper(refuse):
        yield


@pytest.mark.parametrize(
    ("method", "path", "body", "status"),
    [
        ("post", "/teams/red/late", {"round": NUL, "until": TIME, "reason": "A storm"}, 422),
        ("put", f"/baseline-teams/{quote(NUL)}", None, 409),
        ("delete", f"/baseline-teams/{quote(NUL)}", None, 409),
    ],
)
def test_names_are_not_looked_up_with_nul(cast, method, path, body, status):
    assert Program(cast.oscar).send(method, CUP + path, body).status_code == status


def example(of: dict[str, Any]) -> Any:
    """A value of a type of the document, with NUL in each text."""
    if "$ref" in of:
        name = of["$ref"].rpartition("/")[2]
        found = document()["components"]["schemas"][name].get("properties", {})
        return {key: example(one) for key, one in found.items()}
    if "anyOf" in of:
        return example(of["anyOf"][0])
    kind = of.get("type", "string")
    if kind == "array":
        return [example(of.get("items", {}))]
    if kind == "object":
        more = of.get("additionalProperties")
        return {NUL: example(more)} if isinstance(more, dict) else {}
    if kind == "string":
        return TIME if of.get("format") == "date-time" else NUL
    return {"integer": 1, "number": 1.5, "boolean": False}[kind]


def requests(public_id: str) -> Iterator[tuple[str, str, Any]]:
    """Method, path and body of every operation, with NUL in the query, in the path and in the body."""
    places = PLACES | {"public_id": public_id}
    for template, operations in document()["paths"].items():
        for method, operation in operations.items():
            names = re.findall(r"\{(\w+)\}", template)
            usual = {name: places.get(name, quote(NUL)) for name in names}
            path = template.removeprefix(ROOT).format(**usual)
            content = operation.get("requestBody", {}).get("content", {})
            of = content.get("application/json", {}).get("schema")
            body = example(of) if of else None
            yield method, path, body
            for one in operation.get("parameters", ()):
                if one["in"] == "query" and one["schema"].get("type") == "string":
                    yield method, f"{path}?{one['name']}={quote(NUL)}", body
            if body:
                for key in body:  # each text by itself: the first refusal hides the others
                    texts = {name: "a" if value == NUL else value for name, value in body.items()}
                    yield method, path, texts | {key: body[key]}


@pytest.mark.long
def test_no_operation_gives_nul_to_the_database(cast, round, settings):
    settings.API_REQUESTS_PER_MINUTE = 10**9
    submission = pipeline.scored(pipeline.hand_in(cast.alice, cast.red, round))
    for user in (cast.alice, cast.oscar):
        program, n = Program(user), 0
        for method, path, body in requests(str(submission.public_id)):
            assert program.send(method, path, body).status_code < 500, (method, path, body)
            n += 1
        assert n > 300
