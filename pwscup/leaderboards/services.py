"""Boards that are served from their stored row while the facts stand, and made anew when they do not."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import datetime
from typing import Any

from django.utils import timezone

from pwscup.contests.models import Contest
from pwscup.leaderboards import boards, facts
from pwscup.leaderboards.models import Standing


@dataclass(frozen=True, slots=True)
class Boards:
    """The boards of a contest at one moment, and the digest of the facts behind them."""

    key: str
    data: dict[str, Any]


def boards_of(contest: Contest, now: datetime) -> Boards:
    """The boards as they stand; the stored ones where nothing has happened since."""
    stage = facts.stage_of(contest, now)
    key = facts.key_of(stage)
    stored = Standing.objects.filter(contest=contest, key=key).values_list("boards", flat=True)
    for data in stored:
        return Boards(key, data)
    return _make(stage, key)


def rebuild(contest: Contest, now: datetime) -> Boards:
    """The boards made from the facts alone; what was stored is replaced."""
    stage = facts.stage_of(contest, now)
    return _make(stage, facts.key_of(stage))


def _make(stage: facts.Stage, key: str) -> Boards:
    # The key was read before the facts: what arrives in between makes the next reader build again.
    data = boards.build(facts.gather(stage))
    Standing.objects.bulk_create(
        [Standing(contest=stage.contest, key=key, boards=data, built_at=timezone.now())],
        update_conflicts=True,
        unique_fields=["contest"],
        update_fields=["key", "boards", "built_at"],
    )
    return Boards(key, data)
