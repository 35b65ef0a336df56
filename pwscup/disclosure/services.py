# SPDX-License-Identifier: Apache-2.0
"""Answering queries about a hidden table, and releasing a randomized one: each in one transaction with its event."""

from __future__ import annotations

import json
from dataclasses import dataclass
from datetime import datetime
from decimal import Decimal
from typing import TYPE_CHECKING, Any

from django.db import transaction
from django.utils import timezone
from django.utils.translation import gettext_lazy as _

from pwscup.accounts.models import Team
from pwscup.contests import faults
from pwscup.contests.models import Round
from pwscup.contests.policies import has_accepted
from pwscup.contests.selectors import dataset_of, original_of
from pwscup.core import audit_log
from pwscup.core.files import storage
from pwscup.core.texts.refusals import RefusedByCode
from pwscup.disclosure import ledger
from pwscup.disclosure.models import Answer, BatchRelease, epsilon_of, millionths_of
from pwscup.formats import kinds_where
from pwscup.formats.hidden.disclosed import disclosed_attributes, epsilon_of_round, is_release_due
from pwscup.submissions.services import SubmissionRefused, check_round
from scoring.errors import Problem, ProblemsFound, shorten
from scoring.privacy.accounting import PLACES, BudgetExceeded, epsilon_from

if TYPE_CHECKING:
    from pwscup.accounts.models import User
    from scoring.formats.disclosure.queries import Query
    from scoring.privacy.accounting import Budget

MAX_ANSWERS = 500
"""For a team in a round; each may have thousands of counts."""
REFUSALS = {
    "round.not_interactive": _("This round does not accept queries."),
    "terms.first": _("Accept the terms of the data first."),
    "data.missing": _("The contest has no table yet."),
    "budget.exceeded": _(
        "The answer costs %(got)s — expected at most %(expected)s, the remaining budget of your team."
    ),
    "budget.all_teams": _(
        "The answer costs %(got)s — expected at most %(expected)s, the remaining budget of all teams of the contest "
        "together."
    ),
    "answers.too_many": _("Your team has reached the limit of %(expected)s answers in this round."),
}


class QueryRefused(RefusedByCode):
    """A refused query; nothing was spent."""

    TEXTS = REFUSALS


@dataclass(frozen=True, slots=True)
class Asked:
    """An answer; it was paid for now or before."""

    answer: Answer
    is_new: bool


@dataclass(frozen=True, slots=True)
class Quote:
    """The query and its cost; `paid` if the team already has that answer."""

    query: Query
    epsilon: Decimal
    paid: Answer | None


def quote(
    *,
    user: User | None,
    team: Team,
    round: Round,
    query: Any,
    epsilon: str,
    asked_at: datetime | None = None,
) -> Quote:
    """The result of `ask` with the same arguments, without spending anything.

    Raises
    ------
    ProblemsFound, SubmissionRefused, QueryRefused
        As `ask` would.
    """
    _check_may_ask(user, team, round, asked_at or timezone.now())
    parsed, cost = _read(round, query, epsilon)
    paid = ledger.paid_answer(team, round, parsed.digest, cost)
    if paid is None:
        _payable(team, round, cost)
    return Quote(parsed, cost, paid)


def ask(
    *,
    user: User | None,
    team: Team,
    round: Round,
    query: Any,
    epsilon: str,
    asked_at: datetime | None = None,
) -> Asked:
    """Answer a query with noisy counts and debit its ε; repeating a paid query costs nothing.

    `query` is in the format of `scoring.formats.disclosure.queries.parse_query`; `user` is None if the
    platform plays for one of its own teams. Refused queries cost nothing.

    Raises
    ------
    ProblemsFound
        All errors of the query and its ε.
    SubmissionRefused, QueryRefused
        The team may not ask now, or cannot pay.
    """
    asked_at = asked_at or timezone.now()
    # Cheap checks first; they are repeated under the lock.
    quoted = quote(
        user=user, team=team, round=round, query=query, epsilon=epsilon, asked_at=asked_at
    )
    if quoted.paid is not None:
        return Asked(quoted.paid, is_new=False)
    # It imports the hidden table's code, which most processes do not need.
    from pwscup.submissions.evaluation import disclosing

    parsed, cost = quoted.query, quoted.epsilon
    counts = disclosing.noisy_counts(round.contest, parsed, cost)
    with transaction.atomic():
        if (
            round.contest.epsilon_cap is not None
        ):  # for all teams: their requests wait for each other
            type(round.contest).objects.select_for_update(no_key=True).get(pk=round.contest_id)
        # All requests of the team wait here, so that each sees the spending of the others.
        if Team.objects.select_for_update(no_key=True).filter(pk=team.pk).first() is None:
            raise SubmissionRefused("not_allowed")  # the team was removed after everybody left
        _check_may_ask(user, team, round, asked_at)  # leaving the team takes this lock too
        if (paid := ledger.paid_answer(team, round, parsed.digest, cost)) is not None:
            return Asked(paid, is_new=False)
        number, budget = _payable(team, round, cost)
        answer = Answer.objects.create(
            round=round,
            team=team,
            number=number,
            query=json.loads(parsed.text),
            digest=parsed.digest,
            cost=millionths_of(cost),
            spent=millionths_of(budget.spent),
            budget=millionths_of(budget.total),
            counts=counts,
            asked_by=user,
            asked_at=asked_at,
        )
        _record(answer)
    return Asked(answer, is_new=True)


def _check_may_ask(user: User | None, team: Team, round: Round, asked_at: datetime) -> None:
    if not round.format.is_asked:
        raise QueryRefused("round.not_interactive")
    check_round(user, team, round, asked_at)
    if user is not None and not has_accepted(user, round.contest):
        raise QueryRefused("terms.first")
    if original_of(round.contest) is None:
        raise QueryRefused("data.missing")


def _read(round: Round, query: Any, epsilon: str) -> tuple[Query, Decimal]:
    from scoring.formats.disclosure.queries import (
        parse_query,
    )  # imports numpy, which most pages do not need

    problems: list[Problem] = []
    parsed, cost = None, Decimal(0)
    try:
        parsed = parse_query(query, disclosed_attributes(round.contest))
    except ProblemsFound as found:
        problems += found.problems
    try:
        # In its shortest form: thousands of trailing zeros would be stored with every fact.
        cost = epsilon_of(millionths_of(epsilon_from(epsilon.strip())))
    except ValueError:
        problems.append(Problem("query.epsilon", {"expected": PLACES, "got": shorten(epsilon)}))
    if parsed is None or problems:
        raise ProblemsFound(problems)
    return parsed, cost


def _payable(team: Team, round: Round, cost: Decimal) -> tuple[int, Budget]:
    """The number of the next answer, and the team's budget after it; refused if the budget is exceeded."""
    newest = ledger.answers_of(team, round).first()
    number = newest.number + 1 if newest else 1
    if number > MAX_ANSWERS:
        raise QueryRefused("answers.too_many", expected=MAX_ANSWERS)
    try:
        budget = ledger.budget_of(team, round).spend(cost)
    except BudgetExceeded as exceeded:
        expected = f"{exceeded.remaining:f}"
        raise QueryRefused("budget.exceeded", got=f"{cost:f}", expected=expected) from exceeded
    left = ledger.left_for_all(round.contest)
    if left is not None and cost > left:
        raise QueryRefused("budget.all_teams", got=f"{cost:f}", expected=f"{left:f}")
    return number, budget


def _record(answer: Answer) -> None:
    audit_log.record(
        "query.answered",
        actor=answer.asked_by,
        contest_id=answer.round.contest_id,
        subject=str(answer.public_id),
        team=answer.team.slug,
        round=answer.round.key,
        number=answer.number,
        epsilon=f"{answer.epsilon:f}",
        spent=f"{answer.epsilon_so_far:f}",
    )


# The batch release


def ensure_released(round: Round, now: datetime | None = None) -> BatchRelease | None:
    """The released table of a batch round, created now if it is due; None until then.

    Safe to call at any time and concurrently: of two drafts one is discarded without being shown, because two
    releases of one table would double the privacy loss.
    """
    now = now or timezone.now()
    found = BatchRelease.objects.filter(round=round).select_related("table").first()
    if found is not None or not is_release_due(round, now):
        return found
    from pwscup.submissions.evaluation import disclosing

    epsilon, source = epsilon_of_round(round), dataset_of(round.contest).sealed_id
    data, n_records = disclosing.released_table(round.contest, epsilon)
    file = storage.publish(data, name=f"{round.key}.csv")
    kept = None
    try:
        with transaction.atomic():
            # The contest's row is locked too: changes of rules, table or dates wait.
            both = Round.objects.select_for_update(no_key=True).select_related("contest")
            held = both.get(pk=round.pk)
            found = BatchRelease.objects.filter(round=held).first()
            is_same = is_release_due(held, now) and epsilon_of_round(held) == epsilon
            if found is None and is_same and dataset_of(held.contest).sealed_id == source:
                file.save()
                kept = BatchRelease.objects.create(
                    round=held, table=file, cost=millionths_of(epsilon), n_records=n_records
                )
                audit_log.record(
                    "batch.released",
                    contest_id=round.contest_id,
                    subject=round.key,
                    epsilon=f"{epsilon:f}",
                    n_records=n_records,
                    sha256=file.sha256,
                )
    finally:
        if kept is None:
            storage.discard(file)
    return kept or found


def release_due(now: datetime | None = None) -> int:
    """Release the table of every batch round that has opened; return their number."""
    now = now or timezone.now()
    opened = Round.objects.filter(
        kind__in=kinds_where("is_release"),
        opens_at__lte=now,
        contest__is_published=True,
        batch_release=None,
    )
    return sum(_released_alone(round, now) for round in opened.select_related("contest"))


def _released_alone(round: Round, now: datetime) -> int:
    """Release for one round; a failure does not affect other contests."""
    n_released = 0
    with faults.alone(round.contest, faults.RELEASE, round.key):
        n_released += ensure_released(round, now) is not None
    return n_released
