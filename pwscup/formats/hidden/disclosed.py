"""What a contest discloses of a hidden table: its columns with their values, when, and for which ε."""

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
    """What the rules disclose; LookupError where they hide no table."""
    spec = contest.ruleset.disclosure
    if spec is None:
        raise LookupError(f"contest {contest.pk} hides no table")
    return spec


def disclosed_attributes(contest: Contest) -> tuple[Attribute, ...]:
    """The columns whose values are released and may be asked for, each with its values."""
    from scoring.formats.disclosure.attributes import (
        attributes_of,  # numpy, which most pages do without
    )

    return attributes_of(dataset_of(contest).schema, spec_of(contest).columns)


def target_attributes(contest: Contest) -> tuple[Attribute, ...]:
    """The columns of the contingency table that is estimated, each with its values."""
    from scoring.formats.disclosure.attributes import attributes_of

    return attributes_of(dataset_of(contest).schema, spec_of(contest).target)


def n_cells(ruleset: Ruleset, schema: Schema) -> int:
    """Of the table that is estimated; 0 where none is."""
    from scoring.formats.disclosure.attributes import attributes_of

    spec = ruleset.disclosure
    return math.prod(len(a.values) for a in attributes_of(schema, spec.target)) if spec else 0


def is_release_due(round: Round, now: datetime) -> bool:
    """A published contest's batch round has opened, so that its table is to be released."""
    contest = round.contest
    if not round.format.is_release or not contest.is_published or contest.erased_at is not None:
        return False
    return round.has_opened(now) and original_of(contest) is not None


def epsilon_of_round(round: Round) -> Decimal:
    """What every team may spend in an interactive round, or what a batch release costs."""
    epsilon = round.spec.epsilon
    if epsilon is None:
        raise LookupError(f"round {round.pk} discloses nothing")
    return epsilon


def budget_in(round: Round, spent: Decimal) -> Budget:
    """A team's budget of which it has spent something; never less than nothing is left."""
    return Budget(max(epsilon_of_round(round), spent), spent)
