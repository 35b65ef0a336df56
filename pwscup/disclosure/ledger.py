"""What a team has spent of its budget, and whether an answer can be paid: reads, and one pure rule."""

from __future__ import annotations

from decimal import Decimal
from typing import TYPE_CHECKING

from django.db.models import OuterRef, QuerySet, Subquery, Value
from django.db.models.functions import Coalesce

from pwscup.disclosure.models import Answer, epsilon_of, millionths_of
from scoring.privacy.accounting import Budget

if TYPE_CHECKING:
    from datetime import datetime

    from pwscup.accounts.models import Team
    from pwscup.contests.models import Round


def answers_of(team: Team, round: Round) -> QuerySet[Answer]:
    """The answers that a team paid for in a round, the newest first."""
    found = Answer.objects.filter(team=team, round=round).select_related("asked_by")
    return found.order_by("-number")


def total_of(round: Round) -> Decimal:
    """What every team may spend in an interactive round, or what a batch release costs."""
    epsilon = round.spec.epsilon
    if epsilon is None:
        raise LookupError(f"round {round.pk} discloses nothing")
    return epsilon


def budget_of(team: Team, round: Round) -> Budget:
    """What the team has in the round and what of it is spent."""
    return budget(total_of(round), spent_by(team, round))


def budget(total: Decimal, spent: Decimal) -> Budget:
    """A budget of which something is spent; never less than nothing is left."""
    return Budget(max(total, spent), spent)


def spent_by(team: Team, round: Round, before: datetime | None = None) -> Decimal:
    """The exact sum of what the team's answers cost, of those before a moment where one is given."""
    answers = answers_of(team, round)
    if before is not None:
        answers = answers.filter(asked_at__lt=before)
    newest = answers.values_list("spent", flat=True).first()
    return epsilon_of(newest or 0)


def spent_before(moment: str) -> Coalesce:
    """For rows with a team, a round and a `moment`: what `spent_by` says of each, in millionths."""
    theirs = Answer.objects.filter(team=OuterRef("team"), round=OuterRef("round"))
    before = theirs.filter(asked_at__lt=OuterRef(moment)).order_by("-number")
    return Coalesce(Subquery(before.values("spent")[:1]), Value(0))


def paid_answer(team: Team, round: Round, digest: str, epsilon: Decimal) -> Answer | None:
    """The answer that the team has paid for already, where it asks the same at the same ε again."""
    return answers_of(team, round).filter(digest=digest, cost=millionths_of(epsilon)).first()
