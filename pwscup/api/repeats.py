# SPDX-License-Identifier: Apache-2.0
"""Requests that are sent again with the same `Idempotency-Key`: carried out once, answered each time."""

from __future__ import annotations

import hashlib
from dataclasses import dataclass
from typing import TYPE_CHECKING

from django.core.cache import cache
from django.http import HttpResponse

from pwscup.api.problems import ApiRefused

if TYPE_CHECKING:
    from django.http import HttpRequest

HEADER = "Idempotency-Key"
REPLAYED = "Idempotency-Replayed"
KEPT_SECONDS = 24 * 60 * 60
CLAIM_SECONDS = 5 * 60
"""A request that has no answer after this time, as its process ended, may be sent again."""
MOST_BYTES = 256 * 1024
JSON = "application/json"
OWN: set[str] = set()
"""The addresses of operations that keep the key with what they made: it holds for good there."""


@dataclass(frozen=True, slots=True)
class Claim:
    """A request that is being carried out under a key, and the digest of what it asks for."""

    name: str
    digest: str


class Repeated(Exception):  # noqa: N818 — not an error of the program
    """The request was carried out before: `response` is its answer."""

    def __init__(self, response: HttpResponse) -> None:
        super().__init__()
        self.response = response


def claim(request: HttpRequest, user_id: int) -> Claim | None:
    """Note that a user's request is being carried out; None where it has no key, or keeps it itself.

    Raises
    ------
    Repeated
        It was carried out before.
    ApiRefused
        It is being carried out, or the key was used for another request.
    """
    key, match = request.headers.get(HEADER), request.resolver_match
    if request.method != "POST" or not key or (match is not None and match.url_name in OWN):
        return None
    name = "api-repeat:" + hashlib.sha256(f"{user_id} {key}".encode()).hexdigest()
    made = Claim(name, _digest(request))
    if cache.add(name, [made.digest], CLAIM_SECONDS):
        return made
    digest, *answer = cache.get(name) or [made.digest]
    if digest != made.digest:
        raise ApiRefused("request.key_used")
    if not answer:
        raise ApiRefused("request.in_progress")
    status, body = answer
    response = HttpResponse(body, status=status, content_type=JSON)
    response[REPLAYED] = "true"
    raise Repeated(response)


def settle(claimed: Claim, response: HttpResponse) -> None:
    """Keep the answer of what was carried out; a refused request may be sent again, corrected or not."""
    is_kept = 200 <= response.status_code < 300 and not response.streaming
    if not is_kept or len(response.content) > MOST_BYTES:
        cache.delete(claimed.name)
        return
    answer = [claimed.digest, response.status_code, response.content.decode()]
    cache.set(claimed.name, answer, KEPT_SECONDS)


def _digest(request: HttpRequest) -> str:
    """Of address and body; of a file only its type and length count, as it is read piece by piece."""
    is_text = request.content_type == JSON
    body = request.body if is_text else request.META.get("CONTENT_LENGTH", "").encode()
    about = f"{request.get_full_path()} {request.content_type} ".encode()
    return hashlib.sha256(about + body).hexdigest()
