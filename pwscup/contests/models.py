from __future__ import annotations

from datetime import datetime, timedelta
from functools import cached_property, lru_cache
from zoneinfo import ZoneInfo

from django.conf import settings
from django.core.validators import MinValueValidator
from django.db import models
from django.utils import translation
from django.utils.timezone import now
from django.utils.translation import gettext_lazy as _

from pwscup.core.models import StoredFile
from scoring.rulesets import RoundSpec, Ruleset, localized, parse_ruleset
from scoring.schema import Schema

_ruleset = lru_cache(maxsize=64)(parse_ruleset)


class Contest(models.Model):
    """Fact: a contest, its rules as the text they were at its creation."""

    slug = models.SlugField(max_length=50, unique=True)
    title = models.CharField(_("title (English)"), max_length=100)
    title_ja = models.CharField(_("title (Japanese)"), max_length=100, blank=True)
    summary = models.CharField(_("summary (English)"), max_length=500, blank=True)
    summary_ja = models.CharField(_("summary (Japanese)"), max_length=500, blank=True)
    timezone = models.CharField(_("time zone"), max_length=50, default="Asia/Tokyo")
    ruleset_text = models.TextField()
    max_team_size = models.PositiveSmallIntegerField(
        _("largest team"), default=5, validators=[MinValueValidator(1)]
    )
    organizers = models.ManyToManyField(settings.AUTH_USER_MODEL, related_name="organizes")
    is_published = models.BooleanField(default=False)
    is_demo = models.BooleanField(default=False)
    created_at = models.DateTimeField(default=now)
    version = models.PositiveIntegerField(
        default=0, help_text="grows with every change an organizer makes"
    )

    class Meta:
        ordering = ["-created_at", "-id"]

    def __str__(self) -> str:
        return self.local_title

    @property
    def local_title(self) -> str:
        """The title in the reader's language."""
        return self.title_ja if translation.get_language() == "ja" and self.title_ja else self.title

    @property
    def local_summary(self) -> str:
        """The summary in the reader's language."""
        japanese = translation.get_language() == "ja" and self.summary_ja
        return self.summary_ja if japanese else self.summary

    @property
    def tz(self) -> ZoneInfo:
        return ZoneInfo(self.timezone)

    @cached_property
    def ruleset(self) -> Ruleset:
        return _ruleset(self.ruleset_text)


class Dataset(models.Model):
    """Fact: a table of the organizer, replaced only until the first submission.

    `sealed` is the whole of it, `public` the part that participants may have.
    """

    contest = models.ForeignKey(Contest, on_delete=models.CASCADE, related_name="datasets")
    team = models.ForeignKey(
        "accounts.Team", null=True, blank=True, on_delete=models.CASCADE, related_name="datasets"
    )
    key = models.SlugField(max_length=30, default="original")
    sealed = models.ForeignKey(StoredFile, on_delete=models.PROTECT, related_name="+")
    public = models.ForeignKey(StoredFile, null=True, on_delete=models.PROTECT, related_name="+")
    schema_text = models.TextField()
    n_records = models.PositiveIntegerField()
    created_at = models.DateTimeField(default=now)

    class Meta:
        constraints = [
            models.UniqueConstraint(
                fields=["contest", "key"],
                condition=models.Q(team__isnull=True),
                name="one_common_dataset_per_key",
            ),
            models.UniqueConstraint(
                fields=["contest", "team", "key"], name="one_dataset_per_team_and_key"
            ),
        ]

    def __str__(self) -> str:
        return f"{self.key} of {self.contest}"

    @cached_property
    def schema(self) -> Schema:
        return Schema.from_toml(self.schema_text)


class TableDraft(models.Model):
    """Work in progress: a table that an organizer has uploaded and whose columns have not been confirmed."""

    contest = models.OneToOneField(Contest, on_delete=models.CASCADE, related_name="draft")
    file = models.ForeignKey(StoredFile, on_delete=models.PROTECT, related_name="+")
    schema_text = models.TextField()
    columns = models.JSONField(
        help_text="for the organizer's eyes: distinct cells and examples by column"
    )
    n_records = models.PositiveIntegerField()
    uploaded_at = models.DateTimeField(default=now)

    def __str__(self) -> str:
        return f"draft table of {self.contest}"

    @cached_property
    def schema(self) -> Schema:
        return Schema.from_toml(self.schema_text)


class Sample(models.Model):
    """Derived: a file of the sample submission that a newcomer may download and hand in as it is."""

    contest = models.ForeignKey(Contest, on_delete=models.CASCADE, related_name="samples")
    key = models.SlugField(max_length=30, help_text="the ruleset's name for it: anonymized, rows")
    file = models.ForeignKey(StoredFile, on_delete=models.PROTECT, related_name="+")

    class Meta:
        ordering = ["id"]
        constraints = [
            models.UniqueConstraint(fields=["contest", "key"], name="one_sample_per_key")
        ]

    def __str__(self) -> str:
        return f"sample {self.key} of {self.contest}"


class Round(models.Model):
    """Fact: a span of time in which one kind of file is handed in; open or closed by the clock alone."""

    class Feedback(models.TextChoices):
        EXACT = "exact", _("exact, at once")
        COARSE = "coarse", _("coarse, at once")
        AFTER_CLOSE = "after_close", _("after the round has closed")

    contest = models.ForeignKey(Contest, on_delete=models.CASCADE, related_name="rounds")
    key = models.SlugField(max_length=30)
    kind = models.CharField(max_length=30)
    position = models.PositiveSmallIntegerField()
    opens_at = models.DateTimeField(_("opens"))
    closes_at = models.DateTimeField(_("closes"))
    tries = models.PositiveSmallIntegerField(_("tries"), validators=[MinValueValidator(1)])
    feedback = models.CharField(_("feedback"), max_length=12, choices=Feedback)

    class Meta:
        ordering = ["position"]
        constraints = [
            models.UniqueConstraint(fields=["contest", "key"], name="round_key_unique_in_contest"),
            models.CheckConstraint(
                condition=models.Q(closes_at__gt=models.F("opens_at")),
                name="round_closes_after_it_opens",
            ),
        ]

    def __str__(self) -> str:
        return f"{self.key} of {self.contest}"

    @property
    def spec(self) -> RoundSpec:
        """What the ruleset says of this round; its dates, tries and feedback are this row's."""
        return self.contest.ruleset.round(self.key)

    @property
    def local_title(self) -> str:
        """The title in the reader's language."""
        return localized(self.spec.title, translation.get_language() or "en")

    def is_open(self, now: datetime) -> bool:
        return self.opens_at <= now < self.closes_at

    def has_opened(self, now: datetime) -> bool:
        return self.opens_at <= now

    def has_closed(self, now: datetime) -> bool:
        return self.closes_at <= now

    def is_settled(self, now: datetime) -> bool:
        """Whether also every upload that began in time has arrived, so that results may be shown."""
        return self.has_closed(now - timedelta(seconds=settings.UPLOAD_GRACE_SECONDS))
