# SPDX-License-Identifier: Apache-2.0

from __future__ import annotations

from django.conf import settings
from django.db import models
from django.utils import timezone
from django.utils.translation import gettext_lazy as _

from pwscup.accounts.models import Team
from pwscup.contests.models import Contest
from pwscup.core.models import Job, StoredFile


class Archive(Job):
    """Job: a contest is written into one file, which its organizers may download."""

    class State(models.TextChoices):
        WAITING = "waiting", _("waiting")
        RUNNING = "running", _("being written")
        DONE = "done", _("written")
        FAILED = "failed", _("failed")

    class Names(models.TextChoices):
        ALL = "all", _("the names of all teams")
        CONSENT = "consent", _("the names of teams that consent; the others get numbers")
        NONE = "none", _("no names: all teams get numbers")

    contest = models.ForeignKey(Contest, on_delete=models.CASCADE, related_name="archives")
    names = models.CharField(_("names of teams"), max_length=10, choices=Names, default=Names.NONE)
    with_key = models.BooleanField(_("with the answer key"), default=False)
    with_members = models.BooleanField(_("with the members of the teams"), default=False)
    requested_by = models.ForeignKey(
        settings.AUTH_USER_MODEL, null=True, on_delete=models.SET_NULL, related_name="+"
    )
    requested_at = models.DateTimeField(default=timezone.now)
    state = models.CharField(max_length=10, choices=State, default=State.WAITING)
    n_total = models.PositiveIntegerField(default=0, help_text="entries to be packed")
    n_done = models.PositiveIntegerField(default=0)
    last_event_id = models.BigIntegerField(
        null=True, help_text="the last event of the history in the archive: its request"
    )
    file = models.ForeignKey(StoredFile, null=True, on_delete=models.PROTECT, related_name="+")

    class Meta:
        ordering = ["id"]
        constraints = [
            models.UniqueConstraint(
                fields=["contest"],
                condition=models.Q(state__in=["waiting", "running"]),
                name="one_archive_at_a_time",
            )
        ]

    def __str__(self) -> str:
        return f"archive of {self.contest}"


class ContestImport(Job):
    """Job: an archive is checked, and a contest is created from it; the archive itself is not kept."""

    class State(models.TextChoices):
        WAITING = "waiting", _("waiting")
        RUNNING = "running", _("being checked and read")
        DONE = "done", _("imported")
        REFUSED = "refused", _("refused")
        FAILED = "failed", _("failed")

    name = models.CharField(max_length=150, help_text="the name of the uploaded file")
    sha256 = models.CharField(max_length=64)
    size_bytes = models.PositiveBigIntegerField()
    file = models.ForeignKey(
        StoredFile,
        null=True,
        on_delete=models.SET_NULL,
        related_name="+",
        help_text="the archive, until it is imported or refused",
    )
    requested_by = models.ForeignKey(
        settings.AUTH_USER_MODEL, null=True, on_delete=models.SET_NULL, related_name="+"
    )
    requested_at = models.DateTimeField(default=timezone.now)
    state = models.CharField(max_length=10, choices=State, default=State.WAITING)
    contest = models.OneToOneField(
        Contest, null=True, on_delete=models.SET_NULL, related_name="imported_by"
    )
    problems = models.JSONField(default=list, help_text="codes and parameters of `problems.TEXTS`")
    n_problems = models.PositiveIntegerField(default=0)
    differences = models.JSONField(
        default=list, help_text="differences between the recomputed boards and those in the archive"
    )
    history = models.ForeignKey(
        StoredFile,
        null=True,
        on_delete=models.SET_NULL,
        related_name="+",
        help_text="the events of the other installation, unchanged",
    )
    chain = models.JSONField(
        default=dict, help_text="the result of verifying the seals of that history"
    )

    class Meta:
        ordering = ["id"]
        verbose_name = "import"

    def __str__(self) -> str:
        return f"import of {self.name}"


class CodabenchBundle(models.Model):
    """Fact: a competition bundle of Codabench as it was read; the file itself is not kept."""

    name = models.CharField(max_length=150, help_text="the name of the uploaded file")
    sha256 = models.CharField(max_length=64)
    received_by = models.ForeignKey(
        settings.AUTH_USER_MODEL, null=True, on_delete=models.SET_NULL, related_name="+"
    )
    received_at = models.DateTimeField(default=timezone.now)
    content = models.JSONField(help_text="a `codabench.description.Competition`")
    contest = models.OneToOneField(
        Contest,
        null=True,
        on_delete=models.SET_NULL,
        related_name="codabench_bundle",
        help_text="the draft that was made of it",
    )
    left_out = models.JSONField(
        default=list, help_text="codes, places and parameters of what the draft lacks"
    )

    class Meta:
        ordering = ["id"]

    def __str__(self) -> str:
        return f"bundle {self.name}"


class TeamNumber(models.Model):
    """Fact: the number of a team in archives without its name; drawn once, at random."""

    team = models.OneToOneField(Team, on_delete=models.CASCADE, related_name="archive_number")
    contest = models.ForeignKey(Contest, on_delete=models.CASCADE, related_name="+")
    number = models.PositiveIntegerField()

    class Meta:
        ordering = ["number"]
        constraints = [
            models.UniqueConstraint(fields=["contest", "number"], name="archive_number_given_once")
        ]

    def __str__(self) -> str:
        return f"Team {self.number}"
