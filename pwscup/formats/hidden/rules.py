"""The rules of a contest about a hidden table, in words."""

from __future__ import annotations

from typing import TYPE_CHECKING

from django.utils.translation import gettext_lazy as _

from pwscup.formats.kinds import ROUNDS

if TYPE_CHECKING:
    from scoring.rulesets import RoundSpec, Ruleset

HEADLINE = None
DATA = _(
    "The table stays hidden. Teams know its columns and the values that these can have, and learn what "
    "the rounds disclose."
)
TARGET = _(
    "What is estimated is the contingency table over %(target)s: how many records have each combination of "
    "their values."
)
NEIGHBOURS = _(
    "Two tables are neighbours where they differ in the values of one record; the number of records is known "
    "to all."
)


def data(_ruleset: Ruleset) -> tuple[str, ...]:
    """Nobody gets any of it."""
    return (str(DATA),)


def contents(ruleset: Ruleset, _deletions: tuple[str, ...]) -> tuple[str, ...]:
    """What is estimated, and which tables the noise makes hard to distinguish."""
    if ruleset.disclosure is None:
        return ()
    target = ", ".join(ruleset.disclosure.target)
    return (str(TARGET) % {"target": target}, str(NEIGHBOURS))


def round_sentence(ruleset: Ruleset, spec: RoundSpec) -> str:
    """What the round discloses, and for which ε."""
    discloses = ROUNDS[spec.kind].discloses
    if ruleset.disclosure is None or discloses is None:
        return ""
    columns = ", ".join(ruleset.disclosure.columns)
    return str(discloses) % {"columns": columns, "epsilon": f"{spec.epsilon:f}"}
