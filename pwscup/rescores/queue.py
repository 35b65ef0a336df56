"""Re-scorings as jobs: what `core.jobs` says of every row, and what is written when one ends."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

from django.db import transaction

from pwscup.core import audit, jobs
from pwscup.core.jobs import Claim
from pwscup.submissions.models import Evaluation, Rescore, Submission

if TYPE_CHECKING:
    from pwscup.submissions.evaluation import Result


def announce(rescore_id: int) -> bool:
    """Tell the broker that a re-scoring waits."""
    from pwscup.rescores import tasks  # the tasks import this module

    return jobs.announce(Rescore, rescore_id, tasks.send_run)


def claim(rescore_id: int) -> Claim | None:
    """Take a waiting re-scoring; None where it does not wait."""
    return jobs.claim(Rescore, rescore_id)


def write(
    claim: Claim,
    submission: Submission,
    result: Result | None,
    problems: Sequence[dict[str, Any]],
    *,
    digest: str,
    version: str,
) -> bool:
    """Write one evaluation and how far it is, if the claim still holds."""
    made = {
        "fence": submission.fence,
        "ruleset_digest": digest,
        "scoring_version": version,
        "seed": result.seed if result else "",
        "input_hashes": result.input_hashes if result else {},
        "values": result.values if result else None,
        "final_values": result.final_values if result else None,
        "problems": list(problems),
        "seconds": result.seconds if result else 0,
    }
    with transaction.atomic():
        rescore = jobs.held(claim).select_for_update().first()
        if rescore is None:
            return False
        Evaluation.objects.update_or_create(submission=submission, rescore=rescore, defaults=made)
        jobs.held(claim).update(n_done=rescore.evaluations.count())
    return True


def finish_done(claim: Claim) -> bool:
    """Write that everything is computed, if the claim still holds."""
    return jobs.finish(claim, Rescore.State.DONE)


def finish_failed(claim: Claim, reference: str) -> bool:
    """Write that we failed, with a reference to the log, if the claim still holds."""
    return jobs.finish_and(claim, Rescore.State.FAILED, _record_failed, reference=reference)


def _record_failed(claim: Claim) -> None:
    failed = Rescore.objects.get(pk=claim.pk)
    audit.record("contest.rescore_failed", contest_id=failed.contest_id, reference=failed.reference)


def sweep() -> None:
    """Take back what silent workers hold, send what waits unsent."""
    jobs.sweep(Rescore, fail=finish_failed, announce=announce)
