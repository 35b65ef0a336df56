"""Working on one audit: claim it, keep the lease alive, write what came of it."""

from __future__ import annotations

import logging
import time
from collections.abc import Callable
from typing import TYPE_CHECKING, Any

from django.conf import settings
from django.utils import timezone, translation
from django.utils.translation import gettext

from pwscup.audits import queue
from pwscup.audits.models import Audit
from pwscup.core.jobs.heartbeat import attend
from pwscup.core.jobs.rows import Claim
from pwscup.core.moments import shown_moment

if TYPE_CHECKING:
    from pwscup.submissions.models import Submission

logger = logging.getLogger(__name__)


def work_on(audit_id: int) -> bool:
    """Audit if it waits and its turn has come; False where not, or its result came too late."""
    claim = queue.claim(audit_id)
    if claim is None:
        return False
    return attend(claim, _run, queue.finish_failed, settings.AUDIT_TIME_LIMIT)


def _run(claim: Claim) -> bool:
    audit = Audit.objects.select_related("submission__round__contest", "submission__team").get(
        pk=claim.pk
    )
    started = time.perf_counter()
    result, reports = _result(audit.submission, lambda *step: queue.progress(claim, *step))
    seconds = round(time.perf_counter() - started, 2)
    logger.info("audit %s done in %.2f s", claim.pk, seconds)
    return queue.finish_done(claim, reports, seconds=seconds, **result)


def _result(
    submission: Submission, progress: Callable[[int, int, str], None]
) -> tuple[dict[str, Any], dict[str, str]]:
    import scoring
    from pwscup.submissions import evaluation  # pandas, which only workers need

    found = evaluation.audited(submission, progress)
    summary, report = _told(found)
    result = {"values": summary(found), "scoring_version": scoring.__version__}
    pages = {}
    for language, _name in settings.LANGUAGES:
        with translation.override(language):
            facts = _facts(submission)
            pages[language] = report(found, facts, language=language, translate=gettext)
    return result, pages


def _told(found: object) -> tuple[Callable[..., dict[str, Any]], Callable[..., str]]:
    """What makes the values and the report of such an audit."""
    from scoring.audits import report, series, series_report, series_summary, summary

    if isinstance(found, series.SeriesAudit):
        return series_summary.summary, series_report.report
    return summary.summary, report.report


def _facts(submission: Submission) -> dict[str, str]:
    """What the report says of its origin, in the language of this moment."""
    import scoring

    facts = {
        gettext("Contest"): submission.round.contest.title,
        gettext("Team"): submission.team.name,
        gettext("Submission"): f"#{submission.number}",
        gettext("Arrived"): shown_moment(submission.arrived_at, submission.round.contest.tz),
        gettext("Audited"): shown_moment(timezone.now(), submission.round.contest.tz),
        "scoring": scoring.__version__,
    }
    # Without the digest of the row numbers: who has the report could try whether they are 1, 2, 3, …
    files = submission.files.exclude(key="rows").order_by("id")
    digests = files.values_list("key", "file__sha256")
    return facts | {key: f"SHA-256 {digest}" for key, digest in digests}
