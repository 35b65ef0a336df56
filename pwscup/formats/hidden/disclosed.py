# SPDX-License-Identifier: Apache-2.0
"""Disclosure of a hidden table in a contest: its columns with their values, the times, and ε."""

from __future__ import annotations

import math
from decimal import Decimal
from typing import TYPE_CHECKING

from pwscup.contests.selectors import dataset_of, original_of
from scoring.privacy.accounting import Budget

if TYPE_CHECKING:
    from datetime import datetime

    from pwscup.contests.models import Contest, Round
    from scoring.formats.disclosure.attributes import Attribute
    from scoring.rulesets import Ruleset
    from scoring.rulesets.base import DisclosureSpec
    from scoring.tables.schema import Schema


def spec_of(contest: Contest) -> DisclosureSpec:
    """The disclosure in the rules; LookupError if they hide no table."""
    spec = contest.ruleset.disclosure
    if spec is None:
        raise LookupError(f"contest {contest.pk} hides no table")
    return spec


def disclosed_attributes(contest: Contest) -> tuple[Attribute, ...]:
    """The columns with their values that are released and may be queried."""
    from scoring.formats.disclosure.attributes import (
        attributes_of,  # imports numpy, which most pages do not need
    )

    return attributes_of(dataset_of(contest).schema, spec_of(contest).columns)


def target_attributes(contest: Contest) -> tuple[Attribute, ...]:
    """The columns with their values of the contingency table that is estimated."""
    from scoring.formats.disclosure.attributes import attributes_of

    return attributes_of(dataset_of(contest).schema, spec_of(contest).target)


def errors_epsilon(ruleset: Ruleset) -> Decimal | None:
    """The ε of all errors of estimates; None if they are exact, or if nothing is estimated."""
    return None if ruleset.disclosure is None else ruleset.disclosure.errors_epsilon


def most_per_cell(contest: Contest) -> int:
    """The largest count of an estimate: where errors cost ε, that of as many digits as the number of records has.

    It does not disclose that number. Otherwise any.
    """
    from scoring.formats.disclosure.estimates import MAX_COUNT

    exact = errors_epsilon(contest.ruleset) is None
    return MAX_COUNT if exact else 10 ** len(str(dataset_of(contest).n_records)) - 1


def n_cells(ruleset: Ruleset, schema: Schema) -> int:
    """The number of cells of the estimated table; 0 if there is none."""
    from scoring.formats.disclosure.attributes import attributes_of

    spec = ruleset.disclosure
    return math.prod(len(a.values) for a in attributes_of(schema, spec.target)) if spec else 0


def is_release_due(round: Round, now: datetime) -> bool:
    """A published contest's batch round has opened, so its table must be released."""
    contest = round.contest
    if not round.format.is_release or not contest.is_published or contest.erased_at is not None:
        return False
    return round.has_opened(now) and original_of(contest) is not None


def epsilon_of_round(round: Round) -> Decimal:
    """The ε of every team in an interactive round, or of a batch release."""
    epsilon = round.spec.epsilon
    if epsilon is None:
        raise LookupError(f"round {round.pk} discloses nothing")
    return epsilon


def budget_in(round: Round, spent: Decimal) -> Budget:
    """A team's budget after spending; the remainder is never negative."""
    return Budget(max(epsilon_of_round(round), spent), spent)
