# SPDX-License-Identifier: Apache-2.0
"""Submissions as jobs: values, problems or a failure, and their events in the audit trail."""

from __future__ import annotations

import dataclasses
import hashlib
import logging
from collections.abc import Callable, Mapping, Sequence
from typing import TYPE_CHECKING, Any

from django.conf import settings
from django.db import transaction
from django.utils import timezone

from pwscup.core import audit_log, jobs
from pwscup.core.db.prepared import Prepared, insert
from pwscup.core.jobs import Claim, job
from pwscup.submissions.models import TOO_SLOW, Evaluation, Submission
from pwscup.submissions.states import State
from scoring.errors import Problem, ProblemsFound, ScorerError

if TYPE_CHECKING:
    from django.db.models import QuerySet

CONTEST, RULES = "round__contest", "round__contest__ruleset_text"
logger = logging.getLogger(__name__)


# Results


def finish_scored(claim: Claim, **evaluation: Any) -> bool:
    """Write a result, if the claim is still valid; after a change of the rules the submission waits again."""
    with transaction.atomic():
        row = _named(claim)
        if hashlib.sha256(row[RULES].encode()).hexdigest() != evaluation["ruleset_digest"]:
            logger.info("%s waits again: the rules were changed", claim.name)
            jobs.give_back(claim)
            return False
        if not jobs.finish(claim, State.SCORED):
            return False
        _record(row, State.SCORED)
        insert(Evaluation(submission_id=claim.pk, fence=claim.fence, **evaluation))
    return True


def finish_rejected(claim: Claim, problems: Sequence[Problem], n_problems: int) -> bool:
    """Write the problems of the files, if the claim is still valid."""
    found = {"problems": [problem.to_dict() for problem in problems], "n_problems": n_problems}
    return jobs.finish(claim, State.REJECTED, _recorded_as(State.REJECTED), **found)


def finish_failed(claim: Claim, error: ScorerError) -> bool:
    """Write that a program or a plugin of the rules failed, if the claim is still valid; organizers read why."""
    reference = jobs.new_reference()
    reason = error.__cause__  # the traceback of a plugin; a program has none
    logger.error("%s failed [%s]: %s", claim.name, reference, error, exc_info=reason)
    problem = error.problem
    cause = {"code": problem.code, "params": dict(problem.params)}
    return jobs.finish(
        claim, State.FAILED, _recorded_as(State.FAILED, cause=cause), reference=reference
    )


def finish_overdue(claim: Claim, reference: str, is_busy: bool) -> bool:
    """Make a submission that exceeded its time limit wait again; decide it after the last attempt, if the
    claim is still valid.

    If it was computing all the time, the files are at fault; otherwise the machine was busy.
    """
    if jobs.try_again(claim):
        return False
    if not is_busy:
        return jobs.fail(claim, reference)
    limit, n = round(settings.SCORING_TIME_LIMIT), jobs.MAX_ATTEMPTS
    return finish_rejected(claim, [Problem(TOO_SLOW, {"expected": limit, "n": n})], 1)


def withdraw(submission_id: int) -> bool:
    """Cancel a waiting submission; False if a worker was faster. Sending its form again submits it again."""
    waiting = Submission.objects.filter(pk=submission_id, state=State.WAITING)
    withdrawn = {"state": State.CANCELLED, "finished_at": timezone.now(), "sent_as": ""}
    return bool(waiting.update(**withdrawn))


def _recorded_as(state: str, **more: Any) -> Callable[[Claim], None]:
    return lambda claim: _record(_named(claim), state, **more)


def _record(row: Mapping[str, Any], state: str, **more: Any) -> None:
    audit_log.record(
        f"submission.{state}",
        contest_id=row[CONTEST],
        subject=str(row["public_id"]),
        attempt=row["attempts"],
        **({"reference": row["reference"]} if row["reference"] else {}),
        **more,
    )


def _named(claim: Claim) -> dict[str, Any]:
    """A submission for the audit trail, and the current rules."""
    return _NAMED.get(claim.pk)


def _named_by(pk: int) -> QuerySet[Submission, Any]:
    named = Submission.objects.filter(pk=pk).order_by()
    return named.values(CONTEST, RULES, "public_id", "attempts", "reference")


_NAMED = Prepared(_named_by, int)


# The work


@job(
    Submission,
    queue="scoring",
    limit="SCORING_TIME_LIMIT",
    failed=_recorded_as(State.FAILED),
    overdue=finish_overdue,
)
def score(claim: Claim) -> bool:
    """Evaluate the files of the submission."""
    from pwscup.submissions import evaluation  # pandas, which only workers need

    try:
        result = evaluation.evaluate(claim.pk)
    except ProblemsFound as found:
        return finish_rejected(claim, found.problems, found.n_total)
    except ScorerError as error:
        return finish_failed(claim, error)
    logger.info("submission %s evaluated in %.2f s", claim.pk, result.seconds)
    return finish_scored(claim, **dataclasses.asdict(result))
