"""What makes every loss temporary: it looks at the rows alone and may run anywhere, any number of times."""

from __future__ import annotations

from datetime import datetime, timedelta

from django.conf import settings
from django.db.models import Q
from django.utils import timezone

from pwscup.submissions import queue, releases
from pwscup.submissions.models import Submission
from pwscup.submissions.states import State


def sweep(now: datetime | None = None) -> None:
    """Take back what silent workers hold, send what waits unsent, publish what is due."""
    now = now or timezone.now()
    take_back_expired(now)
    resend_forgotten(now)
    releases.publish_due(now)


def take_back_expired(now: datetime) -> int:
    """Let everything wait again whose lease has run out."""
    expired = Submission.objects.filter(state=State.RUNNING, lease_until__lt=now)
    return sum(queue.take_back(pk, fence) for pk, fence in expired.values_list("pk", "fence"))


def resend_forgotten(now: datetime) -> int:
    """Tell the broker again of what waits though it was told long ago, or never."""
    long_ago = now - timedelta(seconds=settings.RESEND_SECONDS)
    forgotten = Submission.objects.filter(
        Q(sent_at=None) | Q(sent_at__lt=long_ago), state=State.WAITING
    )
    sent = 0
    for pk, sent_at in forgotten.order_by("arrived_at", "id").values_list("pk", "sent_at"):
        # Of two sweepers that see the row, the one that moves its time sends it.
        moved = Submission.objects.filter(pk=pk, state=State.WAITING, sent_at=sent_at)
        if moved.update(sent_at=now):
            if not queue.announce(pk):
                break  # the broker is away; the rest would wait for its silence one by one
            sent += 1
    return sent
