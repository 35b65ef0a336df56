# SPDX-License-Identifier: Apache-2.0
"""Pages of participants."""

from __future__ import annotations

from uuid import UUID

from django.contrib import messages
from django.contrib.auth.views import redirect_to_login
from django.http import Http404, HttpRequest, HttpResponse
from django.shortcuts import redirect, render
from django.utils import timezone
from django.utils.translation import gettext as _
from django.views.decorators.http import require_http_methods, require_POST, require_safe

from pwscup.accounts.selectors import team_of
from pwscup.audits.selectors import auditable
from pwscup.audits.services import AuditRefused, request_audit
from pwscup.contests.policies import may_see_board
from pwscup.contests.selectors import contest_page, visible_contest, visible_round
from pwscup.contests.views import home as landing
from pwscup.core.files.exports import csv_response
from pwscup.core.http.requests import SignedIn
from pwscup.leaderboards.pages import wanted
from pwscup.participants import data, results, teams
from pwscup.participants import home as own
from pwscup.participants.trail import trail_of
from pwscup.submissions import services
from pwscup.submissions.forms import NoteForm
from pwscup.submissions.selectors import get_visible
from pwscup.submissions.views import changed


@require_safe
def home(request: HttpRequest) -> HttpResponse:
    """The own contests for those who play; the landing page for everybody else."""
    lines = own.contests_of(request.user, timezone.now()) if request.user.is_authenticated else []
    if not lines:
        return landing(request)
    return render(request, "participants/home.html", {"lines": lines})


@require_safe
def team_page(request: HttpRequest, slug: str, number: int) -> HttpResponse:
    """The public page of a team, for those who may see the boards."""
    contest = visible_contest(request.user, slug)
    if not may_see_board(request.user, contest):
        return _kept_from(request)
    page = contest_page(request, contest, "board")
    page["found"] = teams.page_of(request.user, contest, number, page["now"])
    return render(request, "participants/team.html", page)


@require_safe
def team_history_csv(request: HttpRequest, slug: str, number: int) -> HttpResponse:
    """The ranks of a team over time, as its page shows them."""
    contest = visible_contest(request.user, slug)
    if not may_see_board(request.user, contest):
        return _kept_from(request)
    found = teams.page_of(request.user, contest, number, timezone.now())
    name = f"{contest.slug}-team-{number}-ranks.csv"
    return csv_response(name, teams.HISTORY_HEADER, teams.history_rows(found))


@require_safe
def board_trail(request: HttpRequest, slug: str) -> HttpResponse:
    """The attempts of the viewer's team, to be drawn into the picture of a board; Http404 for everybody else."""
    contest = visible_contest(request.user, slug)
    if not may_see_board(request.user, contest):
        return _kept_from(request)
    now = timezone.now()
    team, shown = team_of(request.user, contest), wanted(request, contest, now)
    found = trail_of(request.user, team, shown, now) if team and shown else None
    if found is None:
        raise Http404
    return render(request, "participants/trail.svg", {"trail": found}, content_type="image/svg+xml")


def _kept_from(request: HttpRequest) -> HttpResponse:
    """The answer to those who may not see the boards: visitors may log in first."""
    if request.user.is_anonymous:
        return redirect_to_login(request.get_full_path())
    raise Http404


# A result


@require_safe
def submission(request: HttpRequest, public_id: UUID) -> HttpResponse:
    found = get_visible(request.user, public_id)
    return render(request, "submissions/submission.html", results.page_of(request, found))


@require_safe
def round_places(request: HttpRequest, slug: str, key: str) -> HttpResponse:
    """Rank and total of the team's submissions in a round, for the list on its page."""
    found = visible_round(request.user, slug, key)
    if team_of(request.user, found.contest) is None:
        raise Http404
    return render(request, "participants/_places.html", results.places_page(request, found))


@require_safe
def submission_history(request: HttpRequest, public_id: UUID) -> HttpResponse:
    """All attempts of the team in the round of a submission."""
    page = results.history_page(request, get_visible(request.user, public_id))
    return render(request, "participants/history.html", page)


@require_safe
def submission_history_csv(request: HttpRequest, public_id: UUID) -> HttpResponse:
    """The same as CSV, the oldest attempt first."""
    found = get_visible(request.user, public_id)
    page = results.history_page(request, found)
    name = f"{page['contest'].slug}-{found.round.key}-attempts.csv"
    return csv_response(name, results.csv_header(page), results.csv_rows(page))


@require_http_methods(["GET", "HEAD", "POST"])
def submission_data(request: SignedIn, public_id: UUID) -> HttpResponse:
    """The table next to its original, for those who may see all exact rates; a POST requests the audit."""
    found = auditable(request.user, public_id)
    if request.method == "POST":
        try:
            request_audit(user=request.user, submission=found)
        except AuditRefused as refusal:
            messages.error(request, str(refusal))
        return redirect("submission-data", public_id)
    return render(request, "participants/data.html", data.page_of(request, found))


@require_safe
def submission_data_csv(request: HttpRequest, public_id: UUID) -> HttpResponse:
    """The histograms as CSV; Http404 until the audit has compared the tables."""
    found = auditable(request.user, public_id)
    page = data.page_of(request, found)
    if not page.get("compared"):
        raise Http404
    name = f"{page['contest'].slug}-{found.round.key}-{found.number}-values.csv"
    return csv_response(name, data.CSV_HEADER, data.csv_rows(page))


@require_POST
def submission_note(request: HttpRequest, public_id: UUID) -> HttpResponse:
    found = get_visible(request.user, public_id)
    form = NoteForm(request.POST, instance=found)
    if not form.is_valid():
        page = results.page_of(request, get_visible(request.user, public_id))
        page["note_form"] = form
        return render(request, "submissions/submission.html", page, status=form.status)
    note = form.cleaned_data["note"]
    changed(request, found, services.annotate, _("The note is saved."), note=note)
    return redirect("submission", public_id)
