# SPDX-License-Identifier: Apache-2.0
"""Additions of pages to boards: URLs, texts in the reader's language, the reader's own row."""

from __future__ import annotations

import hashlib
import re
from collections.abc import Mapping
from dataclasses import dataclass
from datetime import datetime
from typing import TYPE_CHECKING, Any
from urllib.parse import urlencode

from django.http import Http404
from django.template.loader import render_to_string
from django.urls import reverse
from django.utils.html import escape
from django.utils.safestring import SafeString, mark_safe
from django.utils.translation import get_language
from django.utils.translation import gettext as _

from pwscup.contests.rules.measures import hidden_measures
from pwscup.core.db.recent import Recent, Turns
from pwscup.leaderboards import charts, polls
from pwscup.leaderboards.boards import texts as words
from pwscup.leaderboards.boards.build import (
    DISCLOSURE_BOARDS,
    boards_of_formula,
    first_board_of,
    is_of_season,
    season_boards_of,
)
from pwscup.leaderboards.boards.panels import panel_of
from pwscup.leaderboards.history import may_have_course
from pwscup.leaderboards.scope import Scope, has_season
from pwscup.leaderboards.services import Boards, served
from scoring.rulesets import localized

if TYPE_CHECKING:
    from django.http import HttpRequest

    from pwscup.accounts.models import Team
    from pwscup.contests.models import Contest
    from pwscup.contests.policies import Person


RENDERED: Recent[str] = Recent(200, most_weight=32_000_000)
"""The parts of pages that hold a board, by ETag."""
_TURNS = Turns()


@dataclass(frozen=True, slots=True)
class Shown:
    """A requested board, and its query; `name` is never empty."""

    boards: Boards
    name: str
    query: Mapping[str, str]

    def etag(self, *parts: object) -> str:
        """The ETag of a response: the facts behind it, and its other dependencies."""
        contest = self.boards.scope.contest
        divisions = [(d.key, d.title, d.title_ja) for d in contest.divisions.all()]
        named = [self.boards.key, self.name, contest.slug, divisions, self.boards.as_of, *parts]
        return f'"{hashlib.sha256("|".join(map(str, named)).encode()).hexdigest()[:32]}"'

    def fragment_etag(self) -> str:
        return self.etag(sorted(self.query.items()), get_language())


def wanted(request: HttpRequest, contest: Contest, now: datetime) -> Shown | None:
    """The requested board, or the main one; Http404 if there is no such board.

    None while the boards are being computed for the first time.
    """
    return chosen(request.user, contest, now, polls.asked(request))


def chosen(user: Person, contest: Contest, now: datetime, query: Mapping[str, str]) -> Shown | None:
    """The same for a reader, from the values of `polls.ASKED`."""
    name, division = query.get("board"), None
    if "division" in query:
        divisions = {division.key: division for division in contest.divisions.all()}
        division = divisions.get(
            query["division"]
        )  # not passed to the database, which accepts no NUL
        if division is None:
            raise Http404
    try:
        boards = served(
            contest,
            now,
            stage=query.get("stage"),
            is_season=is_of_season(name),
            division=division,
            hidden=hidden_measures(contest, user),
        )
    except KeyError as unknown:
        raise Http404 from unknown
    return None if boards is None else Shown(boards, _name(boards.scope, name), query)


def _name(scope: Scope, asked: str | None) -> str:
    if asked and has_season(scope.rules) and asked in season_boards_of(scope.rules):
        return asked
    if not asked:
        return first_board_of(scope)
    if asked not in boards_of_formula(scope.rules):
        raise Http404
    return asked


def csv_name(contest: Contest, shown: Shown) -> str:
    """The file name of a download, with stage and division if they were requested."""
    parts = [contest.slug, shown.query.get("stage"), shown.query.get("division"), shown.name]
    return f"{'-'.join(part for part in parts if part)}.csv"


def fragment(contest: Contest, shown: Shown) -> SafeString:
    """`_board.html`, the same for everybody who may see the board."""
    etag = shown.fragment_etag()
    html = RENDERED.get(etag)
    if html is None:
        with _TURNS.of(etag):
            html = RENDERED.get(etag) or _rendered(contest, shown, etag)
    return mark_safe(html)  # noqa: S308 — made by a template


def _rendered(contest: Contest, shown: Shown, etag: str) -> str:
    html = render_to_string("leaderboards/_board.html", _context(contest, shown, etag))
    RENDERED.put(etag, html, weight=len(html))
    return html


def marked(html: str, my_team: Team | None) -> SafeString:
    """The board with the rows of the reader's team highlighted, as `boards.js` does after polling."""
    if my_team is None:
        return mark_safe(html)  # noqa: S308
    row = rf'(<tr data-team="{my_team.pk}")(.*?)(</th>)'
    words = f'<span class="visually-hidden">({escape(_("your team"))})</span>'
    return mark_safe(re.sub(row, rf'\1 class="mine"\2 {words}\3', html, flags=re.DOTALL))  # noqa: S308


def awaited(request: HttpRequest, contest: Contest) -> SafeString:
    """The placeholder of a board while it is computed for the first time."""
    url = address("board-fragment", contest, polls.asked(request))
    return render_to_string("leaderboards/_awaited.html", {"fragment_url": url})


def _context(contest: Contest, shown: Shown, etag: str) -> dict[str, Any]:
    boards, name = shown.boards, shown.name
    rules, section = boards.scope.rules, boards.section(name)
    has_course = not boards.scope.is_season and may_have_course(boards.scope)
    is_main = name == first_board_of(boards.scope) and boards.scope.division is None
    panel = panel_of(name, section, rules)
    of_screen = {} if panel.ranked or not panel.sheets else {"board": None}
    return {
        "contest": contest,
        "board": name,
        "tabs": [_tab(contest, shown, key) for key in names_of(boards)],
        "stages": _stage_tabs(contest, shown),
        "divisions": _division_tabs(contest, shown),
        "division": boards.scope.division,
        "frozen_at": boards.scope.before,
        "live": boards.outline["live"] or boards.as_of is not None,
        "n_teams": boards.outline["n_teams"],
        "etag": etag,
        "as_of": boards.as_of,
        "fragment_url": address("board-fragment", contest, shown.query),
        "projector_url": address("projector", contest, shown.query, **of_screen),
        "is_season": boards.scope.is_season,
        "has_course": has_course,
        "has_moves": has_course and is_main,
        "history_url": address("board-history", contest, {"stage": shown.query.get("stage", "")}),
        "csv_url": address("board-csv", contest, shown.query, board=name),
        "trail_url": address("board-trail", contest, shown.query, board=name),
        "section": section,
        "shown_at": shown_at(boards, section),
        "has_rounds": name in DISCLOSURE_BOARDS and not rules.boards,
        "panel": panel,
        "chart": charts.chart_of(name, section, rules),
    }


def shown_at(boards: Boards, section: Mapping[str, Any]) -> datetime | None:
    """The time when a hidden board is shown; unknown for a frozen one."""
    if boards.scope.before is not None or not section["shown_at"]:
        return None
    return datetime.fromisoformat(section["shown_at"])


# Tabs


def names_of(boards: Boards) -> list[str]:
    """The boards of the contest; those of a stage are not available on the season's page."""
    rules = boards.scope.rules
    names = [
        name
        for name in boards_of_formula(rules)
        if name in ("anonymization", "score", *(spec.key for spec in rules.boards))
        or boards.outline.get(name, {"exists": True})["exists"]
    ]
    return [*names, *season_boards_of(rules)] if has_season(rules) else names


def address(page: str, contest: Contest, query: Mapping[str, str], /, **other: str | None) -> str:
    """The URL of a page about the requested board, or with some parameters replaced."""
    asked = {key: value for key, value in {**query, **other}.items() if value}
    path = reverse(page, args=[contest.slug])
    return f"{path}?{urlencode(asked)}" if asked else path


def _tab(contest: Contest, shown: Shown, key: str) -> dict[str, Any]:
    return {
        "key": key,
        "title": words.board_title(key, shown.boards.scope.rules),
        "url": address("board", contest, shown.query, board=key),
        "active": key == shown.name,
    }


def _stage_tabs(contest: Contest, shown: Shown) -> list[dict[str, Any]]:
    """The stages, if there are several; the season is not part of one."""
    scope = shown.boards.scope
    if len(scope.rules.stages) < 2 or scope.is_season:
        return []
    return [
        {
            "title": localized(spec.title, get_language() or "en"),
            "url": address("board", contest, shown.query, stage=spec.key),
            "active": spec.key == scope.stage.spec.key,
        }
        for spec in scope.rules.stages
    ]


def _division_tabs(contest: Contest, shown: Shown) -> list[dict[str, Any]]:
    found = list(contest.divisions.all())
    chosen = shown.query.get("division")
    if not found:
        return []
    everybody = {
        "title": words.ALL_TEAMS,
        "url": address("board", contest, shown.query, division=None),
        "active": chosen is None,
    }
    return [
        everybody,
        *(
            {
                "title": division.local_title,
                "url": address("board", contest, shown.query, division=division.key),
                "active": division.key == chosen,
            }
            for division in found
        ),
    ]
