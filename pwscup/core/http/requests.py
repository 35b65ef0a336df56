# SPDX-License-Identifier: Apache-2.0
"""Requests as types: what middleware and logins add to Django's class."""

from __future__ import annotations

from typing import TYPE_CHECKING, TypeGuard

from django.http import HttpRequest

if TYPE_CHECKING:
    from datetime import datetime

    from pwscup.accounts.models import AccessToken, User
    from pwscup.api.repeats import Claim


class Arrived(HttpRequest):
    """A request whose arrival is noted, and why its form is unreadable; see `pwscup.submissions.middleware`."""

    arrived_at: datetime
    unreadable: Exception | None


class SignedIn(HttpRequest):
    """A request whose user is known: behind `login_required`, or where visitors have got 404; see `is_signed_in`."""

    user: User


def is_signed_in(request: HttpRequest) -> TypeGuard[SignedIn]:
    return request.user.is_authenticated


class ApiRequest(SignedIn):
    """A request to the API, which acts as the owner of its token."""

    auth: AccessToken
    rate_limit: dict[str, str]
    """Headers that say what is left of the limit per minute."""
    claim: Claim | None
    """Name and digest under which it is carried out once; None without `Idempotency-Key`."""
