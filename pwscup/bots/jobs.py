# SPDX-License-Identifier: Apache-2.0
"""Dry runs as jobs: bots play a copy of the contest through."""

from __future__ import annotations

import logging
import time

from pwscup.bots import copies
from pwscup.bots.models import Rehearsal
from pwscup.core import audit_log, jobs
from pwscup.core.jobs import Claim, job

logger = logging.getLogger(__name__)


def _record(claim: Claim) -> None:
    rehearsal = Rehearsal.objects.get(pk=claim.pk)
    audit_log.record(
        f"contest.dry_run_{rehearsal.state}",
        contest_id=rehearsal.contest_id,
        **({"reference": rehearsal.reference} if rehearsal.reference else {}),
    )


@job(Rehearsal, queue="audits", limit="AUDIT_TIME_LIMIT", failed=_record)
def play(claim: Claim) -> bool:
    """Create the copy, play all rounds, and write the report."""
    from pwscup.bots import (  # imports the numerical libraries, which only workers need
        certificate,
        rehearse,
    )

    rehearsal = Rehearsal.objects.select_related("contest", "played_on", "requested_by").get(
        pk=claim.pk
    )
    if rehearsal.played_on is not None:  # left by a silent worker
        copies.discard(rehearsal.played_on)
    started = time.perf_counter()
    copy = copies.copy_for_bots(rehearsal.contest, actor=rehearsal.requested_by)
    if not jobs.note(claim, played_on=copy):
        copies.discard(copy)
        return False
    report = rehearse.play_through(copy, lambda step: jobs.note(claim, step=step))
    certified = certificate.certified(copy)
    seconds = round(time.perf_counter() - started, 1)
    logger.info("dry run %s played in %.1f s", claim.pk, seconds)
    return jobs.finish(
        claim,
        Rehearsal.State.DONE,
        _record,
        step="",
        report=report,
        certificate=certified,
        seconds=seconds,
    )
