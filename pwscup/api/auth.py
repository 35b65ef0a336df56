"""Authentication of API requests by the token in the header only; cookies are not read."""

from __future__ import annotations

import time
from typing import TYPE_CHECKING

from django.conf import settings
from django.core.cache import cache
from django.utils import timezone
from ninja.errors import Throttled
from ninja.security import HttpBearer

from pwscup.accounts.tokens import token_by_text

if TYPE_CHECKING:
    from django.http import HttpRequest

    from pwscup.accounts.models import AccessToken

MAX_TOKEN_LENGTH = 200
MINUTE = 60


class TokenAuth(HttpBearer):
    """`Authorization: Bearer <token>`; the request then acts as the token's owner."""

    def authenticate(self, request: HttpRequest, token: str) -> AccessToken | None:
        known = len(token) <= MAX_TOKEN_LENGTH and token_by_text(token, timezone.now())
        if not known:
            return None
        count_request(known.digest)
        request.user = known.user
        return known


def count_request(digest: str) -> None:
    """Count a token's requests per minute: one number in the cache, for any kind of request.

    Raises
    ------
    Throttled
        The limit per minute is reached.
    """
    minute, second = divmod(int(time.time()), MINUTE)
    key = f"api:{digest}:{minute}"
    cache.add(key, 0, 2 * MINUTE)
    try:
        n_requests = cache.incr(key)
    except ValueError:  # a full cache has evicted it in the meantime
        return
    if n_requests > settings.API_REQUESTS_PER_MINUTE:
        raise Throttled(wait=MINUTE - second)
