"""The audit trail: one function writes it."""

from __future__ import annotations

from typing import Any

from pwscup.core.models import Event


def record(
    kind: str, *, actor: Any = None, contest_id: int | None = None, subject: str = "", **data: Any
) -> Event:
    """Write that `kind` happened; `actor` is a user, or None for the platform itself."""
    known = actor if actor is not None and actor.is_authenticated else None
    return Event.objects.create(
        kind=kind, actor=known, contest_id=contest_id, subject=subject, data=data
    )
