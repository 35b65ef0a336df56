# SPDX-License-Identifier: Apache-2.0
"""Polls of public boards: many readers request the same, and usually nothing has changed.

So this process caches the last response for each board and language, with the revision of the contest, and
returns it again after one query: without session, user or boards. While results keep arriving, it is at most
a second old.
"""

from __future__ import annotations

import time
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from django.db.models import Exists
from django.http import HttpResponse
from django.utils import timezone
from django.utils.cache import patch_cache_control, patch_vary_headers
from django.utils.translation import get_language_from_request

from pwscup.contests.models import Contest
from pwscup.core.db import revisions
from pwscup.core.db.prepared import Prepared
from pwscup.core.db.recent import Recent
from pwscup.core.http.polling import conditional

if TYPE_CHECKING:
    from collections.abc import Callable
    from datetime import datetime

    from django.db.models import QuerySet
    from django.http import HttpRequest

    from pwscup.core.db.revisions import Numbers
    from pwscup.core.models import Revision
    from pwscup.leaderboards.services import Boards, Known

VARY = ("Accept-Language", "Cookie")
PATH_ENDS = "/board/fragment/"
ASKED = ("board", "stage", "division")
"""The query parameters of a board's URL."""
BEHIND_SECONDS = 1.0
"""The time for which a response is reused although new results exist."""


@dataclass(slots=True)
class Remembered:
    """The response for a board; `is_current` until something is recorded."""

    contest_id: int
    known: Known
    is_current: bool
    again_at: float

    def holds(self, numbers: Numbers | None, now: datetime) -> bool:
        if numbers is None or not self.known.is_in_time(now):
            return False
        if self.is_current and self.known.numbers == numbers:
            return True
        if self.known.numbers.gate != numbers.gate:
            return False
        if time.monotonic() < self.again_at:
            return True
        self.again_at = time.monotonic() + BEHIND_SECONDS  # this reader requests the next one
        return False


@dataclass(frozen=True, slots=True)
class Given:
    """A response that is the same for all readers in that language."""

    remembered: Remembered
    content: bytes
    headers: dict[str, str]

    def answer(self, request: HttpRequest) -> HttpResponse:
        response = HttpResponse(self.content, headers=self.headers)
        return conditional(request, response)


_GIVEN: Recent[Given] = Recent(1000, most_weight=64_000_000)


class BoardPollMiddleware:
    """Answers polls of boards from the cache, if possible, before the reader is identified."""

    def __init__(self, get_response: Callable[[HttpRequest], HttpResponse]) -> None:
        self.get_response = get_response

    def __call__(self, request: HttpRequest) -> HttpResponse:
        if not request.path_info.endswith(PATH_ENDS) or request.method != "GET":
            return self.get_response(request)
        language = get_language_from_request(request)
        name = request.path_info, *asked(request).items(), language
        given = _GIVEN.get(name)
        if given is not None:
            request.get_host()  # refused here as everywhere else
            if given.remembered.holds(numbers_of(given.remembered.contest_id), timezone.now()):
                return given.answer(request)
        response = self.get_response(request)
        offered = getattr(request, "offered_board", None)
        if offered is not None and response.get("Content-Language") == language:
            content, headers = response.content, dict(response.items())
            given = Given(remembered(*offered), content, headers)
            _GIVEN.put(name, given, weight=len(content))
        return conditional(request, response)


def asked(request: HttpRequest) -> dict[str, str]:
    """The query parameters of the request."""
    return {key: request.GET[key] for key in ASKED if request.GET.get(key)}


def offer(request: HttpRequest, contest: Contest, boards: Boards) -> None:
    """Allow caching of the response if all visitors of the contest get the same."""
    if boards.known is not None and is_for_all(contest):
        request.offered_board = contest, boards.known, boards  # type: ignore[attr-defined]


def revalidated(response: HttpResponse, etag: str) -> HttpResponse:
    """Let a browser cache the response, but revalidate it every time: visibility changes with the clock."""
    response["ETag"] = etag
    patch_cache_control(response, private=True, no_cache=True)
    patch_vary_headers(response, VARY)
    return response


def remembered(contest: Contest, known: Known, *boards: Boards) -> Remembered:
    """The cache entry of a response that shows these boards."""
    again_at = time.monotonic() + BEHIND_SECONDS
    is_current = all(board.as_of is None for board in boards)
    return Remembered(contest.pk, known, is_current=is_current, again_at=again_at)


def is_for_all(contest: Contest) -> bool:
    """All visitors see the same boards."""
    is_open = contest.board_audience == Contest.Audience.PUBLIC
    return contest.is_public and is_open and not contest.hidden_measures


def _of_everybodys(contest_id: int) -> QuerySet[Revision, Any]:
    public = Contest.objects.filter(
        Contest.PUBLIC, pk=contest_id, board_audience=Contest.Audience.PUBLIC
    )
    return revisions.numbers_where(contest_id=contest_id).filter(Exists(public))


_EVERYBODYS = Prepared(_of_everybodys, int)


def numbers_of(contest_id: int) -> Numbers | None:
    """The revision of a contest with public boards; None if they are not public."""
    return revisions.current(contest_id, _EVERYBODYS)
