"""What workers run of audits: an interface and nothing more."""

from __future__ import annotations

from pwscup.audits import queue, worker
from pwscup.core.celery_app import app
from pwscup.core.sending import send_soon


@app.task
def run(audit_id: int) -> None:
    """Run an audit, if it still waits."""
    worker.work_on(audit_id)


@app.task
def sweep() -> None:
    """Find what was lost, send what was forgotten."""
    queue.sweep()


def send_run(audit_id: int) -> None:
    """Send the hint that an audit waits; raise soon where the broker does not answer."""
    send_soon(run, audit_id)
