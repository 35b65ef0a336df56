# SPDX-License-Identifier: Apache-2.0
"""The organizer's clock: pause and resume, extended and reopened rounds, outages."""

from __future__ import annotations

from collections.abc import Callable
from http import HTTPStatus
from typing import Any

from django.contrib import messages
from django.http import Http404, HttpRequest, HttpResponse
from django.shortcuts import redirect, render
from django.utils.translation import gettext as _
from django.views.decorators.http import require_POST, require_safe

from pwscup.contests import guidance, services
from pwscup.contests.forms import LengthForm, OutageForm, PauseForm, ResumeForm, clock_forms
from pwscup.contests.models import Contest
from pwscup.contests.organize.common import carry_out, for_organizers, organizer_page
from pwscup.core.texts.refusals import Refused


@require_safe
@for_organizers
def clock(request: HttpRequest, contest: Contest) -> HttpResponse:
    return _page(request, contest)


def _page(request: HttpRequest, contest: Contest, status: int = 200, **bound: Any) -> HttpResponse:
    """The page; `bound` are forms with errors that replace empty ones."""
    page = organizer_page(request, contest, "clock")
    typed = bound.pop("length_form", None)
    initial = {"version": contest.version}
    rows = [
        {
            "moment": moment,
            "why_final": services.why_final(moment.round) if moment.state == "closed" else None,
            "form": typed
            if typed is not None and typed.prefix == f"round-{moment.round.key}"
            else LengthForm(round=moment.round, initial=initial),
        }
        for moment in guidance.timeline(page["contest_rounds"], page["now"])
    ]
    page |= clock_forms(contest) | bound | {"rows": rows}
    page["interruptions"] = guidance.interruptions(contest, page["now"])
    return render(request, "organize/clock.html", page, status=status)


def _change(
    request: HttpRequest, contest: Contest, service: Callable[..., Any], done: str, **what: Any
) -> HttpResponse:
    return carry_out(request, contest, service, done=done, back="organize-clock", **what)


@require_POST
@for_organizers
def pause(request: HttpRequest, contest: Contest) -> HttpResponse:
    form = PauseForm(request.POST, prefix="pause")
    if not form.is_valid():
        return _page(request, contest, HTTPStatus.UNPROCESSABLE_ENTITY, pause_form=form)
    done = _("The contest is paused.")
    return _change(request, contest, services.pause, done, **form.cleaned_data)


@require_POST
@for_organizers
def resume(request: HttpRequest, contest: Contest) -> HttpResponse:
    form = ResumeForm(request.POST, prefix="resume")
    if not form.is_valid():
        return _page(request, contest, HTTPStatus.UNPROCESSABLE_ENTITY, resume_form=form)
    done = _("The contest continues. All later dates have moved by the length of the pause.")
    return _change(request, contest, services.resume, done, **form.cleaned_data)


@require_POST
@for_organizers
def outage(request: HttpRequest, contest: Contest) -> HttpResponse:
    form = OutageForm(request.POST, zone=contest.tz)
    if not form.is_valid():
        return _page(request, contest, HTTPStatus.UNPROCESSABLE_ENTITY, outage_form=form)
    done = _("The outage is recorded.")
    return _change(request, contest, services.record_outage, done, **form.cleaned_data)


@require_POST
@for_organizers
def extend(request: HttpRequest, contest: Contest, key: str) -> HttpResponse:
    done = _("The round is extended.")
    return _lengthen(request, contest, key, services.extend_round, done)


@require_POST
@for_organizers
def reopen(request: HttpRequest, contest: Contest, key: str) -> HttpResponse:
    return _lengthen(request, contest, key, services.reopen_round, _("The round is open again."))


def _lengthen(
    request: HttpRequest, contest: Contest, key: str, service: Callable[..., Any], done: str
) -> HttpResponse:
    round = next((round for round in contest.rounds.all() if round.key == key), None)
    if round is None:
        raise Http404
    form, version = LengthForm(request.POST, round=round), contest.version
    if form.is_valid():
        try:
            service(actor=request.user, contest=contest, key=key, **form.values())
        except Refused as refusal:
            contest.version = version  # nothing was saved
            form.refuse(refusal, version)
        else:
            messages.success(request, done)
            return redirect("organize-clock", contest.slug)
    return _page(request, contest, HTTPStatus.UNPROCESSABLE_ENTITY, length_form=form)
