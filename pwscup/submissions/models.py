from __future__ import annotations

import uuid

from django.conf import settings
from django.db import models
from django.utils import timezone
from django.utils.translation import gettext_lazy as _

from pwscup.accounts.models import Team
from pwscup.contests.models import Round
from pwscup.core.models import Job, StoredFile


class Release(models.Model):
    """Fact: a team's table as attackers may download it, its rows shuffled.

    `key` says which row came from where, and stays sealed.
    """

    public_id = models.UUIDField(default=uuid.uuid4, unique=True, editable=False)
    round = models.ForeignKey(Round, on_delete=models.PROTECT, related_name="releases")
    team = models.ForeignKey(Team, on_delete=models.PROTECT, related_name="releases")
    submission = models.ForeignKey("Submission", on_delete=models.PROTECT, related_name="releases")
    table = models.ForeignKey(StoredFile, on_delete=models.PROTECT, related_name="+")
    key = models.ForeignKey(StoredFile, on_delete=models.PROTECT, related_name="+")
    n_records = models.PositiveIntegerField()
    created_at = models.DateTimeField(default=timezone.now)

    class Meta:
        ordering = ["id"]
        constraints = [
            models.UniqueConstraint(fields=["round", "team"], name="one_release_per_team")
        ]

    def __str__(self) -> str:
        return f"release of {self.team}"


class Submission(Job):
    """Fact: what was handed in, when, by whom; and job: the row is scored by a worker."""

    QUEUE_ORDER = ("arrived_at", "id")

    class State(models.TextChoices):
        WAITING = "waiting", _("waiting")
        RUNNING = "running", _("being scored")
        SCORED = "scored", _("scored")
        REJECTED = "rejected", _("rejected")
        FAILED = "failed", _("failed")
        CANCELLED = "cancelled", _("cancelled")

    public_id = models.UUIDField(default=uuid.uuid4, unique=True, editable=False)
    round = models.ForeignKey(Round, on_delete=models.PROTECT, related_name="submissions")
    team = models.ForeignKey(Team, on_delete=models.PROTECT, related_name="submissions")
    target = models.ForeignKey(
        Release, null=True, blank=True, on_delete=models.PROTECT, related_name="guesses"
    )
    submitted_by = models.ForeignKey(
        settings.AUTH_USER_MODEL, null=True, on_delete=models.SET_NULL, related_name="+"
    )
    number = models.PositiveIntegerField(help_text="counts a team's submissions in a round from 1")
    note = models.CharField(_("note"), max_length=200, blank=True)
    arrived_at = models.DateTimeField()

    state = models.CharField(max_length=10, choices=State, default=State.WAITING)
    problems = models.JSONField(
        default=list, help_text="scoring.errors.Problem.to_dict, in file order"
    )
    n_problems = models.PositiveIntegerField(default=0)

    class Meta:
        ordering = ["arrived_at", "id"]
        constraints = [
            models.UniqueConstraint(
                fields=["team", "round", "number"], name="submission_numbered_once"
            ),
        ]
        indexes = [models.Index(fields=["state", "arrived_at"])]

    def __str__(self) -> str:
        return f"#{self.number} of {self.team}"


class SubmissionFile(models.Model):
    """Fact: one of the files of a submission."""

    submission = models.ForeignKey(Submission, on_delete=models.CASCADE, related_name="files")
    key = models.SlugField(
        max_length=30, help_text="the ruleset's name for it: anonymized, rows, guess, …"
    )
    file = models.ForeignKey(StoredFile, on_delete=models.PROTECT, related_name="+")

    class Meta:
        ordering = ["id"]
        constraints = [
            models.UniqueConstraint(fields=["submission", "key"], name="one_file_per_key")
        ]

    def __str__(self) -> str:
        return f"{self.key} of {self.submission}"


class Evaluation(models.Model):
    """Fact: what one version of the rules and of the library said of one submission."""

    submission = models.ForeignKey(Submission, on_delete=models.CASCADE, related_name="evaluations")
    fence = models.PositiveIntegerField()
    ruleset_digest = models.CharField(max_length=64)
    scoring_version = models.CharField(max_length=20)
    seed = models.CharField(max_length=40)
    input_hashes = models.JSONField()
    values = models.JSONField()
    seconds = models.FloatField()
    created_at = models.DateTimeField(default=timezone.now)

    class Meta:
        ordering = ["id"]
        constraints = [
            models.UniqueConstraint(
                fields=["submission", "fence"], name="one_evaluation_per_claim"
            ),
        ]

    def __str__(self) -> str:
        return f"evaluation of {self.submission}"


class Choice(models.Model):
    """Fact: a team named the submission that counts; its newest choice holds."""

    submission = models.ForeignKey(Submission, on_delete=models.CASCADE, related_name="choices")
    team = models.ForeignKey(Team, on_delete=models.CASCADE, related_name="choices")
    round = models.ForeignKey(Round, on_delete=models.CASCADE, related_name="choices")
    chosen_by = models.ForeignKey(
        settings.AUTH_USER_MODEL, null=True, on_delete=models.SET_NULL, related_name="+"
    )
    chosen_at = models.DateTimeField(default=timezone.now)

    class Meta:
        ordering = ["id"]

    def __str__(self) -> str:
        return f"{self.submission} counts"
