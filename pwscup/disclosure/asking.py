# SPDX-License-Identifier: Apache-2.0
"""Handling of the query form: the cost of a question, or its answer; errors cost nothing."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from django.utils.translation import gettext_lazy as _

from pwscup.accounts.selectors import team_of
from pwscup.core.texts.problems import SEPARATOR, parts
from pwscup.core.texts.refusals import Refused
from pwscup.disclosure import services
from pwscup.disclosure.forms import Question
from pwscup.submissions.middleware import arrival
from scoring.errors import ProblemsFound

if TYPE_CHECKING:
    from pwscup.contests.models import Round
    from pwscup.core.http.requests import SignedIn
    from pwscup.disclosure.services import Asked, Quote

PAY = "pay"
NO_TEAM = _("Only teams can ask questions, and you are not in a team yet.")


@dataclass(frozen=True, slots=True)
class Outcome:
    """A question with its problems, its cost, or its answer."""

    question: Question
    problems: tuple[str, ...] = ()
    n_more: int = 0
    quote: Quote | None = None
    asked: Asked | None = None


def receive(request: SignedIn, round: Round) -> Outcome:
    """Check a question, or ask it, depending on the button."""
    question = Question.of(request.POST)
    team = team_of(request.user, round.contest)
    if team is None:
        return Outcome(question, (str(NO_TEAM),))
    what: dict[str, Any] = {
        "user": request.user,
        "team": team,
        "round": round,
        "asked_at": arrival(request),
        "query": question.query,
        "epsilon": question.epsilon,
    }
    try:
        if PAY in request.POST:
            return Outcome(question, asked=services.ask(**what))
        return Outcome(question, quote=services.quote(**what))
    except ProblemsFound as found:
        texts = tuple(
            SEPARATOR.join(filter(None, (problem.column, *parts(problem))))
            for problem in found.problems
        )
        return Outcome(question, texts, n_more=found.n_total - len(texts))
    except Refused as refusal:
        return Outcome(question, (str(refusal),))
