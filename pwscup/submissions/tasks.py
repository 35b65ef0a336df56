"""What workers run: an interface to `queue`, `evaluation` and `sweeper`, and nothing more."""

from __future__ import annotations

from pwscup.celery import app
from pwscup.submissions import sweeper, worker

# A request waits for the broker's answer: twice at most this long, where the broker is silent.
PATIENCE_SECONDS = 1


@app.task
def score(submission_id: int) -> None:
    """Score a submission, if it still waits."""
    worker.work_on(submission_id)


@app.task
def sweep() -> None:
    """Find what was lost, send what was forgotten, publish what is due."""
    sweeper.sweep()


def send_score(submission_id: int) -> None:
    """Send the hint that a submission waits; raise soon where the broker does not answer."""
    if app.conf.task_always_eager:
        score.apply_async([submission_id])
        return
    limits = {"socket_timeout": PATIENCE_SECONDS, "socket_connect_timeout": PATIENCE_SECONDS}
    with app.connection_for_write(
        connect_timeout=PATIENCE_SECONDS, transport_options=limits
    ) as connection:
        score.apply_async([submission_id], connection=connection, retry=False)
