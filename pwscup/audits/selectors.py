# SPDX-License-Identifier: Apache-2.0
"""Queries about audits, restricted to the viewer's permissions."""

from __future__ import annotations

from typing import TYPE_CHECKING
from uuid import UUID

from django.db.models import Q
from django.http import Http404
from django.utils import timezone

from pwscup.audits.models import Audit
from pwscup.submissions import policies, selectors

if TYPE_CHECKING:
    from pwscup.submissions.models import Submission
    from pwscup.submissions.policies import Person


def auditable(user: Person, public_id: UUID) -> Submission:
    """A submission that this viewer may audit, otherwise 404."""
    submission = selectors.get_visible(user, public_id)
    if not policies.may_audit(user, submission, timezone.now()):
        raise Http404
    return submission


def audit_of(submission: Submission) -> Audit | None:
    return Audit.objects.filter(submission=submission).first()


def before(submission: Submission) -> Submission | None:
    """The team's submission whose audit must finish before this one's may be requested."""
    unfinished = Audit.objects.filter(
        submission__team=submission.team_id, state__in=Audit.UNFINISHED
    )
    other = unfinished.exclude(submission=submission).select_related("submission").first()
    return None if other is None else other.submission


def n_before(audit: Audit) -> int:
    """The number of audits that run or wait before this one."""
    earlier = Q(requested_at__lt=audit.requested_at) | Q(
        requested_at=audit.requested_at, pk__lt=audit.pk
    )
    running = Q(state=Audit.State.RUNNING)
    return Audit.objects.filter(running | earlier & Q(state=Audit.State.WAITING)).count()


def report_of(audit: Audit, language: str) -> str:
    """The report in the reader's language."""
    found = audit.reports.filter(language=language).first() or audit.reports.first()
    if found is None:
        raise Http404
    return found.html
