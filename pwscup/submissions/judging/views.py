# SPDX-License-Identifier: Apache-2.0
"""Pages of the judges' grades, and the slides."""

from __future__ import annotations

from http import HTTPStatus

from django.contrib import messages
from django.contrib.auth.decorators import login_required
from django.http import Http404, HttpRequest, HttpResponse
from django.shortcuts import redirect, render
from django.utils import timezone
from django.utils.translation import gettext as _
from django.utils.translation import ngettext
from django.views.decorators.http import require_http_methods, require_safe

from pwscup.contests.selectors import visible_round
from pwscup.core.http.requests import SignedIn
from pwscup.submissions import policies
from pwscup.submissions.judging import grades, pages, timer
from pwscup.submissions.pages import downloads


@login_required
@require_http_methods(["GET", "HEAD", "POST"])
def round_marks(request: SignedIn, slug: str, key: str) -> HttpResponse:
    """A judge's grades; organizers see all grades."""
    round = visible_round(request.user, slug, key)
    if not policies.may_see_marks(request.user, round):
        raise Http404
    form = pages.form_for(request, round, request.POST if request.method == "POST" else None)
    if request.method != "POST" or not form.is_valid():
        status = HTTPStatus.UNPROCESSABLE_ENTITY if request.method == "POST" else 200
        page = pages.marks_page(request, round, form)
        return render(request, "submissions/marks.html", page, status=status)
    try:
        given, seen = form.given(), form.cleaned_data["seen"]
        comments = form.comments()
        n = grades.save(user=request.user, round=round, given=given, seen=seen, comments=comments)
    except grades.MarkRefused as refusal:
        messages.error(request, refusal.message)
    else:
        said = ngettext(
            "%(n)s grade or comment was saved.", "%(n)s grades or comments were saved.", n
        ) % {"n": n}
        messages.success(request, said if n else _("Nothing has changed."))
    return redirect(request.path)


@login_required
@require_safe
def round_timer(request: HttpRequest, slug: str, key: str) -> HttpResponse:
    """The clock of the talks for the screen of the room."""
    round = visible_round(request.user, slug, key)
    if not policies.may_see_marks(request.user, round):
        raise Http404
    form = timer.LengthsForm.of(request.GET)
    context = {"contest": round.contest, "round": round, "teams": grades.speakers(round)}
    context |= {"form": form, "seconds": form.seconds()}
    return render(request, "submissions/timer.html", context)


@login_required
@require_safe
def slides(request: SignedIn, slug: str, key: str, team: str) -> HttpResponse:
    """A team's slides, always as a download."""
    round = visible_round(request.user, slug, key)
    found = grades.slides_for(request.user, round, team, timezone.now())
    name = f"{slug}-{team}-slides.pdf"
    return downloads.own_upload_response(request.user, found, "slides", name=name)
