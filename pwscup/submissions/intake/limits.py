# SPDX-License-Identifier: Apache-2.0
"""Limits of submissions in addition to that of the round: on a day of the contest's calendar, and in all."""

from __future__ import annotations

from collections import Counter
from datetime import datetime, time, timedelta
from typing import TYPE_CHECKING

from pwscup.submissions.models import Release, Submission
from pwscup.submissions.states import USES_A_TRY

if TYPE_CHECKING:
    from django.db.models import QuerySet

    from pwscup.accounts.models import Team
    from pwscup.contests.models import Round


def day_of(round: Round, moment: datetime) -> tuple[datetime, datetime]:
    """The start and the end of a time's calendar day in the contest's zone."""
    zone = round.contest.tz
    today = moment.astimezone(zone).date()
    days = (today, today + timedelta(days=1))
    start, end = (datetime.combine(day, time.min, zone) for day in days)
    return start, end


def next_day(round: Round, moment: datetime) -> datetime | None:
    """The time of the next attempt for a team that has used those of the day; None if the round has closed by then."""
    following = day_of(round, moment)[1]
    return following if following < round.closes_at else None


def _used(team: Team, round: Round, moment: datetime) -> QuerySet[Submission]:
    start, end = day_of(round, moment)
    return Submission.objects.filter(
        team=team, round=round, state__in=USES_A_TRY, arrived_at__gte=start, arrived_at__lt=end
    )


def left_in_all(team: Team, round: Round) -> int | None:
    """The number of remaining guesses against all targets together; None without a limit."""
    allowed = round.spec.tries_in_all
    if allowed is None:
        return None
    used = Submission.objects.filter(team=team, round=round, state__in=USES_A_TRY).count()
    return max(0, allowed - used)


def left_today(
    team: Team, round: Round, moment: datetime, target: Release | None = None
) -> int | None:
    """The number of remaining attempts on the day of that time: in the round, or against a target; None
    without a limit."""
    if round.tries_per_day is None:
        return None
    return max(0, round.tries_per_day - _used(team, round, moment).filter(target=target).count())


def left_today_by_target(team: Team, round: Round, moment: datetime) -> dict[int, int] | None:
    """The same for each target, by the release's key, in two queries."""
    if round.tries_per_day is None:
        return None
    targets = _used(team, round, moment).exclude(target=None)
    used = Counter(targets.values_list("target_id", flat=True))
    keys = Release.objects.filter(round=round).values_list("pk", flat=True)
    return {key: max(0, round.tries_per_day - used[key]) for key in keys}
