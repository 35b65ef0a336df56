"""What workers run for the platform as a whole."""

from __future__ import annotations

from pwscup.celery import app
from pwscup.core import seals


@app.task
def seal() -> None:
    """Link new events of the audit trail into their chains."""
    seals.sweep()
