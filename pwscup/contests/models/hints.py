# SPDX-License-Identifier: Apache-2.0

from __future__ import annotations

from datetime import datetime

from django.db import models
from django.utils import translation
from django.utils.timezone import now
from django.utils.translation import gettext_lazy as _

from pwscup.contests.models.rounds import Round


class RoundHint(models.Model):
    """Fact: a short text for the teams in a round, hidden until it is published.

    With `after_percent` the platform publishes it after that share of the round, however its dates are moved;
    otherwise an organizer does.
    """

    round = models.ForeignKey(Round, on_delete=models.CASCADE, related_name="hints")
    text = models.TextField(_("text (English)"), max_length=1_000)
    text_ja = models.TextField(_("text (Japanese)"), max_length=1_000, blank=True)
    after_percent = models.PositiveSmallIntegerField(null=True, blank=True)
    published_at = models.DateTimeField(null=True, blank=True)
    added_at = models.DateTimeField(default=now)

    class Meta:
        ordering = ["round", "published_at", "after_percent", "id"]
        constraints = [
            models.CheckConstraint(
                condition=models.Q(after_percent=None)
                | models.Q(after_percent__gte=0, after_percent__lte=100),
                name="hint_within_its_round",
            )
        ]

    def __str__(self) -> str:
        return f"hint {self.pk} of {self.round}"

    @property
    def local_text(self) -> str:
        """The text in the reader's language."""
        return self.text_ja if translation.get_language() == "ja" and self.text_ja else self.text

    @property
    def due_at(self) -> datetime | None:
        """The time at which the platform publishes it; None if an organizer does."""
        if self.after_percent is None:
            return None
        length = self.round.closes_at - self.round.opens_at
        return self.round.opens_at + length * self.after_percent / 100
