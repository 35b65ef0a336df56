# SPDX-License-Identifier: Apache-2.0
"""The closing ceremony: the public page, and the organizers' screen with buttons."""

from __future__ import annotations

from typing import Any

from django.http import Http404, HttpRequest, HttpResponse, HttpResponseBase
from django.shortcuts import redirect, render
from django.utils import timezone
from django.utils.translation import gettext as _
from django.views.decorators.http import require_http_methods, require_POST, require_safe

from pwscup.contests.models import Contest
from pwscup.contests.organize.common import (
    carry_out,
    for_organizers,
    organizer_page,
    tell,
    version_of,
)
from pwscup.contests.policies import is_frozen
from pwscup.contests.selectors import contest_page
from pwscup.contests.services import ContestRefused
from pwscup.core.http.polling import polled, wants_part
from pwscup.core.http.posted import posted_number
from pwscup.core.http.requests import SignedIn
from pwscup.leaderboards.ceremony import services
from pwscup.leaderboards.ceremony.pages import status
from pwscup.leaderboards.ceremony.readiness import waiting_stages
from pwscup.leaderboards.forms import CeremonyForm, DisplayForm, FreezeForm
from pwscup.leaderboards.views import for_readers, vary

FRAGMENT = "leaderboards/_ceremony.html"

# For everybody who may see the boards


@require_safe
@vary
@for_readers
def ceremony(request: HttpRequest, contest: Contest) -> HttpResponse:
    page = contest_page(request, contest, "board")
    return render(request, "leaderboards/ceremony.html", page | status(contest, page["now"]))


@require_safe
@vary
@for_readers
def ceremony_fragment(request: HttpRequest, contest: Contest) -> HttpResponseBase:
    shown = status(contest, timezone.now())
    return polled(request, FRAGMENT, shown, is_final=not shown["polls"])


# The organizers' page of the leaderboard


@require_http_methods(["GET", "HEAD", "POST"])
@for_organizers
def organize_board(request: HttpRequest, contest: Contest) -> HttpResponse:
    form = DisplayForm(contest, request.POST or None)
    if form.is_valid():
        return _done(
            request,
            contest,
            services.change_display,
            _("Saved."),
            audience=form.cleaned_data["audience"],
            hidden_measures=form.cleaned_data["hidden_measures"],
            version=form.cleaned_data["version"],
        )
    return _board_page(request, contest, form=form)


def _board_page(request: HttpRequest, contest: Contest, **forms: Any) -> HttpResponse:
    page = organizer_page(request, contest, "board")
    ceremony_form = CeremonyForm(contest)
    waiting = waiting_stages(contest, page["now"], ceremony_form.stages)
    page |= {
        "form": DisplayForm(contest),
        "freeze_form": FreezeForm(contest),
        "ceremony_form": ceremony_form,
        "frozen": is_frozen(contest, page["now"]),
        "ceremony": services.open_ceremony(contest),
        "waiting": waiting,
        "may_start": len(waiting) < len(ceremony_form.stages),
        "is_soon": any(blocker.is_soon for stage in waiting for blocker in stage.blockers),
    }
    return render(request, "leaderboards/organize.html", page | forms)


@require_POST
@for_organizers
def freeze(request: HttpRequest, contest: Contest) -> HttpResponse:
    form = FreezeForm(contest, request.POST)
    if not form.is_valid():
        return _board_page(request, contest, freeze_form=form)
    at, version = form.cleaned_data["at"], form.cleaned_data["version"]
    comes = at is not None and at > timezone.now()
    done = _("The leaderboard freezes at that time.") if comes else _("The leaderboard is frozen.")
    return _done(request, contest, services.freeze, done, at=at, version=version)


@require_POST
@for_organizers
def reveal(request: HttpRequest, contest: Contest) -> HttpResponse:
    done = _("The leaderboard shows everything again.")
    return _done(request, contest, services.reveal, done, version=version_of(request))


def _done(
    request: HttpRequest, contest: Contest, service: Any, words: str, **values: Any
) -> HttpResponse:
    return carry_out(request, contest, service, done=words, back="organize-board", **values)


# The organizers' screen


@require_safe
@for_organizers
def stage(request: HttpRequest, contest: Contest) -> HttpResponse:
    page = organizer_page(request, contest, "board")
    shown = status(contest, page["now"], on_stage=True)
    return render(request, "leaderboards/ceremony_stage.html", page | shown)


@require_safe
@for_organizers
def stage_fragment(request: HttpRequest, contest: Contest) -> HttpResponseBase:
    shown = status(contest, timezone.now(), on_stage=True)
    return polled(request, FRAGMENT, shown, is_final=shown["ceremony"] is None)


@require_POST
@for_organizers
def start(request: SignedIn, contest: Contest) -> HttpResponse:
    form = CeremonyForm(contest, request.POST)
    if not form.is_valid():
        return _board_page(request, contest, ceremony_form=form)
    try:
        services.start(
            actor=request.user,
            contest=contest,
            stage=form.stage,
            division=form.division,
            version=form.cleaned_data["version"],
        )
    except ContestRefused as refusal:
        tell(request, refusal)
        return redirect("organize-board", contest.slug)
    return redirect("organize-ceremony", contest.slug)


@require_POST
@for_organizers
def move(request: SignedIn, contest: Contest) -> HttpResponse:
    to, seen = request.POST.get("to", ""), posted_number(request, "step")
    if to not in services.MOVES or seen is None:
        raise Http404
    try:
        services.move(
            actor=request.user,
            contest=contest,
            ceremony_id=posted_number(request, "ceremony") or 0,
            seen=seen,
            to=to,
        )
    except ContestRefused as refusal:
        tell(request, refusal)
        return _to_stage(request, contest)
    if wants_part(request):
        return render(request, FRAGMENT, status(contest, timezone.now(), on_stage=True))
    return redirect("organize-ceremony", contest.slug)


@require_POST
@for_organizers
def end(request: HttpRequest, contest: Contest) -> HttpResponse:
    """Show all boards, or stop and keep them frozen."""
    keeps_frozen = request.POST.get("keep") == "frozen"
    service = services.stop if keeps_frozen else services.finish
    done = (
        _("The ceremony is over; the leaderboard is still frozen.")
        if keeps_frozen
        else _("The ceremony is over, and the leaderboard shows everything again.")
    )
    number = posted_number(request, "ceremony") or 0
    return _done(request, contest, service, done, ceremony_id=number)


def _to_stage(request: HttpRequest, contest: Contest) -> HttpResponse:
    """The whole page again, also if only a part of it was requested."""
    if wants_part(request):
        return HttpResponse(status=204, headers={"HX-Refresh": "true"})
    return redirect("organize-ceremony", contest.slug)
