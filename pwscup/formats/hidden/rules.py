"""The rules of a contest about a hidden table, in words."""

from __future__ import annotations

from typing import TYPE_CHECKING

from pwscup.contests.rules.texts import DISCLOSES, NEIGHBOURS, TARGET

if TYPE_CHECKING:
    from scoring.rulesets import RoundSpec, Ruleset

HEADLINE = None


def contents(ruleset: Ruleset, _deletions: tuple[str, ...]) -> tuple[str, ...]:
    """What is estimated, and which tables the noise makes hard to distinguish."""
    if ruleset.disclosure is None:
        return ()
    target = ", ".join(ruleset.disclosure.target)
    return (str(TARGET) % {"target": target}, str(NEIGHBOURS))


def round_sentence(ruleset: Ruleset, spec: RoundSpec) -> str:
    """What the round discloses, and for which ε."""
    if ruleset.disclosure is None or spec.kind not in DISCLOSES:
        return ""
    columns = ", ".join(ruleset.disclosure.columns)
    return str(DISCLOSES[spec.kind]) % {"columns": columns, "epsilon": f"{spec.epsilon:f}"}
