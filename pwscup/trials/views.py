# SPDX-License-Identifier: Apache-2.0
"""Pages of trials."""

from __future__ import annotations

from typing import TYPE_CHECKING
from uuid import UUID

from django.contrib import messages
from django.contrib.auth.views import redirect_to_login
from django.http import Http404, HttpRequest, HttpResponse, HttpResponseBase
from django.shortcuts import redirect, render
from django.utils.translation import gettext as _
from django.views.decorators.http import require_http_methods, require_POST, require_safe

from pwscup.accounts.selectors import team_of
from pwscup.contests.downloads import terms_first
from pwscup.core.files import storage
from pwscup.core.http.polling import polled
from pwscup.core.http.requests import SignedIn
from pwscup.submissions.middleware import arrival
from pwscup.submissions.pages.downloads import upload_response
from pwscup.submissions.services import SubmissionRefused
from pwscup.trials import pages, selectors, services

if TYPE_CHECKING:
    from pwscup.contests.models import Round


@require_http_methods(["GET", "HEAD", "POST"])
def trials(request: HttpRequest, slug: str, key: str) -> HttpResponse:
    """The form; a POST begins a trial."""
    round = selectors.round_with_trials(request.user, slug, key)
    if request.method == "POST":
        return _begun(request, round)
    return render(request, "trials/trials.html", pages.trials_page(request, round))


def _begun(request: HttpRequest, round: Round) -> HttpResponse:
    if request.user.is_anonymous:
        return redirect_to_login(request.get_full_path())
    team, now = team_of(request.user, round.contest), arrival(request)
    if team is None:
        raise Http404
    if (terms_page := terms_first(request, round.contest)) is not None:
        return terms_page
    form = pages.trial_form(round, team, now, request.POST)
    if form.is_valid():
        try:
            trial = services.request_trial(
                user=request.user, team=team, round=round, arrived_at=now, **form.request()
            )
        except (services.TrialRefused, SubmissionRefused) as refusal:
            form.add_error(None, refusal.message)
        else:
            return redirect("trial", trial.public_id)
    context = pages.trials_page(request, round, form)
    return render(request, "trials/trials.html", context, status=form.status)


@require_safe
def trial(request: HttpRequest, public_id: UUID) -> HttpResponse:
    found = selectors.own_trial(request.user, public_id)
    if (terms_page := terms_first(request, found.round.contest)) is not None:
        return terms_page
    return render(request, "trials/trial.html", pages.trial_page(request, found))


@require_safe
def trial_status(request: HttpRequest, public_id: UUID) -> HttpResponseBase:
    found = selectors.own_trial(request.user, public_id)
    return polled(request, "trials/_status.html", pages.status(found), is_final=found.is_final)


@require_safe
def trial_file(request: SignedIn, public_id: UUID, key: str) -> HttpResponse:
    found = selectors.own_trial(request.user, public_id)
    if (terms_page := terms_first(request, found.round.contest)) is not None:
        return terms_page
    entry = found.files.select_related("file").filter(key=key).first()
    if entry is None or entry.file.erased_at is not None:
        raise Http404
    data = services.file_of(found, key, request.user, "download of")
    return upload_response(entry.file.name, storage.for_people(data, entry.file.name))


@require_POST
def trial_submit(request: SignedIn, public_id: UUID) -> HttpResponse:
    """Submit the trial; with `next`, then try the same attack on the next target."""
    found, now = selectors.own_trial(request.user, public_id), arrival(request)
    try:
        submission = services.submit_trial(user=request.user, trial=found, arrived_at=now)
        following = None
        if "next" in request.POST:
            following = services.try_next(user=request.user, trial=found, arrived_at=now)
    except (services.TrialRefused, SubmissionRefused) as refusal:
        messages.error(request, refusal.message)
        return redirect("trial", public_id)
    if following is None:
        return redirect("submission", submission.public_id)
    assert submission.target is not None
    done = _("The guess about %(team)s is submitted.") % {"team": submission.target.team.name}
    messages.success(request, done)
    return redirect("trial", following.public_id)
