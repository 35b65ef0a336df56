# SPDX-License-Identifier: Apache-2.0
"""The gates of a ruleset: which tables are refused, and with which value."""

from __future__ import annotations

from typing import TYPE_CHECKING

from scoring.errors import Problem
from scoring.scores.options import WORST

if TYPE_CHECKING:
    from collections.abc import Mapping

    from scoring.registry import Measure
    from scoring.rulesets.base import GateSpec, Ruleset
    from scoring.scores.comparison import Comparison, Options


def outside(
    ruleset: Ruleset, values: Mapping[str, float | None], stage: str | None = None
) -> list[Problem]:
    """A problem for each gate that a table with these values does not pass, with the value and the bound; of the gates
    of a stage where it is named.

    A value of a program, or one that is made of it, is only checked where the program ran.
    """
    found: list[Problem] = []
    for gate in ruleset.gates_in(stage):
        measure, value = ruleset.measure(gate.measure), values.get(gate.measure)
        if gate.admits(value) or not (measure.is_computed or gate.measure in values):
            continue
        of_parts = {p.key: values.get(f"{gate.measure}.{p.key}") for p in ruleset.data.parts}
        if ruleset.data.combine == WORST and any(v is not None for v in of_parts.values()):
            unfit = {k: v for k, v in of_parts.items() if v is not None and not gate.admits(v)}
            found += [_problem(gate, measure, value, file) for file, value in unfit.items()]
        else:
            found.append(_problem(gate, measure, value))
    return found


def _problem(
    gate: GateSpec, measure: Measure, value: float | None, file: str | None = None
) -> Problem:
    """With the measure's title: in both languages where the ruleset or a plugin has it, else to be translated."""
    titles = measure.texts.get("title", {"en": measure.title})
    params: dict[str, str | int | float] = {
        "measure": f"{titles['en']} ({measure.id})",
        "id": measure.id,
        "title": titles["en"],
    }
    if "ja" in titles:
        params["measure_ja"] = f"{titles['ja']}（{measure.id}）"
    if value is None:
        return Problem("gate.unknown", params, file)
    if gate.low is not None and value < gate.low:
        return Problem("gate.below", params | _shown(gate.low, value), file)
    return Problem("gate.above", params | _shown(gate.high or 0.0, value), file)


def gated(
    ruleset: Ruleset, comparison: Comparison, options: Options
) -> dict[str, float | int | None]:
    """The values of the measures that have a gate, without those of a program."""
    measures = (ruleset.measure(gate.measure) for gate in ruleset.gates)
    return {m.id: m.value(comparison, options) for m in measures if m.is_computed}


def _shown(expected: float, got: float) -> dict[str, str]:
    return {"expected": f"{expected:.9g}", "got": f"{got:.9g}"}
