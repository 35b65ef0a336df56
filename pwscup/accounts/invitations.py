# SPDX-License-Identifier: Apache-2.0
"""Pending invitation emails, to a team or a role: each row waits until its email is sent, by one worker.

The row is the job: `mail_due_at` is the time when its email is due. The sender moves that time first, and
clears it when the mail server has accepted the email. So a killed worker costs minutes, not an email.
"""

from __future__ import annotations

import logging
from collections.abc import Callable
from datetime import datetime, timedelta
from typing import TYPE_CHECKING, Any
from urllib.parse import urlencode

from allauth.account.adapter import get_adapter
from django.conf import settings
from django.core.mail import EmailMessage
from django.db.models import F, Q, QuerySet
from django.template.loader import render_to_string
from django.urls import reverse
from django.utils import timezone, translation
from django.utils.crypto import constant_time_compare, salted_hmac
from django.utils.translation import gettext as _

from pwscup.accounts.models import Invitation, OfficeInvitation

Mailed = Invitation | OfficeInvitation

if TYPE_CHECKING:
    from django.http import HttpRequest

    from pwscup.contests.models import Contest

logger = logging.getLogger(__name__)

MAX_TRIES = 5
PAUSE = timedelta(minutes=10)  # until the next attempt; longer than the time-out of a mail server
AT_ONCE = 50  # per task, so that workers have time for other tasks


def due(model: type[Mailed], now: datetime) -> QuerySet[Mailed]:
    """Emails to be sent; for teams only of published contests, where the link opens a page."""
    opens = Q(team__contest__is_published=True) if model is Invitation else Q()
    waiting = model.objects.filter(opens, mail_due_at__lte=now, revoked_at=None, used_at=None)
    return waiting.exclude(email="")


def is_any_due(now: datetime) -> bool:
    return any(due(model, now).exists() for model in (Invitation, OfficeInvitation))


def announce(send: Callable[[], None]) -> None:
    """Notify the broker that emails wait; if it does not answer, the sweeper sends them."""
    try:
        send()
    except Exception as error:  # any error of the broker: the rows are safe
        logger.warning("broker not notified of invitations: %s", type(error).__name__)


def link(invitation: Mailed) -> str:
    """The address that opens the team, or the page where a role is accepted."""
    name = "invitation" if isinstance(invitation, Invitation) else "office-invitation"
    return settings.SITE_URL + reverse(name, args=[invitation.token])


def mailed_link(invitation: Mailed) -> str:
    """The same address with a proof, so that who opens it has read the email: organizers see `link` only."""
    return f"{link(invitation)}?{urlencode({'proof': _proof(invitation)})}"


def _proof(invitation: Mailed) -> str:
    text = f"{invitation.token}:{invitation.email}"
    return salted_hmac("pwscup.accounts.invited", text, algorithm="sha256").hexdigest()[:32]


def keep_proof(request: HttpRequest, invitation: Mailed) -> bool:
    """True if a visitor came by the link in the email: then signing up with its address needs no confirmation."""
    given = request.GET.get("proof", "")
    is_proved = bool(invitation.email) and constant_time_compare(given, _proof(invitation))
    if is_proved:
        get_adapter().stash_verified_email(request, invitation.email)
    return is_proved or (
        bool(invitation.email) and request.session.get("account_verified_email") == invitation.email
    )


def send_due(now: datetime) -> int:
    """Send a bounded number of the emails that are due; return how many were sent."""
    return _send_due(Invitation, now) + _send_due(OfficeInvitation, now)


def _send_due(model: type[Mailed], now: datetime) -> int:
    keys = due(model, now).order_by("mail_due_at", "id").values_list("pk", "mail_due_at")[:AT_ONCE]
    return sum(_send(model, pk, due_at) for pk, due_at in list(keys))


def _send(model: type[Mailed], pk: int, due_at: datetime) -> bool:
    """Send one email unless another worker is sending it."""
    waiting = model.objects.filter(pk=pk, mail_due_at=due_at)
    again_at = timezone.now() + PAUSE
    if not waiting.update(mail_due_at=again_at, mail_tries=F("mail_tries") + 1):
        return False
    invitation = model.objects.get(pk=pk)
    held = model.objects.filter(pk=pk, mail_due_at=again_at)
    try:
        message(invitation).send()
    except Exception as error:  # a mail server may raise any error
        logger.warning("invitation %s not sent: %s", pk, type(error).__name__)
        if invitation.mail_tries >= MAX_TRIES:
            held.update(mail_due_at=None)
        return False
    held.update(mail_due_at=None, mailed_at=timezone.now())
    return True


def message(invitation: Mailed) -> EmailMessage:
    """The email in every language of the installation: the reader's language is unknown."""
    parts, subjects = [], []
    contest = _contest_of(invitation)
    for language, _name in settings.LANGUAGES:
        with translation.override(language):
            template, context, subject = _texts(invitation)
            context |= {"contest": contest, "url": mailed_link(invitation)}
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
    if isinstance(invitation, Invitation):
        return invitation.team.contest
    return invitation.contest


def _texts(invitation: Mailed) -> tuple[str, dict[str, Any], str]:
    """The template of the email, its context, and its subject in the active language."""
    if isinstance(invitation, Invitation):
        subject = _("Invitation to the team %(team)s") % {"team": invitation.team.name}
        return "accounts/email/invitation.txt", {"team": invitation.team}, subject
    subject = {
        OfficeInvitation.Office.ORGANIZER: _("Invitation to organize a contest"),
        OfficeInvitation.Office.JUDGE: _("Invitation to judge a contest"),
    }[OfficeInvitation.Office(invitation.office)]
    return "accounts/email/office.txt", {"office": invitation.office}, subject
