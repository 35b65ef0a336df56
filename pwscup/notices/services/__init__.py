# SPDX-License-Identifier: Apache-2.0
"""Changes of news, questions, email preferences and webhooks: each in one transaction."""

from pwscup.notices.services.announcements import (
    correct_announcement,
    publish_announcement,
    withdraw_announcement,
)
from pwscup.notices.services.common import NoticeRefused
from pwscup.notices.services.mail import (
    choose_mail,
    note_visit,
    unsubscribe,
)
from pwscup.notices.services.questions import (
    answer_question,
    ask_question,
    publish_clarification,
)
from pwscup.notices.services.webhooks import (
    add_webhook,
    disable_webhook,
    enable_webhook,
    remove_webhook,
    test_webhook,
)

__all__ = [
    "NoticeRefused",
    "add_webhook",
    "answer_question",
    "ask_question",
    "choose_mail",
    "correct_announcement",
    "disable_webhook",
    "enable_webhook",
    "note_visit",
    "publish_announcement",
    "publish_clarification",
    "remove_webhook",
    "test_webhook",
    "unsubscribe",
    "withdraw_announcement",
]
