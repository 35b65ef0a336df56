# SPDX-License-Identifier: Apache-2.0
"""Deliveries as jobs: one at a time, in batches, so that a server that hangs does not delay scoring."""

from __future__ import annotations

import json
import logging
import smtplib
import time
from datetime import datetime, timedelta
from typing import Any

from django.db import transaction
from django.db.models import F
from django.utils import timezone

from pwscup.core import jobs
from pwscup.core.jobs import Claim, job
from pwscup.notices import services
from pwscup.notices.kinds import GIVE_UP_AFTER, PAUSES
from pwscup.notices.models import Delivery, Webhook
from pwscup.notices.sending import mails, outbox, texts
from pwscup.notices.webhooks import calls, signing

logger = logging.getLogger(__name__)

BATCH_SECONDS = 5  # then waiting submissions get their turn
State = Delivery.State


# Batches


def is_due(now: datetime) -> bool:
    """A notice is due that nobody is sending."""
    waiting = Delivery.objects.filter(state=State.WAITING, due_at__lte=now)
    return waiting.exists() and not Delivery.objects.filter(state=State.RUNNING).exists()


def work() -> bool:
    """Send what is due; True if the time was used up and more may wait."""
    until = time.monotonic() + BATCH_SECONDS
    while (claim := claim_next()) is not None:
        jobs.attend(claim)
        if time.monotonic() >= until:
            return True
    return False


def claim_next() -> Claim | None:
    """Claim the delivery that is due first; None while another worker is sending."""
    with transaction.atomic():
        # Another worker waits here for the lock, and sees what was claimed in the meantime.
        due = Delivery.objects.select_for_update().filter(
            state=State.WAITING, due_at__lte=timezone.now()
        )
        first = due.order_by(*Delivery.QUEUE_ORDER).first()
        if first is None or Delivery.objects.filter(state=State.RUNNING).exists():
            return None
        return jobs.claim(Delivery, first.pk)


# Results


def finish(claim: Claim, state: str, **fields: Any) -> bool:
    """Write the final outcome of a delivery, if the claim is still valid."""
    return jobs.finish(claim, state, count_attempt, **fields)


def count_attempt(claim: Claim) -> None:
    """Record another attempt."""
    attempt = {"tries": F("tries") + 1, "tried_at": timezone.now()}
    Delivery.objects.filter(pk=claim.pk).update(**attempt)


def pause_after(tries: int) -> timedelta:
    """The pause after this number of attempts."""
    return PAUSES[min(tries, len(PAUSES)) - 1]


def try_later(claim: Claim, delivery: Delivery, **fields: Any) -> datetime | None:
    """Let the delivery wait for its next attempt; None if it was given up, or the claim is no longer valid."""
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
        attempts=0,  # of silent workers; this one is alive
        **fields,
    )
    return due_at if moved else None


def postpone_others(delivery: Delivery, due_at: datetime) -> None:
    """Deliveries over the same channel wait as well: one attempt shows whether it works."""
    same_way = Delivery.objects.filter(
        channel=delivery.channel, webhook=delivery.webhook_id, state=State.WAITING
    )
    same_way.filter(due_at__lt=due_at).update(due_at=due_at)


# Sending


@job(Delivery, queue=None, limit="DELIVERY_TIME_LIMIT", failed=count_attempt)
def deliver(claim: Claim) -> bool:
    """Send one notice to one recipient."""
    delivery = Delivery.objects.select_related(
        "notice__contest", "notice__announcement", "notice__question__team", "notice__webhook",
        "webhook", "user",
    ).get(pk=claim.pk)  # fmt: skip
    if not outbox.is_wanted(delivery):
        return jobs.finish(claim, State.DROPPED)
    if delivery.channel == Delivery.Channel.EMAIL:
        return _mail(claim, delivery)
    return _call(claim, delivery)


# Email


def _mail(claim: Claim, delivery: Delivery) -> bool:
    message = mails.message(delivery)
    try:
        message.send()
    except smtplib.SMTPRecipientsRefused as refusal:
        return _refused(claim, delivery, [code for code, _ in refusal.recipients.values()])
    except smtplib.SMTPDataError as refusal:
        return _refused(claim, delivery, [refusal.smtp_code])
    except (OSError, smtplib.SMTPException) as error:
        logger.warning("mail server: %s", type(error).__name__)
        due_at = try_later(claim, delivery, error="server")
        if due_at is not None:
            postpone_others(delivery, due_at)
        return False
    return finish(claim, State.SENT, error="")


def _refused(claim: Claim, delivery: Delivery, codes: list[int]) -> bool:
    """The server works but refuses this recipient: temporarily (4xx), or permanently."""
    if all(code < 500 for code in codes):
        try_later(claim, delivery, error="recipient_later")
        return False
    return finish(claim, State.FAILED, error="recipient")


# Webhooks


def _call(claim: Claim, delivery: Delivery) -> bool:
    webhook = delivery.webhook
    assert webhook is not None
    body = json.dumps(texts.payload(delivery.notice), ensure_ascii=False).encode()
    timestamp = str(int(timezone.now().timestamp()))
    headers = {
        "Content-Type": "application/json; charset=utf-8",
        "User-Agent": "PWSCup",
        "X-PWSCup-Timestamp": timestamp,
        "X-PWSCup-Signature": signing.signature(signing.secret_of(webhook), timestamp, body),
    }
    try:
        status = calls.post(webhook.url, body, headers)
    except calls.CallFailedError as failure:
        return _call_failed(claim, delivery, webhook, failure)
    Webhook.objects.filter(pk=webhook.pk).update(n_failures=0)
    return finish(claim, State.SENT, status_code=status, error="")


def _call_failed(
    claim: Claim, delivery: Delivery, webhook: Webhook, failure: calls.CallFailedError
) -> bool:
    result = {"status_code": failure.status, "error": failure.code}
    due_at = try_later(claim, delivery, **result)
    if due_at is not None:
        postpone_others(delivery, due_at)
    Webhook.objects.filter(pk=webhook.pk).update(n_failures=F("n_failures") + 1)
    services.disable_webhook(webhook_id=webhook.pk)
    return False
