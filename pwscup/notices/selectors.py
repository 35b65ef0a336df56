# SPDX-License-Identifier: Apache-2.0
"""Queries about news, questions and webhooks, restricted to the viewer's permissions."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from datetime import UTC, datetime
from typing import TYPE_CHECKING
from uuid import UUID

from django.db.models import Case, Count, Min, QuerySet, When
from django.http import Http404

from pwscup.contests.models import Contest
from pwscup.core.db import revisions
from pwscup.core.db.prepared import Prepared
from pwscup.core.db.recent import Recent
from pwscup.core.models import Event
from pwscup.notices import changes, policies
from pwscup.notices.kinds import ERRORS
from pwscup.notices.models import Announcement, Delivery, Preference, Question, Visit, Webhook
from pwscup.submissions.models import Release

if TYPE_CHECKING:
    from pwscup.accounts.models import Team, User
    from pwscup.contests.policies import Person
    from pwscup.core.db.revisions import Numbers

LONG_AGO = datetime(1970, 1, 1, tzinfo=UTC)
MOST_DELIVERIES = 50


# News


@dataclass(frozen=True, slots=True)
class Item:
    """A piece of news, in the reader's language; with `announcement` if organizers wrote it."""

    key: str
    at: datetime
    title: str
    text: str
    announcement: Announcement | None = None

    @property
    def is_pinned(self) -> bool:
        return self.announcement is not None and self.announcement.is_pinned

    @property
    def changed_at(self) -> datetime:
        if self.announcement is None:
            return self.at
        return self.announcement.withdrawn_at or self.announcement.edited_at or self.at


def news(contest: Contest) -> list[Item]:
    """All public news of a contest, pinned ones first, then the newest."""
    items = [*_announcements(contest), *_changes(contest), *_releases(contest)]
    return sorted(items, key=lambda item: (item.is_pinned, item.at), reverse=True)


def _announcements(contest: Contest) -> Iterable[Item]:
    """Of a withdrawn announcement the title stays, with the reason."""
    for found in contest.announcements.all():
        text = "" if found.withdrawn_at else found.local_text
        yield Item(f"announcement-{found.pk}", found.created_at, found.local_title, text, found)


def _changes(contest: Contest) -> Iterable[Item]:
    """The public events, from the publication on."""
    events = Event.objects.filter(contest_id=contest.pk, kind__in=list(changes.PUBLIC_KINDS))
    titles, zone = changes.titles_of(contest), contest.tz
    for event in changes.since_publication(events.order_by("pk")):
        told = changes.told(event, titles, zone)
        yield Item(f"event-{event.pk}", event.at, told.title, told.text)


def _releases(contest: Contest) -> Iterable[Item]:
    """A note that tables, or series of releases, can be attacked: one for each round, for any number of teams."""
    releases = Release.objects.filter(round__contest=contest).order_by()
    counted = releases.values("round__key").annotate(n=Count("pk"), at=Min("created_at"))
    titles = changes.titles_of(contest)
    for found in counted:
        key, n = found["round__key"], found["n"]
        texts = contest.format.texts
        title = str(texts.NEWS_TITLE) % {"round": titles[key]}
        text = str(texts.NEWS_TEXT) % {"n": n}
        yield Item(f"tables-{key}", found["at"], title, text)


_UNREAD: Recent[int] = Recent(1000)


def n_unread(user_id: int, contest_id: int, numbers: Numbers | None = None) -> int:
    """The number of news that the user has not seen, without the user's own acts.

    `numbers` are those of the contest, if known: counted again only if something was recorded in it since.
    """
    seen, numbers = _SEEN.first(user_id, contest_id), numbers or revisions.current(contest_id)
    n = _UNREAD.get((user_id, contest_id, seen, numbers)) if numbers else None
    if n is None:
        n = _n_since(user_id, contest_id, seen or LONG_AGO)
        if numbers:
            _UNREAD.put((user_id, contest_id, seen, numbers), n)
    return n


def _seen_at(user_id: int, contest_id: int) -> QuerySet[Visit, datetime]:
    found = Visit.objects.filter(user=user_id, contest=contest_id).order_by()
    return found.values_list("seen_at", flat=True)


_SEEN = Prepared(_seen_at, int, int)


def _n_since(user_id: int, contest_id: int, since: datetime) -> int:
    events = Event.objects.filter(contest_id=contest_id, kind__in=list(changes.PUBLIC_KINDS))
    changed = events.filter(at__gt=since).exclude(kind=changes.PUBLISHED).exclude(actor=user_id)
    written = Announcement.objects.filter(contest=contest_id, withdrawn_at=None)
    written = written.filter(created_at__gt=since).exclude(created_by=user_id)
    return written.count() + changed.count()


def announcement_of(contest: Contest, pk: int) -> Announcement:
    found = contest.announcements.filter(pk=pk).first()
    if found is None:
        raise Http404
    return found


# Questions


def _questions() -> QuerySet[Question]:
    return Question.objects.select_related("team", "contest", "clarification", "asked_by")


def questions_of(team: Team) -> QuerySet[Question]:
    """A team's own questions, the newest first."""
    return _questions().filter(team=team).order_by("-id")


def questions_to(contest: Contest) -> QuerySet[Question]:
    """All questions of a contest, for its organizers: open ones first, the oldest on top, then the newest."""
    is_answered = Case(When(answered_at=None, then=0), default=1)
    waits_since = Case(When(answered_at=None, then="asked_at"))
    return (
        _questions()
        .filter(contest=contest)
        .order_by(is_answered, waits_since, "-answered_at", "-id")
    )


def n_open_questions(contest: Contest) -> int:
    return contest.questions.filter(answered_at=None).count()


def question_of(user: Person, contest: Contest, public_id: UUID) -> Question:
    """A question that this viewer may read; Http404 for everybody else."""
    found = _questions().filter(contest=contest, public_id=public_id).first()
    if found is None or not policies.may_read(user, found):
        raise Http404
    return found


def clarifications_of(contest: Contest) -> QuerySet[Announcement]:
    """Questions that were answered for everyone, the newest first."""
    return contest.announcements.filter(question__isnull=False, withdrawn_at=None)


def clarification_of(question: Question) -> Announcement | None:
    return Announcement.objects.filter(question=question).first()


# Email


def preference_of(user: User, contest: Contest) -> Preference | None:
    return Preference.objects.filter(user=user, contest=contest).first()


def mails_by_state(contest: Contest) -> dict[str, int]:
    """The number of emails of the contest in each state."""
    mails = Delivery.objects.filter(
        notice__contest=contest, channel=Delivery.Channel.EMAIL
    ).order_by()
    counted = dict(mails.values_list("state").annotate(Count("pk")))
    return {str(state.label): counted[state.value] for state in Delivery.State if state in counted}


# Webhooks


def webhooks_of(contest: Contest) -> QuerySet[Webhook]:
    return contest.webhooks.filter(removed_at=None)


def webhook_of(contest: Contest, public_id: UUID) -> Webhook:
    found = webhooks_of(contest).select_related("contest").filter(public_id=public_id).first()
    if found is None:
        raise Http404
    return found


@dataclass(frozen=True, slots=True)
class Call:
    """A line of the log of calls."""

    delivery: Delivery
    words: str


def calls_of(contest: Contest) -> list[Call]:
    """The newest deliveries to webhooks of a contest."""
    found = Delivery.objects.filter(
        notice__contest=contest, channel=Delivery.Channel.WEBHOOK
    ).select_related("notice", "webhook")
    newest = found.order_by("-id")[:MOST_DELIVERIES]
    return [Call(one, str(ERRORS.get(one.error, one.error))) for one in newest]
