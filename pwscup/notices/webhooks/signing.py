# SPDX-License-Identifier: Apache-2.0
"""Signatures of this installation: calls of webhooks, and links to unsubscribe."""

from __future__ import annotations

import hashlib
import hmac
from typing import TYPE_CHECKING

from django.core import signing
from django.utils.crypto import salted_hmac

if TYPE_CHECKING:
    from pwscup.notices.models import Webhook

UNSUBSCRIBE = "pwscup.notices.unsubscribe"


def secret_of(webhook: Webhook) -> str:
    """The webhook's secret: derived from the site's key, so that the database by itself does not reveal it."""
    return salted_hmac("pwscup.notices.webhook", webhook.salt, algorithm="sha256").hexdigest()


def signature(secret: str, timestamp: str, body: bytes) -> str:
    """The signature over timestamp, full stop and body, which the receiver recomputes.

    >>> signature("secret", "1700000000", b"{}")[:19]
    'sha256=b8569b78799f'
    """
    message = timestamp.encode() + b"." + body
    return "sha256=" + hmac.new(secret.encode(), message, hashlib.sha256).hexdigest()


def unsubscribe_token(user_id: int, contest_id: int) -> str:
    return signing.Signer(salt=UNSUBSCRIBE).sign_object([user_id, contest_id])


def unsubscribed(token: str) -> tuple[int, int] | None:
    """User and contest of a token; None if it is not valid."""
    try:
        user_id, contest_id = signing.Signer(salt=UNSUBSCRIBE).unsign_object(token)
    except (signing.BadSignature, ValueError, TypeError):
        return None
    return user_id, contest_id
