"""Working on one re-scoring: every submission again, each written as soon as it is done."""

from __future__ import annotations

import logging

from django.conf import settings

from pwscup.core.heartbeat import attend
from pwscup.core.jobs import Claim
from pwscup.rescores import queue, selectors
from pwscup.submissions.models import Rescore
from scoring.errors import ProblemsFound

logger = logging.getLogger(__name__)


def work_on(rescore_id: int) -> bool:
    """Evaluate again if it waits; False where it does not, or somebody decided meanwhile."""
    claim = queue.claim(rescore_id)
    if claim is None:
        return False
    return attend(claim, _run, queue.finish_failed, settings.RESCORE_TIME_LIMIT)


def _run(claim: Claim) -> bool:
    from pwscup.submissions import evaluation  # pandas, which only workers need

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
        if not queue.write(claim, submission, result, problems, **made_by):
            return False
    logger.info("re-scoring %s: %s submissions evaluated", claim.pk, len(todo))
    return queue.finish_done(claim)
