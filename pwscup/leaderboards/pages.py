"""What the pages add to the boards: addresses, words in the reader's language, the reader's own row."""

from __future__ import annotations

import hashlib
from collections.abc import Mapping
from datetime import datetime
from typing import Any
from urllib.parse import urlencode

from django.http import Http404
from django.urls import reverse
from django.utils.translation import get_language
from django.utils.translation import gettext_lazy as _

from pwscup.accounts.models import Team
from pwscup.contests.measures import ShownMeasure, shown_measure
from pwscup.contests.models import Contest
from pwscup.leaderboards import charts
from pwscup.leaderboards.boards import BOARDS
from pwscup.leaderboards.services import Boards

TITLES = {
    "overall": _("Overall"),
    "anonymization": _("Anonymization"),
    "attack": _("Attack"),
    "matrix": _("Attack matrix"),
}


def wanted_board(name: str | None, boards: Boards) -> str:
    """The board that was asked for, or the one that says most; Http404 where there is no such board."""
    if not name:
        return "overall" if boards.data["overall"]["shown"] else "anonymization"
    if name not in BOARDS:
        raise Http404
    return name


def etag(boards: Boards, *parts: object) -> str:
    """Names one answer: the facts behind it, and what else it depends on."""
    named = [boards.key, *map(str, parts)]
    return f'"{hashlib.sha256("|".join(named).encode()).hexdigest()[:32]}"'


def fragment_etag(boards: Boards, name: str, asked: str | None, my_team: Team | None) -> str:
    mine = my_team.pk if my_team else None
    return etag(boards, name, asked, get_language(), mine)


def fragment(
    contest: Contest, boards: Boards, asked: str | None, my_team: Team | None
) -> dict[str, Any]:
    """The context of `_board.html`."""
    name = wanted_board(asked, boards)
    section = _as_seen(boards.data[name], my_team)
    query = f"?{urlencode({'board': asked})}" if asked else ""
    return {
        "contest": contest,
        "board": name,
        "section_template": f"leaderboards/_{name}.html",
        "tabs": [_tab(contest, key, name) for key in BOARDS if _has_tab(boards, key)],
        "live": boards.data["live"],
        "n_teams": boards.data["n_teams"],
        "etag": fragment_etag(boards, name, asked, my_team),
        "fragment_url": reverse("board-fragment", args=[contest.slug]) + query,
        "csv_url": f"{reverse('board-csv', args=[contest.slug])}?{urlencode({'board': name})}",
        "section": section,
        "shown_at": datetime.fromisoformat(section["shown_at"]) if section["shown_at"] else None,
        "columns": [shown_measure(measure) for measure in section.get("measures", [])],
        "attacks": _attack_titles(section),
        "weights": contest.ruleset.ranking,
        "has_values": any(row.get("submitted", True) for row in section["rows"]),
        "chart": charts.CHARTS[name](section) if name in charts.CHARTS else None,
    }


def _has_tab(boards: Boards, key: str) -> bool:
    return key == "anonymization" or boards.data[key]["exists"]


def _tab(contest: Contest, key: str, current: str) -> dict[str, Any]:
    address = f"{reverse('board', args=[contest.slug])}?{urlencode({'board': key})}"
    return {"key": key, "title": TITLES[key], "url": address, "active": key == current}


def _as_seen(section: Mapping[str, Any], my_team: Team | None) -> dict[str, Any]:
    """The section with the reader's own row marked; the stored boards stay as they are."""
    mine = my_team.pk if my_team else None
    rows = [_row_as_seen(row, mine) for row in section["rows"]]
    return {**section, "rows": rows}


def _row_as_seen(row: Mapping[str, Any], mine: int | None) -> dict[str, Any]:
    cells = [{**cell, "heat": heat(cell.get("rate"))} for cell in row.get("cells", [])]
    return {**row, "cells": cells, "mine": mine is not None and row["team"] == mine}


def heat(rate: float | None) -> int | None:
    """The step of the colour scale, 0 to 10."""
    return None if rate is None else min(10, max(0, int(10 * rate + 0.5)))


def _attack_titles(section: Mapping[str, Any]) -> list[ShownMeasure]:
    """The built-in attacks that a page names by their identifiers."""
    named = {row.get("attack") for row in section["rows"]}
    named |= {row.get("worst_by") for row in section["rows"] if not row.get("worst_by_team")}
    return [shown_measure(measure) for measure in sorted(filter(None, named))]
