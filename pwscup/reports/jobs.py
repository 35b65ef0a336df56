# SPDX-License-Identifier: Apache-2.0
"""Final reports as jobs: a page in every language, and their events in the audit trail."""

from __future__ import annotations

import logging
import time
from collections.abc import Mapping

from django.conf import settings
from django.utils import timezone, translation

from pwscup.core import audit_log, jobs
from pwscup.core.jobs import Claim, job
from pwscup.core.texts.parts import joined
from pwscup.reports import selectors
from pwscup.reports.models import FinalReport, ReportPage

logger = logging.getLogger(__name__)


class NotOverError(RuntimeError):
    """The contest was extended after the report was requested."""


def _record(claim: Claim) -> None:
    report = FinalReport.objects.get(pk=claim.pk)
    audit_log.record(
        f"contest.report_{report.state}",
        contest_id=report.contest_id,
        subject=f"report {report.pk}",
        **({"reference": report.reference} if report.reference else {}),
    )


@job(FinalReport, queue="audits", limit="AUDIT_TIME_LIMIT", failed=_record)
def write(claim: Claim) -> bool:
    """Write the report's page in every language."""
    from pwscup.reports import facts, page  # imports matplotlib, which only workers need

    report = FinalReport.objects.select_related("contest").get(pk=claim.pk)
    started, now = time.perf_counter(), timezone.now()
    if hindered := selectors.report_blockers(report.contest, now):
        raise NotOverError(joined(*hindered))
    pages = {}
    for code, _name in settings.LANGUAGES:
        with translation.override(code):
            found = facts.gather(report.contest, now, names_disqualified=report.names_disqualified)
            pages[code] = page.document(found, language=code)
    logger.info("report %s written in %.1f s", claim.pk, time.perf_counter() - started)
    hidden = list(report.contest.hidden_measures)
    return jobs.finish(
        claim,
        FinalReport.State.DONE,
        lambda claim: _keep(claim, pages),
        key=found.key,
        hidden_measures=hidden,
    )


def _keep(claim: Claim, pages: Mapping[str, str]) -> None:
    ReportPage.objects.filter(report_id=claim.pk).delete()
    ReportPage.objects.bulk_create(
        ReportPage(report_id=claim.pk, language=language, html=html)
        for language, html in pages.items()
    )
    _record(claim)
