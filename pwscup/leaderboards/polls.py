"""Polls of boards that everybody may see: what a browser has is current while nothing was recorded in the contest.

Most polls change nothing, and many people poll. So this process remembers which answers it gave at which revision
of a contest, and says of those that they still hold with one query: without session, person or boards.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from django.db.models import OuterRef, Subquery
from django.http import HttpResponse, HttpResponseNotModified
from django.utils import timezone
from django.utils.cache import patch_cache_control, patch_vary_headers
from django.utils.translation import get_language, get_language_from_request

from pwscup.contests.models import Contest
from pwscup.core.models import Revision
from pwscup.core.recent import Recent

if TYPE_CHECKING:
    from collections.abc import Callable

    from django.http import HttpRequest

    from pwscup.leaderboards.services import Known

VARY = ("Accept-Language", "Cookie")


@dataclass(frozen=True, slots=True)
class Given:
    """An answer that everybody gets who asks for it in that language."""

    contest_id: int
    language: str | None
    known: Known


_GIVEN: Recent[Given] = Recent(5000)


class BoardPollMiddleware:
    """Answers the polls of boards that have not changed, before anybody looks who asks."""

    def __init__(self, get_response: Callable[[HttpRequest], HttpResponse]) -> None:
        self.get_response = get_response

    def __call__(self, request: HttpRequest) -> HttpResponse:
        return unchanged(request) or self.get_response(request)


def remember(request: HttpRequest, contest: Contest, etag: str, known: Known | None) -> None:
    """Remember an answer, where every visitor of the contest gets the same."""
    if known is not None and _is_for_all(contest):
        _GIVEN.put(_name(request, etag), Given(contest.pk, get_language(), known))


def unchanged(request: HttpRequest) -> HttpResponse | None:
    """304 where the answer that the browser has is known to hold; else None."""
    etag = request.META.get("HTTP_IF_NONE_MATCH")
    if etag is None or request.method != "GET":
        return None
    etag = etag.removeprefix("W/")
    given = _GIVEN.get(_name(request, etag))
    if given is None or get_language_from_request(request) != given.language:
        return None
    request.get_host()  # one that is not allowed is refused here as everywhere
    if not given.known.holds(_revision(given.contest_id), timezone.now()):
        return None
    return revalidated(HttpResponseNotModified(), etag)


def revalidated(response: HttpResponse, etag: str) -> HttpResponse:
    """Let a browser keep the answer, but ask every time: what may be shown changes with the clock."""
    response["ETag"] = etag
    patch_cache_control(response, private=True, no_cache=True)
    patch_vary_headers(response, VARY)
    return response


def _name(request: HttpRequest, etag: str) -> tuple[str, str, str]:
    return request.path_info, request.META.get("QUERY_STRING", ""), etag


def _is_for_all(contest: Contest) -> bool:
    is_public = contest.is_published and contest.rehearsal_of_id is None
    is_open = contest.board_audience == Contest.Audience.PUBLIC
    return is_public and is_open and not contest.hidden_measures


def _revision(contest_id: int) -> int | None:
    """The revision of a contest whose boards are everybody's; None where they are not, or no more."""
    number = Revision.objects.filter(contest_id=OuterRef("pk")).values("number")
    found = Contest.objects.filter(
        pk=contest_id,
        is_published=True,
        rehearsal_of=None,
        board_audience=Contest.Audience.PUBLIC,
    )
    return found.values_list(Subquery(number), flat=True).first()
