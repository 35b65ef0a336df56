"""What workers run of re-scorings: an interface and nothing more."""

from __future__ import annotations

from pwscup.celery import app
from pwscup.core.sending import send_soon
from pwscup.rescores import queue, worker


@app.task
def run(rescore_id: int) -> None:
    """Evaluate a contest again, if it still waits."""
    worker.work_on(rescore_id)


@app.task
def sweep() -> None:
    """Find what was lost, send what was forgotten."""
    queue.sweep()


def send_run(rescore_id: int) -> None:
    """Send the hint that a re-scoring waits; raise soon where the broker does not answer."""
    send_soon(run, rescore_id)
