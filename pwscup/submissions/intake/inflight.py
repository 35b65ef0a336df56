# SPDX-License-Identifier: Apache-2.0
"""Uploads in flight: the time up to which all arrivals are stored, so that nobody waits without reason.

Files that arrived before a round closed count, even if their bytes follow later. So results and targets wait
until each process that accepts uploads has reported, after the close by its own clock, that it has no older
upload for that contest; uploads for other contests are ignored. A silent process is asked, and forgotten if
it does not answer: it was killed. If no process reports at all, and at the latest after
`UPLOAD_GRACE_SECONDS`, the clock decides: longer uploads are late.

A web server calls `start` in each of its processes before it accepts connections, passing itself, and `stop`
when it has ended. Other servers do not report.
"""

from __future__ import annotations

import contextlib
import logging
import threading
import uuid
from collections.abc import Iterable
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from typing import TYPE_CHECKING, Protocol

from django.db import connection, transaction
from django.db.models import Exists, F, Q, QuerySet
from django.urls import Resolver404, resolve
from django.utils import timezone

from pwscup.contests.models import Contest, Round, upload_grace
from pwscup.core.db import revisions
from pwscup.core.db.clock import db_now, read_db_clock
from pwscup.core.db.columns import longest
from pwscup.core.jobs import AWAY
from pwscup.submissions.models import UploadProcess

if TYPE_CHECKING:
    from collections.abc import Callable

logger = logging.getLogger(__name__)

LOOK_SECONDS = 1.0
LONGEST = timedelta(minutes=15)
"""The maximum time from arrival to answer during which others wait for an upload."""
SILENCE = timedelta(seconds=4)
"""A process that is silent for this time is asked, and after the same time again forgotten."""


# In a process that accepts uploads


LONGEST_SLUG: int = longest(Contest, "slug")
"""A URL may contain one that is much longer and belongs to no contest."""
Arrivals = dict[str, list[float]]
"""The arrival times of uploads in flight, by the slug of the contest, in seconds since 1970."""


def arrivals_of(uploads: Iterable[tuple[float, str]]) -> Arrivals:
    """The arrival times of uploads in flight to these paths; uploads for no round of a contest are left out."""
    found: Arrivals = {}
    for arrived_at, path in uploads:
        with contextlib.suppress(Resolver404):
            named = resolve(path).kwargs
            if {"slug", "key"} <= named.keys() and len(named["slug"]) <= LONGEST_SLUG:
                found.setdefault(named["slug"], []).append(arrived_at)
    return found


class Watched(Protocol):
    """The source of uploads in flight of a process: its web server."""

    def look(self) -> tuple[datetime, Arrivals]:
        """The time up to which everything is stored except uploads in flight, and those uploads."""


class Reporter:
    """Reports for this process up to which time everything is stored, as long as somebody waits for it.

    It polls once a second with one query, and writes in the minute after a round has closed.
    """

    def __init__(self, uploads: Watched, delay: timedelta = timedelta()) -> None:
        self.token = uuid.uuid4()
        self._uploads = uploads
        self._delay = delay
        self._done = threading.Event()
        self._thread = threading.Thread(target=self._run, daemon=True, name="uploads")

    def start(self) -> None:
        """Register before the first upload arrives; without a database no uploads are accepted."""
        self._safely(lambda: self.look(is_first=True))
        self._thread.start()

    def stop(self) -> None:
        """Unregister, so that nobody waits for this process."""
        self._done.set()
        self._thread.join(timeout=LOOK_SECONDS)
        self._safely(self._mine().delete)

    def look(self, *, is_first: bool = False) -> None:
        """Poll the database: whether anybody waits, and whether this process is registered."""
        wanted = self._mine().annotate(wanted=Exists(awaited(timezone.now())))
        known = None if is_first else wanted.values_list("wanted", "asked_at").first()
        if known is None:
            UploadProcess.objects.create(token=self.token, **self._report())
        elif any(known):
            self._mine().update(**self._report())

    def _report(self) -> dict[str, object]:
        complete_until, arrivals = self._uploads.look()
        return {
            "complete_until": complete_until - self._delay,
            "arrivals": arrivals,
            "reported_at": db_now(),
            "asked_at": None,
        }

    def _mine(self) -> QuerySet[UploadProcess]:
        return UploadProcess.objects.filter(token=self.token)

    def _run(self) -> None:
        while not self._done.wait(LOOK_SECONDS):
            self._safely(self.look)
        connection.close()

    def _safely(self, action: Callable[[], object]) -> None:
        try:
            action()
        except AWAY as error:
            logger.warning("uploads not reported: %s", type(error).__name__)
            connection.close()


_reporter: Reporter | None = None


def start(watched: Watched, delay: timedelta = timedelta()) -> None:
    """Start reporting for this process.

    `delay` is the maximum time between an arrival and the time when this process learns of it: behind a proxy
    that buffers uploads and passes on their time of arrival, the maximum duration of an upload.
    that keeps an upload and says when it arrived, as long as an upload may take.
    """
    global _reporter
    stop()
    _reporter = Reporter(watched, delay)
    _reporter.start()


def stop() -> None:
    """Stop reporting: this process accepts no uploads."""
    global _reporter
    if _reporter is not None:
        _reporter.stop()
        _reporter = None


# In the sweeper


def awaited(now: datetime) -> QuerySet[Round]:
    """The rounds that closed so recently that uploads for them may be in flight."""
    unknown = Q(complete_until=None) | Q(complete_until__lt=F("closes_at"))
    earliest = now - max(upload_grace(), LONGEST)
    return Round.objects.filter(unknown, closes_at__lte=now, closes_at__gt=earliest)


def is_worked_on(round: Round, now: datetime) -> bool:
    """A process has an upload that arrived before the round closed and is not answered yet.

    In a burst it may wait longer than `upload_grace`. Results may be shown by then, but nothing is published
    before it is handled.
    published over its head.
    """
    known = round.complete_until is not None and round.complete_until >= round.closes_at
    if known or now - round.closes_at > LONGEST:
        return False
    return _n_on_their_way(round.contest, round.closes_at) > 0


def _n_on_their_way(contest: Contest, ends: datetime) -> int:
    """The number of uploads of the contest that arrived before that time and were in flight at the last reports."""
    reported = UploadProcess.objects.values_list("arrivals", flat=True)
    arrived = (at for arrivals in reported for at in arrivals.get(contest.slug, ()))
    return sum(at < ends.timestamp() for at in arrived)


def note_complete(now: datetime) -> int:
    """Record for closed rounds up to which time all uploads are stored; return the number of complete rounds."""
    waiting = list(awaited(now).select_related("contest"))
    if not waiting:
        return 0
    processes = _answering(max(round.closes_at for round in waiting))
    if not processes:
        return 0  # unknown; the clock decides
    n_closed = 0
    for contest in sorted({round.contest for round in waiting}, key=lambda contest: contest.pk):
        until = min(_in_until(process, contest.slug) for process in processes)
        if any(round.contest == contest and round.closes_at <= until for round in waiting):
            with transaction.atomic():
                closed = Round.objects.filter(contest=contest, closes_at__lte=until)
                n_closed += closed.update(complete_until=until)
                revisions.touch(contest.pk)  # results may be shown from now on
    return n_closed


def _in_until(process: UploadProcess, *slugs: str) -> datetime:
    """The time up to which everything for these contests is stored at the process; without arguments, for all
    of them."""
    wanted = slugs or process.arrivals
    arrived = (at for slug in wanted for at in process.arrivals.get(slug, ()))
    return min([process.complete_until, *(datetime.fromtimestamp(at, UTC) for at in arrived)])


def _answering(closes_at: datetime) -> list[UploadProcess]:
    """The processes that accept uploads; silent ones are asked, and forgotten without an answer."""
    now, found = read_db_clock(), []
    for process in UploadProcess.objects.all():
        if _in_until(process) < closes_at and process.reported_at < now - SILENCE:
            if process.asked_at is None:
                UploadProcess.objects.filter(pk=process.pk).update(asked_at=now)
            elif process.asked_at < now - SILENCE:
                gone = UploadProcess.objects.filter(pk=process.pk, asked_at=process.asked_at)
                if gone.delete()[0]:
                    logger.warning("a process that took uploads is gone: %s", process.token)
                    continue
        found.append(process)
    return found


# For pages


@dataclass(frozen=True, slots=True)
class Waiting:
    """The uploads that results still wait for: those of the contest that began in time and were in flight at
    the last report, and the latest end of the wait."""

    n_uploads: int
    until: datetime


def waited_for(round: Round, now: datetime) -> Waiting | None:
    """The uploads that a closed round waits for; None if it is open, or complete."""
    ends = round.results_at
    if round.contest.paused_at is not None or not ends <= now or round.is_settled(now):
        return None
    return Waiting(_n_on_their_way(round.contest, ends), ends + upload_grace())
