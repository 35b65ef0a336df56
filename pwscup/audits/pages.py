# SPDX-License-Identifier: Apache-2.0
"""Contexts of the pages of audits: plain functions of facts."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from pwscup.audits import selectors
from pwscup.contests.selectors import contest_page
from pwscup.core.http.polling import etag
from pwscup.submissions import policies

if TYPE_CHECKING:
    from django.http import HttpRequest

    from pwscup.audits.models import Audit
    from pwscup.submissions.models import Submission


def audit_page(request: HttpRequest, submission: Submission) -> dict[str, Any]:
    """All facts about the audit of one submission; it `starts` by itself for the team, if no other one comes first."""
    round, audits = submission.round, submission.round.contest.format.audits
    found = selectors.audit_of(submission)
    context = contest_page(request, round.contest, round.key) | {
        "round": round,
        "submission": submission,
        "attacks": audits.attacks(),
        "starts": found is None and policies.may_change(request.user, submission),
    }
    if found is None or found.state == found.State.FAILED:
        context["before"] = selectors.before(submission)
        context["starts"] = context["starts"] and context["before"] is None
    if found is None:
        return context
    context |= status(submission, found)
    return context | (audits.results(found.values) if found.values else {})


def status(submission: Submission, audit: Audit) -> dict[str, Any]:
    """The context of the polled fragment."""
    n_before = selectors.n_before(audit) if audit.state == audit.State.WAITING else 0
    share = 100 * audit.done_steps // audit.n_steps if audit.n_steps else 0
    return {
        "submission": submission,
        "audit": audit,
        "share": share,
        "n_before": n_before,
        "etag": etag(audit.pk, audit.state, audit.done_steps, audit.attempts, n_before),
    }
