# SPDX-License-Identifier: Apache-2.0
"""Cached board pages: a reader gets the same page again while nothing was recorded.

The frame is cached for each reader, with holes for the board, which all readers share, the CSRF token, and
the reader's unread news.
"""

from __future__ import annotations

from collections.abc import Hashable
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from django.contrib.messages import get_messages
from django.http import HttpResponse
from django.template.loader import render_to_string
from django.utils import timezone
from django.utils.translation import get_language

from pwscup.core import mailbox
from pwscup.core.context import origin
from pwscup.core.db.recent import Recent
from pwscup.core.http import themes
from pwscup.core.http.holes import Answer, Holes, Kept
from pwscup.leaderboards import charts, pages, polls

if TYPE_CHECKING:
    from django.http import HttpRequest

    from pwscup.core.db.revisions import Numbers
    from pwscup.leaderboards.pages import Shown

TEMPLATE = "leaderboards/board.html"


@dataclass(frozen=True, slots=True)
class Frame:
    """A page, and the board in it."""

    remembered: polls.Remembered
    etag: str
    page: Kept


FRAMES: Recent[Frame] = Recent(2000, most_weight=32_000_000)


def given(request: HttpRequest) -> HttpResponse | None:
    """The cached page of this reader at this URL, if it is still valid."""
    frame = FRAMES.get(_name(request))
    html = None if frame is None else pages.RENDERED.get(frame.etag)
    if frame is None or html is None:
        return None
    numbers = polls.numbers_of(frame.remembered.contest_id)
    if numbers is None or not frame.remembered.holds(numbers, timezone.now()):
        return None
    return HttpResponse(frame.page.filled(Answer(request, numbers, html)))


def render(
    request: HttpRequest, page: dict[str, Any], shown: Shown | None, numbers: Numbers | None
) -> HttpResponse:
    """The page, cached if everybody may see the board and all of it is from `numbers`, which were read before."""
    contest, my_team, name = page["contest"], page["my_team"], _name(request)
    html = pages.awaited(request, contest) if shown is None else pages.fragment(contest, shown)
    page["needs_script"] = shown is None or charts.needs_script(
        shown.name, shown.boards.section(shown.name)
    )
    known = shown.boards.known if shown and polls.is_for_all(contest) else None
    if name is None or shown is None or known is None or known.numbers != numbers:
        page["board"] = pages.marked(html, my_team)
        return HttpResponse(render_to_string(TEMPLATE, page, request))
    holes = Holes()
    page["csrf_token"] = holes.add(lambda answer: answer.token)
    page["board"] = holes.add(lambda answer: pages.marked(answer.shared, my_team))
    page["holes"] = holes
    found = holes.cut(render_to_string(TEMPLATE, page, request))
    frame = Frame(polls.remembered(contest, known, shown.boards), shown.fragment_etag(), found)
    FRAMES.put(name, frame, weight=found.weight)
    return HttpResponse(found.filled(Answer(request, numbers, html)))


def _name(request: HttpRequest) -> Hashable:
    """All that a page depends on in addition to the facts; None if it must be rendered each time."""
    user = request.user
    if user.is_authenticated and (user.is_organizer or user.is_superuser):
        return None  # is the disk full?
    if len(get_messages(request)):
        return None
    reader = (user.pk, user.display_name) if user.is_authenticated else None
    look = get_language(), themes.chosen(request), mailbox.is_open(request)
    return origin(request), request.get_full_path(), look, reader
