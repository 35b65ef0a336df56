# SPDX-License-Identifier: Apache-2.0
"""Notices on open pages: each event is one notice, and a browser shows it once, in whatever tab asks first."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import datetime, timedelta
from typing import TYPE_CHECKING

from django.db.models import Max, Q, QuerySet
from django.template.defaultfilters import truncatechars

from pwscup.notices.kinds import NOTICE_KINDS, Audience
from pwscup.notices.models import Notice
from pwscup.notices.sending.texts import content

if TYPE_CHECKING:
    from pwscup.accounts.models import User

RECENT = timedelta(hours=1)
"""Older notices are news or email, not toasts."""
MOST, MOST_CHARACTERS = 4, 160


@dataclass(frozen=True, slots=True)
class Toast:
    """A notice in the reader's language, with the path of its page."""

    id: int
    contest: str
    title: str
    text: str
    url: str


def _kinds(audience: Audience) -> list[str]:
    return [key for key, kind in NOTICE_KINDS.items() if kind.audience is audience]


def notices_for(user: User, now: datetime) -> QuerySet[Notice]:
    """The recent notices whose audience includes the user, by the same rules as email but for its preferences."""
    member = Q(
        kind__in=_kinds(Audience.MEMBERS),
        contest__teams__memberships__user=user,
        contest__teams__is_house=False,
    )
    team = Q(kind__in=_kinds(Audience.TEAM), question__team__memberships__user=user)
    organizer = Q(kind__in=_kinds(Audience.ORGANIZERS), contest__organizers=user)
    recent = Notice.objects.filter(
        Q(useless_after=None) | Q(useless_after__gt=now),
        Q(announcement=None) | Q(announcement__withdrawn_at=None),
        contest__is_published=True,
        at__gt=now - RECENT,
    )
    return recent.filter(member | team | organizer).distinct()


def newest_for(user: User, now: datetime) -> int:
    """The key of the newest notice; 0 if there is none."""
    return notices_for(user, now).order_by().aggregate(pk=Max("pk"))["pk"] or 0


def toasts_for(user: User, now: datetime, *, after: int) -> list[Toast]:
    """The notices after that key, the oldest first; of many, the newest."""
    found = notices_for(user, now).filter(pk__gt=after).order_by("-pk")
    found = found.select_related("contest", "announcement", "question__team")[:MOST]
    return [_toast(notice) for notice in reversed(found)]


def _toast(notice: Notice) -> Toast:
    said = content(notice)
    text = truncatechars(" ".join(said.text.split()), MOST_CHARACTERS)
    return Toast(notice.pk, notice.contest.local_title, said.title, text, said.path)
