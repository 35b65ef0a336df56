# SPDX-License-Identifier: Apache-2.0
"""Sealing the audit log: events are linked into hash chains shortly after they were written.

`audit_log.record` runs inside other transactions, many of them concurrent, and must block none; so it only
adds a row. Sealing follows separately: an event gets the next position in its contest's chain and the hash of
its content and the previous event. No lock is held: if two processes seal the same events, or assign the same
position, the database refuses the second, which then has nothing to do. An event of a long transaction is
sealed after those of shorter ones.
"""

from __future__ import annotations

from collections.abc import Iterator
from datetime import UTC
from typing import Any

from django.db import IntegrityError, transaction
from django.db.models import Max, Min, QuerySet

from pwscup.core.models import Event, Seal
from scoring.proof.trail import FIRST, event_hash

BATCH = 500
# How far behind the newest event an event may be that was not committed when the others were sealed. Older
# ones are sealed before the next export, or when the process restarts.
MARGIN = 10_000

_settled = 0  # every event up to here is sealed, and is not checked again by this process


def sweep() -> int:
    """Seal the new events of every chain; return their number."""
    global _settled
    newest = Event.objects.aggregate(newest=Max("id"))["newest"] or 0
    after = _settled if _settled < newest else 0
    oldest = dict(_waiting(after).order_by().values_list("contest_id").annotate(oldest=Min("id")))
    _settled = max(after, min([newest, *oldest.values()]) - MARGIN)
    return sum(seal(contest_id, after=after) for contest_id in oldest)


def seal(contest_id: int | None, *, after: int = 0) -> int:
    """Seal the next events of one chain, `BATCH` at most; return their number.

    None is the chain of events without a contest; events with an id up to `after` are skipped.
    """
    waiting = list(_waiting(after).filter(contest_id=contest_id).order_by("id")[:BATCH])
    if not waiting:
        return 0
    links = list(_linked(waiting, head(contest_id)))
    try:
        with transaction.atomic():
            Seal.objects.bulk_create(links)
    except IntegrityError:  # another process was faster
        return 0
    return len(links)


def seal_all(contest_id: int | None) -> None:
    """Seal all committed events of a chain before it is shown."""
    rounds = _waiting().filter(contest_id=contest_id).count() // BATCH + 3
    for _ in range(rounds):  # a bound: others may write and seal concurrently
        if not seal(contest_id) and not _waiting().filter(contest_id=contest_id).exists():
            return


def head(contest_id: int | None) -> Seal | None:
    """The last link of a chain: its hash proves that no earlier event was changed."""
    return Seal.objects.filter(contest_id=contest_id).order_by("position").last()


def chain(contest_id: int | None) -> Iterator[dict[str, Any]]:
    """The sealed events of a chain in order, in the format of `scoring.proof.trail`."""
    links = Seal.objects.filter(contest_id=contest_id).select_related("event").order_by("position")
    for link in links.iterator(chunk_size=2_000):
        yield entry_of(link)


def entry_of(link: Seal) -> dict[str, Any]:
    """A sealed event as a line of an exported log."""
    return _entry(link.event, link.position, link.previous) | {"hash": link.hash}


def n_waiting(contest_id: int | None) -> int:
    """The number of unsealed events of a chain."""
    return _waiting().filter(contest_id=contest_id).count()


def _waiting(after: int = 0) -> QuerySet[Event]:
    return Event.objects.filter(id__gt=after, seal=None)


def _linked(events: list[Event], last: Seal | None) -> Iterator[Seal]:
    position, previous = (last.position, last.hash) if last else (0, FIRST)
    for event in events:
        position += 1
        digest = event_hash(_entry(event, position, previous))
        yield Seal(
            event=event,
            contest_id=event.contest_id,
            position=position,
            previous=previous,
            hash=digest,
        )
        previous = digest


def _entry(event: Event, position: int, previous: str) -> dict[str, Any]:
    """The hashed content of an event. A user is a number: the name of an account may be deleted, its number stays."""
    return {
        "position": position,
        "previous": previous,
        "id": event.pk,
        "at": event.at.astimezone(UTC).isoformat(timespec="microseconds"),
        "actor": event.actor_id,
        "contest": event.contest_id,
        "kind": event.kind,
        "subject": event.subject,
        "data": event.data,
    }
