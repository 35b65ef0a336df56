# SPDX-License-Identifier: Apache-2.0
"""Contexts of the pages of a ceremony: only the revealed part of the final order."""

from __future__ import annotations

from datetime import datetime
from typing import TYPE_CHECKING, Any

from django.urls import reverse

from pwscup.contests.policies import is_frozen
from pwscup.core.http.polling import etag
from pwscup.leaderboards.boards.medals import has_medals
from pwscup.leaderboards.boards.texts import stage_title
from pwscup.leaderboards.ceremony.services import latest_ceremony

if TYPE_CHECKING:
    from pwscup.contests.models import Contest
    from pwscup.leaderboards.models import Ceremony

DENSE = 10
"""With more rows, those on the projector are smaller."""


def status(contest: Contest, now: datetime, *, on_stage: bool = False) -> dict[str, Any]:
    """The context of `_ceremony.html`: for everybody, or for the organizers' screen with its buttons."""
    ceremony = latest_ceremony(contest)
    if ceremony and on_stage and ceremony.finished_at:
        ceremony = None
    page = "organize-ceremony-fragment" if on_stage else "ceremony-fragment"
    shown = {
        "contest": contest,
        "ceremony": ceremony,
        "on_stage": on_stage,
        "polls": is_frozen(contest, now) or bool(ceremony and not ceremony.finished_at),
        "fragment_url": reverse(page, args=[contest.slug]),
    }
    if ceremony is not None:
        shown |= _progress(contest, ceremony)
    return shown | {"etag": _etag(ceremony, shown)}


def _etag(ceremony: Ceremony | None, shown: dict[str, Any]) -> str:
    state = ceremony and (ceremony.pk, ceremony.step, ceremony.finished_at)
    return etag(state, shown["on_stage"], shown["polls"])


def _scope(contest: Contest, ceremony: Ceremony) -> str:
    """The stage or the season that is revealed; a contest of one stage has neither."""
    rules = contest.ruleset
    if len(rules.stages) == 1:
        return contest.local_title
    return str(stage_title(rules, ceremony.stage))


def _progress(contest: Contest, ceremony: Ceremony) -> dict[str, Any]:
    revealed = ceremony.revealed
    known = {row["team"] for place in revealed for row in place["rows"]}
    waiting = [] if ceremony.is_complete else [r for r in ceremony.frozen if r["team"] not in known]
    newest = revealed[0]["rank"] if revealed else None
    return {
        "stage_title": _scope(contest, ceremony),
        "revealed": [place | {"is_newest": place["rank"] == newest} for place in revealed],
        "waiting": waiting,
        "has_medals": has_medals(p["rank"] for p in ceremony.places for _row in p["rows"]),
        "step": ceremony.step,
        "n_steps": len(ceremony.places),
        "is_dense": sum(len(place["rows"]) for place in ceremony.places) > DENSE,
    }
