# SPDX-License-Identifier: Apache-2.0
"""Webhooks: URLs that receive a contest's news."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any
from urllib.parse import urlsplit
from uuid import uuid4

from django.db import transaction
from django.utils import timezone
from django.utils.translation import gettext_lazy as _

from pwscup.contests.models import Contest
from pwscup.core import audit_log
from pwscup.notices.kinds import DISABLED, ERRORS, MAX_FAILURES, MAX_WEBHOOKS, TEST
from pwscup.notices.models import Delivery, Webhook
from pwscup.notices.sending import outbox
from pwscup.notices.services.common import NoticeRefused
from pwscup.notices.webhooks import addresses
from pwscup.notices.webhooks.signing import secret_of

if TYPE_CHECKING:
    from pwscup.accounts.models import User


def add_webhook(*, actor: User, contest: Contest, url: str) -> tuple[Webhook, str]:
    """A new URL and its secret, which is shown only now."""
    try:
        addresses.check(url)
    except addresses.BadAddressError as refusal:
        raise NoticeRefused(
            _(
                "%(address)s cannot be used: %(reason)s — expected an https:// address on the internet."
            )
            % {"address": url, "reason": ERRORS[refusal.code]}
        ) from None
    with transaction.atomic():
        held = Contest.objects.select_for_update(no_key=True).get(pk=contest.pk)
        present = held.webhooks.filter(removed_at=None)
        if present.filter(url=url).exists():
            raise NoticeRefused(_("This contest already has a webhook with this address."))
        if present.count() >= MAX_WEBHOOKS:
            raise NoticeRefused(
                _("A contest has at most %(n)d webhooks. Remove one first.") % {"n": MAX_WEBHOOKS}
            )
        webhook = Webhook.objects.create(contest=held, url=url, created_by=actor)
        _record("webhook.added", actor, webhook)
    return webhook, secret_of(webhook)


@transaction.atomic
def remove_webhook(*, actor: User, webhook: Webhook) -> None:
    """Remove a webhook; its deliveries stay in the list."""
    if Webhook.objects.filter(pk=webhook.pk, removed_at=None).update(removed_at=timezone.now()):
        _record("webhook.removed", actor, webhook)


@transaction.atomic
def enable_webhook(*, actor: User, webhook: Webhook) -> None:
    """Enable a webhook that had failed too often."""
    disabled = Webhook.objects.filter(pk=webhook.pk, removed_at=None, disabled_at__isnull=False)
    if disabled.update(disabled_at=None, n_failures=0):
        _record("webhook.enabled", actor, webhook)


@transaction.atomic
def test_webhook(*, actor: User, webhook: Webhook) -> None:
    """Send a test notice to this webhook; one at a time."""
    held = Webhook.objects.select_for_update().get(pk=webhook.pk)
    unsent = Delivery.objects.filter(
        webhook=held, notice__kind=TEST, state__in=(Delivery.WAITING, Delivery.RUNNING)
    )
    if unsent.exists() or held.notices.filter(kind=TEST, spread_at=None).exists():
        raise NoticeRefused(_("A test is already being sent."))
    outbox.notify(contest=held.contest, kind=TEST, key=f"test:{uuid4()}", webhook=held)
    _record("webhook.tested", actor, held)


@transaction.atomic
def disable_webhook(*, webhook_id: int) -> bool:
    """Disable a webhook after too many consecutive failures, and notify the organizers."""
    now = timezone.now()
    failing = Webhook.objects.filter(
        pk=webhook_id, n_failures__gte=MAX_FAILURES, disabled_at=None, removed_at=None
    )
    if not failing.update(disabled_at=now):
        return False
    webhook = Webhook.objects.select_related("contest").get(pk=webhook_id)
    event = _record("webhook.disabled", None, webhook, n_failures=webhook.n_failures)
    outbox.notify(
        contest=webhook.contest, kind=DISABLED, key=f"disabled:{event.pk}", webhook=webhook
    )
    return True


def _record(kind: str, actor: User | None, webhook: Webhook, **data: Any) -> Any:
    """Only the host is recorded: the rest of a URL may be its secret part."""
    return audit_log.record(
        kind,
        actor=actor,
        contest_id=webhook.contest_id,
        subject=f"webhook {webhook.pk}",
        host=urlsplit(webhook.url).hostname or "",
        **data,
    )
