"""Working on one submission: claim it, keep the lease alive, write what came of it."""

from __future__ import annotations

import dataclasses
import logging

from django.conf import settings
from django.db import InterfaceError, OperationalError

from pwscup.core.heartbeat import Heartbeat
from pwscup.core.jobs import Claim, new_reference
from pwscup.submissions import queue
from scoring.errors import ProblemsFound

logger = logging.getLogger(__name__)


def work_on(submission_id: int) -> bool:
    """Score a submission if it waits; False where it does not, or its result came too late."""
    claim = queue.claim(submission_id)
    if claim is None:
        return False
    with Heartbeat(claim, queue.finish_failed, settings.SCORING_TIME_LIMIT):
        return _evaluate(claim)


def _evaluate(claim: Claim) -> bool:
    from pwscup.submissions import evaluation  # pandas, which only workers need

    try:
        result = evaluation.evaluate(claim.pk)
    except ProblemsFound as found:
        problems = [problem.to_dict() for problem in found.problems]
        return queue.finish_rejected(claim, problems, found.n_total)
    except (OperationalError, InterfaceError):
        raise  # the database went away: nothing can be written now, and the lease will run out
    except Exception:
        reference = new_reference()
        logger.exception("submission %s failed [%s]", claim.pk, reference)
        return queue.finish_failed(claim, reference)
    logger.info("submission %s evaluated in %.2f s", claim.pk, result.seconds)
    return queue.finish_scored(claim, **dataclasses.asdict(result))
