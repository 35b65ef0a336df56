"""Deliveries as jobs: one at a time, so that no server that hangs keeps scoring waiting."""

from __future__ import annotations

from datetime import datetime, timedelta
from typing import Any

from django.db import transaction
from django.db.models import F
from django.utils import timezone

from pwscup.core.jobs import rows as jobs
from pwscup.core.jobs.rows import Claim
from pwscup.notices.kinds import GIVE_UP_AFTER, PAUSES
from pwscup.notices.models import Delivery

State = Delivery.State


def is_due(now: datetime) -> bool:
    """Whether something is to be sent that nobody is sending."""
    waiting = Delivery.objects.filter(state=State.WAITING, due_at__lte=now)
    return waiting.exists() and not Delivery.objects.filter(state=State.RUNNING).exists()


def claim_next() -> Claim | None:
    """Take what is due first; nothing while another worker is sending."""
    with transaction.atomic():
        # Whoever claims at the same moment waits here, and sees what was taken meanwhile.
        due = Delivery.objects.select_for_update().filter(
            state=State.WAITING, due_at__lte=timezone.now()
        )
        first = due.order_by(*Delivery.QUEUE_ORDER).first()
        if first is None or Delivery.objects.filter(state=State.RUNNING).exists():
            return None
        return jobs.claim(Delivery, first.pk)


def finish(claim: Claim, state: str, **fields: Any) -> bool:
    """Write how an attempt ended for good, if the claim still holds."""
    if state != State.DROPPED:
        fields |= {"tries": F("tries") + 1, "tried_at": timezone.now()}
    return jobs.finish(claim, state, **fields)


def finish_failed(claim: Claim, reference: str) -> bool:
    """Write that we failed, with a reference to the log, if the claim still holds."""
    return finish(claim, State.FAILED, reference=reference)


def pause_after(tries: int) -> timedelta:
    """How long to wait after so many attempts."""
    return PAUSES[min(tries, len(PAUSES)) - 1]


def try_later(claim: Claim, delivery: Delivery, **fields: Any) -> datetime | None:
    """Let it wait for its next attempt; None where it was given up, or the claim holds no more."""
    now = timezone.now()
    due_at = now + pause_after(delivery.tries + 1)
    if due_at > delivery.notice.at + GIVE_UP_AFTER:
        finish(claim, State.FAILED, **fields)
        return None
    moved = jobs.held(claim).update(
        state=State.WAITING,
        due_at=due_at,
        lease_until=None,
        tries=F("tries") + 1,
        tried_at=now,
        attempts=0,  # of workers that went silent; this one did not
        **fields,
    )
    return due_at if moved else None


def postpone_others(delivery: Delivery, due_at: datetime) -> None:
    """What goes the same way waits as well: one attempt shows whether the way is open."""
    same_way = Delivery.objects.filter(
        channel=delivery.channel, webhook=delivery.webhook_id, state=State.WAITING
    )
    same_way.filter(due_at__lt=due_at).update(due_at=due_at)


def take_back(now: datetime) -> None:
    """Take back what silent workers hold."""
    for claim in jobs.expired(Delivery):
        jobs.take_back(claim, finish_failed)
