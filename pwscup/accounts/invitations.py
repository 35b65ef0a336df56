"""Invitations on their way, to a team or an office: each row waits until its mail is sent, and is sent by one worker.

The row is the job: `mail_due_at` says when its mail is due, whoever sends it moves that on first,
and clears it when the mail server has taken the mail. So a killed worker costs minutes, not a mail.
"""

from __future__ import annotations

import logging
from collections.abc import Callable
from datetime import datetime, timedelta
from typing import TYPE_CHECKING, Any

from django.conf import settings
from django.core.mail import EmailMessage
from django.db.models import F, QuerySet
from django.template.loader import render_to_string
from django.urls import reverse
from django.utils import timezone, translation
from django.utils.translation import gettext as _

from pwscup.accounts.models import Invitation, OfficeInvitation

Mailed = Invitation | OfficeInvitation

if TYPE_CHECKING:
    from pwscup.contests.models import Contest

logger = logging.getLogger(__name__)

MAX_TRIES = 5
PAUSE = timedelta(minutes=10)  # until another attempt; longer than a mail server may take
AT_ONCE = 50  # of one task, so that workers have time for something else


def due(model: type[Mailed], now: datetime) -> QuerySet[Mailed]:
    """What is to be sent; to teams of published contests alone, where the link opens a page."""
    waiting = model.objects.filter(mail_due_at__lte=now, revoked_at=None, used_at=None)
    waiting = waiting.exclude(email="")
    return waiting.filter(team__contest__is_published=True) if model is Invitation else waiting


def is_any_due(now: datetime) -> bool:
    return any(due(model, now).exists() for model in (Invitation, OfficeInvitation))


def announce(send: Callable[[], None]) -> None:
    """Tell the broker that mails wait; where it cannot be told, the sweeper will."""
    try:
        send()
    except Exception as error:  # whatever is wrong with the broker, the rows are safe
        logger.warning("broker not told of invitations: %s", type(error).__name__)


def link(invitation: Mailed) -> str:
    """The address that opens the team, or the page on which an office is accepted."""
    name = "invitation" if isinstance(invitation, Invitation) else "office-invitation"
    return settings.SITE_URL + reverse(name, args=[invitation.token])


def send_due(now: datetime) -> int:
    """Send what is due, some at a time; return how many were sent."""
    return _send_due(Invitation, now) + _send_due(OfficeInvitation, now)


def _send_due(model: type[Mailed], now: datetime) -> int:
    keys = due(model, now).order_by("mail_due_at", "id").values_list("pk", "mail_due_at")[:AT_ONCE]
    return sum(_send(model, pk, due_at) for pk, due_at in list(keys))


def _send(model: type[Mailed], pk: int, due_at: datetime) -> bool:
    """Send one mail unless another worker is at it."""
    waiting = model.objects.filter(pk=pk, mail_due_at=due_at)
    again_at = timezone.now() + PAUSE
    if not waiting.update(mail_due_at=again_at, mail_tries=F("mail_tries") + 1):
        return False
    invitation = model.objects.get(pk=pk)
    held = model.objects.filter(pk=pk, mail_due_at=again_at)
    try:
        message(invitation).send()
    except Exception as error:  # of a mail server anything may come
        logger.warning("invitation %s not sent: %s", pk, type(error).__name__)
        if invitation.mail_tries >= MAX_TRIES:
            held.update(mail_due_at=None)
        return False
    held.update(mail_due_at=None, mailed_at=timezone.now())
    return True


def message(invitation: Mailed) -> EmailMessage:
    """The mail in every language of the installation: nobody knows yet which one the reader has chosen."""
    parts, subjects = [], []
    contest = _contest_of(invitation)
    for language, _name in settings.LANGUAGES:
        with translation.override(language):
            template, context, subject = _texts(invitation)
            context |= {"contest": contest, "url": link(invitation)}
            parts.append(render_to_string(template, context).strip())
            subjects.append(subject)
    subject = f"[{contest.title}] " + " / ".join(dict.fromkeys(subjects))
    return EmailMessage(
        " ".join(subject.split()),  # a header is one line
        "\n\n----\n\n".join(dict.fromkeys(parts)) + "\n",
        to=[invitation.email],
        headers={"Auto-Submitted": "auto-generated"},
    )


def _contest_of(invitation: Mailed) -> Contest:
    is_to_team = isinstance(invitation, Invitation)
    return invitation.team.contest if is_to_team else invitation.contest


def _texts(invitation: Mailed) -> tuple[str, dict[str, Any], str]:
    """The template of the mail, what it is filled with, and its subject in the language of now."""
    if isinstance(invitation, Invitation):
        subject = _("Invitation to the team %(team)s") % {"team": invitation.team.name}
        return "accounts/email/invitation.txt", {"team": invitation.team}, subject
    subject = {
        OfficeInvitation.Office.ORGANIZER: _("Invitation to organize a contest"),
        OfficeInvitation.Office.JUDGE: _("Invitation to judge a contest"),
    }[OfficeInvitation.Office(invitation.office)]
    return "accounts/email/office.txt", {"office": invitation.office}, subject
