# SPDX-License-Identifier: Apache-2.0

from __future__ import annotations

import secrets
import uuid

from django.conf import settings
from django.db import models
from django.utils import timezone, translation
from django.utils.translation import gettext_lazy as _

from pwscup.accounts.models import Team
from pwscup.contests.models import Contest
from pwscup.core.models import Job

MAX_TEXT = 10_000
MAX_QUESTION = 4_000


def new_salt() -> str:
    return secrets.token_urlsafe(24)


class Question(models.Model):
    """Fact: a team asked the organizers a question; open until it is answered."""

    public_id = models.UUIDField(default=uuid.uuid4, unique=True, editable=False)
    contest = models.ForeignKey(Contest, on_delete=models.CASCADE, related_name="questions")
    team = models.ForeignKey(Team, on_delete=models.CASCADE, related_name="questions")
    asked_by = models.ForeignKey(
        settings.AUTH_USER_MODEL, null=True, on_delete=models.SET_NULL, related_name="+"
    )
    asked_at = models.DateTimeField(default=timezone.now)
    subject = models.CharField(_("subject"), max_length=120)
    text = models.TextField(_("question"), max_length=MAX_QUESTION)
    answer = models.TextField(_("answer"), max_length=MAX_TEXT, blank=True)
    answered_by = models.ForeignKey(
        settings.AUTH_USER_MODEL, null=True, on_delete=models.SET_NULL, related_name="+"
    )
    answered_at = models.DateTimeField(null=True, blank=True)
    corrected_at = models.DateTimeField(
        null=True, blank=True, help_text="when the answer was last changed"
    )

    class Meta:
        ordering = ["id"]

    def __str__(self) -> str:
        return self.subject


class Announcement(models.Model):
    """Fact: an announcement of organizers; corrected in place, with earlier texts in the audit trail.

    With a `question` it is a clarification: question and answer without the name of the team.
    """

    contest = models.ForeignKey(Contest, on_delete=models.CASCADE, related_name="announcements")
    question = models.OneToOneField(
        Question, null=True, blank=True, on_delete=models.SET_NULL, related_name="clarification"
    )
    title = models.CharField(_("title (English)"), max_length=150, blank=True)
    title_ja = models.CharField(_("title (Japanese)"), max_length=150, blank=True)
    text = models.TextField(_("text (English)"), max_length=MAX_TEXT, blank=True)
    text_ja = models.TextField(_("text (Japanese)"), max_length=MAX_TEXT, blank=True)
    is_pinned = models.BooleanField(
        _("important"),
        default=False,
        help_text=_(
            "It stays on top of the news, and is also sent to those who want important news only."
        ),
    )
    created_by = models.ForeignKey(
        settings.AUTH_USER_MODEL, null=True, on_delete=models.SET_NULL, related_name="+"
    )
    created_at = models.DateTimeField(default=timezone.now)
    edited_at = models.DateTimeField(null=True, blank=True)
    withdrawn_at = models.DateTimeField(null=True, blank=True)
    withdrawn_reason = models.CharField(_("reason"), max_length=500, blank=True)
    version = models.PositiveIntegerField(default=0, help_text="incremented by every change")

    class Meta:
        ordering = ["-created_at", "-id"]

    def __str__(self) -> str:
        return self.local_title

    @property
    def local_title(self) -> str:
        """The title in the reader's language, or in the only available one."""
        return _in_own_language(self.title, self.title_ja)

    @property
    def local_text(self) -> str:
        """The text in the reader's language, or in the only available one."""
        return _in_own_language(self.text, self.text_ja)


def _in_own_language(english: str, japanese: str) -> str:
    return (japanese or english) if translation.get_language() == "ja" else (english or japanese)


class Preference(models.Model):
    """Fact: the emails of a contest that a user wants, and their language."""

    class Wanted(models.TextChoices):
        ALL = "all", _("all news of the contest")
        IMPORTANT = "important", _("important news only")
        NONE = "none", _("no email")

    user = models.ForeignKey(
        settings.AUTH_USER_MODEL, on_delete=models.CASCADE, related_name="mail_preferences"
    )
    contest = models.ForeignKey(Contest, on_delete=models.CASCADE, related_name="+")
    wanted = models.CharField(
        _("email"), max_length=10, choices=Wanted, default=Wanted.ALL, blank=False
    )
    language = models.CharField(_("language"), max_length=10, choices=settings.LANGUAGES)
    changed_at = models.DateTimeField(default=timezone.now)

    class Meta:
        constraints = [
            models.UniqueConstraint(
                fields=["user", "contest"], name="one_mail_preference_per_person_and_contest"
            )
        ]

    def __str__(self) -> str:
        return f"{self.user}: {self.wanted}"


class Visit(models.Model):
    """Fact: the time until which a user has read the news of a contest."""

    user = models.ForeignKey(settings.AUTH_USER_MODEL, on_delete=models.CASCADE, related_name="+")
    contest = models.ForeignKey(Contest, on_delete=models.CASCADE, related_name="+")
    seen_at = models.DateTimeField()

    class Meta:
        constraints = [
            models.UniqueConstraint(
                fields=["user", "contest"], name="one_visit_per_person_and_contest"
            )
        ]

    def __str__(self) -> str:
        return f"{self.user} until {self.seen_at}"


class Webhook(models.Model):
    """Fact: a URL that receives a contest's news; its secret is derived from `salt` and the site's key."""

    public_id = models.UUIDField(default=uuid.uuid4, unique=True, editable=False)
    contest = models.ForeignKey(Contest, on_delete=models.CASCADE, related_name="webhooks")
    url = models.URLField(_("address"), max_length=500)
    salt = models.CharField(max_length=64, default=new_salt, editable=False)
    n_failures = models.PositiveIntegerField(default=0, help_text="consecutive")
    disabled_at = models.DateTimeField(
        null=True, blank=True, help_text="after too many consecutive failures"
    )
    removed_at = models.DateTimeField(null=True, blank=True)
    created_by = models.ForeignKey(
        settings.AUTH_USER_MODEL, null=True, on_delete=models.SET_NULL, related_name="+"
    )
    created_at = models.DateTimeField(default=timezone.now)

    class Meta:
        ordering = ["id"]
        constraints = [
            models.UniqueConstraint(
                fields=["contest", "url"],
                condition=models.Q(removed_at=None),
                name="one_webhook_per_address",
            )
        ]

    def __str__(self) -> str:
        return self.url


class Notice(models.Model):
    """Fact: a message for users and webhooks, sent once: `key` identifies it within its contest."""

    public_id = models.UUIDField(default=uuid.uuid4, unique=True, editable=False)
    contest = models.ForeignKey(Contest, on_delete=models.CASCADE, related_name="notices")
    kind = models.CharField(max_length=40, help_text="a kind of `pwscup.notices.kinds`")
    key = models.CharField(max_length=150)
    at = models.DateTimeField(default=timezone.now, help_text="the time of the event")
    event_id = models.BigIntegerField(null=True, unique=True, help_text="of the audit trail")
    announcement = models.ForeignKey(
        Announcement, null=True, on_delete=models.CASCADE, related_name="notices"
    )
    question = models.ForeignKey(
        Question, null=True, on_delete=models.CASCADE, related_name="notices"
    )
    webhook = models.ForeignKey(
        Webhook, null=True, on_delete=models.CASCADE, related_name="notices"
    )
    round_key = models.CharField(max_length=30, blank=True)
    useless_after = models.DateTimeField(null=True)
    spread_at = models.DateTimeField(null=True, help_text="when its deliveries were created")

    class Meta:
        ordering = ["id"]
        constraints = [
            models.UniqueConstraint(fields=["contest", "key"], name="one_notice_per_key")
        ]
        indexes = [
            models.Index(
                fields=["id"], condition=models.Q(spread_at=None), name="notices_to_spread"
            )
        ]

    def __str__(self) -> str:
        return f"{self.kind} {self.key}"


class Delivery(Job):
    """Job: one notice for one user or one webhook; sent at least once, or given up, or no longer needed."""

    QUEUE_ORDER = ("channel", "due_at", "id")

    class Channel(models.TextChoices):
        EMAIL = "email", _("email")
        WEBHOOK = "webhook", _("webhook")

    class State(models.TextChoices):
        WAITING = "waiting", _("waiting")
        RUNNING = "running", _("being sent")
        SENT = "sent", _("sent")
        FAILED = "failed", _("given up")
        DROPPED = "dropped", _("no longer needed")

    notice = models.ForeignKey(Notice, on_delete=models.CASCADE, related_name="deliveries")
    channel = models.CharField(max_length=10, choices=Channel)
    user = models.ForeignKey(
        settings.AUTH_USER_MODEL, null=True, on_delete=models.CASCADE, related_name="+"
    )
    webhook = models.ForeignKey(
        Webhook, null=True, on_delete=models.CASCADE, related_name="deliveries"
    )
    state = models.CharField(max_length=10, choices=State, default=State.WAITING)
    due_at = models.DateTimeField(default=timezone.now, help_text="not sent before this time")
    tries = models.PositiveSmallIntegerField(default=0, help_text="the number of attempts")
    tried_at = models.DateTimeField(null=True)
    status_code = models.PositiveSmallIntegerField(
        null=True, help_text="the status of the response"
    )
    error = models.CharField(max_length=30, blank=True, help_text="a code of `kinds.ERRORS`")

    class Meta:
        ordering = ["id"]
        verbose_name = "delivery"
        verbose_name_plural = "deliveries"
        constraints = [
            models.UniqueConstraint(fields=["notice", "user"], name="one_mail_per_person"),
            models.UniqueConstraint(fields=["notice", "webhook"], name="one_call_per_webhook"),
        ]
        indexes = [
            models.Index(
                fields=["channel", "due_at", "id"],
                condition=models.Q(state__in=["waiting", "running"]),
                name="notices_to_deliver",
            )
        ]

    def __str__(self) -> str:
        return f"{self.notice} to {self.webhook or self.user}"
