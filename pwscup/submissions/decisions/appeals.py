# SPDX-License-Identifier: Apache-2.0
"""Appeals: a thread about one submission between its team and the organizers."""

from __future__ import annotations

from datetime import timedelta
from typing import TYPE_CHECKING

from django.db import transaction
from django.db.models import Max
from django.utils import timezone
from django.utils.translation import gettext_lazy as _

from pwscup.accounts.models import Team
from pwscup.accounts.policies import is_organizer
from pwscup.core import audit_log
from pwscup.core.db.columns import longest
from pwscup.core.texts.refusals import RefusedByCode
from pwscup.submissions import policies
from pwscup.submissions.models import AppealMessage, Submission

if TYPE_CHECKING:
    from django.db.models import QuerySet

    from pwscup.accounts.models import User
    from pwscup.contests.models import Contest

MOST_A_DAY = 20
TEXT_LENGTH = longest(AppealMessage, "text")
REFUSALS = {
    "not_allowed": _("Only the team and the organizers write here."),
    "text.missing": _("Enter a message."),
    "text.too_long": _(
        "The message is too long — expected at most %(expected)s characters — got %(got)s"
    ),
    "too_many": _("Your team has written %(expected)s messages within a day. Wait for an answer."),
    "nothing_to_close": _("There is no open appeal about this submission."),
}


class AppealRefused(RefusedByCode):
    """A refused message."""

    TEXTS = REFUSALS


def write(*, user: User, submission: Submission, text: str, closes: bool = False) -> AppealMessage:
    """Add a message; an organizer's may close the appeal, the team's next one reopens it."""
    organizer = is_organizer(user, submission.round.contest)
    if not organizer and not policies.is_member(user, submission.team):
        raise AppealRefused("not_allowed")
    text = text.strip().replace("\r\n", "\n")
    if not text:
        raise AppealRefused("text.missing")
    if len(text) > TEXT_LENGTH:
        raise AppealRefused("text.too_long", expected=TEXT_LENGTH, got=len(text))
    with transaction.atomic():
        Team.objects.select_for_update(no_key=True).get(pk=submission.team_id)
        if not organizer and _written_lately(submission.team) >= MOST_A_DAY:
            raise AppealRefused("too_many", expected=MOST_A_DAY)
        if closes and organizer and not is_open(submission):
            raise AppealRefused("nothing_to_close")
        message = AppealMessage.objects.create(
            submission=submission,
            author=user,
            is_organizer=organizer,
            text=text,
            closes=closes and organizer,
        )
        audit_log.record(
            "appeal.closed" if message.closes else "appeal.written",
            actor=user,
            contest_id=submission.round.contest_id,
            subject=str(submission.public_id),
            team=submission.team.slug,
        )
    return message


def _written_lately(team: Team) -> int:
    since = timezone.now() - timedelta(days=1)
    return AppealMessage.objects.filter(
        submission__team=team, is_organizer=False, written_at__gt=since
    ).count()


def thread(submission: Submission) -> QuerySet[AppealMessage]:
    """The messages in order, each with its author."""
    return submission.appeal.select_related("author")


def is_open(submission: Submission) -> bool:
    """There is a message that no organizer has settled."""
    last = submission.appeal.last()
    return last is not None and not last.closes


def n_open_appeals(contest: Contest) -> int:
    """Their number, for every organizer's page."""
    return _open_messages(contest).count()


def open_appeals(contest: Contest) -> list[Submission]:
    """The submissions with an open appeal; those waiting for an organizer first."""
    found = _open_messages(contest).select_related("submission__team", "submission__round__contest")
    return [message.submission for message in found.order_by("is_organizer", "pk")]


def _open_messages(contest: Contest) -> QuerySet[AppealMessage]:
    """The newest message of each open appeal."""
    messages = AppealMessage.objects.filter(submission__round__contest=contest)
    newest = messages.order_by().values("submission").annotate(newest=Max("pk")).values("newest")
    return AppealMessage.objects.filter(pk__in=newest, closes=False)
