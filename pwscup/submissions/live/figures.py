# SPDX-License-Identifier: Apache-2.0
"""The figures of a running contest: teams, submissions per hour, the queue, refusals, deadlines and alerts."""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from typing import TYPE_CHECKING

from django.db.models import Count, Min, Q
from django.db.models.functions import TruncHour
from django.urls import reverse
from django.utils import timezone
from django.utils.translation import gettext as _
from django.utils.translation import ngettext

from pwscup.contests.selectors import contest_state, current_round, rounds_of
from pwscup.core.files import space
from pwscup.core.installation import pulse
from pwscup.core.texts.problems import parts
from pwscup.submissions import selectors
from pwscup.submissions.models import Submission
from pwscup.submissions.states import FINAL, State
from scoring.errors import Problem

if TYPE_CHECKING:
    from collections.abc import Sequence

    from django.db.models import QuerySet

    from pwscup.contests.models import Contest, Round

N_HOURS = 24
HOUR = timedelta(hours=1)
MOST_SILENT = 30
MOST_CODES = 5
MOST_DEADLINES = 3
MOST_REFUSALS_READ = 1_000
SLOW_QUEUE = timedelta(minutes=5)
MANY_REFUSALS = 5
"""So many refusals within the hours shown, and at least half of what was decided, are an alert."""


@dataclass(frozen=True, slots=True)
class Hour:
    """Submissions that arrived in an hour, by the clock in UTC."""

    starts_at: datetime
    n_received: int
    n_rejected: int


@dataclass(frozen=True, slots=True)
class Teams:
    """The teams of people, and those without a submission in the latest round that has opened."""

    n: int
    n_active: int
    silent: tuple[str, ...]
    """Names, at most `MOST_SILENT`."""

    @property
    def n_silent(self) -> int:
        return self.n - self.n_active

    @property
    def n_more(self) -> int:
        """Silent teams that are not listed."""
        return self.n_silent - len(self.silent)


@dataclass(frozen=True, slots=True)
class Queue:
    """Submissions of the contest that wait or are scored."""

    n_waiting: int
    n_running: int
    oldest_at: datetime | None
    """When the oldest waiting one arrived."""


@dataclass(frozen=True, slots=True)
class Code:
    """A reason of refusals: its code, the message of the newest one, and how many there were."""

    code: str
    text: str
    n: int


@dataclass(frozen=True, slots=True)
class Refusals:
    """Decided submissions of the hours shown, and why some were refused."""

    n_decided: int
    n_rejected: int
    codes: tuple[Code, ...]

    @property
    def share(self) -> float | None:
        """From 0 to 1; None if nothing was decided."""
        return self.n_rejected / self.n_decided if self.n_decided else None

    @property
    def percent(self) -> int | None:
        """The share as a whole number of percent."""
        return None if self.share is None else round(100 * self.share)


@dataclass(frozen=True, slots=True)
class Deadline:
    """A time at which a round opens or closes, or the leaderboard freezes."""

    text: str
    at: datetime


@dataclass(frozen=True, slots=True)
class Alert:
    """Something to look after, and the page for it."""

    code: str
    text: str
    url: str = ""


@dataclass(frozen=True, slots=True)
class Live:
    """All figures of a running contest."""

    round: Round | None
    """The open round, or the latest that has opened."""
    is_open: bool
    teams: Teams
    hours: tuple[Hour, ...]
    queue: Queue
    refusals: Refusals
    deadlines: tuple[Deadline, ...]
    alerts: tuple[Alert, ...]

    @property
    def n_received(self) -> int:
        return sum(hour.n_received for hour in self.hours)


def is_running(contest: Contest, now: datetime) -> bool:
    """The contest is public, its first round has opened, and uploads may still arrive."""
    return contest.is_published and contest_state(rounds_of(contest), now) == "running"


def live_of(contest: Contest, now: datetime) -> Live | None:
    """The figures of the contest; None while it does not run."""
    if not is_running(contest, now):
        return None
    rounds = rounds_of(contest)
    current = current_round(rounds, now)
    latest = current or max(
        (round for round in rounds if round.has_opened(now)), key=lambda round: round.opens_at
    )
    since = _first_hour(now)
    queue, refusals = _queue(contest), _refusals(contest, since)
    return Live(
        round=latest,
        is_open=current is not None,
        teams=_teams(contest, latest),
        hours=tuple(hours(contest, now)),
        queue=queue,
        refusals=refusals,
        deadlines=tuple(_deadlines(contest, rounds, now)),
        alerts=tuple(_alerts(contest, queue, refusals, now)),
    )


def _first_hour(now: datetime) -> datetime:
    this = now.astimezone(UTC).replace(minute=0, second=0, microsecond=0)
    return this - (N_HOURS - 1) * HOUR


def _arrived(contest: Contest, since: datetime) -> QuerySet[Submission]:
    """Submissions of people since that time: baseline teams do not count."""
    return Submission.objects.filter(
        round__contest=contest, team__is_house=False, arrived_at__gte=since
    ).order_by()


def hours(contest: Contest, now: datetime) -> list[Hour]:
    """The latest `N_HOURS` hours, the oldest first, those without a submission included."""
    since = _first_hour(now)
    counted = (
        _arrived(contest, since)
        .annotate(hour=TruncHour("arrived_at", tzinfo=UTC))
        .values("hour")
        .annotate(n=Count("pk"), n_rejected=Count("pk", filter=Q(state=State.REJECTED)))
    )
    found = {row["hour"]: (row["n"], row["n_rejected"]) for row in counted}
    starts = (since + n * HOUR for n in range(N_HOURS))
    return [Hour(start, *found.get(start, (0, 0))) for start in starts]


def _teams(contest: Contest, round: Round) -> Teams:
    people = contest.teams.filter(is_house=False)
    acted = Q(submissions__round=round) | Q(answers__round=round)
    n, active = people.count(), set(people.filter(acted).values_list("pk", flat=True))
    silent = people.exclude(pk__in=active).order_by("name").values_list("name", flat=True)
    return Teams(n, len(active), tuple(silent[:MOST_SILENT]))


def _queue(contest: Contest) -> Queue:
    unfinished = Submission.objects.filter(round__contest=contest).order_by()
    waiting = Q(state=State.WAITING)
    found = unfinished.aggregate(
        n_waiting=Count("pk", filter=waiting),
        n_running=Count("pk", filter=Q(state=State.RUNNING)),
        oldest_at=Min("arrived_at", filter=waiting),
    )
    return Queue(**found)


def _refusals(contest: Contest, since: datetime) -> Refusals:
    arrived = _arrived(contest, since)
    decided = arrived.filter(state__in=FINAL - {State.CANCELLED})
    rejected = arrived.filter(state=State.REJECTED)
    first = rejected.order_by("-arrived_at", "-id").values_list("problems__0", flat=True)
    reasons = [found for found in first[:MOST_REFUSALS_READ] if found]
    counts = Counter(found["code"] for found in reasons)
    newest = {found["code"]: found for found in reversed(reasons)}
    codes = tuple(
        Code(code, parts(Problem.from_dict(newest[code]))[0], n)
        for code, n in counts.most_common(MOST_CODES)
    )
    return Refusals(decided.count(), rejected.count(), codes)


def _deadlines(contest: Contest, rounds: Sequence[Round], now: datetime) -> list[Deadline]:
    """The next ones, the earliest first; none while the contest is paused, as then all dates move."""
    if contest.paused_at is not None:
        return []
    opens, closes = _("%(round)s opens in"), _("%(round)s closes in")
    found = [
        Deadline(words % {"round": round.local_title}, at)
        for round in rounds
        for words, at in ((opens, round.opens_at), (closes, round.closes_at))
    ]
    if contest.frozen_at is not None:
        found.append(Deadline(_("The leaderboard freezes in"), contest.frozen_at))
    coming = [one for one in found if one.at > now]
    return sorted(coming, key=lambda one: one.at)[:MOST_DEADLINES]


# Alerts


def _alerts(contest: Contest, queue: Queue, refusals: Refusals, now: datetime) -> list[Alert]:
    submissions = reverse("organize-submissions", args=[contest.slug])
    found = [_silent_worker(now), _full_disk()]
    if contest.paused_at is not None:
        url = reverse("organize-clock", args=[contest.slug])
        found.append(Alert("paused", _("The contest is paused: nothing can be submitted."), url))
    if queue.oldest_at is not None and now - queue.oldest_at > SLOW_QUEUE:
        words = _("The queue is slow: the oldest submission has waited since %(time)s.")
        words %= {"time": _clock(queue.oldest_at, contest)}
        found.append(Alert("slow_queue", words, f"{submissions}?state=waiting"))
    if (n := selectors.n_failed(contest)) > 0:
        words = ngettext(
            "The scoring of %(n)d submission failed.", "The scoring of %(n)d submissions failed.", n
        )
        found.append(Alert("failed", words % {"n": n}, f"{submissions}?state=failed"))
    if refusals.n_rejected >= MANY_REFUSALS and 2 * refusals.n_rejected >= refusals.n_decided:
        words = _("Many submissions are rejected: %(n)d of %(total)d in 24 hours.")
        words %= {"n": refusals.n_rejected, "total": refusals.n_decided}
        found.append(Alert("many_refusals", words, f"{submissions}?state=rejected"))
    return [alert for alert in found if alert is not None]


def _silent_worker(now: datetime) -> Alert | None:
    seconds = pulse.seconds_since()
    if seconds is not None and seconds <= pulse.late_after():
        return None
    if seconds is None:
        words = _(
            "No worker has reported yet: submissions wait. Inform the operators of the server."
        )
        return Alert("silent_worker", words)
    minutes = int(seconds // 60)
    words = ngettext(
        "No worker has reported for %(n)d minute: submissions wait. Inform the operators of the server.",
        "No worker has reported for %(n)d minutes: submissions wait. Inform the operators of the server.",
        minutes,
    )
    return Alert("silent_worker", words % {"n": minutes})


def _full_disk() -> Alert | None:
    if not space.is_low():
        return None
    return Alert("disk", _("The disk is nearly full. Inform the operators of the server."))


def _clock(moment: datetime, contest: Contest) -> str:
    return timezone.localtime(moment, contest.tz).strftime("%H:%M")
