"""What workers run of dry runs: an interface and nothing more."""

from __future__ import annotations

from pwscup.bots import queue, worker
from pwscup.celery import app
from pwscup.core.sending import send_soon


@app.task
def run(rehearsal_id: int) -> None:
    """Play a dry run, if it still waits."""
    worker.work_on(rehearsal_id)


@app.task
def sweep() -> None:
    """Find what was lost, send what was forgotten."""
    queue.sweep()


def send_run(rehearsal_id: int) -> None:
    """Send the hint that a dry run waits; raise soon where the broker does not answer."""
    send_soon(run, rehearsal_id)
