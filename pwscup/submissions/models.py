# SPDX-License-Identifier: Apache-2.0

from __future__ import annotations

import uuid

from django.conf import settings
from django.db import models
from django.utils import timezone
from django.utils.translation import gettext_lazy as _

from pwscup.accounts.models import Team
from pwscup.contests.models import Contest, Round, RulesetVersion
from pwscup.core.models import Job, StoredFile
from pwscup.submissions.judging.models import JudgeComment as JudgeComment
from pwscup.submissions.judging.models import TalkChoice as TalkChoice
from pwscup.submissions.judging.models import TalkVote as TalkVote

TOO_SLOW = "submission.too_slow"
"""The problem of files whose scoring exceeded the time limit on an otherwise idle machine."""


class Release(models.Model):
    """Fact: a team's table as published for attackers, its rows shuffled.

    `key` is the mapping of rows, which stays sealed. `candidates` is the table of candidates, if it differs
    from a common original.
    """

    public_id = models.UUIDField(default=uuid.uuid4, unique=True, editable=False)
    round = models.ForeignKey(Round, on_delete=models.PROTECT, related_name="releases")
    team = models.ForeignKey(Team, on_delete=models.PROTECT, related_name="releases")
    submission = models.ForeignKey("Submission", on_delete=models.PROTECT, related_name="releases")
    table = models.ForeignKey(StoredFile, on_delete=models.PROTECT, related_name="+")
    candidates = models.ForeignKey(
        StoredFile, null=True, on_delete=models.PROTECT, related_name="+"
    )
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
    """Fact: the submitted files, with time and user; and job: the row is scored by a worker."""

    QUEUE_ORDER = ("arrived_at", "id")

    class State(models.TextChoices):
        WAITING = "waiting", _("waiting")
        RUNNING = "running", _("being scored")
        SCORED = "scored", _("scored")
        REJECTED = "rejected", _("rejected")
        FAILED = "failed", _("failed")
        CANCELLED = "cancelled", _("cancelled")

    public_id = models.UUIDField(default=uuid.uuid4, unique=True, editable=False)
    round = models.ForeignKey(
        Round, on_delete=models.PROTECT, related_name="submissions", db_index=False
    )
    team = models.ForeignKey(Team, on_delete=models.PROTECT, related_name="submissions")
    target = models.ForeignKey(
        Release, null=True, blank=True, on_delete=models.PROTECT, related_name="guesses"
    )
    submitted_by = models.ForeignKey(
        settings.AUTH_USER_MODEL, null=True, on_delete=models.SET_NULL, related_name="+"
    )
    number = models.PositiveIntegerField(help_text="numbers a team's submissions in a round from 1")
    note = models.CharField(_("note"), max_length=200, blank=True)
    original = models.PositiveSmallIntegerField(
        null=True,
        editable=False,
        help_text="the number of the team's original that the table was made from, if it has several",
    )
    arrived_at = models.DateTimeField()
    sent_as = models.CharField(
        max_length=64, blank=True, editable=False, help_text="`repeats.key_of`, unique in a team"
    )

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
            models.UniqueConstraint(
                fields=["team", "sent_as"],
                condition=~models.Q(sent_as=""),
                name="submission_sent_once",
            ),
        ]
        indexes = [
            models.Index(fields=["state", "arrived_at"]),
            # Boards count and read the scored ones of a round: 40,000 of 200 teams.
            models.Index(fields=["round", "state", "arrived_at", "id"], name="submission_of_round"),
        ]

    def __str__(self) -> str:
        return f"#{self.number} of {self.team}"

    @property
    def can_be_retried(self) -> bool:
        """Scoring was given up: it failed, or exceeded the time limit."""
        is_slow = any(problem["code"] == TOO_SLOW for problem in self.problems)
        return self.state == self.State.FAILED or (self.state == self.State.REJECTED and is_slow)


class UploadProcess(models.Model):
    """Derived: a process that accepts uploads, and the state of those that arrived; see `inflight`."""

    token = models.UUIDField(unique=True)
    complete_until = models.DateTimeField(
        help_text="arrivals before this time are stored, except `arrivals`; by the clock of the process"
    )
    arrivals = models.JSONField(default=dict, help_text="of uploads in flight, by contest")
    reported_at = models.DateTimeField(help_text="by the database's clock")
    asked_at = models.DateTimeField(null=True, help_text="the time of the unanswered request")

    class Meta:
        ordering = ["id"]

    def __str__(self) -> str:
        return f"uploads of {self.token}"


class SubmissionFile(models.Model):
    """Fact: one of the files of a submission."""

    submission = models.ForeignKey(Submission, on_delete=models.CASCADE, related_name="files")
    key = models.SlugField(
        max_length=30, help_text="the name in the ruleset: anonymized, rows, guess, …"
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
    """Fact: the result of a submission under one version of the rules and of the library."""

    submission = models.ForeignKey(Submission, on_delete=models.CASCADE, related_name="evaluations")
    fence = models.PositiveIntegerField()
    ruleset_digest = models.CharField(max_length=64)
    scoring_version = models.CharField(max_length=20)
    seed = models.CharField(max_length=40)
    input_hashes = models.JSONField()
    values = models.JSONField(null=True, help_text="null if these rules reject the files")
    final_values = models.JSONField(
        null=True, help_text="of random measures, with the seed of the final scores"
    )
    problems = models.JSONField(default=list, help_text="same format as in the submission")
    notes = models.JSONField(
        default=list, help_text="same format, on files that were accepted; see scoring.tables.notes"
    )
    right = models.TextField(
        default="",
        editable=False,
        help_text="secret, of a guess: the units that it got right, written and read by contests.truth only",
    )
    rescore = models.ForeignKey(
        "Rescore",
        null=True,
        blank=True,
        on_delete=models.CASCADE,
        related_name="evaluations",
        help_text="the re-scoring that created it; it counts after that is applied",
    )
    seconds = models.FloatField()
    created_at = models.DateTimeField(default=timezone.now)

    class Meta:
        ordering = ["id"]
        constraints = [
            models.UniqueConstraint(
                fields=["submission", "fence"],
                condition=models.Q(rescore=None),
                name="one_evaluation_per_claim",
            ),
            models.UniqueConstraint(
                fields=["submission", "rescore"], name="one_evaluation_per_rescore"
            ),
        ]

    def __str__(self) -> str:
        return f"evaluation of {self.submission}"

    @property
    def holds(self) -> bool:
        """It may count: the result of a re-scoring does only after that was applied."""
        return self.rescore is None or self.rescore.state == Rescore.State.APPLIED


class Choice(models.Model):
    """Fact: a team chose the submission that counts; its newest choice is effective."""

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


class Rescore(Job):
    """Job: all submissions of a contest are evaluated again, without effect until applied; then applied or
    discarded."""

    class State(models.TextChoices):
        WAITING = "waiting", _("waiting")
        RUNNING = "running", _("being computed")
        DONE = "done", _("computed")
        APPLIED = "applied", _("applied")
        DROPPED = "dropped", _("dropped")
        FAILED = "failed", _("failed")

    contest = models.ForeignKey(Contest, on_delete=models.CASCADE, related_name="rescores")
    rules = models.ForeignKey(RulesetVersion, on_delete=models.PROTECT, related_name="rescores")
    scoring_version = models.CharField(max_length=20)
    requested_by = models.ForeignKey(
        settings.AUTH_USER_MODEL, null=True, on_delete=models.SET_NULL, related_name="+"
    )
    requested_at = models.DateTimeField(default=timezone.now)
    state = models.CharField(max_length=10, choices=State, default=State.WAITING)
    n_total = models.PositiveIntegerField(default=0)
    n_done = models.PositiveIntegerField(default=0)
    decided_by = models.ForeignKey(
        settings.AUTH_USER_MODEL, null=True, on_delete=models.SET_NULL, related_name="+"
    )
    decided_at = models.DateTimeField(null=True, blank=True)

    class Meta:
        ordering = ["id"]
        constraints = [
            models.UniqueConstraint(
                fields=["contest"],
                condition=models.Q(state__in=["waiting", "running", "done"]),
                name="one_open_rescore_per_contest",
            ),
        ]

    def __str__(self) -> str:
        return f"re-scoring of {self.contest}"


class Ruling(models.Model):
    """Fact: a decision of an organizer about a team or a submission, with its reason; the newest one is effective."""

    class Kind(models.TextChoices):
        WITHDRAWN = "withdrawn", _("submission withdrawn")
        DISQUALIFIED = "disqualified", _("team disqualified")
        REINSTATED = "reinstated", _("reinstated")

    team = models.ForeignKey(Team, on_delete=models.CASCADE, related_name="rulings")
    submission = models.ForeignKey(
        Submission,
        null=True,
        blank=True,
        on_delete=models.CASCADE,
        related_name="rulings",
        help_text="the subject of the decision; null if it is the team",
    )
    kind = models.CharField(max_length=12, choices=Kind)
    reason = models.CharField(_("reason"), max_length=1_000)
    decided_by = models.ForeignKey(
        settings.AUTH_USER_MODEL, null=True, on_delete=models.SET_NULL, related_name="+"
    )
    decided_at = models.DateTimeField(default=timezone.now)

    class Meta:
        ordering = ["id"]

    def __str__(self) -> str:
        return f"{self.kind}: {self.submission or self.team}"


class LateAllowance(models.Model):
    """Fact: a team may submit in a round until then, although it is closed for the others."""

    team = models.ForeignKey(Team, on_delete=models.CASCADE, related_name="late_allowances")
    round = models.ForeignKey(Round, on_delete=models.CASCADE, related_name="late_allowances")
    until = models.DateTimeField(_("until"))
    reason = models.CharField(_("reason"), max_length=1_000)
    granted_by = models.ForeignKey(
        settings.AUTH_USER_MODEL, null=True, on_delete=models.SET_NULL, related_name="+"
    )
    granted_at = models.DateTimeField(default=timezone.now)

    class Meta:
        ordering = ["id"]

    def __str__(self) -> str:
        return f"{self.team} may submit late"


class AppealMessage(models.Model):
    """Fact: a message about a submission between its team and the organizers."""

    submission = models.ForeignKey(Submission, on_delete=models.CASCADE, related_name="appeal")
    author = models.ForeignKey(
        settings.AUTH_USER_MODEL, null=True, on_delete=models.SET_NULL, related_name="+"
    )
    is_organizer = models.BooleanField(help_text="the author's side: organizers, or the team")
    text = models.TextField(_("message"), max_length=4_000)
    closes = models.BooleanField(default=False, help_text="an organizer settled the appeal")
    written_at = models.DateTimeField(default=timezone.now)

    class Meta:
        ordering = ["id"]

    def __str__(self) -> str:
        return f"on {self.submission}"


class JudgeMark(models.Model):
    """Fact: the grade of a judge for a team's presentation by one criterion; the newest is effective."""

    round = models.ForeignKey(Round, on_delete=models.PROTECT, related_name="marks")
    team = models.ForeignKey(Team, on_delete=models.CASCADE, related_name="marks")
    judge = models.ForeignKey(
        settings.AUTH_USER_MODEL, null=True, on_delete=models.SET_NULL, related_name="+"
    )
    criterion = models.SlugField(max_length=30)
    points = models.DecimalField(max_digits=5, decimal_places=2, help_text="0 to 100")
    given_at = models.DateTimeField(default=timezone.now)

    class Meta:
        ordering = ["id"]
        constraints = [
            models.CheckConstraint(
                condition=models.Q(points__gte=0, points__lte=100), name="points_from_0_to_100"
            ),
        ]

    def __str__(self) -> str:
        return f"{self.criterion} of {self.team}"
