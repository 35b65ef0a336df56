"""What makes every loss temporary: it looks at the rows alone and may run anywhere, any number of times."""

from __future__ import annotations

from datetime import datetime

from django.utils import timezone

from pwscup.core import jobs
from pwscup.submissions import draws, inflight, queue, releases
from pwscup.submissions.models import Submission


def sweep(now: datetime | None = None) -> None:
    """Take back what silent workers hold, send what waits unsent, publish and draw what is due."""
    now = now or timezone.now()
    take_back_expired(now)
    resend_forgotten(now)
    inflight.note_complete(now)
    releases.publish_due(now)
    draws.draw_due(now)


def take_back_expired(now: datetime) -> int:
    """Let everything wait again whose lease has run out."""
    expired = jobs.expired(Submission, now)
    return sum(jobs.take_back(claim, queue.finish_failed) for claim in expired)


def resend_forgotten(now: datetime) -> int:
    """Tell the broker again of what waits though it was told long ago, or never."""
    return jobs.resend_forgotten(Submission, now, queue.announce)
