# SPDX-License-Identifier: Apache-2.0
"""The rules of a contest with a hidden table, as text."""

from __future__ import annotations

from typing import TYPE_CHECKING

from django.utils.translation import gettext_lazy as _

from pwscup.core.texts.parts import listed
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


def data(_ruleset: Ruleset) -> tuple[str, ...]:
    """Nobody gets the table."""
    return (str(DATA),)


def contents(ruleset: Ruleset, _deletions: tuple[str, ...]) -> tuple[str, ...]:
    """The target of the estimate, and the tables that the noise makes hard to distinguish."""
    if ruleset.disclosure is None:
        return ()
    target = listed(ruleset.disclosure.target)
    return (str(TARGET) % {"target": target}, str(NEIGHBOURS))


def round_sentence(ruleset: Ruleset, spec: RoundSpec) -> str:
    """The disclosure of the round, and its ε."""
    discloses = ROUNDS[spec.kind].discloses
    if ruleset.disclosure is None or discloses is None:
        return ""
    columns = listed(ruleset.disclosure.columns)
    return str(discloses) % {"columns": columns, "epsilon": f"{spec.epsilon:f}"}
