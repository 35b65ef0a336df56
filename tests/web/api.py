# SPDX-License-Identifier: Apache-2.0
"""A program that calls the API with a token, without cookies."""

from __future__ import annotations

import json
import re
from collections.abc import Mapping, Sequence
from functools import cache
from itertools import count
from typing import Any

from django.core.files.uploadedfile import SimpleUploadedFile
from django.test import Client

from pwscup.accounts.models import User
from pwscup.accounts.tokens import ORGANIZE, TEAM, create_token
from pwscup.api.views import document
from tests.web import crawler

ROOT = "/api/v1"
NOT_OF_OPERATIONS = (405, 500)
"""Statuses that the document does not describe: there is no such operation, or it has a fault."""
_numbers = count(1)


@cache
def operations() -> list[tuple[re.Pattern[str], dict[str, Any]]]:
    """The operations of the OpenAPI document by a pattern of their address."""
    return [
        (re.compile(re.sub(r"\\{\w+\\}", "[^/]+", re.escape(path)) + "$"), found)
        for path, found in document()["paths"].items()
    ]


def described(method: str, path: str, answer: Any) -> Any:
    """The answer itself, whose status and media type are those of the OpenAPI document."""
    address = ROOT + path.partition("?")[0]
    answers = [
        found[method]["responses"]
        for pattern, found in operations()
        if method in found and pattern.match(address)
    ]
    if not answers or answer.status_code in NOT_OF_OPERATIONS:
        return answer
    known = [one[answer.status_code] for one in answers if answer.status_code in one]
    assert known, (method, path, answer.status_code)
    kinds = {kind for one in known for kind in one.get("content", {})}
    if answer.status_code < 400 and kinds:
        sent = answer.get("Content-Type", "").partition(";")[0]
        assert sent in {kind.partition(";")[0] for kind in kinds}, (method, path, sent, kinds)
    return answer


class Program:
    """Requests with one token, or with none. Every answer must be one that the OpenAPI document describes."""

    def __init__(
        self,
        user: User | None = None,
        *,
        token: str = "",
        scopes: Sequence[str] = (TEAM, ORGANIZE),
        **headers: str,
    ) -> None:
        if user is not None:
            name = f"program {next(_numbers)}"
            _token, token = create_token(user=user, name=name, days=7, scopes=scopes)
        self.token = token
        given = {"Authorization": f"Bearer {token}"} if token else {}
        self.client = Client(headers=given | headers, enforce_csrf_checks=True)

    def get(self, path: str, **headers: str) -> Any:
        return described("get", path, self.client.get(ROOT + path, headers=headers))

    def post(self, path: str, data: Any, content_type: str = "application/json") -> Any:
        """JSON, or bytes as they are."""
        return self.send("post", path, data, content_type)

    def send(
        self,
        method: str,
        path: str,
        data: Any = None,
        content_type: str = "application/json",
        **headers: str,
    ) -> Any:
        """The same by any method; without data there is no body."""
        sent = data if isinstance(data, bytes) else b"" if data is None else json.dumps(data)
        call = getattr(self.client, method)
        answer = call(ROOT + path, sent, content_type=content_type, headers=headers)
        return described(method, path, answer)

    def form(self, path: str, files: Mapping[str, Any], **headers: str) -> Any:
        """A form with texts and files: bytes by field, or lists of pairs of name and bytes."""
        fields: dict[str, Any] = {k: text for k, text in files.items() if isinstance(text, str)}
        for key, data in files.items():
            if key in fields:
                continue
            named = [(f"{key}.csv", data)] if isinstance(data, bytes) else data
            fields[key] = [SimpleUploadedFile(name, one) for name, one in named]
        return described("post", path, self.client.post(ROOT + path, fields, headers=headers))


def read_all(user: User | None, candidates: Mapping[str, Sequence[str]]) -> dict[str, Any]:
    """The answers to a GET of every address of the API, with all that may stand in it, as status and text."""
    program, found = Program(user), {}
    for address in crawler.addresses(candidates):
        if address.startswith("/api/"):
            answer = program.get(address.removeprefix(ROOT))
            body = b"".join(answer.streaming_content) if answer.streaming else answer.content
            headers = "\n".join(f"{key}: {value}" for key, value in answer.items()).encode()
            text = b"\n".join([headers, *crawler.contents(body)])
            found[address.removeprefix(ROOT)] = (answer.status_code, text)
    return found


def where(problem: dict[str, Any]) -> dict[str, Any]:
    """Where a problem is, without what is not known of it."""
    return {key: value for key, value in problem["where"].items() if value is not None}


def codes(response: Any) -> list[str]:
    """The codes of a refusal, whose form is checked."""
    body = response.json()
    assert response["Content-Type"] == "application/problem+json"
    assert set(body) == {"type", "title", "status", "detail", "problems", "n_problems"}
    assert (body["type"], body["status"]) == ("about:blank", response.status_code)
    assert body["title"]
    assert all(problem["message"] in body["detail"] for problem in body["problems"])
    for problem in body["problems"]:
        assert set(problem) == {"code", "where", "expected", "got", "message"}
        assert problem["message"]
        assert set(problem["where"]) == {"field", "file", "row", "column"}
    return [problem["code"] for problem in body["problems"]]
