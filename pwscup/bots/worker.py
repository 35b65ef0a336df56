"""Working on one dry run: make the copy, play it through, write how it went."""

from __future__ import annotations

import logging
import time

from django.conf import settings

from pwscup.bots import copies, queue
from pwscup.bots.models import Rehearsal
from pwscup.core.heartbeat import attend
from pwscup.core.jobs import Claim

logger = logging.getLogger(__name__)


def work_on(rehearsal_id: int) -> bool:
    """Play if it waits; False where it does not, or its result came too late."""
    claim = queue.claim(rehearsal_id)
    if claim is None:
        return False
    return attend(claim, _run, queue.finish_failed, settings.AUDIT_TIME_LIMIT)


def _run(claim: Claim) -> bool:
    from pwscup.bots import rehearse  # the numerical libraries, which only workers need

    rehearsal = Rehearsal.objects.select_related("contest", "played_on", "requested_by").get(
        pk=claim.pk
    )
    if rehearsal.played_on is not None:  # of a worker that went silent
        copies.discard(rehearsal.played_on)
    started = time.perf_counter()
    copy = copies.copy_for_bots(rehearsal.contest, actor=rehearsal.requested_by)
    if not queue.plays_on(claim, copy):
        copies.discard(copy)
        return False
    report = rehearse.play_through(copy, lambda step: queue.progress(claim, step))
    seconds = round(time.perf_counter() - started, 1)
    logger.info("dry run %s played in %.1f s", claim.pk, seconds)
    return queue.finish_done(claim, report=report, seconds=seconds)
