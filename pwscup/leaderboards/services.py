"""Boards that are served from their stored row while the facts stand, and made anew when they do not."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from datetime import datetime
from typing import Any

from django.utils import timezone

from pwscup.contests.models import Contest, Division
from pwscup.leaderboards import boards, facts
from pwscup.leaderboards.models import Standing
from pwscup.leaderboards.scope import Scope, scope_of

MAX_VARIANTS = 200
"""How many boards of a contest are kept; those that were made longest ago go."""


@dataclass(frozen=True, slots=True)
class Boards:
    """The boards of a variant at one moment, and the digest of the facts behind them."""

    key: str
    data: dict[str, Any]
    scope: Scope


def boards_of(
    contest: Contest,
    now: datetime,
    *,
    stage: str | None = None,
    is_season: bool = False,
    division: Division | None = None,
    hidden: Iterable[str] = (),
) -> Boards:
    """The boards as they stand, or stood when they were frozen; the stored ones where nothing has
    happened since. KeyError where there is no such stage."""
    scope = scope_of(
        contest, now, stage=stage, is_season=is_season, division=division, hidden=hidden
    )
    key = facts.key_of(scope)
    stored = Standing.objects.filter(contest=contest, variant=scope.variant, key=key)
    for data in stored.values_list("boards", flat=True):
        return Boards(key, data, scope)
    return _make(scope, key)


def rebuild(contest: Contest, now: datetime) -> Boards:
    """The boards made from the facts alone; whatever was stored is gone."""
    forget(contest)
    scope = scope_of(contest, now)
    return _make(scope, facts.key_of(scope))


def forget(contest: Contest) -> None:
    """Drop the stored boards of a contest, all variants."""
    Standing.objects.filter(contest=contest).delete()


def final_boards(
    contest: Contest, now: datetime, *, stage: str | None = None, is_season: bool = False
) -> dict[str, Any]:
    """The boards as they really stand, frozen or not: for organizers' eyes, and stored nowhere."""
    return build(scope_of(contest, now, stage=stage, is_season=is_season, is_final=True))


def build(scope: Scope) -> dict[str, Any]:
    """The boards of a variant from the facts."""
    found = facts.gather(scope)
    return boards.build_season(found) if scope.is_season else boards.build(found[0])


def _make(scope: Scope, key: str) -> Boards:
    # The key was read before the facts: what arrives in between makes the next reader build again.
    data = build(scope)
    made = Standing(
        contest=scope.contest,
        variant=scope.variant,
        key=key,
        boards=data,
        built_at=timezone.now(),
    )
    Standing.objects.bulk_create(
        [made],
        update_conflicts=True,
        unique_fields=["contest", "variant"],
        update_fields=["key", "boards", "built_at"],
    )
    kept = Standing.objects.filter(contest=scope.contest).order_by("-built_at", "-pk")
    too_old = list(kept.values_list("pk", flat=True)[MAX_VARIANTS:])
    if too_old:
        Standing.objects.filter(pk__in=too_old).delete()
    return Boards(key, data, scope)
