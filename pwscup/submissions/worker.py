"""Working on one submission: claim it, keep the lease alive, write what came of it."""

from __future__ import annotations

import dataclasses
import logging

from django.conf import settings

from pwscup.core.jobs.heartbeat import attend
from pwscup.core.jobs.rows import Claim
from pwscup.submissions import queue
from scoring.errors import ProblemsFound

logger = logging.getLogger(__name__)


def work_on(submission_id: int) -> bool:
    """Score a submission if it waits; False where it does not, or its result came too late."""
    claim = queue.claim(submission_id)
    if claim is None:
        return False
    limit = settings.SCORING_TIME_LIMIT
    return attend(claim, _evaluate, queue.finish_failed, limit, queue.finish_overdue)


def _evaluate(claim: Claim) -> bool:
    from pwscup.submissions import evaluation  # pandas, which only workers need

    try:
        result = evaluation.evaluate(claim.pk)
    except ProblemsFound as found:
        problems = [problem.to_dict() for problem in found.problems]
        return queue.finish_rejected(claim, problems, found.n_total)
    logger.info("submission %s evaluated in %.2f s", claim.pk, result.seconds)
    return queue.finish_scored(claim, **dataclasses.asdict(result))
