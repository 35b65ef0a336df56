from __future__ import annotations

from django.conf import settings
from django.db import models
from django.utils import timezone

from pwscup.accounts.models import Team
from pwscup.contests.models import Round


class JudgeComment(models.Model):
    """Fact: what a judge wrote about a team's presentation; the newest is effective, an empty one takes it back."""

    round = models.ForeignKey(Round, on_delete=models.PROTECT, related_name="comments")
    team = models.ForeignKey(Team, on_delete=models.CASCADE, related_name="comments")
    judge = models.ForeignKey(
        settings.AUTH_USER_MODEL, null=True, on_delete=models.SET_NULL, related_name="+"
    )
    text = models.TextField(max_length=2_000, blank=True)
    given_at = models.DateTimeField(default=timezone.now)

    class Meta:
        app_label = "submissions"
        ordering = ["id"]

    def __str__(self) -> str:
        return f"comment on {self.team}"
