# SPDX-License-Identifier: Apache-2.0
"""Moving dates: common parts of all changes of a contest's clock.

All dates of a change are moved in one transaction.
"""

from __future__ import annotations

from collections.abc import Sequence
from datetime import datetime, timedelta

from django.db.models import F
from django.utils.translation import gettext_lazy as _

from pwscup.accounts.models import User
from pwscup.contests.models import Contest, Interruption, Round
from pwscup.contests.services.common import ContestRefused
from pwscup.contests.services.rounds import RoundPlan, rounds_of, with_times
from pwscup.core.db.columns import longest


def stop(
    contest: Contest, kind: str, since: datetime, *, actor: User, reason: str, now: datetime
) -> Interruption:
    """Start an interruption without an end."""
    contest.paused_at = since
    contest.save(update_fields=["paused_at"])
    return Interruption.objects.create(
        contest=contest,
        kind=kind,
        started_at=since,
        reason=reason,
        recorded_by=actor,
        created_at=now,
    )


def moved(
    rounds: Sequence[Round], *, after: datetime, by: timedelta, opened_until: datetime
) -> list[RoundPlan]:
    """The rounds with every date later than `after` moved.

    An opening in the past, by `opened_until`, does not move if the previous round leaves room.
    """
    plans: list[RoundPlan] = []
    for round in rounds:
        closes_at = round.closes_at + (by if round.closes_at > after else timedelta())
        has_room = not plans or plans[-1].closes_at <= round.opens_at
        stays = round.opens_at <= after or (round.opens_at <= opened_until and has_room)
        opens_at = round.opens_at if stays else round.opens_at + by
        plans.append(with_times(round, opens_at=opens_at, closes_at=closes_at))
    return plans


def move_other_dates(contest: Contest, *, after: datetime, by: timedelta, now: datetime) -> None:
    """Other future dates of the contest: an announced freeze, and permissions for late submissions."""
    if contest.frozen_at is not None and contest.frozen_at > max(after, now):
        contest.frozen_at += by
        contest.save(update_fields=["frozen_at"])
    for round in contest.rounds.all():
        round.late_allowances.filter(until__gt=after).update(until=F("until") + by)


def reasoned(reason: str) -> str:
    reason, limit = reason.strip(), longest(Interruption, "reason")
    if not reason:
        raise ContestRefused(_("Give a reason: it is shown to the teams."))
    if len(reason) > limit:
        raise ContestRefused(
            _("The reason has %(got)d characters — expected at most %(expected)d.")
            % {"got": len(reason), "expected": limit}
        )
    return reason


def open_key(contest: Contest, now: datetime) -> str:
    """The key of the open round; otherwise the contest's slug."""
    keys = (round.key for round in rounds_of(contest) if round.is_open(now))
    return next(keys, contest.slug)
