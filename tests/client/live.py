# SPDX-License-Identifier: Apache-2.0
"""Clients of people on the live server of a test."""

from __future__ import annotations

from itertools import count
from typing import Any

from pwscup.accounts.models import User
from pwscup.accounts.tokens import ORGANIZE, TEAM, create_token
from pwscup.client import Client
from pwscup.submissions.models import Submission
from tests.web import pipeline

_numbers = count(1)


def token_of(user: User) -> str:
    name = f"laptop {next(_numbers)}"
    _token, text = create_token(user=user, name=name, days=7, scopes=(TEAM, ORGANIZE))
    return text


def client_of(user: User, live_server: Any, **options: Any) -> Client:
    return Client(live_server.url, token_of(user), progress=False, **options)


def score_all() -> None:
    """Score what waits, as a worker would."""
    for one in Submission.objects.filter(state="waiting"):
        pipeline.scored(one)
