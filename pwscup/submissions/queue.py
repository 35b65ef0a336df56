"""The row is the job: who may work on it, for how long, and whose result is taken.

A message to the broker is only a hint that a row waits. A worker claims the row with a conditional
update, holds it by a lease that it renews, and writes its result only while the fencing number it
was given still stands. So a dead worker, a lost message and a message delivered twice change nothing
but the time it takes.
"""

from __future__ import annotations

import logging
import secrets
from collections.abc import Sequence
from dataclasses import dataclass
from datetime import timedelta
from typing import Any

from django.conf import settings
from django.db import transaction
from django.db.models import F
from django.utils import timezone

from pwscup.core import audit
from pwscup.submissions.models import Evaluation, Submission
from pwscup.submissions.states import State

logger = logging.getLogger(__name__)

MAX_ATTEMPTS = 3
ALPHABET = "23456789abcdefghjkmnpqrstuvwxyz"


@dataclass(frozen=True, slots=True)
class Claim:
    """One worker's right to one submission: worth something while `fence` is the row's."""

    submission_id: int
    fence: int


def lease() -> timedelta:
    return timedelta(seconds=settings.SCORING_LEASE_SECONDS)


# Sending


def announce(submission_id: int) -> bool:
    """Tell the broker that a row waits; where it cannot be told, the sweeper will try again."""
    from pwscup.submissions import tasks  # the tasks import this module

    try:
        tasks.send_score(submission_id)
    except Exception as error:  # whatever is wrong with the broker, the upload is safe in its row
        logger.warning("broker not told of submission %s: %s", submission_id, type(error).__name__)
        Submission.objects.filter(pk=submission_id, state=State.WAITING).update(sent_at=None)
        return False
    return True


# Working


def claim(submission_id: int) -> Claim | None:
    """Take a waiting submission; None where it does not wait: taken, finished or withdrawn."""
    waiting = Submission.objects.filter(pk=submission_id, state=State.WAITING)
    with transaction.atomic():
        taken = waiting.update(
            state=State.RUNNING,
            fence=F("fence") + 1,
            attempts=F("attempts") + 1,
            lease_until=timezone.now() + lease(),
        )
        if not taken:
            return None
        fence = Submission.objects.values_list("fence", flat=True).get(pk=submission_id)
    return Claim(submission_id, fence)


def _held(claim: Claim) -> Any:
    return Submission.objects.filter(pk=claim.submission_id, state=State.RUNNING, fence=claim.fence)


def renew(claim: Claim) -> bool:
    """Extend the lease; False where the claim is worth nothing any more."""
    return bool(_held(claim).update(lease_until=timezone.now() + lease()))


def finish_scored(claim: Claim, **evaluation: Any) -> bool:
    """Write a result, if the claim still holds."""
    with transaction.atomic():
        if not _finish(claim, State.SCORED):
            return False
        Evaluation.objects.create(
            submission_id=claim.submission_id, fence=claim.fence, **evaluation
        )
    return True


def finish_rejected(claim: Claim, problems: Sequence[dict[str, Any]], n_problems: int) -> bool:
    """Write what is wrong with the files, if the claim still holds."""
    return _finish(claim, State.REJECTED, problems=list(problems), n_problems=n_problems)


def finish_failed(claim: Claim, reference: str) -> bool:
    """Write that we failed, with a reference to the log, if the claim still holds."""
    return _finish(claim, State.FAILED, reference=reference)


def _finish(claim: Claim, state: str, **fields: Any) -> bool:
    with transaction.atomic():
        done = _held(claim).update(
            state=state, finished_at=timezone.now(), lease_until=None, **fields
        )
        if done:
            _record(claim.submission_id, state)
        else:
            logger.warning(
                "late result of submission %s refused: claim %s no longer holds",
                claim.submission_id,
                claim.fence,
            )
    return bool(done)


def _record(submission_id: int, state: str) -> None:
    submission = Submission.objects.select_related("round").get(pk=submission_id)
    audit.record(
        f"submission.{state}",
        contest_id=submission.round.contest_id,
        subject=str(submission.public_id),
        attempt=submission.attempts,
        **({"reference": submission.reference} if submission.reference else {}),
    )


def new_reference() -> str:
    """Ten characters that lead from a page to the log, none that looks like another."""
    return "".join(secrets.choice(ALPHABET) for _ in range(10))


# Taking back


def withdraw(submission_id: int) -> bool:
    """Cancel a submission that waits; False where a worker was faster."""
    waiting = Submission.objects.filter(pk=submission_id, state=State.WAITING)
    return bool(waiting.update(state=State.CANCELLED, finished_at=timezone.now()))


def take_back(submission_id: int, fence: int) -> bool:
    """Let a submission wait again whose worker went silent; after the last attempt it has failed."""
    claim = Claim(submission_id, fence)
    expired = _held(claim).filter(lease_until__lt=timezone.now())
    with transaction.atomic():
        submission = expired.select_for_update().first()  # a lease renewed meanwhile is a lease
        if submission is None:
            return False
        if submission.attempts < MAX_ATTEMPTS:
            _held(claim).update(state=State.WAITING, lease_until=None, sent_at=None)
            logger.warning("submission %s taken back from a silent worker", submission_id)
            return True
        reference = new_reference()
        logger.error(
            "submission %s failed [%s]: its worker went silent in each of %s attempts",
            submission_id,
            reference,
            MAX_ATTEMPTS,
        )
        return finish_failed(claim, reference)
