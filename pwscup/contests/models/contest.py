# SPDX-License-Identifier: Apache-2.0

from __future__ import annotations

from datetime import datetime
from functools import cached_property, lru_cache
from typing import TYPE_CHECKING
from zoneinfo import ZoneInfo

from django.conf import settings
from django.core.validators import MinValueValidator
from django.db import models
from django.utils import translation
from django.utils.timezone import now
from django.utils.translation import gettext_lazy as _

from pwscup.core.models import StoredFile
from pwscup.formats import ROUNDS, Format, format_of
from scoring.rulesets import Ruleset
from scoring.rulesets.loader import parse_stored

if TYPE_CHECKING:
    from pwscup.contests.branding.shown import Brand

stored_rules = lru_cache(maxsize=64)(parse_stored)


class Contest(models.Model):
    """Fact: a contest with the text of its current rules; `RulesetVersion` keeps all versions."""

    class Admission(models.TextChoices):
        OPEN = "open", _("everybody with an account may create a team")
        INVITED = "invited", _("only teams that the organizers set up")

    class Audience(models.TextChoices):
        PUBLIC = "public", _("everybody")
        TEAMS = "teams", _("members of its teams")

    PUBLIC = models.Q(is_published=True, rehearsal_of=None)
    """The contests that are visible to everybody, as a condition; see `is_public`."""

    slug = models.SlugField(max_length=50, unique=True)
    title = models.CharField(_("title (English)"), max_length=100)
    title_ja = models.CharField(_("title (Japanese)"), max_length=100, blank=True)
    summary = models.CharField(_("summary (English)"), max_length=500, blank=True)
    summary_ja = models.CharField(_("summary (Japanese)"), max_length=500, blank=True)
    timezone = models.CharField(_("time zone"), max_length=50, default="Asia/Tokyo")
    ruleset_text = models.TextField()
    max_team_size = models.PositiveSmallIntegerField(
        _("maximum team size"), default=5, validators=[MinValueValidator(1)]
    )
    admission = models.CharField(
        _("who may play"), max_length=10, choices=Admission, default=Admission.OPEN
    )
    has_late_teams = models.BooleanField(
        _("new teams may be created after the tables of the teams are published"),
        default=False,
        help_text=_(
            "A former member of a team could come back under another account and attack its table."
        ),
    )
    has_trials = models.BooleanField(
        _("teams may try methods in the browser"),
        default=False,
        help_text=_(
            "On the page of a round: a method and its sliders, a preview with the score and the strongest "
            "built-in attack, and the table to submit; in an attack round a first attack on a target."
        ),
    )
    epsilon_cap = models.DecimalField(
        _("maximum ε of the answers to all teams together"),
        max_digits=12,
        decimal_places=6,
        null=True,
        blank=True,
        validators=[MinValueValidator(0)],
        help_text=_(
            "What teams learn about the hidden table adds up, also if several of them share what they "
            "have. Without a cap only the budget of each team counts."
        ),
    )
    organizers = models.ManyToManyField(settings.AUTH_USER_MODEL, related_name="organizes")
    judges = models.ManyToManyField(settings.AUTH_USER_MODEL, related_name="judges", blank=True)
    is_published = models.BooleanField(default=False)
    is_demo = models.BooleanField(default=False)
    rehearsal_of = models.ForeignKey(
        "self",
        null=True,
        blank=True,
        on_delete=models.CASCADE,
        related_name="rehearsals",
        help_text="the contest of this dry run; visible to its organizers only",
    )
    paused_at = models.DateTimeField(
        null=True, blank=True, help_text="since when the contest is paused"
    )
    created_at = models.DateTimeField(default=now)
    version = models.PositiveIntegerField(
        default=0, help_text="incremented by every change of an organizer"
    )

    known_games = models.JSONField(
        default=dict,
        help_text="the cheaters who gain by these rules, and what the organizers say about them",
    )

    # The leaderboard.
    board_audience = models.CharField(
        _("who sees the leaderboard"), max_length=10, choices=Audience, default=Audience.PUBLIC
    )
    hidden_measures = models.JSONField(
        default=list, blank=True, help_text="ids of measures that are shown to organizers only"
    )
    frozen_at = models.DateTimeField(
        null=True, blank=True, help_text="the boards show the state of this time"
    )

    # Terms and retention.
    terms = models.TextField(_("terms of participation (English)"), max_length=20_000, blank=True)
    terms_ja = models.TextField(
        _("terms of participation (Japanese)"), max_length=20_000, blank=True
    )
    retention_days = models.PositiveSmallIntegerField(
        _("days after the end until tables are deleted"), null=True, blank=True
    )
    erased_at = models.DateTimeField(null=True, blank=True)

    # The seed of every random decision: sealed at the start, published at the end.
    secret = models.ForeignKey(
        StoredFile, null=True, blank=True, on_delete=models.PROTECT, related_name="+"
    )
    commitment = models.CharField(max_length=64, blank=True, help_text="SHA-256 of the secret")
    mixes = models.JSONField(
        null=True,
        blank=True,
        help_text="digests by name, on which seeds depend; null if they follow from the secret alone",
    )
    reveal = models.ForeignKey(
        StoredFile, null=True, blank=True, on_delete=models.PROTECT, related_name="+"
    )
    revealed_at = models.DateTimeField(null=True, blank=True)

    class Meta:
        ordering = ["-created_at", "-id"]

    def __str__(self) -> str:
        return self.local_title

    def clock(self, now: datetime) -> datetime:
        """The time on the contest's own clock: it stops while the contest is paused."""
        return now if self.paused_at is None else min(now, self.paused_at)

    @property
    def pause_reason(self) -> str:
        """The reason of the current pause, which the teams see; empty without a pause."""
        if self.paused_at is None:
            return ""
        lasting = self.interruptions.filter(ended_at=None).first()
        return lasting.reason if lasting else ""

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
    def is_public(self) -> bool:
        """Visible to everybody: published, and not a dry run."""
        return self.is_published and self.rehearsal_of_id is None

    @property
    def tz(self) -> ZoneInfo:
        return ZoneInfo(self.timezone)

    @cached_property
    def ruleset(self) -> Ruleset:
        return stored_rules(self.ruleset_text)

    @property
    def format(self) -> Format:
        """The format of the contest, which answers all questions about its kind of rules."""
        return format_of(self.ruleset)

    @property
    def brand(self) -> Brand:
        """The colour and the pictures of its pages, in the reader's language."""
        from pwscup.contests.branding.shown import brand_of

        return brand_of(self)

    def offers_trials(self) -> bool:
        """A round of its rules has something to try."""
        return any(ROUNDS[spec.kind].trying for spec in self.ruleset.rounds)

    def has_room(self) -> bool:
        """One more team could play: if each has its own individuals, some must be left."""
        from pwscup.contests.teams import tables  # which imports this model

        return tables.n_teams_left(self) != 0


class RulesetVersion(models.Model):
    """Fact: rules of a contest, numbered from 1; the newest applied version is the current one."""

    contest = models.ForeignKey(Contest, on_delete=models.CASCADE, related_name="ruleset_versions")
    number = models.PositiveIntegerField()
    text = models.TextField()
    digest = models.CharField(max_length=64)
    note = models.CharField(_("what changed, and why"), max_length=500, blank=True)
    created_by = models.ForeignKey(
        settings.AUTH_USER_MODEL, null=True, on_delete=models.SET_NULL, related_name="+"
    )
    created_at = models.DateTimeField(default=now)
    applied_at = models.DateTimeField(null=True, blank=True)

    class Meta:
        ordering = ["number"]
        constraints = [
            models.UniqueConstraint(
                fields=["contest", "number"], name="ruleset_version_numbered_once"
            )
        ]

    def __str__(self) -> str:
        return f"rules {self.number} of {self.contest}"

    @cached_property
    def ruleset(self) -> Ruleset:
        return stored_rules(self.text)


class Division(models.Model):
    """Fact: a group of teams with a separate board, such as students."""

    contest = models.ForeignKey(Contest, on_delete=models.CASCADE, related_name="divisions")
    key = models.SlugField(max_length=30)
    title = models.CharField(_("title (English)"), max_length=60)
    title_ja = models.CharField(_("title (Japanese)"), max_length=60, blank=True)
    position = models.PositiveSmallIntegerField(default=0)

    class Meta:
        ordering = ["position", "id"]
        constraints = [
            models.UniqueConstraint(
                fields=["contest", "key"], name="division_key_unique_in_contest"
            )
        ]

    def __str__(self) -> str:
        return self.local_title

    @property
    def local_title(self) -> str:
        """The title in the reader's language."""
        return self.title_ja if translation.get_language() == "ja" and self.title_ja else self.title


class TermsAcceptance(models.Model):
    """Fact: a user accepted the terms of a contest, identified by their digest."""

    contest = models.ForeignKey(Contest, on_delete=models.CASCADE, related_name="acceptances")
    user = models.ForeignKey(
        settings.AUTH_USER_MODEL, on_delete=models.CASCADE, related_name="acceptances"
    )
    digest = models.CharField(max_length=64)
    accepted_at = models.DateTimeField(default=now)

    class Meta:
        constraints = [
            models.UniqueConstraint(
                fields=["contest", "user", "digest"], name="terms_accepted_once"
            )
        ]

    def __str__(self) -> str:
        return f"{self.user} accepted the terms of {self.contest}"
