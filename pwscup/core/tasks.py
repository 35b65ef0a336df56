"""What workers run for the platform as a whole."""

from __future__ import annotations

import contextlib

from celery import shared_task  # our application knows apps that this one must not

from pwscup.core import pulse, seals


@shared_task
def seal() -> None:
    """Link new events of the audit trail into their chains, and say that beat and a worker live."""
    with contextlib.suppress(OSError):  # `doctor` says what is wrong with the folder
        pulse.beat()
    seals.sweep()
