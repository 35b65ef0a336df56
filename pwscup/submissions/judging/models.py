# SPDX-License-Identifier: Apache-2.0

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


class TalkVote(models.Model):
    """Fact: the vote of the audience on the presentations of a round, from its opening to its end.

    Anyone who has the token may vote as a guest; without a token only members of teams may.
    """

    round = models.OneToOneField(Round, on_delete=models.CASCADE, related_name="vote")
    most = models.PositiveSmallIntegerField(help_text="presentations that a person may choose")
    token = models.CharField(max_length=64, unique=True, null=True, blank=True)
    opened_at = models.DateTimeField(default=timezone.now)
    ended_at = models.DateTimeField(null=True, blank=True)
    n_voters = models.PositiveIntegerField(
        default=0, help_text="counted at the end, when nobody is named any more"
    )

    class Meta:
        app_label = "submissions"
        ordering = ["id"]

    def __str__(self) -> str:
        return f"vote in {self.round}"


class TalkChoice(models.Model):
    """Fact: a presentation that somebody chose; the person, or the browser of a guest, until the vote ends."""

    vote = models.ForeignKey(TalkVote, on_delete=models.CASCADE, related_name="choices")
    team = models.ForeignKey(Team, on_delete=models.CASCADE, related_name="audience_votes")
    user = models.ForeignKey(
        settings.AUTH_USER_MODEL, null=True, blank=True, on_delete=models.SET_NULL, related_name="+"
    )
    guest = models.CharField(max_length=64, blank=True)

    class Meta:
        app_label = "submissions"
        ordering = ["id"]
        constraints = [
            models.UniqueConstraint(
                fields=["vote", "user", "team"],
                condition=models.Q(user__isnull=False),
                name="member_chooses_a_team_once",
            ),
            models.UniqueConstraint(
                fields=["vote", "guest", "team"],
                condition=~models.Q(guest=""),
                name="guest_chooses_a_team_once",
            ),
        ]

    def __str__(self) -> str:
        return f"choice in {self.vote}"
