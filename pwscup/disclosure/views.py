# SPDX-License-Identifier: Apache-2.0
"""Pages of disclosures of a hidden table: questions and answers, the release, and the spending."""

from __future__ import annotations

from http import HTTPStatus
from typing import TYPE_CHECKING
from uuid import UUID

from django.contrib import messages
from django.contrib.auth.decorators import login_required
from django.contrib.auth.views import redirect_to_login
from django.http import Http404, HttpRequest, HttpResponse, HttpResponseBase
from django.shortcuts import redirect, render
from django.utils import timezone
from django.utils.translation import gettext as _
from django.views.decorators.http import require_http_methods, require_safe

from pwscup.accounts.selectors import team_of
from pwscup.contests.downloads import terms_first
from pwscup.contests.organize.common import for_organizers
from pwscup.contests.selectors import download_name, original_of, visible_round
from pwscup.core.files import storage
from pwscup.core.http.requests import SignedIn
from pwscup.disclosure import asking, downloads, pages, selectors, services
from pwscup.formats import kinds_where
from pwscup.formats.hidden.disclosed import target_attributes
from pwscup.submissions.pages.downloads import published_response, table_response
from pwscup.submissions.policies import may_have_published

if TYPE_CHECKING:
    from pwscup.contests.models import Contest, Round


# Questions and answers


@login_required
@require_http_methods(["GET", "HEAD", "POST"])
def ask(request: SignedIn, slug: str, key: str) -> HttpResponse:
    """A POST shows the cost of a question, or asks it; the answer has its own URL."""
    round = visible_round(request.user, slug, key, kinds_where("is_asked"))
    if request.method != "POST":
        return render(request, "disclosure/ask.html", pages.ask_page(request, round))
    outcome = asking.receive(request, round)
    if outcome.asked is None:
        status = HTTPStatus.UNPROCESSABLE_ENTITY if outcome.problems else 200
        page = pages.ask_page(request, round, outcome)
        return render(request, "disclosure/ask.html", page, status=status)
    if not outcome.asked.is_new:
        messages.info(request, _("Your team already had this answer: nothing was spent."))
    return redirect("answer", outcome.asked.answer.public_id)


@require_safe
def answer(request: HttpRequest, public_id: UUID) -> HttpResponse:
    found = selectors.own_answer(request.user, public_id)
    return render(request, "disclosure/answer.html", pages.answer_page(request, found))


@require_safe
def answer_csv(request: HttpRequest, public_id: UUID) -> HttpResponse:
    return downloads.answer_page_response(selectors.own_answer(request.user, public_id))


@login_required
@require_safe
def answers_zip(request: HttpRequest, slug: str, key: str) -> HttpResponseBase:
    round = visible_round(request.user, slug, key, kinds_where("is_asked"))
    team = team_of(request.user, round.contest)
    if team is None or not round.answers.filter(team=team).exists():
        raise Http404
    return downloads.answers_response(team, round)


# Downloads


def _kept_from(request: HttpRequest, round: Round) -> HttpResponse | None:
    """A redirect for users who may not download yet; Http404 for others."""
    if may_have_published(request.user, round, timezone.now()):
        return terms_first(request, round.contest)
    if request.user.is_anonymous:
        return redirect_to_login(request.get_full_path())
    raise Http404


@require_safe
def batch_release(request: HttpRequest, slug: str, key: str) -> HttpResponseBase:
    """The released table, created now if it is due."""
    round = visible_round(request.user, slug, key, kinds_where("is_release"))
    if (elsewhere := _kept_from(request, round)) is not None:
        return elsewhere
    release = services.ensure_released(round)
    if release is None:
        raise Http404
    return published_response(release.table)


@require_safe
def template(request: HttpRequest, slug: str, key: str) -> HttpResponse:
    """A template of an estimate with all counts zero."""
    from scoring.formats.disclosure import estimates

    round = visible_round(request.user, slug, key, kinds_where("tells_of_table"))
    if (elsewhere := _kept_from(request, round)) is not None:
        return elsewhere
    if original_of(round.contest) is None:
        raise Http404
    data = estimates.template(target_attributes(round.contest))
    name = download_name(round.contest, f"{round.key}-estimate.csv")
    return table_response(name, storage.for_people(data, name))


# For organizers


@require_safe
@for_organizers
def organize_disclosure(request: HttpRequest, contest: Contest) -> HttpResponse:
    if not contest.format.hides_table:
        raise Http404
    return render(request, "disclosure/organize.html", pages.organizer_page(request, contest))
