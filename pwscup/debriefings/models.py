# SPDX-License-Identifier: Apache-2.0

from __future__ import annotations

from django.db import models
from django.utils import timezone
from django.utils.translation import gettext_lazy as _

from pwscup.accounts.models import Team
from pwscup.contests.models import Contest, Round
from pwscup.core.models import Job


class Debriefing(Job):
    """Derived, by a job: what the attacks of a contest found; it may be deleted and comes back."""

    class State(models.TextChoices):
        WAITING = "waiting", _("waiting")
        RUNNING = "running", _("being computed")
        DONE = "done", _("computed")
        FAILED = "failed", _("failed")

    contest = models.OneToOneField(Contest, on_delete=models.CASCADE, related_name="debriefing")
    state = models.CharField(max_length=10, choices=State, default=State.WAITING)
    key = models.CharField(max_length=64, help_text="digest of the facts that it is computed from")
    requested_at = models.DateTimeField(default=timezone.now)
    n_parts = models.PositiveIntegerField(default=0)
    done_parts = models.PositiveIntegerField(default=0)

    class Meta:
        ordering = ["id"]

    def __str__(self) -> str:
        return f"debriefing of {self.contest}"


class DebriefingPart(models.Model):
    """Derived: the debriefing of a team about one round of attacks or estimates."""

    debriefing = models.ForeignKey(Debriefing, on_delete=models.CASCADE, related_name="parts")
    team = models.ForeignKey(Team, on_delete=models.CASCADE, related_name="+")
    round = models.ForeignKey(Round, on_delete=models.CASCADE, related_name="+")
    values = models.JSONField(help_text="by the format of the contest, without values of cells")

    class Meta:
        ordering = ["id"]
        constraints = [
            models.UniqueConstraint(
                fields=["debriefing", "team", "round"], name="one_debriefing_of_a_team_and_round"
            )
        ]

    def __str__(self) -> str:
        return f"{self.debriefing}: {self.team}"


class DebriefingSettings(models.Model):
    """Fact: the choices of organizers for the debriefing of a contest; each change is an event."""

    contest = models.OneToOneField(
        Contest, on_delete=models.CASCADE, related_name="debriefing_settings"
    )
    after_stages = models.BooleanField(
        _("show the debriefing of a stage when that stage is over"),
        default=False,
        help_text=_("Otherwise it is shown when all rounds of the contest are over."),
    )
    discloses_table = models.BooleanField(
        _("show each team its estimates next to the true counts"),
        default=False,
        help_text=_(
            "This discloses counts of the hidden table without noise: no ε holds any longer, for anybody in the "
            "table, and it cannot be undone. Use it with synthetic data only."
        ),
    )

    def __str__(self) -> str:
        return f"debriefing settings of {self.contest}"


class DebriefingExample(models.Model):
    """Fact: a part that organizers chose for the class, which sees it without its records."""

    team = models.ForeignKey(Team, on_delete=models.CASCADE, related_name="+")
    round = models.ForeignKey(Round, on_delete=models.CASCADE, related_name="debriefing_examples")
    names_team = models.BooleanField(default=False, help_text="otherwise it is shown as “a team”")

    class Meta:
        ordering = ["id"]
        constraints = [
            models.UniqueConstraint(
                fields=["team", "round"], name="one_example_of_a_team_and_round"
            )
        ]

    def __str__(self) -> str:
        return f"example: {self.team}"
