"""What workers run for the platform as a whole."""

from __future__ import annotations

from celery import shared_task  # our application knows apps that this one must not

from pwscup.core import seals


@shared_task
def seal() -> None:
    """Link new events of the audit trail into their chains."""
    seals.sweep()
