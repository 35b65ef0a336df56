# SPDX-License-Identifier: Apache-2.0
"""Certificates and the final report: pages for teams, for everybody, and for organizers."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from csp.decorators import csp
from django.conf import settings
from django.contrib import messages
from django.contrib.auth.decorators import login_required
from django.http import Http404, HttpRequest, HttpResponse, HttpResponseBase
from django.shortcuts import redirect, render
from django.utils import timezone
from django.utils.translation import get_language
from django.utils.translation import gettext as _
from django.views.decorators.http import require_http_methods, require_POST, require_safe

from pwscup.accounts.selectors import team_of
from pwscup.contests.organize.common import (
    carry_out,
    for_organizers,
    organizer_page,
    version_of,
)
from pwscup.contests.selectors import visible_contest
from pwscup.core.http.attachments import attached
from pwscup.core.http.polling import etag, polled
from pwscup.reports import certificates as awards
from pwscup.reports import selectors, services
from pwscup.reports.models import FinalReport
from pwscup.reports.outcome import blockers, deciding_rounds
from pwscup.submissions.selectors import disqualified

if TYPE_CHECKING:
    from collections.abc import Sequence

    from pwscup.contests.models import Contest
    from pwscup.reports.certificates import Certificate

# A self-contained page: its own style, no other resources, and no access to this site; its pictures may be saved.
ALONE = {
    "default-src": ["'none'"],
    "style-src": ["'unsafe-inline'"],
    "frame-ancestors": ["'none'"],
    "sandbox": ["allow-popups", "allow-downloads"],
}


def _language(request: HttpRequest) -> str:
    """The language in the URL, or the reader's."""
    asked = request.GET.get("language", "")
    return asked if asked in dict(settings.LANGUAGES) else get_language() or "en"


def _pdf(name: str, found: Sequence[Certificate]) -> HttpResponse:
    from pwscup.reports import pdf  # imports the fonts, which few requests need

    response = HttpResponse(pdf.document(found), content_type="application/pdf")
    return attached(response, name, is_private=True)


def _page(html: str) -> HttpResponse:
    response = HttpResponse(html, content_type="text/html; charset=utf-8")
    response["Cache-Control"] = "private, no-cache"
    return response


# For everybody


@require_safe
@login_required
def certificate(request: HttpRequest, slug: str) -> HttpResponse:
    """The certificate of the reader's own team, when the contest is decided."""
    contest = visible_contest(request.user, slug)
    team = team_of(request.user, contest)
    language = _language(request)
    found = awards.for_team(contest, team, timezone.now(), language) if team else None
    if team is None or found is None:
        raise Http404
    return _pdf(f"{contest.slug}-{team.slug}-certificate.pdf", [found])


@require_safe
@csp(ALONE)  # type: ignore[arg-type]  # its types leave no room for what a URL names
def report(request: HttpRequest, slug: str) -> HttpResponse:
    """The report published last."""
    contest = visible_contest(request.user, slug)
    found = selectors.public_report(request.user, contest, timezone.now())
    html = selectors.page_of(found, _language(request)) if found else None
    if html is None:
        raise Http404
    return _page(html)


# For organizers


@require_safe
@for_organizers
def certificates(request: HttpRequest, contest: Contest) -> HttpResponse:
    """The certificates of all teams in one file."""
    now = timezone.now()
    hindered = blockers(contest, now, deciding_rounds(contest))
    found = [] if hindered else awards.for_everybody(contest, now, _language(request))
    if not found:
        for words in hindered or [_("There is no team for a certificate.")]:
            messages.error(request, words)
        return redirect("organize-report", contest.slug)
    return _pdf(f"{contest.slug}-certificates.pdf", found)


@require_http_methods(["GET", "HEAD", "POST"])
@for_organizers
def organize_report(request: HttpRequest, contest: Contest) -> HttpResponse:
    """The available documents; a POST requests the report."""
    if request.method == "POST":
        return _requested(request, contest)
    now, newest = timezone.now(), selectors.newest(contest)
    page = organizer_page(request, contest, "report") | {
        "newest": newest,
        "published": selectors.published_versions(contest),
        "hindered": selectors.report_blockers(contest, now),
        "undecided": blockers(contest, now, deciding_rounds(contest)),
        "languages": settings.LANGUAGES,
        "some_are_out": bool(disqualified(contest)),
        **_status(newest),
    }
    return render(request, "reports/organize.html", page)


def _requested(request: HttpRequest, contest: Contest) -> HttpResponse:
    return carry_out(
        request,
        contest,
        services.request_report,
        done=_("The report is being written."),
        back="organize-report",
        version=version_of(request),
        names_disqualified="names_disqualified" in request.POST,
    )


@require_POST
@for_organizers
def publish(request: HttpRequest, contest: Contest) -> HttpResponse:
    return carry_out(
        request,
        contest,
        services.publish_report,
        done=_("Published: the report is linked on the overview."),
        back="organize-report",
        version=version_of(request),
    )


def _status(newest: FinalReport | None) -> dict[str, Any]:
    if newest is None:
        return {}
    return {"is_final": newest.is_final, "etag": etag(newest.pk, newest.state)}


@require_safe
@for_organizers
def status(request: HttpRequest, contest: Contest) -> HttpResponseBase:
    """The progress, for polling."""
    newest = selectors.newest(contest)
    if newest is None:
        raise Http404
    context = {"contest": contest, "newest": newest} | _status(newest)
    return polled(request, "reports/_status.html", context, is_final=newest.is_final)


@require_safe
@csp(ALONE)
@for_organizers
def preview(request: HttpRequest, contest: Contest) -> HttpResponse:
    """The newest version, published or not."""
    newest = selectors.newest(contest)
    html = selectors.page_of(newest, _language(request)) if newest else None
    if html is None:
        raise Http404
    return _page(html)
