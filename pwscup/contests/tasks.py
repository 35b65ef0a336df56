"""What workers run of contests: an interface and nothing more."""

from __future__ import annotations

from django.utils import timezone

from pwscup.celery import app
from pwscup.contests.services import retention


@app.task
def sweep() -> None:
    """Delete the data whose time is over."""
    retention.erase_due(timezone.now())
