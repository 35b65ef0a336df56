"""The gates of a ruleset: which tables are refused, and with which value."""

from __future__ import annotations

from typing import TYPE_CHECKING

from scoring.errors import Problem

if TYPE_CHECKING:
    from collections.abc import Mapping

    from scoring.rulesets.base import Ruleset
    from scoring.scores.comparison import Comparison, Options


def outside(ruleset: Ruleset, values: Mapping[str, float | None]) -> list[Problem]:
    """A problem for each gate that a table with these values does not pass, with the value and the bound."""
    found = []
    for gate in ruleset.gates:
        value = values.get(gate.measure)
        if gate.admits(value):
            continue
        params: dict[str, str | int | float] = {"measure": gate.measure}
        if value is None:
            found.append(Problem("gate.unknown", params))
        elif gate.low is not None and value < gate.low:
            found.append(Problem("gate.below", params | _shown(gate.low, value)))
        elif gate.high is not None:
            found.append(Problem("gate.above", params | _shown(gate.high, value)))
    return found


def gated(
    ruleset: Ruleset, comparison: Comparison, options: Options
) -> dict[str, float | int | None]:
    """The values of the measures that have a gate."""
    return {
        gate.measure: ruleset.measure(gate.measure).value(comparison, options)
        for gate in ruleset.gates
    }


def _shown(expected: float, got: float) -> dict[str, str]:
    return {"expected": f"{expected:.9g}", "got": f"{got:.9g}"}
