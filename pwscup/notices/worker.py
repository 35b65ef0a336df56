"""Sending what is due: claim it, look whether it is still wanted, send it, write what came of it."""

from __future__ import annotations

import json
import logging
import smtplib
import time
from typing import TYPE_CHECKING

from django.db.models import F
from django.utils import timezone

from pwscup.core.jobs.heartbeat import attend
from pwscup.notices import queue, services
from pwscup.notices.models import Delivery, Webhook
from pwscup.notices.sending import mails, outbox, texts
from pwscup.notices.webhooks import calls, signing

if TYPE_CHECKING:
    from pwscup.core.jobs.rows import Claim

logger = logging.getLogger(__name__)

BATCH_SECONDS = 5  # then submissions that came meanwhile get their turn
TIME_LIMIT = 120
State = Delivery.State


def work() -> bool:
    """Send what is due; True where the time ran out and more may wait."""
    until = time.monotonic() + BATCH_SECONDS
    while (claim := queue.claim_next()) is not None:
        attend(claim, deliver, queue.finish_failed, TIME_LIMIT)
        if time.monotonic() >= until:
            return True
    return False


def deliver(claim: Claim) -> bool:
    """Send one notice to one recipient."""
    delivery = Delivery.objects.select_related(
        "notice__contest", "notice__announcement", "notice__question__team", "notice__webhook",
        "webhook", "user",
    ).get(pk=claim.pk)  # fmt: skip
    if not outbox.is_wanted(delivery):
        return queue.finish(claim, State.DROPPED)
    if delivery.channel == Delivery.Channel.EMAIL:
        return _mail(claim, delivery)
    return _call(claim, delivery)


# E-mail


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
        due_at = queue.try_later(claim, delivery, error="server")
        if due_at is not None:
            queue.postpone_others(delivery, due_at)
        return False
    return queue.finish(claim, State.SENT, error="")


def _refused(claim: Claim, delivery: Delivery, codes: list[int]) -> bool:
    """The server works and does not take this one: for now (4xx), or never."""
    if all(code < 500 for code in codes):
        queue.try_later(claim, delivery, error="recipient_later")
        return False
    return queue.finish(claim, State.FAILED, error="recipient")


# Webhooks


def _call(claim: Claim, delivery: Delivery) -> bool:
    webhook = delivery.webhook
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
        return _call_failed(claim, delivery, failure)
    Webhook.objects.filter(pk=webhook.pk).update(n_failures=0)
    return queue.finish(claim, State.SENT, status_code=status, error="")


def _call_failed(claim: Claim, delivery: Delivery, failure: calls.CallFailedError) -> bool:
    result = {"status_code": failure.status, "error": failure.code}
    due_at = queue.try_later(claim, delivery, **result)
    if due_at is not None:
        queue.postpone_others(delivery, due_at)
    Webhook.objects.filter(pk=delivery.webhook_id).update(n_failures=F("n_failures") + 1)
    services.disable_webhook(webhook_id=delivery.webhook_id)
    return False
