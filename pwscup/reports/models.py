# SPDX-License-Identifier: Apache-2.0

from __future__ import annotations

from django.conf import settings
from django.db import models
from django.utils import timezone
from django.utils.translation import gettext_lazy as _

from pwscup.contests.models import Contest
from pwscup.core.models import Job


class FinalReport(Job):
    """Job: the report of a finished contest; a fact when published."""

    QUEUE_ORDER = ("requested_at", "id")

    class State(models.TextChoices):
        WAITING = "waiting", _("waiting")
        RUNNING = "running", _("being written")
        DONE = "done", _("written")
        FAILED = "failed", _("failed")

    contest = models.ForeignKey(Contest, on_delete=models.CASCADE, related_name="final_reports")
    names_disqualified = models.BooleanField(
        _("name the disqualified teams"),
        default=False,
        help_text=_("Otherwise the report shows only their number."),
    )
    requested_by = models.ForeignKey(
        settings.AUTH_USER_MODEL, null=True, on_delete=models.SET_NULL, related_name="+"
    )
    requested_at = models.DateTimeField(default=timezone.now)
    state = models.CharField(max_length=10, choices=State, default=State.WAITING)
    key = models.CharField(
        max_length=64, blank=True, help_text="digest of the facts behind its boards"
    )
    hidden_measures = models.JSONField(default=list, help_text="ids of the hidden measures")
    published_by = models.ForeignKey(
        settings.AUTH_USER_MODEL, null=True, on_delete=models.SET_NULL, related_name="+"
    )
    published_at = models.DateTimeField(null=True, blank=True)

    class Meta:
        ordering = ["id"]
        constraints = [
            models.UniqueConstraint(
                fields=["contest"],
                condition=models.Q(state__in=["waiting", "running"]),
                name="one_report_is_written_at_a_time",
            ),
        ]

    def __str__(self) -> str:
        return f"report of {self.contest}"


class ReportPage(models.Model):
    """Derived: the report in one language."""

    report = models.ForeignKey(FinalReport, on_delete=models.CASCADE, related_name="pages")
    language = models.CharField(max_length=10)
    html = models.TextField()

    class Meta:
        ordering = ["id"]
        constraints = [
            models.UniqueConstraint(
                fields=["report", "language"], name="one_page_of_a_report_per_language"
            )
        ]

    def __str__(self) -> str:
        return f"{self.report} ({self.language})"
