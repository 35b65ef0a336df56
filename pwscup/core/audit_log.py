"""The audit trail: one function writes it."""

from __future__ import annotations

from typing import Any

from pwscup.core.db import revisions
from pwscup.core.models import Event

CHANGES_NOTHING = frozenset({"truth.read", "submission.annotated"})
"""Events that no board depends on, and that are many."""
RESULTS = frozenset(f"submission.{state}" for state in ("received", "scored", "rejected", "failed"))
"""Events that add results, and are many; boards may show them a little later, see `revisions`."""


def record(
    kind: str, *, actor: Any = None, contest_id: int | None = None, subject: str = "", **data: Any
) -> Event:
    """Write that `kind` happened; `actor` is a user, or None for the platform itself."""
    known = actor if actor is not None and actor.is_authenticated else None
    event = Event.objects.create(
        kind=kind, actor=known, contest_id=contest_id, subject=subject, data=data
    )
    if contest_id is not None and kind not in CHANGES_NOTHING:
        # Last: from now on others of the contest wait for this one.
        revisions.touch(contest_id, is_result=kind in RESULTS)
    return event
