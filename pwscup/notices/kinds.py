# SPDX-License-Identifier: Apache-2.0
"""The kinds of notices: the audience, the importance, and the content for webhooks."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import timedelta
from enum import StrEnum

from django.utils.translation import gettext_lazy as _

from pwscup.notices.changes import PUBLIC_KINDS


class Audience(StrEnum):
    MEMBERS = "members"  # of all teams of the contest
    TEAM = "team"  # of the team that asked the question
    ORGANIZERS = "organizers"
    NOBODY = "nobody"  # only a webhook


@dataclass(frozen=True, slots=True)
class Kind:
    """The common properties of all notices of a kind; `calls_webhooks` only if all its content is public."""

    audience: Audience
    is_important: bool = False
    calls_webhooks: bool = True


ANNOUNCEMENT, CLARIFICATION = "announcement", "clarification"
QUESTION, ANSWER = "question", "answer"
OPENED, CLOSING, RESULTS = "round.opened", "round.closing", "round.results"
TEST, DISABLED, FAULT = "webhook.test", "webhook.disabled", "fault"

NOTICE_KINDS: dict[str, Kind] = {
    ANNOUNCEMENT: Kind(Audience.MEMBERS),  # important if it is pinned
    CLARIFICATION: Kind(Audience.MEMBERS),
    QUESTION: Kind(Audience.ORGANIZERS, is_important=True, calls_webhooks=False),
    ANSWER: Kind(Audience.TEAM, is_important=True, calls_webhooks=False),
    OPENED: Kind(Audience.MEMBERS),
    CLOSING: Kind(Audience.MEMBERS, is_important=True),
    RESULTS: Kind(Audience.MEMBERS),
    TEST: Kind(Audience.NOBODY, calls_webhooks=False),  # sent to the tested webhook
    DISABLED: Kind(Audience.ORGANIZERS, is_important=True, calls_webhooks=False),
    FAULT: Kind(Audience.ORGANIZERS, is_important=True, calls_webhooks=False),
    **{
        kind: Kind(Audience.MEMBERS, is_important=change.is_important)
        for kind, change in PUBLIC_KINDS.items()
        if change.is_told
    },
}

# The reasons why a notice was not delivered.
ERRORS = {
    "server": _("the mail server is not available"),
    "recipient": _("the mail server refuses this recipient"),
    "recipient_later": _("the mail server temporarily refuses this recipient"),
    "unresolved": _("the host name cannot be resolved"),
    "private": _("the address is in a private network"),
    "scheme": _("the address does not start with https://"),
    "timeout": _("no answer in time"),
    "connection": _("no connection"),
    "tls": _("the certificate is not valid"),
    "answer": _("the answer is not HTTP"),
    "redirect": _("the address redirects; redirects are not followed"),
    "status": _("the address answered with an error"),
}

MAX_WEBHOOKS = 5
MAX_FAILURES = 20  # consecutive, of a webhook
MAX_OPEN_QUESTIONS = 20  # of a team

# A failed delivery is repeated after these times; the last pause repeats.
PAUSES = tuple(timedelta(minutes=minutes) for minutes in (1, 5, 15, 30, 60))
GIVE_UP_AFTER = timedelta(hours=24)
