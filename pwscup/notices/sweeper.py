# SPDX-License-Identifier: Apache-2.0
"""Finds the events for notices: events of the trail, and rounds whose time has come.

The sweep is repeatable: the key of each notice is unique.
"""

from __future__ import annotations

from collections.abc import Iterable
from datetime import datetime, timedelta

from django.db.models import Exists, Max, OuterRef, Q, QuerySet
from django.utils import timezone

from pwscup.contests import faults
from pwscup.contests.models import Contest, Round
from pwscup.contests.policies import is_frozen
from pwscup.core.models import Event
from pwscup.notices import kinds
from pwscup.notices.changes import PUBLIC_KINDS, PUBLISHED
from pwscup.notices.jobs import is_due
from pwscup.notices.models import Notice
from pwscup.notices.sending import outbox
from pwscup.submissions.models import LateAllowance, Submission
from pwscup.submissions.selectors import may_be_late
from pwscup.submissions.states import UNFINISHED

DAY = timedelta(days=1)
# The closing time of shorter rounds is known at their opening.
SHORTEST_WITH_REMINDER = timedelta(hours=36)
NEWEST_EVENTS = 20_000  # the trail has no index by kind, and yesterday is near its end
TOLD_KINDS = tuple(kind for kind, change in PUBLIC_KINDS.items() if change.is_told)


def sweep(now: datetime) -> bool:
    """Write notices and deliveries; True if something is due."""
    tell_events(now)
    tell_rounds(now)
    tell_faults(now)
    outbox.spread_all()
    return is_due(timezone.now())  # the new deliveries are due now


def told_contests() -> QuerySet[Contest]:
    """Contests with notices: not demos, whose clock runs by itself, and not dry runs, which are private."""
    return Contest.objects.filter(Contest.PUBLIC, is_demo=False)


def tell_events(now: datetime) -> None:
    """A notice for each public event of the last day without one; not for those before publication."""
    noticed = Notice.objects.filter(event_id=OuterRef("pk"))
    events = list(_recent(now, TOLD_KINDS).filter(~Exists(noticed)))
    contests = Contest.objects.in_bulk({event.contest_id for event in events})
    published = _publications(contests)
    for event in events:
        contest = contests[event.contest_id]
        if event.pk > published.get(contest.pk, 0):
            _notify_of(event, contest, event.kind)


def _recent(now: datetime, found: Iterable[str]) -> QuerySet[Event]:
    """The events of these kinds of the last day, in order."""
    newest = Event.objects.aggregate(pk=Max("pk"))["pk"] or 0
    recent = Event.objects.filter(pk__gt=newest - NEWEST_EVENTS, at__gt=now - DAY, kind__in=found)
    return recent.filter(contest_id__in=told_contests().values("pk")).order_by("pk")


def _notify_of(event: Event, contest: Contest, kind: str) -> None:
    key = f"event:{event.pk}"
    outbox.notify(contest=contest, kind=kind, key=key, event_id=event.pk, at=event.at)


def tell_faults(now: datetime) -> None:
    """Notify the organizers of failures in their contest: once a day at most."""
    first: dict[tuple[object, ...], Event] = {}
    for event in _recent(now, [faults.EVENT]):
        first.setdefault((event.contest_id, event.data["task"], event.subject), event)
    noticed = Notice.objects.filter(event_id__in=[event.pk for event in first.values()])
    known = set(noticed.values_list("event_id", flat=True))
    contests = Contest.objects.in_bulk({event.contest_id for event in first.values()})
    for event in first.values():
        if event.pk not in known:
            _notify_of(event, contests[event.contest_id], kinds.FAULT)


def _publications(contests: Iterable[int]) -> dict[int, int]:
    """The last publication of each contest in the trail."""
    found = Event.objects.filter(contest_id__in=list(contests), kind=PUBLISHED)
    return dict(found.values_list("contest_id").annotate(Max("pk")).order_by())


def tell_rounds(now: datetime) -> None:
    """Events of the clock: rounds that opened, close soon, or have results."""
    near = (
        Q(opens_at__gt=now - DAY, opens_at__lte=now)
        | Q(closes_at__gt=now - DAY, closes_at__lte=now + DAY)
        | Q(pk__in=LateAllowance.objects.filter(until__gt=now - DAY).values("round"))
    )
    rounds = list(Round.objects.filter(near, contest__in=told_contests()).select_related("contest"))
    if not rounds:
        return
    told = _told(rounds, now)
    for round in rounds:
        with faults.alone(round.contest, faults.NOTICES, round.key):
            _tell_round(round, now, told)


def _tell_round(round: Round, now: datetime, told: set[tuple[int, str]]) -> None:
    for kind, key, useless_after in _news_of(round, now):
        if (round.contest_id, key) in told or _too_soon(told, round, kind):
            continue
        if kind != kinds.RESULTS or _are_results_out(round, now):
            outbox.notify(
                contest=round.contest,
                kind=kind,
                key=key,
                round_key=round.key,
                at=now,
                useless_after=useless_after,
            )


def _news_of(round: Round, now: datetime) -> Iterable[tuple[str, str, datetime | None]]:
    """Kind, key and the time until which it is useful. The keys contain the date: a changed date is news again."""
    if round.is_open(now) and now - round.opens_at < DAY:
        yield kinds.OPENED, f"opened:{round.key}:{round.opens_at.isoformat()}", round.closes_at
    is_long = round.closes_at - round.opens_at >= SHORTEST_WITH_REMINDER
    if round.is_open(now) and is_long and round.closes_at - now <= DAY:
        yield kinds.CLOSING, f"closing:{round.key}:{round.closes_at.isoformat()}", round.closes_at
    if round.has_closed(now):
        yield kinds.RESULTS, f"results:{round.key}:{round.closes_at.isoformat()}", None


def _are_results_out(round: Round, now: datetime) -> bool:
    """The round is over, also for teams with permission to submit late, all its submissions are scored, and
    the board is not frozen."""
    is_over = round.is_settled(now) and not may_be_late([round], now)
    if not is_over or is_frozen(round.contest, now):
        return False
    return not Submission.objects.filter(round=round, state__in=UNFINISHED).exists()


def _told(rounds: Iterable[Round], now: datetime) -> set[tuple[int, str]]:
    """The existing keys, and for each reminder of the last day its round."""
    notices = Notice.objects.filter(
        contest__in={round.contest_id for round in rounds},
        kind__in=(kinds.OPENED, kinds.CLOSING, kinds.RESULTS),
    )
    told: set[tuple[int, str]] = set()
    for contest_id, key, kind, round_key, at in notices.values_list(
        "contest_id", "key", "kind", "round_key", "at"
    ):
        told.add((contest_id, key))
        if at > now - DAY:
            told.add((contest_id, f"recent:{kind}:{round_key}"))
    return told


def _too_soon(told: set[tuple[int, str]], round: Round, kind: str) -> bool:
    """Users who got a reminder today learn of a changed date from the notice of the change."""
    return kind != kinds.RESULTS and (round.contest_id, f"recent:{kind}:{round.key}") in told
