# SPDX-License-Identifier: Apache-2.0
"""Pages of the leaderboards: for everybody who may see the contest, or for its teams only."""

from __future__ import annotations

from collections.abc import Callable
from functools import wraps
from urllib.parse import urlencode
from uuid import UUID

from django.contrib.auth.decorators import login_required
from django.contrib.auth.views import redirect_to_login
from django.http import Http404, HttpRequest, HttpResponse, HttpResponseBase
from django.shortcuts import render
from django.utils import timezone
from django.utils.cache import get_conditional_response
from django.views.decorators.http import require_safe
from django.views.decorators.vary import vary_on_headers

from pwscup.contests.models import Contest
from pwscup.contests.policies import may_see_board
from pwscup.contests.rules.measures import hidden_measures
from pwscup.contests.selectors import contest_page, visible_contest
from pwscup.core.files.exports import csv_response
from pwscup.core.http.polling import polled
from pwscup.leaderboards import export, kept, pages, polls, ranks
from pwscup.leaderboards import projector as screen
from pwscup.leaderboards.history.course import Over, over_time
from pwscup.submissions.judging import votes
from pwscup.submissions.selectors import get_visible

vary = vary_on_headers(*polls.VARY)
View = Callable[[HttpRequest, Contest], HttpResponseBase]


def for_readers(view: View) -> Callable[[HttpRequest, str], HttpResponseBase]:
    """Pass the contest to the view; log-in for visitors, Http404 for others if its boards are for teams only."""

    @wraps(view)
    def entered(request: HttpRequest, slug: str) -> HttpResponseBase:
        contest = visible_contest(request.user, slug)
        if not may_see_board(request.user, contest):
            if request.user.is_anonymous:
                return redirect_to_login(request.get_full_path())
            raise Http404
        return view(request, contest)

    return entered


@require_safe
@vary
def board(request: HttpRequest, slug: str) -> HttpResponseBase:
    return kept.given(request) or _board(request, slug)


@for_readers
def _board(request: HttpRequest, contest: Contest) -> HttpResponse:
    numbers = polls.numbers_of(contest.pk)  # before the facts that they summarize
    page = contest_page(request, contest, "board")
    page["award"] = votes.award_of(contest)
    shown = pages.wanted(request, contest, page["now"])
    return kept.render(request, page, shown, numbers)


@require_safe
@vary
@for_readers
def board_fragment(request: HttpRequest, contest: Contest) -> HttpResponse:
    shown = pages.wanted(request, contest, timezone.now())
    if shown is None:
        return HttpResponse(pages.awaited(request, contest))
    polls.offer(request, contest, shown.boards)
    return polls.revalidated(HttpResponse(pages.fragment(contest, shown)), shown.fragment_etag())


@require_safe
@vary
@for_readers
def projector(request: HttpRequest, contest: Contest) -> HttpResponse:
    """The board in large type, which refreshes and pages itself."""
    page = contest_page(request, contest, "board")
    page |= screen.status(request, contest, page["now"]) | screen.frame(request, contest)
    return render(request, "leaderboards/projector.html", page)


@require_safe
@vary
@for_readers
def projector_fragment(request: HttpRequest, contest: Contest) -> HttpResponseBase:
    shown = screen.status(request, contest, timezone.now())
    return polled(request, "leaderboards/_projector.html", shown, is_final=False)


@require_safe
@vary
@for_readers
def board_csv(request: HttpRequest, contest: Contest) -> HttpResponse:
    shown = pages.wanted(request, contest, timezone.now())
    if shown is None:
        return HttpResponse(status=503, headers={"Retry-After": "2"})
    etag = shown.etag("csv")
    response = get_conditional_response(request, etag=etag)
    if response is None:
        name = pages.csv_name(contest, shown)
        response = export.board_csv(name, shown.boards.section(shown.name), shown.name)
    return polls.revalidated(response, etag)


@require_safe
@vary
@for_readers
def board_history(request: HttpRequest, contest: Contest) -> HttpResponse:
    """The best teams over time."""
    page = contest_page(request, contest, "board")
    stage = request.GET.get("stage", "")
    query = f"?{urlencode({'stage': stage})}" if stage else ""
    page |= {"over": _over(request, contest), "stage": stage, "query": query}
    return render(request, "leaderboards/history.html", page)


@require_safe
@vary
@for_readers
def board_history_csv(request: HttpRequest, contest: Contest) -> HttpResponse:
    over = _over(request, contest)
    rows = [
        [course.name, at.isoformat(), course.ranks[n] or "", course.totals[n]]
        for course in over.courses
        for n, at in enumerate(over.times)
    ]
    rows = [["" if value is None else value for value in row] for row in rows]
    return csv_response(f"{contest.slug}-history.csv", ["team", "time", "rank", "total"], rows)


def _over(request: HttpRequest, contest: Contest) -> Over:
    hidden = hidden_measures(contest, request.user)
    stage = request.GET.get("stage") or None
    try:
        return over_time(contest, timezone.now(), stage=stage, hidden=hidden)
    except KeyError as unknown:
        raise Http404 from unknown


@require_safe
@login_required
def submission_ranks(request: HttpRequest, public_id: UUID) -> HttpResponse:
    submission = get_visible(request.user, public_id)
    context = ranks.context(submission, request.user, timezone.now())
    if context is None:
        raise Http404
    return render(request, "leaderboards/_ranks.html", context)
