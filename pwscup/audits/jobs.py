# SPDX-License-Identifier: Apache-2.0
"""Audits as jobs: a report in every language, and the events in the audit trail."""

from __future__ import annotations

import logging
import time
from collections.abc import Callable, Mapping
from typing import TYPE_CHECKING, Any

from django.conf import settings
from django.utils import timezone, translation
from django.utils.translation import gettext

from pwscup.audits.models import Audit, AuditReport
from pwscup.core import audit_log, jobs
from pwscup.core.jobs import Claim, job
from pwscup.core.texts.foreign import translated
from pwscup.core.texts.moments import shown_moment

if TYPE_CHECKING:
    from pwscup.submissions.models import Submission

logger = logging.getLogger(__name__)


def _record(claim: Claim) -> None:
    audit = Audit.objects.select_related("submission__round").get(pk=claim.pk)
    audit_log.record(
        f"audit.{audit.state}",
        contest_id=audit.submission.round.contest_id,
        subject=str(audit.submission.public_id),
        **({"reference": audit.reference} if audit.reference else {}),
    )


@job(Audit, queue="audits", limit="AUDIT_TIME_LIMIT", at_once="AUDITS_AT_ONCE", failed=_record)
def run(claim: Claim) -> bool:
    """Audit the submission and write its reports."""
    audit = Audit.objects.select_related("submission__round__contest", "submission__team").get(
        pk=claim.pk
    )

    def progress(done: int, n_steps: int, step: str) -> None:
        jobs.note(claim, done_steps=done, n_steps=n_steps, step=step)

    started = time.perf_counter()
    result, reports = _result(audit.submission, progress)
    seconds = round(time.perf_counter() - started, 2)
    logger.info("audit %s done in %.2f s", claim.pk, seconds)
    ended = {"step": "", "seconds": seconds, **result}
    return jobs.finish(claim, Audit.State.DONE, lambda claim: _keep(claim, reports), **ended)


def _keep(claim: Claim, reports: Mapping[str, str]) -> None:
    AuditReport.objects.filter(audit_id=claim.pk).delete()
    AuditReport.objects.bulk_create(
        AuditReport(audit_id=claim.pk, language=language, html=html)
        for language, html in reports.items()
    )
    _record(claim)


def _result(
    submission: Submission, progress: Callable[[int, int, str], None]
) -> tuple[dict[str, Any], dict[str, str]]:
    import scoring
    from pwscup.submissions import evaluation  # imports pandas, which only workers need

    found = evaluation.audited(submission, progress)
    audits = submission.round.contest.format.audits
    result = {"values": audits.summary(found), "scoring_version": scoring.__version__}
    pages = {}
    for language, _name in settings.LANGUAGES:
        with translation.override(language):
            facts = _facts(submission)
            pages[language] = audits.report(found, facts, language=language, translate=translated)
    return result, pages


def _facts(submission: Submission) -> dict[str, str]:
    """The origin of the report, in the active language."""
    import scoring

    facts = {
        gettext("Contest"): submission.round.contest.title,
        gettext("Team"): submission.team.name,
        gettext("Submission"): f"#{submission.number}",
        gettext("Arrived"): shown_moment(submission.arrived_at, submission.round.contest.tz),
        gettext("Audited"): shown_moment(timezone.now(), submission.round.contest.tz),
        "scoring": scoring.__version__,
    }
    # Without the digest of the row numbers: a reader of the report could test whether they are 1, 2, 3, …
    files = submission.files.exclude(key="rows").order_by("id")
    digests = files.values_list("key", "file__sha256")
    return facts | {key: f"SHA-256 {digest}" for key, digest in digests}
