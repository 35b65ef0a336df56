# SPDX-License-Identifier: Apache-2.0
"""Requesting a final report, and publishing it."""

from __future__ import annotations

from datetime import datetime
from functools import partial
from typing import TYPE_CHECKING

from django.db import transaction
from django.utils import timezone
from django.utils.translation import gettext_lazy as _

from pwscup.contests.services.common import ContestRefused, lock
from pwscup.core import audit_log, jobs
from pwscup.reports import selectors
from pwscup.reports.boards.facts import key_of
from pwscup.reports.models import FinalReport

if TYPE_CHECKING:
    from pwscup.accounts.models import User
    from pwscup.contests.models import Contest


@transaction.atomic
def request_report(
    *,
    actor: User,
    contest: Contest,
    version: int | None = None,
    names_disqualified: bool = False,
    now: datetime | None = None,
) -> FinalReport:
    """Request the report of a finished contest; organizers review it before publication."""
    held = lock(contest, version)
    hindered = selectors.report_blockers(held, now or timezone.now())
    if hindered:
        raise ContestRefused(*hindered)
    if held.final_reports.filter(state__in=FinalReport.UNFINISHED).exists():
        raise ContestRefused(_("The report is being written. Wait until it is done."))
    report = FinalReport.objects.create(
        contest=held,
        names_disqualified=names_disqualified,
        requested_by=actor,
        sent_at=timezone.now(),
    )
    audit_log.record(
        "contest.report_requested",
        actor=actor,
        contest_id=held.pk,
        names_disqualified=names_disqualified,
    )
    transaction.on_commit(partial(jobs.announce, FinalReport, report.pk))
    return report


@transaction.atomic
def publish_report(
    *, actor: User, contest: Contest, version: int | None = None, now: datetime | None = None
) -> FinalReport:
    """Publish the newest version for everybody who may see the boards."""
    now = now or timezone.now()
    held = lock(contest, version)
    report = selectors.newest(held)
    if report is None or report.state != FinalReport.State.DONE:
        raise ContestRefused(_("There is no finished report. Request it first."))
    hindered = selectors.report_blockers(held, now)
    if hindered:
        raise ContestRefused(*hindered)
    if report.published_at is not None:
        raise ContestRefused(_("This version is already published."))
    if report.key != key_of(held, now):
        raise ContestRefused(
            _("The boards have changed since this version was written. Request a new version.")
        )
    report.published_by, report.published_at = actor, now
    report.save(update_fields=["published_by", "published_at"])
    audit_log.record(
        "contest.report_published", actor=actor, contest_id=held.pk, subject=f"report {report.pk}"
    )
    return report
