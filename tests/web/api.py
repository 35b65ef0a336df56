"""A program that calls the API with a token, without cookies."""

from __future__ import annotations

import json
from itertools import count
from typing import Any

from django.test import Client

from pwscup.accounts.models import User
from pwscup.accounts.tokens import create_token

ROOT = "/api/v1"
_numbers = count(1)


class Program:
    """Requests with one token, or with none."""

    def __init__(self, user: User | None = None, *, token: str = "", **headers: str) -> None:
        if user is not None:
            _token, token = create_token(user=user, name=f"program {next(_numbers)}", days=7)
        self.token = token
        given = {"Authorization": f"Bearer {token}"} if token else {}
        self.client = Client(headers=given | headers, enforce_csrf_checks=True)

    def get(self, path: str, **headers: str) -> Any:
        return self.client.get(ROOT + path, headers=headers)

    def post(self, path: str, data: Any, content_type: str = "application/json") -> Any:
        """JSON, or bytes as they are."""
        sent = data if isinstance(data, bytes) else json.dumps(data)
        return self.client.post(ROOT + path, sent, content_type=content_type)


def where(problem: dict[str, Any]) -> dict[str, Any]:
    """Where a problem is, without what is not known of it."""
    return {key: value for key, value in problem["where"].items() if value is not None}


def codes(response: Any) -> list[str]:
    """The codes of a refusal, whose form is checked."""
    body = response.json()
    assert set(body) == {"problems", "n_problems"}
    for problem in body["problems"]:
        assert set(problem) == {"code", "where", "expected", "got", "message"}
        assert problem["message"]
        assert set(problem["where"]) == {"field", "file", "row", "column"}
    return [problem["code"] for problem in body["problems"]]
