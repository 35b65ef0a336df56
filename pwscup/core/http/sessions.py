# SPDX-License-Identifier: Apache-2.0
"""Sessions in the database under the hash of their keys: a copy of the table does not open a session."""

from __future__ import annotations

import hashlib
from datetime import datetime
from typing import TYPE_CHECKING, Any

from django.contrib.sessions.backends import db
from django.contrib.sessions.backends.base import UpdateError
from django.contrib.sessions.models import Session
from django.db import OperationalError
from django.utils import timezone

from pwscup.core.db.prepared import Prepared

if TYPE_CHECKING:
    from django.db.models import QuerySet

LENGTH = 40  # of the column; 160 bits, more than a key has


def hashed(key: str | None) -> str | None:
    """The database key of a session."""
    return key and hashlib.sha256(key.encode()).hexdigest()[:LENGTH]


def _live(key: str, now: datetime) -> QuerySet[Session]:
    return Session.objects.filter(session_key=key, expire_date__gt=now).order_by()


_LIVE = Prepared(_live, str, datetime)


class SessionStore(db.SessionStore):
    """Django's sessions; only the browser has the key."""

    def _get_session_from_db(self) -> Any:
        found = _LIVE.first(hashed(self.session_key) or "", timezone.now())
        if found is None:
            self._session_key = None
        return found

    def exists(self, session_key: str) -> bool:
        return super().exists(hashed(session_key) or "")

    def create_model_instance(self, data: dict[str, Any]) -> Any:
        session = super().create_model_instance(data)
        session.session_key = hashed(session.session_key) or ""
        return session

    def save(self, must_create: bool = False) -> None:
        """Save; an unavailable database is not reported as a deleted session, as Django would do."""
        try:
            super().save(must_create)
        except UpdateError as error:
            if isinstance(error.__context__, OperationalError):
                raise error.__context__ from None
            raise

    def delete(self, session_key: str | None = None) -> None:
        key = session_key or self.session_key
        if key is not None:
            super().delete(hashed(key))
