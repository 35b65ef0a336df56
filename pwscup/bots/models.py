# SPDX-License-Identifier: Apache-2.0

from __future__ import annotations

from django.conf import settings
from django.db import models
from django.utils import timezone
from django.utils.translation import gettext_lazy as _

from pwscup.contests.models import Contest
from pwscup.core.models import Job


class Rehearsal(Job):
    """Job: bots play a complete contest in advance, on a copy that only its organizers see."""

    class State(models.TextChoices):
        WAITING = "waiting", _("waiting")
        RUNNING = "running", _("being played")
        DONE = "done", _("played")
        FAILED = "failed", _("failed")

    contest = models.ForeignKey(Contest, on_delete=models.CASCADE, related_name="dry_runs")
    played_on = models.OneToOneField(
        Contest,
        null=True,
        on_delete=models.SET_NULL,
        related_name="dry_run",
        help_text="the copy on which the bots play",
    )
    requested_by = models.ForeignKey(
        settings.AUTH_USER_MODEL, null=True, on_delete=models.SET_NULL, related_name="+"
    )
    requested_at = models.DateTimeField(default=timezone.now)
    state = models.CharField(max_length=10, choices=State, default=State.WAITING)
    step = models.CharField(max_length=100, blank=True, help_text="key of the current round")
    report = models.JSONField(default=list, help_text="a line for each played round")
    certificate = models.JSONField(
        default=dict, help_text="the digest of the played rules, and a line for each cheater"
    )
    seconds = models.FloatField(null=True)

    class Meta:
        ordering = ["id"]
        constraints = [
            models.UniqueConstraint(
                fields=["contest"],
                condition=models.Q(state__in=["waiting", "running"]),
                name="one_dry_run_at_a_time",
            ),
        ]

    def __str__(self) -> str:
        return f"dry run of {self.contest}"
