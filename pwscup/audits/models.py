# SPDX-License-Identifier: Apache-2.0

from __future__ import annotations

from django.conf import settings
from django.db import models
from django.utils import timezone
from django.utils.translation import gettext_lazy as _

from pwscup.core.models import Job
from pwscup.submissions.models import Submission


class Audit(Job):
    """Job: all built-in attacks against one scored table; a fact when done."""

    QUEUE_ORDER = ("requested_at", "id")

    class State(models.TextChoices):
        WAITING = "waiting", _("waiting")
        RUNNING = "running", _("attacks running")
        DONE = "done", _("done")
        FAILED = "failed", _("failed")

    submission = models.OneToOneField(Submission, on_delete=models.PROTECT, related_name="audit")
    requested_by = models.ForeignKey(
        settings.AUTH_USER_MODEL, null=True, on_delete=models.SET_NULL, related_name="+"
    )
    requested_at = models.DateTimeField(default=timezone.now)
    state = models.CharField(max_length=10, choices=State, default=State.WAITING)
    step = models.CharField(max_length=40, blank=True, help_text="the current step")
    done_steps = models.PositiveSmallIntegerField(default=0)
    n_steps = models.PositiveSmallIntegerField(default=0)
    values = models.JSONField(default=dict, help_text="scoring.audits.summary.summary")
    scoring_version = models.CharField(max_length=20, blank=True)
    seconds = models.FloatField(null=True)

    class Meta:
        ordering = ["id"]

    def __str__(self) -> str:
        return f"audit of {self.submission}"


class AuditReport(models.Model):
    """Derived: the report for download, in one language."""

    audit = models.ForeignKey(Audit, on_delete=models.CASCADE, related_name="reports")
    language = models.CharField(max_length=10)
    html = models.TextField()

    class Meta:
        ordering = ["id"]
        constraints = [
            models.UniqueConstraint(fields=["audit", "language"], name="one_report_per_language")
        ]

    def __str__(self) -> str:
        return f"{self.audit} ({self.language})"
