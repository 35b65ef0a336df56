# SPDX-License-Identifier: Apache-2.0
"""Authentication of API requests by the token in the header only; cookies are not read."""

from __future__ import annotations

import time
from typing import TYPE_CHECKING, cast

from django.conf import settings
from django.core.cache import cache
from django.utils import timezone
from ninja.errors import Throttled
from ninja.security import HttpBearer

from pwscup.accounts.tokens import ORGANIZE, READ, TEAM, token_by_text
from pwscup.api import repeats
from pwscup.api.operations import PREFIX
from pwscup.api.problems import ApiRefused

if TYPE_CHECKING:
    from django.http import HttpRequest

    from pwscup.accounts.models import AccessToken
    from pwscup.core.http.requests import ApiRequest

MAX_TOKEN_LENGTH = 200
MINUTE = 60
ORGANIZING = f"{PREFIX}/organize"


class TokenAuth(HttpBearer):
    """`Authorization: Bearer <token>`; the request then acts as the token's owner, as far as the token's scopes go."""

    def authenticate(self, request: HttpRequest, token: str) -> AccessToken | None:
        known = len(token) <= MAX_TOKEN_LENGTH and token_by_text(token, timezone.now())
        if not known:
            return None
        count_request(cast("ApiRequest", request), known.digest)
        needed = scope_of(request.method or "", request.path_info)
        if needed not in known.all_scopes:
            raise ApiRefused("token.scope", expected=needed, got=", ".join(known.all_scopes))
        request.user = known.user
        cast("ApiRequest", request).claim = repeats.claim(request, known.user_id)
        return known


def scope_of(method: str, path: str) -> str:
    """The scope that a request needs: whatever is below `/organize` is for organizers."""
    if is_for_organizers(path):
        return ORGANIZE
    return READ if method in ("GET", "HEAD") else TEAM


def is_for_organizers(path: str) -> bool:
    return path == ORGANIZING or path.startswith(f"{ORGANIZING}/")


def count_request(request: ApiRequest, digest: str) -> None:
    """Count a token's requests per minute, of any kind, by one number in the cache; `rate_limit` of the request becomes
    the headers that say what is left.

    Raises
    ------
    Throttled
        The limit per minute is reached.
    """
    minute, second = divmod(int(time.time()), MINUTE)
    key, limit = f"api:{digest}:{minute}", settings.API_REQUESTS_PER_MINUTE
    cache.add(key, 0, 2 * MINUTE)
    try:
        n_requests = cache.incr(key)
    except ValueError:  # a full cache has evicted it in the meantime
        n_requests = 1
    request.rate_limit = {
        "RateLimit-Limit": str(limit),
        "RateLimit-Remaining": str(max(0, limit - n_requests)),
        "RateLimit-Reset": str(MINUTE - second),
    }
    if n_requests > limit:
        raise Throttled(wait=MINUTE - second)
