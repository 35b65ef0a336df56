# SPDX-License-Identifier: Apache-2.0
"""Actions of organizers on the leaderboard: visibility, freeze, and step-by-step reveal."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from datetime import datetime
from itertools import groupby
from typing import TYPE_CHECKING, Any

from django.db import transaction
from django.utils import timezone
from django.utils.translation import gettext_lazy as _

from pwscup.contests.policies import is_frozen
from pwscup.contests.services import ContestRefused
from pwscup.contests.services.common import lock
from pwscup.core import audit_log
from pwscup.leaderboards.ceremony.readiness import blockers
from pwscup.leaderboards.models import Ceremony
from pwscup.leaderboards.scope import Scope, scope_of, weighted_stages
from pwscup.leaderboards.services import boards_of, build, forget
from scoring.rulesets import Ruleset

if TYPE_CHECKING:
    from pwscup.accounts.models import User
    from pwscup.contests.models import Contest, Division

Row = dict[str, Any]
MOVES = ("next", "back", "all")
BEST_FIRST = ("season", "score", "overall", "comparison", "anonymization")
"""The boards with a final order: the first one that the contest has and that has rows."""


def open_ceremony(contest: Contest) -> Ceremony | None:
    return Ceremony.objects.filter(contest=contest, finished_at=None).first()


def latest_ceremony(contest: Contest) -> Ceremony | None:
    """The current ceremony, or the last one."""
    return Ceremony.objects.filter(contest=contest).select_related("division").last()


# Visibility


@transaction.atomic
def change_display(
    *,
    actor: User,
    contest: Contest,
    audience: str,
    hidden_measures: Iterable[str],
    version: int | None = None,
) -> None:
    """The audience of the boards, and the measures that only organizers see."""
    held = lock(contest, version)
    values = {"board_audience": audience, "hidden_measures": sorted(hidden_measures)}
    changes: dict[str, Any] = {
        name: [getattr(held, name), value]
        for name, value in values.items()
        if getattr(held, name) != value
    }
    for name, value in values.items():
        setattr(held, name, value)
        setattr(contest, name, value)
    held.save(update_fields=list(values))
    if changes:
        forget(contest)
        audit_log.record("contest.board_changed", actor=actor, contest_id=contest.pk, **changes)


# Freezing


@transaction.atomic
def freeze(
    *, actor: User, contest: Contest, at: datetime | None = None, version: int | None = None
) -> None:
    """From now on, or as of another time, the boards show their state at that time."""
    held = lock(contest, version)
    _refuse_during_a_ceremony(contest)
    moment = at or timezone.now()
    before = held.frozen_at
    _set_frozen(held, contest, moment)
    audit_log.record(
        "contest.board_frozen",
        actor=actor,
        contest_id=contest.pk,
        frozen_at=[before and before.isoformat(), moment.isoformat()],
    )


@transaction.atomic
def reveal(*, actor: User, contest: Contest, version: int | None = None) -> None:
    """End the freeze without a ceremony."""
    held = lock(contest, version)
    _refuse_during_a_ceremony(contest)
    if held.frozen_at is None:
        raise ContestRefused(_("The leaderboard is not frozen, so there is nothing to reveal."))
    _reveal(actor, held, contest)


def _reveal(actor: User, held: Contest, contest: Contest, **data: Any) -> None:
    before = held.frozen_at
    _set_frozen(held, contest, None)
    audit_log.record(
        "contest.board_revealed",
        actor=actor,
        contest_id=contest.pk,
        frozen_at=[before and before.isoformat(), None],
        **data,
    )


def _set_frozen(held: Contest, contest: Contest, moment: datetime | None) -> None:
    held.frozen_at = contest.frozen_at = moment
    held.save(update_fields=["frozen_at"])
    forget(contest)


def _refuse_during_a_ceremony(contest: Contest) -> None:
    if open_ceremony(contest):
        raise ContestRefused(
            _("A ceremony is in progress, which controls when the boards are shown. End it first.")
        )


# The ceremony


@transaction.atomic
def start(
    *,
    actor: User,
    contest: Contest,
    stage: str | None = None,
    division: Division | None = None,
    version: int | None = None,
) -> Ceremony:
    """Fix the final order of a stage, or of the season, and reveal nothing yet."""
    held, now = lock(contest, version), timezone.now()
    _refuse_during_a_ceremony(contest)
    if not is_frozen(held, now):
        raise ContestRefused(
            _(
                "The leaderboard is not frozen: everybody can already see the final order. "
                "Freeze it first, as of a time before the last results."
            )
        )
    asked = {
        "stage": stage,
        "is_season": stage is None,
        "division": division,
        "hidden": held.hidden_measures,
    }
    scope = scope_of(contest, now, **asked, is_final=True)
    _refuse_before_the_end(scope)
    final = _order(build(scope), scope.rules)
    if final is None:
        raise ContestRefused(_("No team has a place yet: there is nothing to reveal."))
    ceremony = Ceremony.objects.create(
        contest=contest,
        stage=stage or "",
        division=division,
        direction=final.get("direction", "lower"),
        places=_places(final["rows"]),
        frozen=_frozen_rows(contest, now, asked),
        started_by=actor,
    )
    _record("contest.ceremony_started", actor, ceremony, n_places=len(ceremony.places))
    return ceremony


def _refuse_before_the_end(scope: Scope) -> None:
    found = blockers(scope)
    if found:
        raise ContestRefused(*(blocker.text for blocker in found))


def _order(data: Mapping[str, Any], rules: Ruleset) -> Mapping[str, Any] | None:
    """The board with the winners, of a list the main one; None if no team has a rank."""
    names = ("season", rules.boards[0].key) if rules.boards else BEST_FIRST
    sections = [data[name] for name in names if name in data]
    return next(
        (s for s in sections if any(row["rank"] is not None for row in s["rows"])),
        None,
    )


def _places(rows: Iterable[Row]) -> list[Row]:
    """The rows by rank, the last place first; rows without a rank come before it."""
    kept: list[dict[str, Any]] = [
        {name: row.get(name) for name in ("team", "name", "house", "rank", "total", "interval")}
        for row in rows
    ]
    unranked = [row for row in kept if row["rank"] is None]
    ranked = sorted(
        (row for row in kept if row["rank"] is not None),
        key=lambda row: (-row["rank"], row["name"]),
    )
    places = [{"rank": None, "rows": unranked}] if unranked else []
    return places + [
        {"rank": rank, "rows": list(group)}
        for rank, group in groupby(ranked, lambda row: row["rank"])
    ]


def _frozen_rows(contest: Contest, now: datetime, asked: Mapping[str, Any]) -> list[Row]:
    """The currently public order; for a season without one, that of its last stage."""
    boards = boards_of(contest, now, **asked)
    section = _order(boards.data, boards.scope.rules)
    if section is None and asked["is_season"]:
        stage = weighted_stages(contest.ruleset)[-1].key
        boards = boards_of(contest, now, **{**asked, "is_season": False, "stage": stage})
        section = _order(boards.data, boards.scope.rules)
    rows = section["rows"] if section else []
    return [{name: row[name] for name in ("team", "name", "house", "rank")} for row in rows]


@transaction.atomic
def move(*, actor: User, contest: Contest, ceremony_id: int, seen: int, to: str) -> Ceremony:
    """Reveal the next place, hide the last one again, or reveal all.

    `seen` is the step on the page: if the ceremony is at another one, because a button was pressed twice or
    by two users, nothing is done.
    """
    ceremony = _held(contest, ceremony_id)
    last = len(ceremony.places)
    step = {"next": min(seen + 1, last), "back": max(seen - 1, 0), "all": last}[to]
    if ceremony.step == seen and step != seen:
        ceremony.step = step
        ceremony.save(update_fields=["step"])
        _record("contest.ceremony_moved", actor, ceremony, step=[seen, step])
    return ceremony


@transaction.atomic
def finish(*, actor: User, contest: Contest, ceremony_id: int) -> None:
    """Show all boards: the ceremony and the freeze end."""
    held = lock(contest)
    ceremony = _held(contest, ceremony_id)
    if not ceremony.is_complete:
        raise ContestRefused(
            _("Not every place is revealed yet. Reveal them first, one by one or all together.")
        )
    _close(ceremony)
    _reveal(actor, held, contest, ceremony=ceremony.pk)


@transaction.atomic
def stop(*, actor: User, contest: Contest, ceremony_id: int) -> None:
    """End the ceremony and keep the boards frozen, for another one or for a correction."""
    ceremony = _held(contest, ceremony_id)
    _close(ceremony)
    _record("contest.ceremony_stopped", actor, ceremony, step=ceremony.step)


def _held(contest: Contest, ceremony_id: int) -> Ceremony:
    found = Ceremony.objects.select_for_update().filter(contest=contest, finished_at=None)
    ceremony = found.filter(pk=ceremony_id).first()
    if ceremony is None:
        raise ContestRefused(_("This ceremony is over: another organizer may have ended it."))
    return ceremony


def _close(ceremony: Ceremony) -> None:
    ceremony.finished_at = timezone.now()
    ceremony.save(update_fields=["finished_at"])


def _record(kind: str, actor: User, ceremony: Ceremony, **data: Any) -> None:
    division = ceremony.division.key if ceremony.division else ""
    audit_log.record(
        kind,
        actor=actor,
        contest_id=ceremony.contest_id,
        subject=f"ceremony {ceremony.pk}",
        stage=ceremony.stage,
        division=division,
        **data,
    )
