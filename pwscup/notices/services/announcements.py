# SPDX-License-Identifier: Apache-2.0
"""Announcements of organizers: published, corrected, withdrawn; never deleted."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from django.db import transaction
from django.utils import timezone
from django.utils.translation import gettext_lazy as _

from pwscup.core import audit_log
from pwscup.notices.kinds import ANNOUNCEMENT, CLARIFICATION
from pwscup.notices.models import Announcement
from pwscup.notices.sending import outbox
from pwscup.notices.services.common import NoticeRefused, lock_published

if TYPE_CHECKING:
    from collections.abc import Mapping

    from pwscup.accounts.models import User
    from pwscup.contests.models import Contest
    from pwscup.notices.models import Question

WORDING = ("title", "title_ja", "text", "text_ja", "is_pinned")


@transaction.atomic
def publish_announcement(
    *, actor: User, contest: Contest, values: Mapping[str, Any], question: Question | None = None
) -> Announcement:
    """Publish an announcement; with a question it is its clarification."""
    lock_published(contest)
    kind = ANNOUNCEMENT if question is None else CLARIFICATION
    announcement = Announcement.objects.create(
        contest=contest, created_by=actor, question=question, **values
    )
    audit_log.record(
        f"{kind}.published",
        actor=actor,
        contest_id=contest.pk,
        subject=f"announcement {announcement.pk}",
        **_said(announcement),
    )
    outbox.notify(
        contest=contest,
        kind=kind,
        key=f"announcement:{announcement.pk}",
        announcement=announcement,
    )
    return announcement


def _said(announcement: Announcement) -> dict[str, Any]:
    return {name: value for name in WORDING if (value := getattr(announcement, name))}


@transaction.atomic
def correct_announcement(
    *, actor: User, announcement: Announcement, version: int, values: Mapping[str, Any]
) -> None:
    """Correct the text in place; the earlier one is in the audit trail."""
    held = _held(announcement)
    if held.version != version:
        raise NoticeRefused(
            _(
                "Another organizer changed this announcement after you opened the page, so nothing was "
                "saved. Check the current text and make your change again."
            )
        )
    changed = {
        name: [getattr(held, name), values[name]]
        for name in WORDING
        if name in values and getattr(held, name) != values[name]
    }
    if not changed:
        return
    for name, (_before, after) in changed.items():
        setattr(held, name, after)
    held.version += 1
    if set(changed) != {"is_pinned"}:  # its position is not part of the text
        held.edited_at = timezone.now()
    held.save(update_fields=[*changed, "version", "edited_at"])
    _record("corrected", actor, held, **changed)


@transaction.atomic
def withdraw_announcement(*, actor: User, announcement: Announcement, reason: str) -> None:
    """Withdraw the text permanently; the title and the reason stay visible."""
    held = _held(announcement)
    held.withdrawn_at, held.withdrawn_reason = timezone.now(), reason
    held.is_pinned = False
    held.version += 1
    held.save(update_fields=["withdrawn_at", "withdrawn_reason", "is_pinned", "version"])
    _record("withdrawn", actor, held, reason=reason)


def _held(announcement: Announcement) -> Announcement:
    held = Announcement.objects.select_for_update().get(pk=announcement.pk)
    if held.withdrawn_at is not None:
        raise NoticeRefused(_("This announcement is withdrawn. Publish a new one."))
    return held


def _record(what: str, actor: User, announcement: Announcement, **data: Any) -> None:
    audit_log.record(
        f"announcement.{what}",
        actor=actor,
        contest_id=announcement.contest_id,
        subject=f"announcement {announcement.pk}",
        **data,
    )
