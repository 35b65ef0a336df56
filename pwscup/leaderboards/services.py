# SPDX-License-Identifier: Apache-2.0
"""Boards are served from their stored row while the facts are unchanged, and computed again otherwise.

One reader at a time computes the boards of a variant; the others get the stored ones, with their time, or
wait shortly if there are none. No lock is held meanwhile: the row has a lease.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Iterable
from dataclasses import dataclass
from datetime import datetime, timedelta
from functools import cached_property
from typing import Any

from django.db.models import Q
from django.utils import timezone

from pwscup.contests.models import Contest, Division
from pwscup.core.db import revisions
from pwscup.core.db.clock import db_now, read_db_clock
from pwscup.core.db.recent import Recent, Turns
from pwscup.core.db.revisions import Numbers
from pwscup.leaderboards import facts
from pwscup.leaderboards.boards import build as boards
from pwscup.leaderboards.boards import sections
from pwscup.leaderboards.boards.sections import MATRIX, Facts
from pwscup.leaderboards.models import Standing
from pwscup.leaderboards.scope import Scope, moments, scope_of

MAX_VARIANTS = 200
"""The number of stored variants of a contest; the oldest are deleted."""
LEASE = timedelta(seconds=30)
"""The time for which only one reader computes boards."""
REST = 10
"""Boards rest for this multiple of their computing time: so a burst of facts costs a tenth of a core."""
CHEAP_SECONDS = 0.02
"""Boards that take less are computed again immediately."""
PATIENCE_SECONDS = 1.5
"""The time that a reader waits for boards that are being computed for the first time."""
LOOK_AGAIN_SECONDS = 0.05
STORED = (
    "key",
    "gate",
    "shown",
    "boards",
    "matrix",
    "worst",
    "built_at",
    "lease_until",
    "rest_until",
)


@dataclass(frozen=True, slots=True)
class Known:
    """The key of a variant with its validity: the revision, and the interval of time."""

    key: str
    numbers: Numbers
    since: datetime
    until: datetime | None

    def holds(self, numbers: Numbers | None, now: datetime) -> bool:
        return self.numbers == numbers and self.is_in_time(now)

    def is_in_time(self, now: datetime) -> bool:
        return self.since <= now and (self.until is None or now < self.until)


_KNOWN: Recent[Known] = Recent(1000)
_TURNS = Turns()
_MEASURES: Recent[Facts] = Recent(50, most_weight=5_000)
"""By key."""


@dataclass(frozen=True)
class Boards:
    """The boards of a variant at one time, and the digest of the facts behind them.

    `as_of` is the time of computation if there are newer facts. `known` is the key of the current facts with
    its validity, if that is known.
    """

    key: str
    scope: Scope
    load: Callable[[bool], dict[str, Any]]
    as_of: datetime | None = None
    known: Known | None = None

    @cached_property
    def data(self) -> dict[str, Any]:
        return self.load(True)

    @cached_property
    def outline(self) -> dict[str, Any]:
        """The same without the content of the attack matrix: enough for most pages."""
        return self.load(False)

    def section(self, name: str) -> dict[str, Any]:
        """One of the boards."""
        return (self.data if name == MATRIX else self.outline)[name]

    @property
    def worst(self) -> dict[int, float]:
        """The highest rate of another team against each, once rates are shown."""
        found = _row(self.scope).values_list("worst", flat=True).first() or {}
        return {int(team): rate for team, rate in found.items()}


def boards_of(
    contest: Contest,
    now: datetime,
    *,
    stage: str | None = None,
    is_season: bool = False,
    division: Division | None = None,
    hidden: Iterable[str] = (),
) -> Boards:
    """The current boards, or those at the freeze; the stored ones if nothing has happened since. KeyError if
    there is no such stage."""
    scope = scope_of(
        contest, now, stage=stage, is_season=is_season, division=division, hidden=hidden
    )
    key, known, read_at = _key_now(scope, now)
    return _stored(scope, key, known) or _make(scope, facts.gate_of(scope), key, known, read_at)


def served(
    contest: Contest,
    now: datetime,
    *,
    stage: str | None = None,
    is_season: bool = False,
    division: Division | None = None,
    hidden: Iterable[str] = (),
) -> Boards | None:
    """The same for one of many readers: while somebody else computes them, the previous ones if they may
    still be shown; None if there are none, and none came for a while."""
    scope = scope_of(
        contest, now, stage=stage, is_season=is_season, division=division, hidden=hidden
    )
    key, known, read_at = _key_now(scope, now)
    if (found := _stored(scope, key, known)) is not None:
        return found
    gate = facts.gate_of(scope)
    previous = _previous(scope, gate, key, known)
    if _claim(scope, may_wait=previous is not None):
        try:
            return _make(scope, gate, key, known, read_at)
        finally:
            _row(scope).update(lease_until=None)
    return previous or _awaited(scope, key, known)


def measures_of(scope: Scope, now: datetime) -> Facts:
    """The facts of one stage, without rates: read again only if they have changed."""
    key, known, _read_at = _key_now(scope, now)
    found = _MEASURES.get(key)
    if found is None:
        found = facts.gather(scope, only_measures=True)[0]
        if known is not None:
            _MEASURES.put(key, found, weight=len(found.measured))
    return found


def rebuild(contest: Contest, now: datetime) -> Boards:
    """The boards, computed from the facts only; stored ones are deleted."""
    forget(contest)
    scope = scope_of(contest, now)
    return _make(scope, facts.gate_of(scope), facts.key_of(scope), None, timezone.now())


def forget(contest: Contest) -> None:
    """Delete the stored boards of a contest, all variants."""
    Standing.objects.filter(contest=contest).delete()


def final_boards(
    contest: Contest, now: datetime, *, stage: str | None = None, is_season: bool = False
) -> dict[str, Any]:
    """The actual boards, frozen or not: for organizers only, and never stored."""
    return build(scope_of(contest, now, stage=stage, is_season=is_season, is_final=True))


def build(scope: Scope) -> dict[str, Any]:
    """The boards of a variant, computed from the facts."""
    return _built(scope, facts.gather(scope))


def _built(scope: Scope, found: list[Facts]) -> dict[str, Any]:
    return boards.build_season(found) if scope.is_season else boards.build(found[0])


# The key


def _key_now(scope: Scope, now: datetime) -> tuple[str, Known | None, datetime]:
    """The digest of the facts, read again only if something was recorded or the clock may have changed it."""
    read_at, as_read = timezone.now(), _as_read(scope.contest)
    name = (scope.variant, scope.hidden, as_read)
    # Before the facts: changes in between must be noticed.
    numbers = revisions.current(scope.contest.pk)
    known = _KNOWN.get(name)
    if known is not None and known.holds(numbers, now):
        return known.key, known, read_at
    with _TURNS.of(name):
        known = _KNOWN.get(name)
        if known is not None and known.holds(numbers, now):
            return known.key, known, read_at
        return *_read_key(scope, now, name, numbers), read_at


def _read_key(
    scope: Scope, now: datetime, name: tuple[Any, ...], numbers: Numbers | None
) -> tuple[str, Known | None]:
    key, as_read = facts.key_of(scope), name[-1]
    if numbers is None or as_read != _as_read(_read_again(scope.contest)):
        # The contest was changed after it was read, but before the revision was read.
        return key, None
    until = min((moment for moment in moments(scope.contest) if moment > now), default=None)
    known = Known(key, numbers, now, until)
    _KNOWN.put(name, known)
    return key, known


def _read_again(contest: Contest) -> Contest:
    return Contest.objects.prefetch_related("rounds").get(pk=contest.pk)


def _as_read(contest: Contest) -> tuple[str, ...]:
    """All columns of the rows of a contest and its rounds."""
    rows = [contest, *contest.rounds.all()]
    return tuple(
        str(getattr(row, field.attname)) for row in rows for field in row._meta.concrete_fields
    )


# The stored row


def _row(scope: Scope) -> Any:
    return Standing.objects.filter(contest=scope.contest, variant=scope.variant)


def _stored(scope: Scope, key: str, known: Known | None) -> Boards | None:
    if not _row(scope).filter(key=key).exists():
        return None
    return Boards(key, scope, _loader(scope, key), known=known)


def _loader(scope: Scope, key: str) -> Callable[[bool], dict[str, Any]]:
    """The stored boards, with the matrix or without; computed again if others replaced them in the meantime."""

    def load(is_whole: bool) -> dict[str, Any]:
        columns = ("boards", "matrix") if is_whole else ("boards",)
        found = _row(scope).filter(key=key).values_list(*columns).first()
        return build(scope) if found is None else sections.unpacked(*found)

    return load


def _previous(scope: Scope, gate: str, key: str, known: Known | None) -> Boards | None:
    """The stored boards, if all of them may still be shown; with their time if they are from other facts."""
    shown = {round.pk for round in scope.shown_rounds}
    row = _row(scope).filter(gate=gate).exclude(key="")
    for stored, rounds, built_at in row.values_list("key", "shown", "built_at"):
        if shown.issuperset(rounds):
            as_of = None if stored == key else built_at
            return Boards(stored, scope, _loader(scope, stored), as_of=as_of, known=known)
    return None


def _awaited(scope: Scope, key: str, known: Known | None) -> Boards | None:
    """The boards as soon as another reader has computed them."""
    deadline = time.monotonic() + PATIENCE_SECONDS
    while time.monotonic() < deadline:
        time.sleep(LOOK_AGAIN_SECONDS)
        if _row(scope).filter(lease_until__gt=db_now()).exists():
            continue
        if (found := _previous(scope, facts.gate_of(scope), key, known)) is not None:
            return found
    return None


# Computing


def _claim(scope: Scope, *, may_wait: bool) -> bool:
    """Take the lease; False if somebody has it, or the boards rest and the reader has others meanwhile.

    By the clock of the database, which all readers share.
    """
    row = _row(scope)
    free = row.filter(Q(lease_until=None) | Q(lease_until__lt=db_now()))
    if may_wait:
        free = free.filter(Q(rest_until=None) | Q(rest_until__lt=db_now()))
    if free.update(lease_until=db_now() + LEASE):
        return True
    if row.exists():
        return False
    empty = Standing(contest=scope.contest, variant=scope.variant, boards={})
    Standing.objects.bulk_create([empty], ignore_conflicts=True)
    return bool(free.update(lease_until=db_now() + LEASE))


def _make(scope: Scope, gate: str, key: str, known: Known | None, read_at: datetime) -> Boards:
    # Gate and key were read before the facts: the next reader notices changes in between.
    shown = [round.pk for round in scope.shown_rounds]
    started = time.thread_time()
    found = facts.gather(scope)
    data = _built(scope, found)
    seconds = time.thread_time() - started
    rest = timedelta(seconds=REST * seconds if seconds > CHEAP_SECONDS else 0)
    outline, matrix = sections.packed(data)
    made = Standing(
        contest=scope.contest,
        variant=scope.variant,
        key=key,
        gate=gate,
        shown=shown,
        boards=outline,
        matrix=matrix,
        worst={} if scope.is_season else {t: rate for t, (rate, _) in found[0].strongest.items()},
        built_at=read_at,
        rest_until=read_db_clock() + rest,
    )
    Standing.objects.bulk_create(
        [made],
        update_conflicts=True,
        unique_fields=["contest", "variant"],
        update_fields=STORED,
    )
    _drop_oldest(scope.contest)
    return Boards(key, scope, lambda _is_whole: data, known=known)


def _drop_oldest(contest: Contest) -> None:
    kept = Standing.objects.filter(contest=contest).order_by("-built_at", "-pk")
    too_old = list(kept.values_list("pk", flat=True)[MAX_VARIANTS:])
    if too_old:
        Standing.objects.filter(pk__in=too_old).delete()
