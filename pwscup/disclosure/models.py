# SPDX-License-Identifier: Apache-2.0
"""Models of the disclosure of a hidden table: releases, and the answers that teams paid for."""

from __future__ import annotations

import uuid
from decimal import Decimal

from django.conf import settings
from django.db import models
from django.db.models import F, Q
from django.utils import timezone

from pwscup.accounts.models import Team
from pwscup.contests.models import Round
from pwscup.core.models import StoredFile
from scoring.privacy.accounting import PLACES


def epsilon_of(millionths: int) -> Decimal:
    """The ε for a number of millionths, without trailing zeros.

    >>> epsilon_of(250_000)
    Decimal('0.25')
    """
    shortest = Decimal(millionths).scaleb(-PLACES).normalize()
    return shortest.quantize(Decimal(1)) if shortest == shortest.to_integral() else shortest


def millionths_of(epsilon: Decimal) -> int:
    """An ε of at most six decimal places as an integer, so that sums are exact."""
    return int(epsilon.scaleb(PLACES))


class BatchRelease(models.Model):
    """Fact: the randomized table of a batch round, released once to everybody."""

    round = models.OneToOneField(Round, on_delete=models.PROTECT, related_name="batch_release")
    table = models.ForeignKey(StoredFile, on_delete=models.PROTECT, related_name="+")
    cost = models.PositiveBigIntegerField(help_text="the release's ε in millionths")
    n_records = models.PositiveIntegerField()
    created_at = models.DateTimeField(default=timezone.now)

    class Meta:
        ordering = ["id"]

    def __str__(self) -> str:
        return f"release of {self.round}"

    @property
    def epsilon(self) -> Decimal:
        return epsilon_of(self.cost)


class Answer(models.Model):
    """Fact: a query of a team with the noisy counts it paid for; the rows are the ledger of its budget.

    Debit and answer are one row, so that neither exists without the other. `spent` is the sum of all costs up
    to this one: together with the unique `number` it prevents two requests from spending the same ε.
    """

    public_id = models.UUIDField(default=uuid.uuid4, unique=True, editable=False)
    round = models.ForeignKey(Round, on_delete=models.PROTECT, related_name="answers")
    team = models.ForeignKey(Team, on_delete=models.PROTECT, related_name="answers")
    number = models.PositiveIntegerField(help_text="numbers a team's answers in a round from 1")
    query = models.JSONField(help_text="in its canonical form")
    digest = models.CharField(max_length=64, help_text="SHA-256 of the query")
    cost = models.PositiveBigIntegerField(help_text="ε in millionths")
    spent = models.PositiveBigIntegerField(help_text="the cumulative cost, in millionths")
    budget = models.PositiveBigIntegerField(help_text="the team's total budget, in millionths")
    counts = models.JSONField(help_text="the noisy counts, in the order of the query's cells")
    asked_by = models.ForeignKey(
        settings.AUTH_USER_MODEL, null=True, on_delete=models.SET_NULL, related_name="+"
    )
    asked_at = models.DateTimeField()

    class Meta:
        ordering = ["id"]
        constraints = [
            models.UniqueConstraint(
                fields=["round", "team", "number"], name="answer_numbered_once"
            ),
            models.UniqueConstraint(
                fields=["round", "team", "digest", "cost"], name="paid_once_for_a_query"
            ),
            models.CheckConstraint(
                condition=Q(cost__gte=1, spent__gte=F("cost"), spent__lte=F("budget")),
                name="no_budget_is_overspent",
            ),
        ]

    def __str__(self) -> str:
        return f"answer {self.number} to {self.team}"

    @property
    def epsilon(self) -> Decimal:
        return epsilon_of(self.cost)

    @property
    def epsilon_so_far(self) -> Decimal:
        """The ε spent by the team, including this answer."""
        return epsilon_of(self.spent)
