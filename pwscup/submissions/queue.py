"""Submissions as jobs: what `core.jobs` says of every row, and what is written when one ends."""

from __future__ import annotations

import hashlib
import logging
from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any

from django.conf import settings
from django.db import transaction
from django.utils import timezone

from pwscup.core import audit
from pwscup.core.db.prepared import Prepared
from pwscup.core.jobs import rows as jobs
from pwscup.core.jobs.rows import Claim
from pwscup.submissions.models import TOO_SLOW, Evaluation, Submission
from pwscup.submissions.states import State
from scoring.errors import Problem

if TYPE_CHECKING:
    from django.db.models import QuerySet

CONTEST, RULES = "round__contest", "round__contest__ruleset_text"
logger = logging.getLogger(__name__)


def announce(submission_id: int) -> bool:
    """Tell the broker that a submission waits."""
    from pwscup.submissions import tasks  # the tasks import this module

    return jobs.announce(Submission, submission_id, tasks.send_score)


def claim(submission_id: int) -> Claim | None:
    """Take a waiting submission; None where it does not wait: taken, finished or withdrawn."""
    return jobs.claim(Submission, submission_id)


def finish_scored(claim: Claim, **evaluation: Any) -> bool:
    """Write a result, if the claim still holds; one by rules that were changed meanwhile is made anew."""
    with transaction.atomic():
        row = _named(claim)
        if hashlib.sha256(row[RULES].encode()).hexdigest() != evaluation["ruleset_digest"]:
            logger.info("%s waits again: the rules were changed", claim.name)
            jobs.give_back(claim)
            return False
        if not jobs.finish(claim, State.SCORED):
            return False
        _record(row, State.SCORED)
        Evaluation.objects.create(submission_id=claim.pk, fence=claim.fence, **evaluation)
    return True


def finish_rejected(claim: Claim, problems: Sequence[dict[str, Any]], n_problems: int) -> bool:
    """Write what is wrong with the files, if the claim still holds."""
    return _finish(claim, State.REJECTED, problems=list(problems), n_problems=n_problems)


def finish_failed(claim: Claim, reference: str) -> bool:
    """Write that we failed, with a reference to the log, if the claim still holds."""
    return _finish(claim, State.FAILED, reference=reference)


def finish_overdue(claim: Claim, reference: str, is_busy: bool) -> bool:
    """What took longer than it may waits again; after the last attempt it is decided, if the claim still holds.

    Where it was computing all the time, the files are at fault; else the machine did other things.
    """
    if jobs.try_again(claim):
        return False
    if not is_busy:
        return finish_failed(claim, reference)
    limit, n = round(settings.SCORING_TIME_LIMIT), jobs.MAX_ATTEMPTS
    problem = Problem(TOO_SLOW, {"expected": limit, "n": n})
    return finish_rejected(claim, [problem.to_dict()], 1)


def _finish(claim: Claim, state: str, **fields: Any) -> bool:
    return jobs.finish_and(claim, state, lambda claim: _record(_named(claim), state), **fields)


def _named(claim: Claim) -> dict[str, Any]:
    """What the audit trail says of a submission, and the rules that hold now."""
    row = _NAMED.first(claim.pk)
    if row is None:
        raise Submission.DoesNotExist
    return row


def _named_by(pk: int) -> QuerySet[Submission, Any]:
    named = Submission.objects.filter(pk=pk).order_by()
    return named.values(CONTEST, RULES, "public_id", "attempts", "reference")


_NAMED = Prepared(_named_by, int)


def _record(row: Mapping[str, Any], state: str) -> None:
    audit.record(
        f"submission.{state}",
        contest_id=row[CONTEST],
        subject=str(row["public_id"]),
        attempt=row["attempts"],
        **({"reference": row["reference"]} if row["reference"] else {}),
    )


def withdraw(submission_id: int) -> bool:
    """Cancel a submission that waits; False where a worker was faster. Who sends its form again means it."""
    waiting = Submission.objects.filter(pk=submission_id, state=State.WAITING)
    withdrawn = {"state": State.CANCELLED, "finished_at": timezone.now(), "sent_as": ""}
    return bool(waiting.update(**withdrawn))
