# SPDX-License-Identifier: Apache-2.0
"""Outages that are recorded later, or while they continue: their time does not count."""

from __future__ import annotations

from collections.abc import Sequence
from datetime import datetime
from typing import TYPE_CHECKING, Any

from django.db import transaction
from django.db.models import Q
from django.utils import timezone
from django.utils.translation import gettext_lazy as _

from pwscup.accounts.models import User
from pwscup.contests import policies
from pwscup.contests.models import Contest, Interruption, Round
from pwscup.contests.services.common import ContestRefused, lock
from pwscup.contests.services.dates import move_other_dates, moved, reasoned, stop
from pwscup.contests.services.rounds import RoundPlan, apply_plans, rounds_of
from pwscup.core import audit_log
from pwscup.core.texts.moments import shown_moment

if TYPE_CHECKING:
    from pwscup.core.texts.refusals import Text

OUTAGE = Interruption.Kind.OUTAGE


@transaction.atomic
def record_outage(
    *,
    actor: User,
    contest: Contest,
    version: int | None = None,
    started_at: datetime,
    ended_at: datetime | None = None,
    reason: str,
    now: datetime | None = None,
) -> Interruption:
    """Record that the platform could not be used: the dates after its start move by its length.

    Without an end it continues: the clock is stopped from its start until it is resumed.
    """
    now = now or timezone.now()
    held = lock(contest, version)
    reason = reasoned(reason)
    rounds = rounds_of(held)
    if problems := _outage_problems(held, rounds, started_at, ended_at, now):
        raise ContestRefused(*problems)
    length = (ended_at or now) - started_at
    clock = held.clock(now)
    plans = {p.key: p for p in moved(rounds, after=started_at, by=length, opened_until=clock)}
    if problems := _blockers(rounds, plans, started_at, now, lasts=ended_at is None):
        raise ContestRefused(*problems)
    if ended_at is None:
        changes: dict[str, Any] = {}
        made = stop(held, OUTAGE, started_at, actor=actor, reason=reason, now=now)
        contest.paused_at = started_at
    else:
        changes = apply_plans(rounds, plans)
        move_other_dates(held, after=started_at, by=length, now=now)
        made = Interruption.objects.create(
            contest=held,
            kind=OUTAGE,
            started_at=started_at,
            ended_at=ended_at,
            reason=reason,
            recorded_by=actor,
            created_at=now,
        )
    audit_log.record(
        "contest.outage_recorded",
        actor=actor,
        contest_id=contest.pk,
        subject=contest.slug,
        started_at=started_at.isoformat(),
        ended_at=ended_at.isoformat() if ended_at else None,
        reason=reason,
        moved=changes,
    )
    return made


def _outage_problems(
    contest: Contest,
    rounds: Sequence[Round],
    started_at: datetime,
    ended_at: datetime | None,
    now: datetime,
) -> list[Text]:
    """The problems of the interval itself."""
    problems: list[Text] = []
    if contest.erased_at is not None:
        problems.append(_("The data of the contest are deleted; its dates can no longer be moved."))
    if ended_at is not None and ended_at <= started_at:
        problems.append(_("The outage ends before it starts. Give it an end after its start."))
    if max(started_at, ended_at or started_at) > now:
        problems.append(
            _(
                "An outage is recorded after it has happened. If it continues, leave its end empty: "
                "the contest is then paused until you resume it."
            )
        )
    first = min((round.opens_at for round in rounds), default=now)
    last = max((round.closes_at for round in rounds), default=now)
    if not first <= started_at < last:
        problems.append(
            _("The outage does not lie within the contest, which is from %(first)s to %(last)s.")
            % {"first": shown_moment(first, contest.tz), "last": shown_moment(last, contest.tz)}
        )
    if other := _overlapping(contest, started_at, ended_at):
        problems.append(
            _(
                "The time from %(start)s to %(end)s does not count already (%(reason)s). "
                "Record only what lies before or after it."
            )
            % {
                "start": shown_moment(other.started_at, contest.tz),
                "end": shown_moment(other.ended_at or now, contest.tz),
                "reason": other.reason,
            }
        )
    return problems


def _overlapping(
    contest: Contest, started_at: datetime, ended_at: datetime | None
) -> Interruption | None:
    begun_before = Q(started_at__lt=ended_at) if ended_at else Q()
    over_after = Q(ended_at__gt=started_at) | Q(ended_at=None)
    return contest.interruptions.filter(begun_before & over_after).first()


def _blockers(
    rounds: Sequence[Round],
    plans: dict[str, RoundPlan],
    started_at: datetime,
    now: datetime,
    *,
    lasts: bool,
) -> list[Text]:
    """The reasons why events since the start of the outage do not allow the dates to move."""
    problems: list[Text] = []
    for round in rounds:
        plan, closed = plans[round.key], round.has_closed(now)
        words = {
            "round": round.local_title,
            "time": shown_moment(round.closes_at, round.contest.tz),
        }
        if closed and round.closes_at > started_at:
            if policies.why_final(round):
                problems.append(
                    _(
                        "“%(round)s” closed at %(time)s and cannot be opened again, because its tables or "
                        "results are public. Record only what lies after that, or extend the round that is open."
                    )
                    % words
                )
            elif plan.closes_at <= now and not lasts:
                problems.append(
                    _(
                        "“%(round)s” closed at %(time)s, too long ago for this outage to open it again. "
                        "Open it again first, then record the outage."
                    )
                    % words
                )
        if plan.opens_at != round.opens_at and policies.has_begun(round):
            problems.append(
                _(
                    "“%(round)s” has begun, and the round before it would be open again. "
                    "Extend “%(round)s” instead."
                )
                % words
            )
    return problems
