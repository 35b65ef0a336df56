# SPDX-License-Identifier: Apache-2.0
"""Pages of audits."""

from __future__ import annotations

from typing import TYPE_CHECKING
from uuid import UUID

from django.contrib import messages
from django.http import Http404, HttpRequest, HttpResponse, HttpResponseBase
from django.shortcuts import redirect, render
from django.utils.translation import get_language
from django.views.decorators.http import require_http_methods, require_safe

from pwscup.audits import pages, selectors, services
from pwscup.core.http.polling import polled
from pwscup.core.http.requests import SignedIn
from pwscup.submissions.pages.downloads import upload_response

if TYPE_CHECKING:
    from pwscup.audits.models import Audit
    from pwscup.submissions.models import Submission


@require_http_methods(["GET", "HEAD", "POST"])
def audit(request: SignedIn, public_id: UUID) -> HttpResponse:
    """The current state; a POST requests the audit."""
    submission = selectors.auditable(request.user, public_id)
    if request.method == "POST":
        try:
            services.request_audit(user=request.user, submission=submission)
        except services.AuditRefused as refusal:
            messages.error(request, str(refusal))
        return redirect("audit", public_id)
    return render(request, "audits/audit.html", pages.audit_page(request, submission))


def _found(request: HttpRequest, public_id: UUID) -> tuple[Submission, Audit]:
    submission = selectors.auditable(request.user, public_id)
    found = selectors.audit_of(submission)
    if found is None:
        raise Http404
    return submission, found


@require_safe
def audit_status(request: HttpRequest, public_id: UUID) -> HttpResponseBase:
    submission, found = _found(request, public_id)
    status = pages.status(submission, found)
    return polled(request, "audits/_status.html", status, is_final=found.is_final)


@require_safe
def audit_report(request: HttpRequest, public_id: UUID) -> HttpResponse:
    """The report in the reader's language: a download, never a page of this site."""
    submission, found = _found(request, public_id)
    html = selectors.report_of(found, get_language() or "en")
    name = f"{submission.round.contest.slug}-{submission.team.slug}-{submission.number}-audit.html"
    return upload_response(name, html.encode())
