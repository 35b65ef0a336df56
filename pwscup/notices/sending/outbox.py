# SPDX-License-Identifier: Apache-2.0
"""The outbox: notices are written in the transaction of their event; deliveries for each recipient follow later."""

from __future__ import annotations

from typing import Any

from django.db import transaction
from django.db.models import Q, QuerySet
from django.utils import timezone

from pwscup.accounts.models import User
from pwscup.contests import faults
from pwscup.contests.models import Contest
from pwscup.notices.kinds import ANNOUNCEMENT, CLARIFICATION, NOTICE_KINDS, TEST, Audience
from pwscup.notices.models import Delivery, Notice, Preference, Webhook

Wanted = Preference.Wanted
Channel = Delivery.Channel


def notify(*, contest: Contest, kind: str, key: str, **fields: Any) -> None:
    """Record a notice; once for each key, however often it is requested."""
    Notice.objects.bulk_create(
        [Notice(contest=contest, kind=kind, key=key, **fields)], ignore_conflicts=True
    )


def is_important(notice: Notice) -> bool:
    if notice.kind in (ANNOUNCEMENT, CLARIFICATION):
        return notice.announcement is not None and notice.announcement.is_pinned
    return NOTICE_KINDS[notice.kind].is_important


def recipients(notice: Notice) -> QuerySet[User]:
    """The current audience of the notice, restricted to users who want such email."""
    refusals = [Wanted.NONE] if is_important(notice) else [Wanted.NONE, Wanted.IMPORTANT]
    refusing = Preference.objects.filter(contest=notice.contest_id, wanted__in=refusals)
    people = User.objects.filter(_audience(notice), is_active=True, deleted_at=None, guest_of=None)
    return people.exclude(pk__in=refusing.values("user")).distinct()


def _audience(notice: Notice) -> Q:
    audience = NOTICE_KINDS[notice.kind].audience
    if audience is Audience.MEMBERS:
        return Q(memberships__contest=notice.contest_id, memberships__team__is_house=False)
    if audience is Audience.TEAM and notice.question is not None:
        return Q(memberships__team=notice.question.team_id)
    if audience is Audience.ORGANIZERS:
        return Q(organizes=notice.contest_id)
    return Q(pk__in=[])


def webhooks(notice: Notice) -> QuerySet[Webhook]:
    """The webhooks that receive the notice."""
    if notice.kind == TEST:
        return Webhook.objects.filter(notices=notice, removed_at=None)
    if not NOTICE_KINDS[notice.kind].calls_webhooks:
        return Webhook.objects.none()
    return Webhook.objects.filter(contest=notice.contest_id, removed_at=None, disabled_at=None)


def spread(notice: Notice) -> bool:
    """Create the deliveries of a notice; False if that was already done."""
    with transaction.atomic():
        now = timezone.now()
        if not Notice.objects.filter(pk=notice.pk, spread_at=None).update(spread_at=now):
            return False
        deliveries = [
            Delivery(notice=notice, channel=Channel.EMAIL, user_id=pk)
            for pk in recipients(notice).order_by("pk").values_list("pk", flat=True)
        ]
        deliveries += [
            Delivery(notice=notice, channel=Channel.WEBHOOK, webhook=hook)
            for hook in webhooks(notice)
        ]
        Delivery.objects.bulk_create(deliveries, ignore_conflicts=True)
    return True


def spread_all() -> None:
    """Create the missing deliveries of all notices."""
    waiting = Notice.objects.filter(spread_at=None).select_related(
        "contest", "announcement", "question"
    )
    for notice in waiting.order_by("id"):
        with faults.alone(notice.contest, faults.NOTICES):
            spread(notice)


def is_wanted(delivery: Delivery) -> bool:
    """Sending still makes sense: users leave, contests are unpublished, news is withdrawn."""
    notice, now = delivery.notice, timezone.now()
    if notice.useless_after is not None and notice.useless_after <= now:
        return False
    if notice.announcement is not None and notice.announcement.withdrawn_at is not None:
        return False
    if not notice.contest.is_published and notice.kind != TEST:
        return False
    if notice.round_key and not notice.contest.rounds.filter(key=notice.round_key).exists():
        return False
    if delivery.channel == Channel.WEBHOOK:
        return webhooks(notice).filter(deliveries=delivery).exists()
    return recipients(notice).filter(pk=delivery.user_id or 0).exists()
