"""Final reports as jobs: what `core.jobs` says of every row, and what is written when one ends."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from pwscup.core import audit, jobs
from pwscup.core.jobs import Claim
from pwscup.reports.models import FinalReport, ReportPage


def announce(report_id: int) -> bool:
    """Tell the broker that a report waits."""
    from pwscup.reports import tasks  # the tasks import this module

    return jobs.announce(FinalReport, report_id, tasks.send_run)


def claim(report_id: int) -> Claim | None:
    """Take a waiting report; None where it does not wait."""
    return jobs.claim(FinalReport, report_id)


def finish_done(claim: Claim, pages: Mapping[str, str], **result: Any) -> bool:
    """Write the pages by language, if the claim still holds."""

    def follow(claim: Claim) -> None:
        ReportPage.objects.filter(report_id=claim.pk).delete()
        ReportPage.objects.bulk_create(
            ReportPage(report_id=claim.pk, language=language, html=html)
            for language, html in pages.items()
        )
        _record(claim)

    return jobs.finish_and(claim, FinalReport.State.DONE, follow, **result)


def finish_failed(claim: Claim, reference: str) -> bool:
    """Write that we failed, with a reference to the log, if the claim still holds."""
    return jobs.finish_and(claim, FinalReport.State.FAILED, _record, reference=reference)


def _record(claim: Claim) -> None:
    report = FinalReport.objects.get(pk=claim.pk)
    audit.record(
        f"contest.report_{report.state}",
        contest_id=report.contest_id,
        subject=f"report {report.pk}",
        **({"reference": report.reference} if report.reference else {}),
    )


def sweep() -> None:
    """Take back what silent workers hold, send what waits unsent."""
    jobs.sweep(FinalReport, fail=finish_failed, announce=announce)
