"""What the pages add to the boards: addresses, words in the reader's language, the reader's own row."""

from __future__ import annotations

import hashlib
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import TYPE_CHECKING, Any
from urllib.parse import urlencode

from django.http import Http404
from django.urls import reverse
from django.utils.translation import get_language

from pwscup.contests.measures import ShownMeasure, hidden_measures, shown_measure
from pwscup.leaderboards import charts, words
from pwscup.leaderboards.boards import SEASON, boards_of_formula, first_board
from pwscup.leaderboards.columns import is_by_name, shown_value
from pwscup.leaderboards.scope import has_season
from pwscup.leaderboards.services import Boards, boards_of
from scoring.rulesets import localized

if TYPE_CHECKING:
    from django.http import HttpRequest

    from pwscup.accounts.models import Team
    from pwscup.contests.models import Contest


@dataclass(frozen=True, slots=True)
class Shown:
    """A board that was asked for, and the query that asks for it again; `name` is never empty."""

    boards: Boards
    name: str
    query: Mapping[str, str]

    def etag(self, *parts: object) -> str:
        """Names one answer: the facts behind it, and what else it depends on."""
        named = [self.boards.key, self.name, *map(str, parts)]
        return f'"{hashlib.sha256("|".join(named).encode()).hexdigest()[:32]}"'

    def fragment_etag(self, my_team: Team | None) -> str:
        mine = my_team.pk if my_team else None
        return self.etag(sorted(self.query.items()), get_language(), mine)


def wanted(request: HttpRequest, contest: Contest, now: datetime) -> Shown:
    """The board that the address asks for, or the one that says most; Http404 where there is none such."""
    query = {
        key: request.GET[key] for key in ("board", "stage", "division") if request.GET.get(key)
    }
    name, division = query.get("board"), None
    if "division" in query:
        divisions = {division.key: division for division in contest.divisions.all()}
        division = divisions.get(query["division"])  # not asked of the database: it takes no NUL
        if division is None:
            raise Http404
    try:
        boards = boards_of(
            contest,
            now,
            stage=query.get("stage"),
            is_season=name == SEASON,
            division=division,
            hidden=hidden_measures(contest, request.user),
        )
    except KeyError as unknown:
        raise Http404 from unknown
    return Shown(boards, _name(boards, name), query)


def _name(boards: Boards, asked: str | None) -> str:
    rules = boards.scope.rules
    if asked == SEASON and has_season(rules):
        return SEASON
    if not asked:
        return first_board(rules, boards.data)
    if asked not in boards_of_formula(rules):
        raise Http404
    return asked


def csv_name(contest: Contest, shown: Shown) -> str:
    """What the download is called: stage and division are named where they were asked for."""
    parts = [contest.slug, shown.query.get("stage"), shown.query.get("division"), shown.name]
    return f"{'-'.join(part for part in parts if part)}.csv"


def fragment(contest: Contest, shown: Shown, my_team: Team | None) -> dict[str, Any]:
    """The context of `_board.html`."""
    boards, name = shown.boards, shown.name
    data = boards.data[name]
    columns = [shown_measure(id_) for id_ in data.get("measures", [])]
    section = _as_seen(data, columns, my_team)
    return {
        "contest": contest,
        "board": name,
        "section_template": f"leaderboards/_{name}.html",
        "tabs": [_tab(contest, shown, key) for key in _names(boards)],
        "stages": _stage_tabs(contest, shown),
        "divisions": _division_tabs(contest, shown),
        "division": boards.scope.division,
        "frozen_at": boards.scope.before,
        "live": boards.data["live"],
        "n_teams": boards.data["n_teams"],
        "etag": shown.fragment_etag(my_team),
        "fragment_url": _address("board-fragment", contest, shown.query),
        "csv_url": _address("board-csv", contest, shown.query, board=name),
        "section": section,
        "shown_at": _shown_at(boards, section),
        "columns": columns,
        "by_name": any(map(is_by_name, columns)),
        "attacks": _attack_titles(section),
        "weights": boards.scope.rules.ranking,
        "words": words.of_section(name, section, boards.scope.rules),
        "has_values": any(row.get("submitted", True) for row in section["rows"]),
        "chart": charts.chart_of(name, section, boards.scope.rules),
    }


def _shown_at(boards: Boards, section: Mapping[str, Any]) -> datetime | None:
    """When a hidden board is shown; of a frozen one nobody knows."""
    if boards.scope.before is not None or not section["shown_at"]:
        return None
    return datetime.fromisoformat(section["shown_at"])


# Tabs


def _names(boards: Boards) -> list[str]:
    """The boards that the contest has; those of a stage are not at hand on the season's page."""
    rules = boards.scope.rules
    names = [
        name
        for name in boards_of_formula(rules)
        if name in ("anonymization", "score") or boards.data.get(name, {"exists": True})["exists"]
    ]
    return [*names, SEASON] if has_season(rules) else names


def _address(page: str, contest: Contest, query: Mapping[str, str], **other: str | None) -> str:
    asked = {key: value for key, value in {**query, **other}.items() if value}
    address = reverse(page, args=[contest.slug])
    return f"{address}?{urlencode(asked)}" if asked else address


def _tab(contest: Contest, shown: Shown, key: str) -> dict[str, Any]:
    return {
        "key": key,
        "title": words.TITLES[key],
        "url": _address("board", contest, shown.query, board=key),
        "active": key == shown.name,
    }


def _stage_tabs(contest: Contest, shown: Shown) -> list[dict[str, Any]]:
    """The stages, where there are several; the season is no part of one."""
    scope = shown.boards.scope
    if len(scope.rules.stages) < 2 or scope.is_season:
        return []
    return [
        {
            "title": localized(spec.title, get_language() or "en"),
            "url": _address("board", contest, shown.query, stage=spec.key),
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
        "url": _address("board", contest, shown.query, division=None),
        "active": chosen is None,
    }
    return [
        everybody,
        *(
            {
                "title": division.local_title,
                "url": _address("board", contest, shown.query, division=division.key),
                "active": division.key == chosen,
            }
            for division in found
        ),
    ]


# Rows


def _as_seen(
    section: Mapping[str, Any], columns: Sequence[ShownMeasure], my_team: Team | None
) -> dict[str, Any]:
    """The section with values as people read them and the reader's own row marked; the stored boards
    stay as they are."""
    mine = my_team.pk if my_team else None
    if "defenders" in section:
        section = {**section, "top": charts.top_of(section)}
    rows = [_row_as_seen(row, mine, columns, section.get("top")) for row in section["rows"]]
    return {**section, "rows": rows}


def _row_as_seen(
    row: Mapping[str, Any], mine: int | None, columns: Sequence[ShownMeasure], top: int | None
) -> dict[str, Any]:
    cells = list(map(dict, row.get("cells", [])))
    if top is not None:
        cells = [{**cell, "heat": heat(cell["rate"], top)} for cell in cells]
    for cell, column in zip(cells, columns, strict=False):
        cell["shown"] = shown_value(cell["value"], column)
    return {**row, "cells": cells, "mine": mine is not None and row["team"] == mine}


def heat(rate: float | None, top: int) -> int | None:
    """The step of a colour scale that ends at `top` per cent, 0 to 10."""
    return None if rate is None else min(10, max(0, int(1000 * rate / top + 0.5)))


def _attack_titles(section: Mapping[str, Any]) -> list[ShownMeasure]:
    """The built-in attacks that a page names by their identifiers."""
    named = {row.get("attack") for row in section["rows"]}
    named |= {row.get("worst_by") for row in section["rows"] if not row.get("worst_by_team")}
    return [shown_measure(id_) for id_ in sorted(filter(None, named))]
