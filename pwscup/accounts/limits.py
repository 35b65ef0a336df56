# SPDX-License-Identifier: Apache-2.0
"""Limits on wrong guesses at codes, by the visitor's network address; see `ACCOUNT_RATE_LIMITS`.

allauth's decorator leaves GET requests uncounted, but the page of a code is opened by GET.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from allauth.core.internal import ratelimit

if TYPE_CHECKING:
    from django.http import HttpRequest, HttpResponse

APP = "allauth.account"


def is_exhausted(request: HttpRequest, action: str) -> bool:
    """No further request of this kind is answered now, so that a right guess cannot be distinguished either."""
    left = ratelimit.consume(request, app=APP, action=action, dry_run=True, limit_get=True)
    return left is None


def count(request: HttpRequest, action: str) -> None:
    """Count a wrong guess."""
    ratelimit.consume(request, app=APP, action=action, limit_get=True)


def refusal(request: HttpRequest) -> HttpResponse:
    """The page with status 429."""
    return ratelimit.respond_429(request)
