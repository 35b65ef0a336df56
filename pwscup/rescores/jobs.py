# SPDX-License-Identifier: Apache-2.0
"""Re-scorings as jobs: all submissions are evaluated again, and each evaluation is written immediately."""

from __future__ import annotations

import logging
from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

from django.db import transaction

from pwscup.core import audit_log, jobs
from pwscup.core.jobs import Claim, job
from pwscup.rescores import selectors
from pwscup.submissions.models import Evaluation, Rescore, Submission
from scoring.errors import ProblemsFound

if TYPE_CHECKING:
    from pwscup.submissions.evaluation import Result

logger = logging.getLogger(__name__)


def _record_failed(claim: Claim) -> None:
    failed = Rescore.objects.get(pk=claim.pk)
    audit_log.record(
        "contest.rescore_failed", contest_id=failed.contest_id, reference=failed.reference
    )


@job(Rescore, queue="audits", limit="RESCORE_TIME_LIMIT", failed=_record_failed)
def evaluate_again(claim: Claim) -> bool:
    """Evaluate the missing ones; False if somebody decided in the meantime."""
    from pwscup.submissions import evaluation  # imports pandas, which only workers need

    rescore = Rescore.objects.select_related("rules", "contest").get(pk=claim.pk)
    rules = rescore.rules.ruleset
    todo = list(selectors.missing(rescore))
    Rescore.objects.filter(pk=claim.pk).update(n_total=rescore.n_done + len(todo))
    for submission in todo:
        try:
            result, problems = evaluation.evaluate(submission.pk, rules), []
        except ProblemsFound as found:
            result, problems = None, [problem.to_dict() for problem in found.problems]
        made_by = {"digest": rules.digest, "version": rescore.scoring_version}
        if not write(claim, submission, result, problems, **made_by):
            return False
    logger.info("re-scoring %s: %s submissions evaluated", claim.pk, len(todo))
    return jobs.finish(claim, Rescore.State.DONE)


def write(
    claim: Claim,
    submission: Submission,
    result: Result | None,
    problems: Sequence[dict[str, Any]],
    *,
    digest: str,
    version: str,
) -> bool:
    """Write one evaluation and the progress, if the claim is still valid."""
    made = {
        "fence": submission.fence,
        "ruleset_digest": digest,
        "scoring_version": version,
        "seed": result.seed if result else "",
        "input_hashes": result.input_hashes if result else {},
        "values": result.values if result else None,
        "final_values": result.final_values if result else None,
        "problems": list(problems),
        "notes": result.notes if result else [],
        "right": result.right if result else "",
        "seconds": result.seconds if result else 0,
    }
    with transaction.atomic():
        rescore = jobs.held(claim).select_for_update().first()
        if rescore is None:
            return False
        Evaluation.objects.update_or_create(submission=submission, rescore=rescore, defaults=made)
        jobs.held(claim).update(n_done=rescore.evaluations.count())
    return True
