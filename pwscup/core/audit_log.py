# SPDX-License-Identifier: Apache-2.0
"""The audit log: the only function that writes it."""

from __future__ import annotations

from typing import Any

from pwscup.core.db import revisions
from pwscup.core.db.prepared import insert
from pwscup.core.models import Event

CHANGES_NOTHING = frozenset({"truth.read", "submission.annotated"})
"""Frequent events that no board depends on."""
RESULTS = frozenset(f"submission.{state}" for state in ("received", "scored", "rejected", "failed"))
"""Frequent events that add results; boards may show them with a delay, see `revisions`."""


def record(
    kind: str, *, actor: Any = None, contest_id: int | None = None, subject: str = "", **data: Any
) -> Event:
    """Record that `kind` happened; `actor` is a user, or None for the platform itself."""
    known = actor if actor is not None and actor.is_authenticated else None
    event = Event(kind=kind, actor=known, contest_id=contest_id, subject=subject, data=data)
    insert(event)
    if contest_id is not None and kind not in CHANGES_NOTHING:
        # Last: other transactions of the contest wait for this row from now on.
        revisions.touch(contest_id, is_result=kind in RESULTS)
    return event
