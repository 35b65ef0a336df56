# SPDX-License-Identifier: Apache-2.0
"""The rules of a contest with a hidden table, as text."""

from __future__ import annotations

from decimal import Decimal
from typing import TYPE_CHECKING

from django.utils.translation import gettext_lazy as _

from pwscup.core.texts.parts import listed
from pwscup.formats.hidden.disclosed import errors_epsilon
from pwscup.formats.kinds import ROUNDS

if TYPE_CHECKING:
    from scoring.rulesets import RoundSpec, Ruleset

HEADLINE = None
DATA = _(
    "The table stays hidden. Teams know its columns and their possible values, and learn what "
    "the rounds disclose."
)
TARGET = _(
    "What is estimated is the contingency table over %(target)s: how many records have each combination of "
    "their values."
)
NEIGHBOURS = _(
    "Two tables are neighbours if they differ in the values of one record; the number of records is known "
    "to all."
)
EXACT_ERRORS = _(
    "The errors of estimates are exact. Counts of the table can be computed from the errors of several estimates: once "
    "they are shown, no ε holds for the table."
)
NOISY_ERRORS = _(
    "The errors of estimates are distances from the counts of the target with discrete Laplace noise of scale 2/ε for "
    "ε = %(epsilon)s. It is drawn once for all estimates of all teams, and nobody can repeat it. Everything that is "
    "shown about estimates, also in the debriefing, is computed from these noisy counts, so that all of it together "
    "costs ε = %(epsilon)s, however many estimates there are. A count of an estimate has at most as many "
    "digits as the number of records."
)
IN_ALL = _(
    "What one team can learn about the table in the whole contest costs ε = %(one)s: %(released)s for what is released "
    "to all, %(asked)s for its own answers and %(epsilon)s for the errors. Of n teams together it is "
    "%(common)s + n × %(asked)s."
)


def data(_ruleset: Ruleset) -> tuple[str, ...]:
    """Nobody gets the table."""
    return (str(DATA),)


def contents(ruleset: Ruleset, _deletions: tuple[str, ...]) -> tuple[str, ...]:
    """The target of the estimate, the tables that the noise makes hard to distinguish, and the ε of all."""
    if ruleset.disclosure is None:
        return ()
    target = listed(ruleset.disclosure.target)
    return (str(TARGET) % {"target": target}, str(NEIGHBOURS), *privacy(ruleset))


def privacy(ruleset: Ruleset) -> tuple[str, ...]:
    """The cost of errors, and the sum of all ε."""
    errors = errors_epsilon(ruleset)
    if errors is None:
        return (str(EXACT_ERRORS),)
    costs = [(ROUNDS[spec.kind].is_release, spec.epsilon or Decimal(0)) for spec in ruleset.rounds]
    released = sum((epsilon for is_release, epsilon in costs if is_release), Decimal(0))
    asked = sum((epsilon for is_release, epsilon in costs if not is_release), Decimal(0))
    common = released + errors
    sums = {"epsilon": errors, "released": released, "asked": asked, "common": common}
    shown = {name: f"{epsilon:f}" for name, epsilon in (sums | {"one": common + asked}).items()}
    return (str(NOISY_ERRORS) % shown, str(IN_ALL) % shown)


def round_sentence(ruleset: Ruleset, spec: RoundSpec) -> str:
    """The disclosure of the round, and its ε."""
    discloses = ROUNDS[spec.kind].discloses
    if ruleset.disclosure is None or discloses is None:
        return ""
    columns = listed(ruleset.disclosure.columns)
    return str(discloses) % {"columns": columns, "epsilon": f"{spec.epsilon:f}"}
