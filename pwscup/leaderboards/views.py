"""Pages of the leaderboards: public, for everybody who may see the contest."""

from __future__ import annotations

from uuid import UUID

from django.contrib.auth.decorators import login_required
from django.http import Http404, HttpRequest, HttpResponse
from django.shortcuts import render
from django.utils import timezone
from django.utils.cache import get_conditional_response, patch_cache_control
from django.views.decorators.http import require_safe
from django.views.decorators.vary import vary_on_headers

from pwscup.accounts.selectors import team_of
from pwscup.contests.selectors import contest_page, visible_contest
from pwscup.leaderboards import export, pages, ranks
from pwscup.leaderboards.services import boards_of
from pwscup.submissions.selectors import get_visible

vary = vary_on_headers("Accept-Language", "Cookie")


@require_safe
@vary
def board(request: HttpRequest, slug: str) -> HttpResponse:
    contest = visible_contest(request.user, slug)
    page = contest_page(request, contest, "board")
    boards = boards_of(contest, page["now"])
    shown = pages.fragment(contest, boards, request.GET.get("board"), page["my_team"])
    return render(request, "leaderboards/board.html", page | shown)


@require_safe
@vary
def board_fragment(request: HttpRequest, slug: str) -> HttpResponse:
    contest = visible_contest(request.user, slug)
    my_team = team_of(request.user, contest)
    boards = boards_of(contest, timezone.now())
    asked = request.GET.get("board")
    etag = pages.fragment_etag(boards, pages.wanted_board(asked, boards), asked, my_team)
    response = get_conditional_response(request, etag=etag)
    if response is None:
        shown = pages.fragment(contest, boards, asked, my_team)
        response = render(request, "leaderboards/_board.html", shown)
    return _revalidated(response, etag)


@require_safe
@vary
def board_csv(request: HttpRequest, slug: str) -> HttpResponse:
    contest = visible_contest(request.user, slug)
    boards = boards_of(contest, timezone.now())
    name = pages.wanted_board(request.GET.get("board"), boards)
    etag = pages.etag(boards, "csv", name)
    response = get_conditional_response(request, etag=etag)
    if response is None:
        response = export.board_csv(f"{contest.slug}-{name}.csv", boards.data, name)
    return _revalidated(response, etag)


def _revalidated(response: HttpResponse, etag: str) -> HttpResponse:
    """Let a browser keep the answer, but ask every time: what may be shown changes with the clock."""
    response["ETag"] = etag
    patch_cache_control(response, private=True, no_cache=True)
    return response


@require_safe
@login_required
def submission_ranks(request: HttpRequest, public_id: UUID) -> HttpResponse:
    submission = get_visible(request.user, public_id)
    context = ranks.context(submission, timezone.now())
    if context is None:
        raise Http404
    return render(request, "leaderboards/_ranks.html", context)
