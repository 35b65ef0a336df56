# SPDX-License-Identifier: Apache-2.0
"""Pages of decisions: for organizers, for a team, and the appeal about one submission."""

from __future__ import annotations

from http import HTTPStatus
from typing import TYPE_CHECKING, Any

from django.contrib import messages
from django.contrib.auth.decorators import login_required
from django.http import Http404, HttpRequest, HttpResponse
from django.shortcuts import redirect, render
from django.utils.translation import gettext as _
from django.views.decorators.cache import never_cache
from django.views.decorators.http import require_http_methods, require_POST, require_safe

from pwscup.accounts.selectors import team_of
from pwscup.contests.organize.common import for_organizers, organizer_page, tell
from pwscup.contests.selectors import contest_page, visible_contest
from pwscup.core.http.requests import SignedIn
from pwscup.submissions import policies, selectors
from pwscup.submissions.decisions import appeals, rulings
from pwscup.submissions.decisions.forms import (
    AppealForm,
    LateForm,
    ReasonForm,
    ReinstateForm,
    TeamRulingForm,
)

if TYPE_CHECKING:
    from uuid import UUID

    from django import forms

    from pwscup.contests.models import Contest

FORM = require_http_methods(["GET", "HEAD", "POST"])


# For organizers


@FORM
@for_organizers
def organize_decisions(request: SignedIn, contest: Contest) -> HttpResponse:
    """All decisions about teams, and the forms for new ones."""
    if request.method != "POST":
        return _decisions_page(request, contest)
    form = FORMS.get(request.POST.get("action", ""), TeamRulingForm)(contest, request.POST)
    if not form.is_valid():
        return _decisions_page(request, contest, form)
    try:
        done = _decide(request, form)
    except rulings.RulingRefused as refusal:
        form.add_error(None, refusal.message)
        return _decisions_page(request, contest, form)
    messages.success(request, done)
    return redirect("organize-decisions", contest.slug)


FORMS: dict[str, type[TeamRulingForm]] = {
    "disqualify": TeamRulingForm,
    "reinstate": ReinstateForm,
    "late": LateForm,
}


def _decide(request: SignedIn, form: TeamRulingForm) -> str:
    what, action = dict(form.cleaned_data), request.POST.get("action")
    if action == "late":
        rulings.allow_late(actor=request.user, **what)
        return _("%(team)s may submit late.") % {"team": what["team"].name}
    if action == "reinstate":
        rulings.reinstate_team(actor=request.user, **what)
        return _("%(team)s is back on the boards.") % {"team": what["team"].name}
    rulings.disqualify(actor=request.user, **what)
    return _("%(team)s is disqualified.") % {"team": what["team"].name}


def _decisions_page(
    request: HttpRequest, contest: Contest, refused: forms.Form | None = None
) -> HttpResponse:
    page = organizer_page(request, contest, "decisions")
    shown: dict[type[forms.Form], forms.Form | None] = {type(refused): refused} if refused else {}
    page |= {
        "standings": rulings.standings_of(contest),
        "appeals": appeals.open_appeals(contest),
        "team_form": shown.get(TeamRulingForm) or TeamRulingForm(contest),
        "back_form": shown.get(ReinstateForm) or ReinstateForm(contest),
        "late_form": shown.get(LateForm) or LateForm(contest),
    }
    page["some_are_out"] = any(line.is_disqualified for line in page["standings"])
    status = HTTPStatus.UNPROCESSABLE_ENTITY if refused else 200
    return render(request, "submissions/organize_decisions.html", page, status=status)


# For a team


@login_required
@never_cache
@require_safe
def decisions(request: HttpRequest, slug: str) -> HttpResponse:
    """The decisions of the organizers about the viewer's team."""
    contest = visible_contest(request.user, slug)
    team = team_of(request.user, contest)
    if team is None:
        raise Http404
    found, allowances = selectors.decisions_in(contest)
    page = contest_page(request, contest, "team") | {
        "rulings": [ruling for ruling in found if ruling.team_id == team.pk],
        "allowances": [allowance for allowance in allowances if allowance.team_id == team.pk],
        "is_disqualified": team.pk in selectors.disqualified(contest),
    }
    return render(request, "submissions/decisions.html", page)


# One submission


@FORM
@never_cache
def submission_appeal(request: SignedIn, public_id: UUID) -> HttpResponse:
    """The thread about a submission; a POST adds to it."""
    found = selectors.get_visible(request.user, public_id)
    if not policies.may_appeal(request.user, found):
        raise Http404
    form = AppealForm(request.POST or None)
    if form.is_valid():
        try:
            appeals.write(
                user=request.user,
                submission=found,
                text=form.cleaned_data["text"],
                closes="close" in request.POST,
            )
        except appeals.AppealRefused as refusal:
            form.add_error(None, refusal.message)
        else:
            messages.success(request, _("Your message is sent."))
            return redirect("submission-appeal", public_id)
    return _appeal_page(request, found, form)


def _appeal_page(
    request: HttpRequest, submission: Any, form: AppealForm, reason: ReasonForm | None = None
) -> HttpResponse:
    contest, ruling = submission.round.contest, selectors.newest_ruling(submission.team, submission)
    page = contest_page(request, contest, submission.round.key) | {
        "submission": submission,
        "round": submission.round,
        "thread": appeals.thread(submission),
        "is_open": appeals.is_open(submission),
        "rulings": submission.rulings.select_related("decided_by"),
        "is_withdrawn": ruling is not None and ruling.kind == ruling.Kind.WITHDRAWN,
        "form": form,
        "reason_form": reason or ReasonForm(),
        "may_rule": policies.may_rule(request.user, submission),
    }
    status = HTTPStatus.UNPROCESSABLE_ENTITY if form.errors or (reason and reason.errors) else 200
    return render(request, "submissions/appeal.html", page, status=status)


@require_POST
def submission_rule(request: SignedIn, public_id: UUID) -> HttpResponse:
    """Withdraw a submission, or reinstate it."""
    found = selectors.get_visible(request.user, public_id)
    if not policies.may_rule(request.user, found):
        raise Http404
    form = ReasonForm(request.POST)
    if not form.is_valid():
        return _appeal_page(request, found, AppealForm(), form)
    rule = rulings.reinstate_submission if "reinstate" in request.POST else rulings.withdraw
    try:
        rule(actor=request.user, submission=found, reason=form.cleaned_data["reason"])
    except rulings.RulingRefused as refusal:
        tell(request, refusal)
    else:
        messages.success(request, _("Decided. Your reason is shown to the team."))
    return redirect("submission-appeal", public_id)
