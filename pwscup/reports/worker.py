"""Working on one final report: claim it, write its page in every language."""

from __future__ import annotations

import logging
import time

from django.conf import settings
from django.utils import timezone, translation

from pwscup.core.heartbeat import attend
from pwscup.core.jobs import Claim
from pwscup.reports import queue, selectors
from pwscup.reports.models import FinalReport

logger = logging.getLogger(__name__)


class NotOverError(RuntimeError):
    """The contest went on after the report was asked for."""


def work_on(report_id: int) -> bool:
    """Write it if it waits; False where it does not, or its result came too late."""
    claim = queue.claim(report_id)
    if claim is None:
        return False
    return attend(claim, _run, queue.finish_failed, settings.AUDIT_TIME_LIMIT)


def _run(claim: Claim) -> bool:
    from pwscup.reports import facts, page  # matplotlib, which only workers need

    report = FinalReport.objects.select_related("contest").get(pk=claim.pk)
    started, now = time.perf_counter(), timezone.now()
    if hindered := selectors.obstacles_to_report(report.contest, now):
        raise NotOverError(" ".join(map(str, hindered)))
    pages = {}
    for code, _name in settings.LANGUAGES:
        with translation.override(code):
            found = facts.gather(report.contest, now, names_disqualified=report.names_disqualified)
            pages[code] = page.document(found, language=code)
    logger.info("report %s written in %.1f s", claim.pk, time.perf_counter() - started)
    return queue.finish_done(
        claim, pages, key=found.key, hidden_measures=list(report.contest.hidden_measures)
    )
