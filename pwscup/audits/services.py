"""Asking for an audit, and asking again where it failed."""

from __future__ import annotations

from functools import partial
from typing import TYPE_CHECKING

from django.db import transaction
from django.utils import timezone

from pwscup.audits import queue
from pwscup.audits.models import Audit
from pwscup.core import audit as trail

if TYPE_CHECKING:
    from pwscup.accounts.models import User
    from pwscup.submissions.models import Submission


def request_audit(*, user: User, submission: Submission) -> Audit:
    """The audit of a submission: the one that there is, or a new one; a failed one waits again."""
    with transaction.atomic():
        audit, is_new = Audit.objects.select_for_update().get_or_create(
            submission=submission, defaults={"requested_by": user, "sent_at": timezone.now()}
        )
        waits_again = not is_new and audit.state == Audit.State.FAILED
        if waits_again:
            audit.state, audit.sent_at = Audit.State.WAITING, timezone.now()
            audit.attempts, audit.reference, audit.requested_by = 0, "", user
            audit.save()
        if is_new or waits_again:
            trail.record(
                "audit.requested",
                actor=user,
                contest_id=submission.round.contest_id,
                subject=str(submission.public_id),
            )
            transaction.on_commit(partial(queue.announce, audit.pk))
    return audit
