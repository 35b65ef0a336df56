"""Personal invitations on their way: each row waits until its mail is sent, and is sent by one worker.

The row is the job: `mail_due_at` says when its mail is due, whoever sends it moves that on first,
and clears it when the mail server has taken the mail. So a killed worker costs minutes, not a mail.
"""

from __future__ import annotations

import logging
from collections.abc import Callable
from datetime import datetime, timedelta

from django.conf import settings
from django.core.mail import EmailMessage
from django.db.models import F, Q, QuerySet
from django.template.loader import render_to_string
from django.urls import reverse
from django.utils import timezone, translation
from django.utils.translation import gettext as _

from pwscup.accounts.models import Invitation

logger = logging.getLogger(__name__)

MAX_TRIES = 5
PAUSE = timedelta(minutes=10)  # until another attempt; longer than a mail server may take
AT_ONCE = 50  # of one task, so that workers have time for something else


def due(now: datetime) -> QuerySet[Invitation]:
    """What is to be sent: of published contests alone, where the link opens a page."""
    return Invitation.objects.filter(
        ~Q(email=""),
        mail_due_at__lte=now,
        revoked_at=None,
        used_at=None,
        team__contest__is_published=True,
    )


def announce(send: Callable[[], None]) -> None:
    """Tell the broker that mails wait; where it cannot be told, the sweeper will."""
    try:
        send()
    except Exception as error:  # whatever is wrong with the broker, the rows are safe
        logger.warning("broker not told of invitations: %s", type(error).__name__)


def link(invitation: Invitation) -> str:
    """The address that opens the team."""
    return settings.SITE_URL + reverse("invitation", args=[invitation.token])


def send_due(now: datetime) -> int:
    """Send what is due, some at a time; return how many were sent."""
    keys = due(now).order_by("mail_due_at", "id").values_list("pk", "mail_due_at")[:AT_ONCE]
    return sum(_send(pk, due_at) for pk, due_at in list(keys))


def _send(pk: int, due_at: datetime) -> bool:
    """Send one mail unless another worker is at it."""
    waiting = Invitation.objects.filter(pk=pk, mail_due_at=due_at)
    again_at = timezone.now() + PAUSE
    if not waiting.update(mail_due_at=again_at, mail_tries=F("mail_tries") + 1):
        return False
    invitation = Invitation.objects.select_related("team__contest").get(pk=pk)
    held = Invitation.objects.filter(pk=pk, mail_due_at=again_at)
    try:
        message(invitation).send()
    except Exception as error:  # of a mail server anything may come
        logger.warning("invitation %s not sent: %s", pk, type(error).__name__)
        if invitation.mail_tries >= MAX_TRIES:
            held.update(mail_due_at=None)
        return False
    held.update(mail_due_at=None, mailed_at=timezone.now())
    return True


def message(invitation: Invitation) -> EmailMessage:
    """The mail in every language of the installation: nobody knows yet which one the reader has chosen."""
    parts, subjects = [], []
    for language, _name in settings.LANGUAGES:
        with translation.override(language):
            context = {
                "team": invitation.team,
                "contest": invitation.team.contest,
                "url": link(invitation),
            }
            parts.append(render_to_string("accounts/email/invitation.txt", context).strip())
            subjects.append(_("Invitation to the team %(team)s") % {"team": invitation.team.name})
    title = invitation.team.contest.title
    subject = f"[{title}] " + " / ".join(dict.fromkeys(subjects))
    return EmailMessage(
        " ".join(subject.split()),  # a header is one line
        "\n\n----\n\n".join(dict.fromkeys(parts)) + "\n",
        to=[invitation.email],
        headers={"Auto-Submitted": "auto-generated"},
    )
