# SPDX-License-Identifier: Apache-2.0
"""The board for a projector: places in large type, the countdown, the first success of an attack.

It holds no more than the board of the same reader at the same time.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from datetime import datetime, timedelta
from typing import TYPE_CHECKING, Any, TypeVar

from django.http import HttpRequest
from django.urls import reverse
from django.utils.translation import get_language
from django.utils.translation import gettext as _

from pwscup.accounts.policies import is_over
from pwscup.contests.guidance import next_boundary
from pwscup.contests.selectors import rounds_of
from pwscup.core.http.polling import etag
from pwscup.core.qr import svg
from pwscup.leaderboards import pages, polls
from pwscup.leaderboards.boards.attack_texts import attack_texts_of
from pwscup.leaderboards.boards.panels import Panel, panel_of
from pwscup.leaderboards.boards.texts import board_title
from pwscup.submissions import selectors
from pwscup.submissions.models import Submission

if TYPE_CHECKING:
    from pwscup.contests.models import Contest, Round
    from pwscup.leaderboards.boards.cells import Board
    from pwscup.leaderboards.pages import Shown
    from pwscup.leaderboards.scope import Scope

T = TypeVar("T")
PER_PAGE = 12
"""Places that fit on a screen."""
SIZES = (6, 9, PER_PAGE)
"""The fewer places, the larger they are: the sizes of `projector.css`."""
NEW = timedelta(minutes=10)
"""The time for which the first success of an attack stands above the places."""
AT_ONCE = 50
MOST_GUESSES = 2_000
"""Guesses in which the first success is searched."""


@dataclass(frozen=True, slots=True)
class Place:
    rank: int | None
    name: str
    value: str
    is_house: bool


@dataclass(frozen=True, slots=True)
class First:
    """The first guess that found anything."""

    words: str
    at: datetime
    is_new: bool


def frame(request: HttpRequest, contest: Contest) -> dict[str, Any]:
    """The parts of the page around what is polled: the address of the contest and its QR code."""
    link = request.build_absolute_uri(reverse("contest", args=[contest.slug]))
    return {"link": link, "qr": svg(link, _("QR code of the contest's page"))}


def status(request: HttpRequest, contest: Contest, now: datetime) -> dict[str, Any]:
    """The context of the polled fragment."""
    shown = pages.wanted(request, contest, now)
    rounds, query = rounds_of(contest), polls.asked(request)
    boundary = next_boundary(rounds, now)
    found: dict[str, Any] = {
        "contest": contest,
        "boundary": boundary,
        "is_over": is_over(contest, now),
        "pages": [],
    }
    if shown is not None:
        found |= _board(shown, _number(request), now)
    n = found.get("number", 1)
    following = n % max(1, len(found["pages"])) + 1
    found["next_url"] = pages.address(
        "projector-fragment", contest, query, page=str(following) if following > 1 else None
    )
    found["next_page_url"] = pages.address(
        "projector", contest, query, page=str(following) if following > 1 else None
    )
    first = found.get("first")
    found["etag"] = etag(
        shown and shown.fragment_etag(),
        boundary and (boundary.words, boundary.at),
        contest.paused_at,
        found["is_over"],
        n,
        first,
        get_language(),
    )
    return found


def _number(request: HttpRequest) -> int:
    asked = request.GET.get("page", "1")
    return int(asked) if asked.isascii() and asked.isdecimal() and len(asked) < 4 else 1


def _board(shown: Shown, asked: int, now: datetime) -> dict[str, Any]:
    scope, section = shown.boards.scope, shown.boards.section(shown.name)
    panel = panel_of(shown.name, section, scope.rules)
    table = panel.ranked
    found = parted(list(places(table)), PER_PAGE) if table else []
    number = asked if 1 <= asked <= len(found) else 1
    return {
        "title": board_title(shown.name, scope.rules),
        "message": _message(panel),
        "column": table.columns[0] if table and table.columns else None,
        "places": found[number - 1] if found else [],
        "size": next(n for n in SIZES if not found or len(found[0]) <= n),
        "pages": range(1, len(found) + 1),
        "number": number,
        "frozen_at": scope.before,
        "is_provisional": section["provisional"] or bool(section["n_awaited"]),
        "as_of": shown.boards.as_of,
        "n_teams": shown.boards.outline["n_teams"],
        "first": first_success(scope, now),
    }


def _message(panel: Panel) -> str:
    """The reason why there are no places."""
    unscored = _("No submission has been scored yet.") if panel.is_unscored else ""
    placeless = "" if panel.ranked else _("This board has no places.")
    return panel.hidden or panel.empty or unscored or placeless


def parted(rows: list[T], size: int) -> list[list[T]]:
    """The rows in parts of that size; the last one may be smaller."""
    return [rows[at : at + size] for at in range(0, len(rows), size)]


def places(table: Board) -> Iterator[Place]:
    """The rows with their first value, which ranks them."""
    for row in table.rows:
        cell = row.cells[0] if row.cells and not row.is_empty else None
        yield Place(row.rank, row.name, getattr(cell, "text", ""), row.house)


def first_success(scope: Scope, now: datetime) -> First | None:
    """The first guess with a success, once the boards show everybody the rates of its round."""
    if scope.is_season:
        return None
    attack = scope.stage.shown(scope.stage.attack)
    guess = None if attack is None else _first_guess(attack, scope.before)
    if attack is None or guess is None or guess.target is None:
        return None
    names = {"team": guess.target.team.name, "attacker": guess.team.name}
    is_new = now < attack.results_at + attack.settles_after + NEW
    return First(str(attack_texts_of(scope.rules).first_success) % names, guess.arrived_at, is_new)


def _first_guess(attack: Round, before: datetime | None) -> Submission | None:
    """The guess that arrived first among those that stand and found anything; disqualified teams have none."""
    out = selectors.disqualified(attack.contest, before)
    guesses = selectors.standing(Submission.objects.filter(round=attack), before)
    guesses = guesses.exclude(target=None).exclude(team__in=out).exclude(target__team__in=out)
    keys = guesses.order_by(*selectors.OLDEST_FIRST).values_list("pk", flat=True)[:MOST_GUESSES]
    rows = Submission.objects.select_related("team", "target__team").prefetch_related(
        "evaluations__rescore"
    )
    for part in parted(list(keys), AT_ONCE):
        for guess in rows.filter(pk__in=part).order_by(*selectors.OLDEST_FIRST):
            if _has_success(guess, before):
                return guess
    return None


def _has_success(guess: Submission, before: datetime | None) -> bool:
    evaluation = selectors.newest_evaluation(guess, before)
    values = evaluation.values if evaluation else None
    return bool(values and values.get("rate"))
