# SPDX-License-Identifier: Apache-2.0
"""Hints for teams in a round: added and removed by organizers, published by them or by the platform when due."""

from __future__ import annotations

from datetime import datetime
from typing import TYPE_CHECKING

from django.db import transaction
from django.utils import timezone
from django.utils.translation import gettext_lazy as _

from pwscup.contests import faults
from pwscup.contests.models import RoundHint
from pwscup.contests.services.common import ContestRefused, lock
from pwscup.core import audit_log

if TYPE_CHECKING:
    from pwscup.accounts.models import User
    from pwscup.contests.models import Contest

MOST = 50
"""Hints of a contest."""


@transaction.atomic
def add_hint(
    *,
    actor: User,
    contest: Contest,
    version: int | None = None,
    key: str,
    text: str,
    text_ja: str,
    after_percent: int | None,
) -> RoundHint:
    """Add a hint for the round with that key; nobody but organizers sees it until it is published."""
    held = lock(contest, version)
    round = held.rounds.filter(key=key).first()
    if round is None:
        raise ContestRefused(_("There is no such round."))
    if RoundHint.objects.filter(round__contest=held).count() >= MOST:
        raise ContestRefused(
            _("A contest has at most %(expected)s hints. Delete one first.") % {"expected": MOST}
        )
    hint = RoundHint.objects.create(
        round=round, text=text, text_ja=text_ja, after_percent=after_percent
    )
    _record("added", hint, actor, text=text, after_percent=after_percent)
    return hint


@transaction.atomic
def publish_hint(*, actor: User, contest: Contest, version: int | None = None, number: int) -> None:
    """Publish a hint now."""
    hint = _found(lock(contest, version), number)
    _publish(hint, actor, timezone.now())


@transaction.atomic
def remove_hint(*, actor: User, contest: Contest, version: int | None = None, number: int) -> None:
    """Delete a hint; who has read it has read it."""
    hint = _found(lock(contest, version), number)
    was_published = hint.published_at is not None
    _record("removed", hint, actor, text=hint.text, was_published=was_published)
    hint.delete()


def publish_due(now: datetime) -> None:
    """Publish the hints whose time has come by the clock of their contest."""
    waiting = RoundHint.objects.filter(
        published_at=None, after_percent__isnull=False, round__opens_at__lte=now
    )
    for hint in waiting.select_related("round__contest"):
        contest = hint.round.contest
        due = hint.due_at
        if due is None or contest.clock(now) < due or not contest.is_public:
            continue
        with faults.alone(contest, faults.HINT, hint.round.key), transaction.atomic():
            _publish(hint, None, now)


def _publish(hint: RoundHint, actor: User | None, now: datetime) -> None:
    """Set the time, unless somebody else did it first."""
    unpublished = RoundHint.objects.filter(pk=hint.pk, published_at=None)
    if unpublished.update(published_at=now):
        _record("published", hint, actor, text=hint.text)


def _found(contest: Contest, number: int) -> RoundHint:
    found = RoundHint.objects.filter(round__contest=contest, pk=number)
    hint = found.select_related("round").first()
    if hint is None:
        raise ContestRefused(_("This hint was deleted in the meantime."))
    return hint


def _record(what: str, hint: RoundHint, actor: User | None, **data: object) -> None:
    round = hint.round
    audit_log.record(
        f"hint.{what}", actor=actor, contest_id=round.contest_id, subject=round.key, **data
    )
