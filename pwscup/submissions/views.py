# SPDX-License-Identifier: Apache-2.0
"""Pages of rounds, submissions and published tables."""

from __future__ import annotations

from typing import TYPE_CHECKING
from uuid import UUID

from django.contrib import messages
from django.contrib.auth.decorators import login_required
from django.contrib.auth.views import redirect_to_login
from django.http import (
    Http404,
    HttpRequest,
    HttpResponse,
    HttpResponseBase,
    JsonResponse,
    StreamingHttpResponse,
)
from django.shortcuts import get_object_or_404, redirect, render
from django.utils import timezone
from django.utils.cache import get_conditional_response
from django.utils.translation import gettext as _
from django.utils.translation import ngettext
from django.views.decorators.http import require_http_methods, require_POST, require_safe

from pwscup.accounts.selectors import team_of
from pwscup.contests.downloads import terms_first
from pwscup.contests.organize.common import for_organizers
from pwscup.contests.selectors import (
    download_name,
    organized_contest,
    visible_contest,
    visible_round,
)
from pwscup.contests.teams.tables import content_of, suffix_of, team_file
from pwscup.core.files.exports import csv_stream
from pwscup.core.http.polling import etag, polled
from pwscup.core.http.posted import posted_number
from pwscup.core.http.requests import SignedIn, is_signed_in
from pwscup.submissions import draws, policies, selectors, services
from pwscup.submissions.intake import receiving
from pwscup.submissions.models import Submission
from pwscup.submissions.pages import checks, downloads, listing, results, rounds
from pwscup.submissions.services import SubmissionRefused

if TYPE_CHECKING:
    from collections.abc import Callable

    from pwscup.contests.models import Contest


# Rounds


@require_http_methods(["GET", "HEAD", "POST"])
def round_page(request: HttpRequest, slug: str, key: str) -> HttpResponse:
    round = visible_round(request.user, slug, key)
    if request.method != "POST":
        return render(request, *rounds.round_page(request, round, None))
    if not is_signed_in(request):
        return redirect_to_login(request.get_full_path())
    form, taken = receiving.receive(request, round)
    if taken:
        _thank(request, taken)
    if form.errors:
        return render(request, *rounds.round_page(request, round, form), status=form.status)
    return redirect("submission", taken[0].public_id) if len(taken) == 1 else redirect(request.path)


@require_safe
def round_history(request: HttpRequest, slug: str, key: str) -> HttpResponse:
    """The part of a round's page about the team's submissions, polled until the last one is final."""
    round = visible_round(request.user, slug, key)
    team = team_of(request.user, round.contest)
    if team is None:
        raise Http404
    tag = rounds.history_etag(team, round, timezone.now())
    response = get_conditional_response(request, etag=tag)
    if response is None:
        _page, context = rounds.round_page(request, round, None)
        response = render(request, "submissions/_live.html", context)
    response["ETag"], response["Cache-Control"] = tag, "private, no-cache"
    return response


@require_safe
def round_check(request: HttpRequest, slug: str, key: str) -> HttpResponse:
    """The rules by which browsers check files of the round, for those who submit them."""
    round = visible_round(request.user, slug, key)
    if not policies.may_have_published(request.user, round, timezone.now()):
        raise Http404
    found = checks.round_checks(round, team_of(request.user, round.contest))
    response = JsonResponse(found, json_dumps_params={"ensure_ascii": False})
    response["Cache-Control"] = "private, no-cache"
    return response


@require_safe
def round_awaited(request: HttpRequest, slug: str, key: str) -> HttpResponseBase:
    """The wait for results or targets, polled; the whole page once they are there."""
    round = visible_round(request.user, slug, key)
    awaited = rounds.awaited(round, timezone.now())
    status = {"contest": round.contest, "round": round, "awaited": awaited, "etag": etag(awaited)}
    return polled(request, "submissions/_awaited.html", status, is_final=awaited is None)


def _thank(request: HttpRequest, taken: list[Submission]) -> None:
    received = ngettext("%(n)s file was received.", "%(n)s files were received.", len(taken))
    if taken[0].target_id is not None:
        messages.success(request, received % {"n": len(taken)})


@require_safe
def targets_zip(request: HttpRequest, slug: str, key: str) -> HttpResponseBase:
    round = visible_round(request.user, slug, key)
    releases = list(selectors.releases(round))
    if not releases or not policies.may_download_release(request.user, releases[0], timezone.now()):
        raise Http404
    if (terms_page := terms_first(request, round.contest)) is not None:
        return terms_page
    own = team_of(request.user, round.contest)
    return downloads.releases_response(
        round, [r for r in releases if r.team_id != (own and own.pk)]
    )


@require_safe
def release(request: HttpRequest, public_id: UUID) -> HttpResponseBase:
    found = selectors.get_visible_release(request.user, public_id, timezone.now())
    if (terms_page := terms_first(request, found.round.contest)) is not None:
        return terms_page
    return downloads.published_response(found.table)


@require_safe
def release_candidates(request: HttpRequest, public_id: UUID) -> HttpResponseBase:
    found = selectors.get_visible_release(request.user, public_id, timezone.now())
    if found.candidates is None:
        raise Http404
    if (terms_page := terms_first(request, found.round.contest)) is not None:
        return terms_page
    return downloads.published_response(found.candidates)


@require_safe
def team_data(request: HttpRequest, slug: str, team: str, name: str) -> HttpResponseBase:
    """A team's own table or the sample derived from it; the table is drawn now if it is due."""
    contest = visible_contest(request.user, slug)
    found = get_object_or_404(contest.teams.select_related("contest"), slug=team)
    if not policies.may_have_table(request.user, found, timezone.now()):
        raise Http404
    if (terms_page := terms_first(request, contest)) is not None:
        return terms_page
    key, _dot, suffix = name.rpartition(".")
    is_named = suffix == suffix_of(contest, key) and draws.ensure_drawn(found) is not None
    content = content_of(found, key) if is_named else None
    if not content:
        raise Http404
    return downloads.table_response(download_name(contest, team_file(found, key)), content)


# One submission


@require_safe
def submission_status(request: HttpRequest, public_id: UUID) -> HttpResponseBase:
    status = results.status(selectors.get_visible(request.user, public_id))
    return polled(request, "submissions/_status.html", status, is_final=status["final"])


@require_safe
def submission_file(request: SignedIn, public_id: UUID, key: str) -> HttpResponse:
    found = selectors.get_visible(request.user, public_id)
    return downloads.own_upload_response(request.user, found, key)


def changed(
    request: HttpRequest,
    submission: Submission,
    service: Callable[..., object],
    done: str,
    **what: str,
) -> bool:
    """Call a service for the user, and report the outcome."""
    try:
        service(user=request.user, submission=submission, **what)
    except SubmissionRefused as refusal:
        messages.error(request, refusal.message)
        return False
    messages.success(request, done)
    return True


@require_POST
def submission_cancel(request: HttpRequest, public_id: UUID) -> HttpResponse:
    found = selectors.get_visible(request.user, public_id)
    changed(request, found, services.cancel, _("Cancelled: it uses no attempt."))
    return redirect("submission", public_id)


@require_POST
def submission_choose(request: HttpRequest, public_id: UUID) -> HttpResponse:
    found = selectors.get_visible(request.user, public_id)
    done = _("Submission #%(number)s counts now.") % {"number": found.number}
    changed(request, found, services.choose, done)
    return redirect("round", found.round.contest.slug, found.round.key)


@require_POST
@login_required
def original_choose(request: SignedIn, slug: str, key: str) -> HttpResponse:
    """A team's choice of one of its originals, from the page of a round."""
    contest = visible_contest(request.user, slug)
    team = team_of(request.user, contest)
    if team is None:
        raise Http404
    if (terms_page := terms_first(request, contest)) is not None:
        return terms_page
    number = request.POST.get("original", "")
    try:
        services.choose_original(
            user=request.user, team=team, number=int(number) if number.isdecimal() else 0
        )
    except SubmissionRefused as refusal:
        messages.error(request, refusal.message)
    else:
        messages.success(request, _("Your team's original is %(n)s.") % {"n": number})
    return redirect("round", slug, key)


# For organizers


@login_required
@require_safe
def organize_submissions(request: HttpRequest, slug: str) -> HttpResponse:
    contest = organized_contest(request.user, slug)
    return render(request, "submissions/organize.html", listing.submissions_page(request, contest))


@require_POST
@for_organizers
def organize_retry(request: SignedIn, contest: Contest) -> HttpResponse:
    """Retry failed submissions: the named one, or all."""
    if "submission" in request.POST:
        its_own = Submission.objects.filter(round__contest=contest)
        its_own = its_own.select_related("team", "round__contest")
        found = get_object_or_404(its_own, pk=posted_number(request, "submission"))
        n_retried = _retried(request, found)
    else:
        n_retried = services.retry_all(actor=request.user, contest=contest)
    if n_retried:
        done = ngettext("%(n)s submission waits again.", "%(n)s submissions wait again.", n_retried)
        messages.success(request, done % {"n": n_retried})
    return redirect("organize-submissions", contest.slug)


def _retried(request: SignedIn, submission: Submission) -> int:
    try:
        services.retry(actor=request.user, submission=submission)
    except SubmissionRefused as refusal:
        messages.error(request, refusal.message)
        return 0
    return 1


@login_required
@require_safe
def organize_submissions_csv(request: HttpRequest, slug: str) -> StreamingHttpResponse:
    contest = organized_contest(request.user, slug)
    chosen = listing.FilterForm(contest, request.GET).chosen()
    rows = listing.export_rows(contest, chosen)
    return csv_stream(f"{contest.slug}-submissions.csv", listing.header(contest), rows)
