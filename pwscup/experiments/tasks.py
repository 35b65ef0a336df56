"""What workers run of experiments: an interface and nothing more."""

from __future__ import annotations

from pwscup.core.celery_app import app
from pwscup.core.clock import read_db_clock
from pwscup.core.sending import send_soon
from pwscup.experiments import queue, worker


@app.task
def run(experiment_id: int) -> None:
    """Run an experiment, if it still waits."""
    worker.work_on(experiment_id)


@app.task
def sweep() -> None:
    """Find what was lost, send what was forgotten."""
    queue.sweep(read_db_clock())


def send_run(experiment_id: int) -> None:
    """Send the hint that an experiment waits; raise soon where the broker does not answer."""
    send_soon(run, experiment_id)
