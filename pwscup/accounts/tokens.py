# SPDX-License-Identifier: Apache-2.0
"""Personal access tokens: shown once, recognized by their hash, ended by expiry or revocation."""

from __future__ import annotations

import hashlib
import secrets
from datetime import timedelta
from typing import TYPE_CHECKING, Any

from django.db import transaction
from django.utils import timezone
from django.utils.translation import gettext_lazy as _

from pwscup.accounts.models import AccessToken, User
from pwscup.core.audit_log import record
from pwscup.core.texts.refusals import RefusedByCode

if TYPE_CHECKING:
    from collections.abc import Collection
    from datetime import datetime

    from django.db.models import QuerySet

PREFIX = "pwscup_"
"""Lets secret scanners recognize a token."""
MAX_TOKENS = 10
LIFETIMES = (7, 30, 90, 365)
"""In days."""
READ, TEAM, ORGANIZE = "read", "team", "organize"
SCOPES = {
    TEAM: _("Act for a team: submit, ask, manage the team"),
    ORGANIZE: _("Act as an organizer"),
}
"""Permissions of a token in addition to reading."""
SEEN_EVERY = timedelta(minutes=1)
"""The row is updated at most this often, however often the token is used."""
REASONS = {
    "token.too_many": _("You have %(expected)s tokens. Revoke one that you no longer need."),
    "token.name_taken": _(
        "You already have a token with this name. Revoke it, or choose another name."
    ),
}


class TokenRefused(RefusedByCode):
    """A token that is not created."""

    TEXTS = REASONS


def live_tokens(user: User, now: datetime) -> QuerySet[AccessToken]:
    """The valid tokens, the newest first."""
    return user.access_tokens.filter(revoked_at=None, expires_at__gt=now)


@transaction.atomic
def create_token(
    *, user: User, name: str, days: int, scopes: Collection[str] = (TEAM,)
) -> tuple[AccessToken, str]:
    """A token that is valid for this number of days, and its text, which cannot be shown again."""
    person = User.objects.select_for_update().get(pk=user.pk)
    now = timezone.now()
    live = live_tokens(person, now)
    if live.filter(name=name).exists():
        raise TokenRefused("token.name_taken")
    if live.count() >= MAX_TOKENS:
        raise TokenRefused("token.too_many", expected=MAX_TOKENS)
    text = PREFIX + secrets.token_urlsafe(32)
    token = AccessToken.objects.create(
        user=person,
        name=name,
        digest=digest_of(text),
        scope=" ".join(scope for scope in SCOPES if scope in scopes),
        created_at=now,
        expires_at=now + timedelta(days=days),
    )
    _record(
        "account.token_created", token, expires_at=token.expires_at.isoformat(), scope=token.scope
    )
    return token, text


@transaction.atomic
def revoke_token(*, token: AccessToken) -> None:
    """Revoke a token; no effect if it has ended."""
    now = timezone.now()
    if AccessToken.objects.filter(pk=token.pk, revoked_at=None).update(revoked_at=now):
        _record("account.token_revoked", token)


def revoke_all(user: User) -> None:
    """Revoke every token of a user."""
    for token in live_tokens(user, timezone.now()):
        revoke_token(token=token)


def token_by_text(text: str, now: datetime) -> AccessToken | None:
    """The valid token with this text, or None; records that it was used."""
    found = AccessToken.objects.select_related("user").filter(
        digest=digest_of(text), revoked_at=None, expires_at__gt=now, user__is_active=True
    )
    if (token := found.first()) is None:
        return None
    if token.last_used_at is None or token.last_used_at < now - SEEN_EVERY:
        AccessToken.objects.filter(pk=token.pk).update(last_used_at=now)
    return token


def scope_text(token: AccessToken) -> str:
    """The permissions of a token, in words."""
    chosen = [str(words) for scope, words in SCOPES.items() if scope in token.all_scopes]
    return " · ".join(chosen) or str(_("only reading"))


def digest_of(text: str) -> str:
    """A token has as much entropy as its hash, so a fast hash is enough."""
    return hashlib.sha256(text.encode("utf-8", "surrogateescape")).hexdigest()


def _record(kind: str, token: AccessToken, **data: Any) -> None:
    record(kind, actor=token.user, subject=f"user {token.user_id}", token=token.pk, **data)
