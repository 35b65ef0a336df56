# SPDX-License-Identifier: Apache-2.0
"""Contexts of the pages of disclosures: plain functions of facts."""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import dataclass
from datetime import datetime
from decimal import Decimal
from fractions import Fraction
from itertools import islice
from typing import TYPE_CHECKING, Any

from django.urls import reverse
from django.utils.translation import gettext as _

from pwscup.contests.downloads import terms_first_url
from pwscup.contests.guidance import round_state
from pwscup.contests.organize import common
from pwscup.contests.selectors import contest_page, original_of
from pwscup.core.texts.parts import listed, named
from pwscup.disclosure import ledger, selectors
from pwscup.disclosure.asking import NO_TEAM
from pwscup.disclosure.forms import Question
from pwscup.disclosure.models import epsilon_of
from pwscup.disclosure.services import REFUSALS
from pwscup.formats import kinds_where
from pwscup.formats.hidden.disclosed import (
    budget_in,
    disclosed_attributes,
    epsilon_of_round,
    spec_of,
)
from pwscup.submissions.intake.gates import Gate, gate

if TYPE_CHECKING:
    from django.http import HttpRequest

    from pwscup.accounts.models import Team
    from pwscup.contests.models import Contest, Round
    from pwscup.disclosure.asking import Outcome
    from pwscup.disclosure.models import Answer, BatchRelease
    from pwscup.disclosure.services import Quote
    from scoring.formats.disclosure.attributes import Attribute
    from scoring.formats.disclosure.queries import Query
    from scoring.privacy.accounting import Budget

CONFIDENCE = 0.95
MAX_SHOWN_CELLS = 1000
MAX_SHOWN_VALUES = 6


# Texts


@dataclass(frozen=True, slots=True)
class QueryText:
    """A query as text."""

    columns: str
    filters: tuple[str, ...]


def query_text(query: Mapping[str, Any], *, shortened: bool = False) -> QueryText:
    """The counted columns and the filter; lists show the first values of a long filter."""
    most = MAX_SHOWN_VALUES if shortened else None
    filters = tuple(_filter(column, values, most) for column, values in query["where"].items())
    return QueryText(" × ".join(query["columns"]) or _("a single count"), filters)


def _filter(column: str, values: list[str], most: int | None) -> str:
    shown = listed(values[:most])
    if most is None or len(values) <= most:
        return named(column, shown)
    more = _("%(values)s and %(n)s more") % {"values": shown, "n": len(values) - most}
    return named(column, more)


@dataclass(frozen=True, slots=True)
class Noise:
    """The noise for an ε: the number of cells, the scale of their noise, and the expected error.

    The noise of a cell stays within `bound` with a probability of 95 %; `distance` is the expected L2
    distance of the whole answer (root mean square).
    """

    n_cells: int
    scale: float
    bound: int
    distance: float


def noise_of(query: Query, attributes: tuple[Attribute, ...], epsilon: Decimal) -> Noise:
    """The noise of an answer, which depends on nothing hidden."""
    from scoring.formats.disclosure.curves import asked_once
    from scoring.formats.disclosure.queries import sensitivity_of, sizes_of
    from scoring.privacy.mechanisms import accuracy

    n_cells, sensitivity = math.prod(sizes_of(query, attributes)), sensitivity_of(query)
    # Rounded up, because the bound of the continuous distribution then also holds for integers.
    bound = math.ceil(accuracy(sensitivity, float(epsilon), 1 - CONFIDENCE))
    scale = float(sensitivity / Fraction(epsilon))
    return Noise(n_cells, scale, bound, asked_once(n_cells, epsilon, sensitivity))


# Asking


def ask_page(request: HttpRequest, round: Round, outcome: Outcome | None = None) -> dict[str, Any]:
    """The budget, the form, the cost of the question, and the answers so far."""
    contest = round.contest
    context = contest_page(request, contest, round.key)
    team, now = context["my_team"], context["now"]
    closed_to_me = ask_gate(request, round, team, now)
    attributes = () if closed_to_me else disclosed_attributes(contest)
    question = outcome.question if outcome else Question.of(request.GET)
    return context | {
        "round": round,
        "round_state": round_state(round, now),
        "gate": closed_to_me,
        "question": question,
        "fields": question.fields(attributes),
        "target": spec_of(contest).target,
        "target_address": Question(spec_of(contest).target).address,
        "budget": ledger.budget_of(team, round) if team else None,
        "left_for_all": ledger.left_for_all(contest),
        "problems": outcome.problems if outcome else (),
        "n_more": outcome.n_more if outcome else 0,
        "offer": _offer(outcome.quote, attributes, team, round) if outcome else None,
        "lines": _lines(team, round) if team else [],
    }


def ask_gate(request: HttpRequest, round: Round, team: Team | None, now: datetime) -> Gate | None:
    """The first reason why no question can be asked; None if it can."""
    closed_to_me = gate(request, round, team, now)
    if team is None and round.is_open(now):
        return Gate(str(NO_TEAM), _("To the teams"), reverse("team", args=[round.contest.slug]))
    if closed_to_me is not None:
        return closed_to_me
    if original_of(round.contest) is None:
        return Gate(_("The organizers have not uploaded the table yet."))
    if terms := terms_first_url(request, round.contest):
        return Gate(str(REFUSALS["terms.first"]), _("Read the terms"), terms)
    return None


@dataclass(frozen=True, slots=True)
class Offer:
    """A question before payment: the query, its noise, and the remaining budget."""

    asked: QueryText
    epsilon: Decimal
    noise: Noise
    left: Decimal
    paid: Answer | None


def _offer(
    quote: Quote | None, attributes: tuple[Attribute, ...], team: Team | None, round: Round
) -> Offer | None:
    if quote is None or team is None or not attributes:
        return None
    left = ledger.budget_of(team, round).remaining - (0 if quote.paid else quote.epsilon)
    asked = query_text({"columns": quote.query.columns, "where": dict(quote.query.where)})
    noise = noise_of(quote.query, attributes, quote.epsilon)
    return Offer(asked, quote.epsilon, noise, left, quote.paid)


@dataclass(frozen=True, slots=True)
class Line:
    """An answer in the list."""

    answer: Answer
    asked: QueryText


def _lines(team: Team, round: Round) -> list[Line]:
    answers = ledger.answers_of(team, round).defer("counts")
    return [Line(answer, query_text(answer.query, shortened=True)) for answer in answers]


# One answer


def answer_page(request: HttpRequest, answer: Answer) -> dict[str, Any]:
    """The query and the noisy counts."""
    from scoring.formats.disclosure.queries import cells_of, parse_query

    round = answer.round
    attributes = disclosed_attributes(round.contest)
    query = parse_query(answer.query, attributes)
    cells = zip(cells_of(query, attributes), answer.counts, strict=True)
    ask = reverse("ask", args=[round.contest.slug, round.key])
    return contest_page(request, round.contest, round.key) | {
        "round": round,
        "answer": answer,
        "asked": query_text(answer.query),
        "columns": query.columns,
        "cells": list(islice(cells, MAX_SHOWN_CELLS)),
        "n_left_out": max(0, len(answer.counts) - MAX_SHOWN_CELLS),
        "noise": noise_of(query, attributes, answer.epsilon),
        "ask_url": ask,
        "again_url": f"{ask}{Question.again(answer.query).address}",
    }


# For organizers


@dataclass(frozen=True, slots=True)
class Spending:
    """The spending of a team in a round, without any count."""

    team: Team
    budget: Budget
    n_answers: int
    last_at: datetime | None


@dataclass(frozen=True, slots=True)
class Disclosing:
    """A round with its release, or with the spending of each team."""

    round: Round
    epsilon: Decimal
    release: BatchRelease | None = None
    lines: tuple[Spending, ...] = ()


def organizer_page(request: HttpRequest, contest: Contest) -> dict[str, Any]:
    """Every round of disclosure: the time of its release, or the spending of each team."""
    page = common.organizer_page(request, contest, "disclosure")
    page["spent_by_all"] = ledger.spent_by_all(contest)
    page["left_for_all"] = ledger.left_for_all(contest)
    page["disclosing"] = disclosing_rounds(contest)
    return page


def disclosing_rounds(contest: Contest) -> list[Disclosing]:
    """Every round of disclosure with its release, or with the spending of each team."""
    teams, spending = list(contest.teams.order_by("name")), selectors.spending_of(contest)
    rounds = contest.rounds.filter(kind__in=kinds_where("tells_of_table"))
    return [
        _disclosing(round, teams, spending)
        for round in rounds.select_related("contest", "batch_release__table")
    ]


def _disclosing(
    round: Round, teams: list[Team], spending: Mapping[tuple[int, int], Mapping[str, Any]]
) -> Disclosing:
    epsilon = epsilon_of_round(round)
    if round.format.is_release:
        return Disclosing(round, epsilon, getattr(round, "batch_release", None))
    lines = (_spending(team, round, spending.get((round.pk, team.pk), {})) for team in teams)
    return Disclosing(round, epsilon, lines=tuple(lines))


def _spending(team: Team, round: Round, facts: Mapping[str, Any]) -> Spending:
    budget = budget_in(round, epsilon_of(facts.get("spent", 0)))
    return Spending(team, budget, facts.get("n_answers", 0), facts.get("last_at"))
