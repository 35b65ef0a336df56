# SPDX-License-Identifier: Apache-2.0
"""A notice as an email in the recipient's language."""

from __future__ import annotations

from typing import TYPE_CHECKING
from urllib.parse import urlsplit

from django.conf import settings
from django.core.mail import EmailMessage
from django.template.loader import render_to_string
from django.urls import reverse
from django.utils import translation

from pwscup.notices.models import Preference
from pwscup.notices.sending import texts
from pwscup.notices.webhooks import signing

if TYPE_CHECKING:
    from pwscup.accounts.models import User
    from pwscup.notices.models import Delivery, Notice

DEFAULT_LANGUAGE = "en"


def language_of(user: User, contest_id: int) -> str:
    """The language that the user chose for this contest, or reads pages in, or chose last elsewhere, or English."""
    chosen = Preference.objects.filter(user=user).order_by("-changed_at", "-id")
    by_contest = dict(reversed(chosen.values_list("contest_id", "language")))
    if contest_id in by_contest:
        return by_contest[contest_id]
    elsewhere = chosen.values_list("language", flat=True)
    return user.language or elsewhere.first() or DEFAULT_LANGUAGE


def message(delivery: Delivery) -> EmailMessage:
    """The complete email, with the links to unsubscribe."""
    notice, user = delivery.notice, delivery.user
    assert user is not None
    with translation.override(language_of(user, notice.contest_id)):
        return _message(notice, user)


def _message(notice: Notice, user: User) -> EmailMessage:
    said = texts.content(notice)
    token = signing.unsubscribe_token(user.pk, notice.contest_id)
    end = texts.address(reverse("unsubscribe", args=[token]))
    contest = notice.contest
    body = render_to_string(
        "notices/mail/message.txt",
        {
            "title": said.title,
            "text": said.text,
            "url": texts.address(said.path),
            "contest": contest,
            "unsubscribe_url": end,
            "preferences_url": texts.address(reverse("mail-preferences", args=[contest.slug])),
        },
    )
    host = urlsplit(settings.SITE_URL).hostname or "pwscup"
    subject = " ".join(f"[{contest.local_title}] {said.title}".split())  # a header is one line
    headers = {
        "List-Unsubscribe": f"<{end}>",
        "List-Unsubscribe-Post": "List-Unsubscribe=One-Click",
        "Auto-Submitted": "auto-generated",
        # Equal for all attempts, so that duplicates can be recognized.
        "Message-ID": f"<{notice.public_id}.{user.pk}@{host}>",
    }
    return EmailMessage(subject, body, to=[user.email], headers=headers)
