"""What workers run of final reports: an interface and nothing more."""

from __future__ import annotations

from pwscup.celery import app
from pwscup.core.sending import send_soon
from pwscup.reports import queue, worker


@app.task
def run(report_id: int) -> None:
    """Write a report, if it still waits."""
    worker.work_on(report_id)


@app.task
def sweep() -> None:
    """Find what was lost, send what was forgotten."""
    queue.sweep()


def send_run(report_id: int) -> None:
    """Send the hint that a report waits; raise soon where the broker does not answer."""
    send_soon(run, report_id)
