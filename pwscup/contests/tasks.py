"""What workers run of contests: an interface and nothing more."""

from __future__ import annotations

from celery import shared_task  # our application knows apps that this one must not
from django.utils import timezone

from pwscup.contests.services import retention


@shared_task
def sweep() -> None:
    """Delete the data whose time is over."""
    retention.erase_due(timezone.now())
