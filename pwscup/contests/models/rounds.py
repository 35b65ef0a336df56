# SPDX-License-Identifier: Apache-2.0

from __future__ import annotations

from datetime import datetime, timedelta

from django.conf import settings
from django.core.validators import MinValueValidator
from django.db import models
from django.utils import translation
from django.utils.timezone import now
from django.utils.translation import gettext_lazy as _

from pwscup.contests.models.contest import Contest
from pwscup.formats import ROUNDS, RoundFormat
from scoring.rulesets import RoundSpec, localized


def upload_grace() -> timedelta:
    """The maximum duration of an upload whose first byte arrived in time."""
    return timedelta(seconds=settings.UPLOAD_GRACE_SECONDS)


class Round(models.Model):
    """Fact: a period in which one kind of file is submitted; it is open or closed by the clock only."""

    class Feedback(models.TextChoices):
        EXACT = "exact", _("exact, immediately")
        LADDER = "ladder", _("the best range so far, immediately")
        COARSE = "coarse", _("rounded, immediately")
        AFTER_CLOSE = "after_close", _("after the round has closed")

    contest = models.ForeignKey(Contest, on_delete=models.CASCADE, related_name="rounds")
    key = models.SlugField(max_length=30)
    kind = models.CharField(max_length=30)
    position = models.PositiveSmallIntegerField()
    opens_at = models.DateTimeField(_("opens"))
    closes_at = models.DateTimeField(_("closes"))
    tries = models.PositiveSmallIntegerField(_("attempts"), validators=[MinValueValidator(1)])
    tries_per_day = models.PositiveSmallIntegerField(
        _("attempts per day"), null=True, blank=True, validators=[MinValueValidator(1)]
    )
    feedback = models.CharField(_("feedback"), max_length=12, choices=Feedback)
    complete_until = models.DateTimeField(
        null=True,
        blank=True,
        editable=False,
        help_text="every upload that arrived before this time is stored; set by `submissions.inflight`",
    )

    class Meta:
        ordering = ["position"]
        constraints = [
            models.UniqueConstraint(fields=["contest", "key"], name="round_key_unique_in_contest"),
            models.CheckConstraint(
                condition=models.Q(closes_at__gt=models.F("opens_at")),
                name="round_closes_after_it_opens",
            ),
        ]

    def __str__(self) -> str:
        return f"{self.key} of {self.contest}"

    @property
    def spec(self) -> RoundSpec:
        """The specification in the ruleset; this row holds the dates, attempts and feedback of the round."""
        return self.contest.ruleset.round(self.key)

    @property
    def local_title(self) -> str:
        """The title in the reader's language."""
        return localized(self.spec.title, translation.get_language() or "en")

    @property
    def format(self) -> RoundFormat:
        """The format of the round, which answers all questions about its kind."""
        return ROUNDS[self.kind]

    @property
    def has_trials(self) -> bool:
        """Teams may try methods or attacks of this round in the browser."""
        return (
            self.contest.has_trials
            and self.format.trying is not None
            and not self.contest.ruleset.data.parts
        )

    def is_open(self, now: datetime) -> bool:
        """Files are accepted: between its dates, while the contest is not paused."""
        return self.contest.paused_at is None and self.opens_at <= now < self.closes_at

    def has_opened(self, now: datetime) -> bool:
        return self.opens_at <= self.contest.clock(now)

    def has_closed(self, now: datetime) -> bool:
        return self.closes_at <= self.contest.clock(now)

    @property
    def results_at(self) -> datetime:
        """The time from which its results may be shown: its end; or, because errors of estimates are exact
        and reveal the hidden table without cost, the end of the last round in which that table is
        estimated."""
        if not self.format.tells_of_table:
            return self.closes_at
        others = (r.closes_at for r in self.contest.rounds.all() if r.format.tells_of_table)
        return max(self.closes_at, *others)

    @property
    def settles_after(self) -> timedelta:
        """The maximum delay after its end: zero when every upload that began in time is known to be stored."""
        ends, known = self.results_at, self.complete_until
        if known is not None and ends <= known:
            return timedelta()
        return upload_grace()

    def is_settled(self, now: datetime) -> bool:
        """Every upload that began in time has arrived, so results may be shown."""
        return self.results_at <= self.contest.clock(now - self.settles_after)


class Interruption(models.Model):
    """Fact: time that did not count: a pause by an organizer, or an outage recorded later.

    Every date of the contest after `started_at` was moved by its length; a current pause has no end.
    """

    class Kind(models.TextChoices):
        PAUSE = "pause", _("pause")
        OUTAGE = "outage", _("outage")

    contest = models.ForeignKey(Contest, on_delete=models.CASCADE, related_name="interruptions")
    kind = models.CharField(max_length=10, choices=Kind)
    started_at = models.DateTimeField()
    ended_at = models.DateTimeField(null=True, blank=True)
    reason = models.CharField(_("reason"), max_length=500)
    recorded_by = models.ForeignKey(
        settings.AUTH_USER_MODEL, null=True, on_delete=models.SET_NULL, related_name="+"
    )
    created_at = models.DateTimeField(default=now)

    class Meta:
        ordering = ["started_at", "id"]
        constraints = [
            models.UniqueConstraint(
                fields=["contest"],
                condition=models.Q(kind="pause", ended_at=None),
                name="one_pause_at_a_time",
            ),
        ]

    def __str__(self) -> str:
        return f"{self.kind} of {self.contest}"


class Fault(models.Model):
    """Derived: a failed task of a contest; written and deleted by `contests.faults`."""

    contest = models.ForeignKey(Contest, on_delete=models.CASCADE, related_name="faults")
    task = models.CharField(max_length=10)
    subject = models.CharField(max_length=100, blank=True, help_text="a round's key or a team's")
    error = models.CharField(max_length=100, blank=True)
    reference = models.CharField(max_length=12, help_text="for the log")
    since = models.DateTimeField(default=now)

    class Meta:
        ordering = ["id"]
        constraints = [
            models.UniqueConstraint(fields=["contest", "task", "subject"], name="one_fault_each")
        ]

    def __str__(self) -> str:
        return f"{self.task} of {self.contest}"
