# SPDX-License-Identifier: Apache-2.0
"""The ledger of a team: its questions and the spent part of its budget."""

from __future__ import annotations

from decimal import Decimal
from typing import TYPE_CHECKING

from django.db.models import OuterRef, QuerySet, Subquery, Sum, Value
from django.db.models.functions import Coalesce

from pwscup.disclosure.models import Answer, epsilon_of, millionths_of
from pwscup.formats.hidden.disclosed import budget_in

if TYPE_CHECKING:
    from pwscup.accounts.models import Team
    from pwscup.contests.models import Contest, Round
    from scoring.privacy.accounting import Budget


def answers_of(team: Team, round: Round) -> QuerySet[Answer]:
    """The answers that a team paid for in a round, the newest first."""
    found = Answer.objects.filter(team=team, round=round).select_related("asked_by")
    return found.order_by("-number")


def budget_of(team: Team, round: Round) -> Budget:
    """The budget of the team in the round, with the spent part."""
    return budget_in(round, spent_by(team, round))


def spent_by(team: Team, round: Round) -> Decimal:
    """The exact sum of the costs of the team's answers."""
    return epsilon_of(answers_of(team, round).values_list("spent", flat=True).first() or 0)


def left_for_all(contest: Contest) -> Decimal | None:
    """The remaining budget of all teams of the contest together; None if the organizers set no cap.

    Read from the database each time: with the contest's row locked nobody else can spend.
    """
    cap = type(contest).objects.values_list("epsilon_cap", flat=True).get(pk=contest.pk)
    return None if cap is None else max(Decimal(0), cap.normalize() - spent_by_all(contest))


def spent_by_all(contest: Contest) -> Decimal:
    """The exact sum of the costs of all answers of a contest."""
    answers = Answer.objects.filter(round__contest=contest)
    return epsilon_of(answers.aggregate(sum=Sum("cost"))["sum"] or 0)


def spent_before(moment: str) -> Coalesce:
    """For rows with a team, a round and a `moment`: the amount spent before it, in millionths."""
    theirs = Answer.objects.filter(team=OuterRef("team"), round=OuterRef("round"))
    before = theirs.filter(asked_at__lt=OuterRef(moment)).order_by("-number")
    return Coalesce(Subquery(before.values("spent")[:1]), Value(0))


def paid_answer(team: Team, round: Round, digest: str, epsilon: Decimal) -> Answer | None:
    """The answer that the team has already paid for, if it asks the same query at the same ε."""
    return answers_of(team, round).filter(digest=digest, cost=millionths_of(epsilon)).first()
