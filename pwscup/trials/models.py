# SPDX-License-Identifier: Apache-2.0

from __future__ import annotations

import uuid

from django.conf import settings
from django.db import models
from django.utils import timezone
from django.utils.translation import gettext_lazy as _

from pwscup.accounts.models import Team
from pwscup.contests.models import Round
from pwscup.core.models import Job, StoredFile
from pwscup.submissions.models import Release, Submission


class Trial(Job):
    """Job: a method or a first attack for trial in the browser; nothing counts until it is submitted.

    Only the last ones of a team in a round are kept.
    """

    class State(models.TextChoices):
        WAITING = "waiting", _("waiting")
        RUNNING = "running", _("being tried")
        DONE = "done", _("done")
        REFUSED = "refused", _("not possible")
        FAILED = "failed", _("failed")

    public_id = models.UUIDField(default=uuid.uuid4, unique=True, editable=False)
    team = models.ForeignKey(Team, on_delete=models.CASCADE, related_name="trials")
    round = models.ForeignKey(Round, on_delete=models.CASCADE, related_name="trials")
    target = models.ForeignKey(
        Release, null=True, blank=True, on_delete=models.CASCADE, related_name="trials"
    )
    number = models.PositiveIntegerField(help_text="numbers a team's trials in a round from 1")
    original = models.PositiveSmallIntegerField(
        null=True,
        help_text="as that of a submission: the team's original that the table is made from",
    )
    steps = models.JSONField(
        help_text="method, values and seed of each step; the last one is the user's, those before of earlier trials"
    )
    requested_by = models.ForeignKey(
        settings.AUTH_USER_MODEL, null=True, on_delete=models.SET_NULL, related_name="+"
    )
    requested_at = models.DateTimeField(default=timezone.now)

    state = models.CharField(max_length=10, choices=State, default=State.WAITING)
    values = models.JSONField(default=dict, help_text="of the measures, by identifier")
    facts = models.JSONField(default=dict, help_text="`pwscup.formats.trying.Tried.facts`")
    problems = models.JSONField(default=list, help_text="scoring.errors.Problem.to_dict")
    submission = models.ForeignKey(
        Submission, null=True, blank=True, on_delete=models.SET_NULL, related_name="+"
    )

    class Meta:
        ordering = ["id"]
        constraints = [
            models.UniqueConstraint(
                fields=["team"],
                condition=models.Q(state__in=["waiting", "running"]),
                name="one_trial_of_a_team_at_a_time",
            ),
            models.UniqueConstraint(fields=["team", "round", "number"], name="trial_numbered_once"),
        ]

    def __str__(self) -> str:
        return f"trial {self.number} of {self.team}"


class TrialFile(models.Model):
    """Fact: a file that a trial made, sealed like an upload."""

    trial = models.ForeignKey(Trial, on_delete=models.CASCADE, related_name="files")
    key = models.SlugField(max_length=30, help_text="the key of the file in the ruleset")
    file = models.OneToOneField(StoredFile, on_delete=models.PROTECT, related_name="+")

    class Meta:
        ordering = ["id"]
        constraints = [
            models.UniqueConstraint(fields=["trial", "key"], name="one_trial_file_of_a_key")
        ]

    def __str__(self) -> str:
        return f"{self.key} of {self.trial}"
