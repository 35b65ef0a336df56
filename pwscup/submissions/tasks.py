"""What workers run: an interface to `queue`, `evaluation` and `sweeper`, and nothing more."""

from __future__ import annotations

from django.utils import timezone

from pwscup.core.celery_app import app
from pwscup.core.sending import send_soon
from pwscup.submissions import sweeper, worker


@app.task
def score(submission_id: int) -> None:
    """Score a submission, if it still waits."""
    worker.work_on(submission_id)


@app.task
def sweep() -> None:
    """Find what was lost, send what was forgotten, publish what is due."""
    sweeper.sweep()


@app.task
def drop_refused() -> None:
    """Delete the bytes of refused files that nothing needs any more."""
    sweeper.drop_refused(timezone.now())


def send_score(submission_id: int) -> None:
    """Send the hint that a submission waits; raise soon where the broker does not answer."""
    send_soon(score, submission_id)
