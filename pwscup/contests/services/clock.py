# SPDX-License-Identifier: Apache-2.0
"""The clock of a contest: immediate opening and closing, pauses, extensions and reopened rounds."""

from __future__ import annotations

from collections.abc import Sequence
from datetime import datetime, timedelta
from typing import TYPE_CHECKING, Any

from django.db import transaction
from django.utils import timezone
from django.utils.translation import gettext_lazy as _

from pwscup.accounts.models import User
from pwscup.accounts.policies import is_over
from pwscup.contests.models import Contest, Interruption, Round
from pwscup.contests.services.common import ContestRefused, lock
from pwscup.contests.services.contest import publish
from pwscup.contests.services.dates import (
    move_other_dates,
    moved,
    open_key,
    reasoned,
    stop,
)
from pwscup.contests.services.rounds import (
    RoundPlan,
    apply_plans,
    check_rounds,
    rounds_of,
    shifted,
    why_final,
    with_times,
)
from pwscup.core import audit_log
from pwscup.core.texts.moments import shown_moment

if TYPE_CHECKING:
    from pwscup.core.texts.refusals import Text


# The pause


@transaction.atomic
def pause(
    *,
    actor: User,
    contest: Contest,
    version: int | None = None,
    reason: str,
    now: datetime | None = None,
) -> Interruption:
    """Stop the clock of the contest until it is resumed."""
    now = now or timezone.now()
    held = lock(contest, version)
    reason = reasoned(reason)
    if held.paused_at is not None:
        raise ContestRefused(_("The contest is paused already."))
    if is_over(held, now):
        raise ContestRefused(_("The last round has closed; there is nothing to pause."))
    subject = open_key(held, now)
    made = stop(held, Interruption.Kind.PAUSE, now, actor=actor, reason=reason, now=now)
    contest.paused_at = now
    audit_log.record(
        "contest.round_paused",
        actor=actor,
        contest_id=contest.pk,
        subject=subject,
        started_at=now.isoformat(),
        reason=reason,
    )
    return made


@transaction.atomic
def resume(
    *,
    actor: User,
    contest: Contest,
    version: int | None = None,
    reason: str = "",
    now: datetime | None = None,
) -> None:
    """Restart the clock: every date after the start of the pause moves by its length."""
    now = now or timezone.now()
    held = lock(contest, version)
    if held.paused_at is None:
        raise ContestRefused(_("The contest is not paused."))
    since, paused = held.paused_at, held.interruptions.filter(ended_at=None).first()
    rounds = rounds_of(held)
    known_at = paused.created_at if paused else since
    plans = moved(rounds, after=since, by=now - since, opened_until=known_at)
    changes = apply_plans(rounds, {plan.key: plan for plan in plans})
    move_other_dates(held, after=since, by=now - since, now=now)
    held.paused_at = contest.paused_at = None
    held.save(update_fields=["paused_at"])
    if paused is not None:
        paused.ended_at = now
        paused.save(update_fields=["ended_at"])
    audit_log.record(
        "contest.round_resumed",
        actor=actor,
        contest_id=contest.pk,
        subject=open_key(held, now),
        started_at=since.isoformat(),
        ended_at=now.isoformat(),
        reason=reason.strip() or (paused.reason if paused else ""),
        moved=changes,
    )


# Immediate opening and closing


@transaction.atomic
def open_round_now(
    *,
    actor: User,
    contest: Contest,
    key: str,
    version: int | None = None,
    keeps_end: bool = False,
    now: datetime | None = None,
) -> None:
    """Open an upcoming round now. It keeps its length, and later rounds move with it; with `keeps_end`, only its
    opening moves.
    """
    now = now or timezone.now()
    held = lock(contest, version)
    _refuse_in_a_pause(held)
    round = Round.objects.select_related("contest").get(contest=contest, key=key)
    if round.has_opened(now):
        raise ContestRefused(_("“%(round)s” has opened already.") % {"round": round.local_title})
    earlier = Round.objects.filter(contest=contest, position__lt=round.position, closes_at__gt=now)
    for open_one in earlier.select_related("contest"):
        raise ContestRefused(
            _("“%(other)s” has not closed yet. Close it first, then open “%(round)s”.")
            % {"other": open_one.local_title, "round": round.local_title}
        )
    if keeps_end:
        changed = apply_plans([round], {key: with_times(round, opens_at=now)})[key]
    else:
        later = Round.objects.filter(contest=contest, position__gte=round.position)
        moved = _shift(held, list(later), now)
        changed = moved.pop(key) | ({"moved": moved} if moved else {})
    audit_log.record(
        "contest.round_opened", actor=actor, contest_id=contest.pk, subject=key, **changed
    )


@transaction.atomic
def close_round_now(
    *,
    actor: User,
    contest: Contest,
    key: str,
    version: int | None = None,
    now: datetime | None = None,
) -> None:
    """Close an open round now."""
    now = now or timezone.now()
    _refuse_in_a_pause(lock(contest, version))
    round = Round.objects.select_related("contest").get(contest=contest, key=key)
    if not round.is_open(now):
        raise ContestRefused(_("“%(round)s” is not open.") % {"round": round.local_title})
    changed = apply_plans([round], {key: with_times(round, closes_at=now)})[key]
    audit_log.record(
        "contest.round_closed", actor=actor, contest_id=contest.pk, subject=key, **changed
    )


def from_now(rounds: Sequence[Round], now: datetime) -> list[RoundPlan]:
    """The rounds with their lengths and the pauses between them, the first one opening now."""
    return [shifted(round, now - rounds[0].opens_at) for round in rounds]


def _shift(contest: Contest, rounds: Sequence[Round], now: datetime) -> dict[str, Any]:
    """Let the first of these rounds open now, and move the others and all later dates with it."""
    first = rounds[0].opens_at
    changes = apply_plans(rounds, {plan.key: plan for plan in from_now(rounds, now)})
    move_other_dates(contest, after=first, by=now - first, now=now)
    return changes


@transaction.atomic
def start_rounds(
    *, actor: User, contest: Contest, version: int | None = None, now: datetime | None = None
) -> None:
    """Open the first round now, and move all others with it; not after something was submitted."""
    now = now or timezone.now()
    held = lock(contest, version)
    _refuse_in_a_pause(held)
    if not held.is_published:
        raise ContestRefused(_("The contest is a draft. Publish it, then start the lesson."))
    rounds = rounds_of(held)
    check_rounds(rounds, {plan.key: plan for plan in from_now(rounds, now)}, now)
    audit_log.record(
        "contest.rounds_started",
        actor=actor,
        contest_id=contest.pk,
        subject=contest.slug,
        moved=_shift(held, rounds, now),
    )


@transaction.atomic
def publish_and_start(
    *, actor: User, contest: Contest, version: int | None = None, sentence: str | None = None
) -> None:
    """Publish a draft and open its first round now: both, or nothing."""
    publish(actor=actor, contest=contest, version=version, sentence=sentence)
    start_rounds(actor=actor, contest=contest)


def _refuse_in_a_pause(contest: Contest) -> None:
    if contest.paused_at is not None:
        raise ContestRefused(
            _("The contest is paused, and its clock stands still. Resume it first.")
        )


# Extending a round


@transaction.atomic
def extend_round(
    *,
    actor: User,
    contest: Contest,
    key: str,
    version: int | None = None,
    until: datetime | None = None,
    by: timedelta | None = None,
    moves_later: bool = False,
    reason: str,
    now: datetime | None = None,
) -> None:
    """Extend a round that has not closed: `until` a time, or `by` a duration.

    With `moves_later` the later rounds move by the same time; otherwise they keep their dates.
    """
    now = now or timezone.now()
    held = lock(contest, version)
    reason = reasoned(reason)
    rounds = rounds_of(held)
    round = next(round for round in rounds if round.key == key)
    if round.has_closed(now):
        raise ContestRefused(
            _("“%(round)s” has closed. Open it again instead of extending it.")
            % {"round": round.local_title}
        )
    closes_at = until or round.closes_at + (by or timedelta())
    if closes_at <= round.closes_at:
        raise ContestRefused(
            _("“%(round)s” closes at %(time)s already. Choose a later time.")
            % {"round": round.local_title, "time": shown_moment(round.closes_at, held.tz)}
        )
    changes = _lengthen(rounds, round, closes_at, moves_later=moves_later, now=now)
    _record_round("contest.round_extended", actor, contest, key, reason, changes)


@transaction.atomic
def reopen_round(
    *,
    actor: User,
    contest: Contest,
    key: str,
    version: int | None = None,
    until: datetime | None = None,
    by: timedelta | None = None,
    moves_later: bool = False,
    reason: str,
    now: datetime | None = None,
) -> None:
    """Reopen a closed round `until` a time, or for a duration `by` from now; not if its tables or results are
    public."""
    now = now or timezone.now()
    held = lock(contest, version)
    reason = reasoned(reason)
    rounds = rounds_of(held)
    round = next(round for round in rounds if round.key == key)
    if not round.has_closed(now):
        raise ContestRefused(
            _("“%(round)s” has not closed. Extend it instead.") % {"round": round.local_title}
        )
    if why := why_final(round):
        raise ContestRefused(why)
    closes_at = until or now + (by or timedelta())
    if closes_at <= now:
        raise ContestRefused(
            _("“%(round)s” would close again immediately. Choose a time in the future.")
            % {"round": round.local_title}
        )
    changes = _lengthen(rounds, round, closes_at, moves_later=moves_later, now=now)
    _record_round("contest.round_reopened", actor, contest, key, reason, changes)


def _lengthen(
    rounds: Sequence[Round], round: Round, closes_at: datetime, *, moves_later: bool, now: datetime
) -> dict[str, Any]:
    by = closes_at - round.closes_at
    plans = {round.key: with_times(round, closes_at=closes_at)}
    for later in rounds:
        if later.position <= round.position:
            continue
        if moves_later:
            plans[later.key] = shifted(later, by)
        elif later.opens_at < closes_at:
            raise ContestRefused(_no_room(round, later))
    check_rounds(rounds, plans, now)
    return apply_plans(rounds, plans)


def _no_room(round: Round, later: Round) -> Text:
    return _(
        "“%(next)s” opens at %(time)s, so there is no room. Move the later rounds too, "
        "or close “%(round)s” before that."
    ) % {
        "next": later.local_title,
        "round": round.local_title,
        "time": shown_moment(later.opens_at, round.contest.tz),
    }


def _record_round(
    kind: str, actor: User, contest: Contest, key: str, reason: str, changes: dict[str, Any]
) -> None:
    audit_log.record(
        kind, actor=actor, contest_id=contest.pk, subject=key, reason=reason, moved=changes
    )
