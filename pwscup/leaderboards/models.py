# SPDX-License-Identifier: Apache-2.0

from __future__ import annotations

from typing import Any

from django.conf import settings
from django.db import models
from django.utils import timezone

from pwscup.contests.models import Contest, Division


class Standing(models.Model):
    """Derived: a variant of a contest's boards, derived from the facts of `key`; may be deleted.

    The reader who holds the lease computes it again. Meanwhile others get the stored one, as long as `gate`
    and `shown` prove that it contains nothing hidden. Without a key nothing is stored yet.
    """

    contest = models.ForeignKey(Contest, on_delete=models.CASCADE, related_name="standings")
    variant = models.CharField(
        max_length=100, help_text="stage, division, whether measures are hidden, live or frozen"
    )
    key = models.CharField(max_length=64, help_text="digest of the facts the boards were made from")
    gate = models.CharField(
        max_length=64,
        default="",
        help_text="digest of the conditions of visibility, except for rounds",
    )
    shown = models.JSONField(default=list, help_text="the rounds whose values it contains, by key")
    boards = models.JSONField()
    matrix = models.JSONField(
        null=True,
        help_text="the attack matrix, the largest part, as lists of rates",
    )
    worst = models.JSONField(
        default=dict, help_text="the highest rate of another team against each, by its key"
    )
    built_at = models.DateTimeField(default=timezone.now, help_text="when its facts were read")
    lease_until = models.DateTimeField(
        null=True, blank=True, help_text="until when a reader is computing it"
    )
    rest_until = models.DateTimeField(
        null=True,
        blank=True,
        help_text="before then it is not computed again only because of new facts",
    )

    class Meta:
        constraints = [
            models.UniqueConstraint(fields=["contest", "variant"], name="one_standing_per_variant")
        ]

    def __str__(self) -> str:
        return f"standing of {self.contest}: {self.variant}"


class Ceremony(models.Model):
    """Fact: an organizer reveals the final order step by step, from the last place up.

    `places` is the final order at the start, the last place first; only its first `step` entries are shown.
    """

    contest = models.ForeignKey(Contest, on_delete=models.CASCADE, related_name="ceremonies")
    stage = models.CharField(max_length=30, blank=True, help_text="empty for the season")
    division = models.ForeignKey(
        Division, null=True, blank=True, on_delete=models.CASCADE, related_name="ceremonies"
    )
    direction = models.CharField(max_length=10, help_text="which totals are better")
    places = models.JSONField(help_text="rank and rows, sealed: revealed one by one")
    frozen = models.JSONField(help_text="the rows of the frozen board, which everybody may see")
    step = models.PositiveIntegerField(default=0, help_text="how many of the places are revealed")
    started_by = models.ForeignKey(
        settings.AUTH_USER_MODEL, null=True, on_delete=models.SET_NULL, related_name="+"
    )
    started_at = models.DateTimeField(default=timezone.now)
    finished_at = models.DateTimeField(null=True, blank=True)

    class Meta:
        ordering = ["id"]
        constraints = [
            models.UniqueConstraint(
                fields=["contest"],
                condition=models.Q(finished_at=None),
                name="one_ceremony_at_a_time",
            )
        ]

    def __str__(self) -> str:
        return f"ceremony of {self.contest}"

    @property
    def revealed(self) -> list[dict[str, Any]]:
        """The revealed places, the best one first."""
        return self.places[: self.step][::-1]

    @property
    def is_complete(self) -> bool:
        return self.step >= len(self.places)
