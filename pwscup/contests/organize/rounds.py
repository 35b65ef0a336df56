# SPDX-License-Identifier: Apache-2.0
"""The organizer's rounds: dates and limits, and buttons to open and close them."""

from __future__ import annotations

from typing import Any

from django.contrib import messages
from django.http import Http404, HttpRequest, HttpResponse
from django.shortcuts import redirect, render
from django.utils import timezone
from django.utils.translation import gettext as _
from django.views.decorators.http import require_http_methods, require_POST

from pwscup.contests import guidance, policies, selectors, services
from pwscup.contests.forms import RoundsForm
from pwscup.contests.models import Contest
from pwscup.contests.organize.common import (
    carry_out,
    for_organizers,
    organizer_page,
    tell,
    version_of,
)
from pwscup.core.http.requests import SignedIn
from pwscup.core.texts.moments import shown_moment
from pwscup.core.texts.parts import joined


@require_http_methods(["GET", "HEAD", "POST"])
@for_organizers
def rounds(request: SignedIn, contest: Contest) -> HttpResponse:
    page = organizer_page(request, contest, "rounds")
    form = RoundsForm(page["contest_rounds"], version=contest.version, data=request.POST or None)
    if form.is_bound and form.is_valid():
        try:
            services.update_rounds(
                actor=request.user,
                contest=contest,
                version=form.cleaned_data["version"],
                plans=form.plans(),
            )
        except services.ContestRefused as refusal:
            tell(request, refusal)
        else:
            messages.success(request, _("Saved."))
        return redirect("organize-rounds", contest.slug)
    timeline = guidance.timeline(page["contest_rounds"], page["now"])
    page |= {
        "form": form,
        "stages": guidance.by_stage(contest, form.rounds, timeline),
        "following": selectors.following_round(page["contest_rounds"], page["now"]),
        "may_start": policies.may_start(contest),
    }
    return render(request, "organize/rounds.html", page)


@require_http_methods(["GET", "HEAD", "POST"])
@for_organizers
def start(request: HttpRequest, contest: Contest) -> HttpResponse:
    """A confirmation that shows the new times; with POST, all rounds are moved to them."""
    if request.method == "POST":
        done = _("The lesson has started.")
        service, version = services.start_rounds, version_of(request)
        return carry_out(
            request, contest, service, done=done, back="organize-rounds", version=version
        )
    page = organizer_page(request, contest, "rounds")
    planned = page["contest_rounds"]
    page["rows"] = list(zip(planned, services.from_now(planned, page["now"]), strict=True))
    return render(request, "organize/start.html", page)


@require_POST
@for_organizers
def open_now(request: HttpRequest, contest: Contest, key: str) -> HttpResponse:
    keeps_end = "keeps_end" in request.POST
    return _at_once(
        request, contest, key, services.open_round_now, _("The round is open."), keeps_end=keeps_end
    )


@require_POST
@for_organizers
def close_now(request: HttpRequest, contest: Contest, key: str) -> HttpResponse:
    done, now = _("The round is closed."), timezone.now()
    following = selectors.following_round(contest.rounds.all(), now)
    if following is not None:
        words = _(
            "“%(round)s” opens at %(time)s; to open it earlier, press “Open now” below its dates."
        )
        at = shown_moment(following.opens_at, contest.tz)
        done = joined(done, words % {"round": following.local_title, "time": at})
    return _at_once(request, contest, key, services.close_round_now, done)


def _at_once(
    request: HttpRequest, contest: Contest, key: str, service: Any, done: str, **how: Any
) -> HttpResponse:
    if not any(round.key == key for round in contest.rounds.all()):
        raise Http404
    what = {"key": key, "version": version_of(request)} | how
    return carry_out(request, contest, service, done=done, back="organize-rounds", **what)
