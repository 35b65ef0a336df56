"""The board of every other formula: utility, protection, attack and presentation in per cent, and a total."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from pwscup.leaderboards.boards.sections import (
    Facts,
    Row,
    built_in_attacks,
    in_order,
    matrix,
    named,
    phase_row,
    utility_of,
)
from scoring.formulas import FORMULAS, PARTS, Formula, Line, Scores, combined, ranked
from scoring.registry import ALL_MEASURES

BUILT_IN = 0
"""The key of the library's attacks among the attackers, whose keys begin with 1."""


@dataclass(frozen=True, slots=True)
class Worst:
    """The highest rate of a built-in attack against a table, in per cent, and its attack."""

    rate: float
    attack: str


def formula_of(facts: Facts) -> Formula:
    return FORMULAS[facts.ranking.formula]


def build(facts: Facts) -> dict[str, Any]:
    """The board of scores, the measures of the tables, and the attack matrix."""
    lines = lines_of(facts)
    section = _section(facts, lines)
    ranks = {row["team"]: row["rank"] for row in section["rows"]}
    return {
        "score": section,
        "measures": _measures(facts, section["rows"]),
        "matrix": {**phase_row(facts.attack), **matrix(facts, ranks, ranks)},
    }


def lines_of(facts: Facts) -> dict[int, Line]:
    """Every ranked team's total and components; unknown values are missing and have no weight.

    The totals are computed among all teams, so that the attacks of all count; a division ranks its own teams by them.
    """
    formula, ranking = formula_of(facts), facts.ranking
    settings = dict(ranking.settings)
    if not facts.is_attack_shown and formula.setting("attack"):
        settings["attack"] = 0  # unknown guesses differ from wrong guesses
    lines = ranked(formula.id, _scores(facts), settings)
    own = {player.id: lines[player.id] for player in facts.players}
    board = combined([(1, own)], formula.direction, ranking.tie_breaks, facts.arrived)
    return {team: _known(facts, line) for team, line in board.items()}


def _known(facts: Facts, line: Line) -> Line:
    """The line without an attack score that must not be shown yet."""
    if facts.is_attack_shown:
        return line
    return Line(
        line.rank,
        line.total,
        line.utility,
        line.protection,
        None,
        line.presentation,
        line.tie_broken_by,
    )


def _scores(facts: Facts) -> Scores[int]:
    teams = tuple(player.id for player in facts.everybody)
    utility = {team: utility_of(facts, team) for team in teams}
    marks = {team: facts.marks.get(team) for team in teams}
    if facts.is_attack_shown:
        matrix: dict[int, dict[int, float | None]] = {team: {} for team in teams}
        for (attacker, defender), rate in facts.rates.items():
            matrix[attacker][defender] = 100 * rate
        average = facts.ranking.attackers
        return Scores(teams, matrix, utility, marks, facts.published, average)
    worst = built_in_worst(facts)
    against: dict[int, float | None] = {team: found.rate for team, found in worst.items()}
    return Scores((*teams, BUILT_IN), {BUILT_IN: against}, utility, marks, frozenset(worst))


def built_in_worst(facts: Facts) -> dict[int, Worst]:
    """The values that replace the teams' attacks until they are shown, if the rules have built-in attacks."""
    worst = {}
    for team, values in facts.measured.items():
        rates = [(values.get(attack), attack) for attack in built_in_attacks(facts)]
        known = [Worst(100 * rate, attack) for rate, attack in rates if rate is not None]
        if known:
            worst[team] = max(known, key=lambda found: found.rate)
    return worst


# The section


def _section(facts: Facts, lines: Mapping[int, Line]) -> Row:
    formula = formula_of(facts)
    worst = {} if facts.is_attack_shown else built_in_worst(facts)
    phases = (facts.anonymization, facts.attack, facts.presentation)
    first = facts.anonymization
    return {
        **phase_row(first),
        "n_awaited": sum(phase.n_awaited for phase in phases if phase),
        "provisional": any(phase.is_provisional for phase in phases if phase),
        "formula": formula.id,
        "direction": formula.direction,
        "settings": formula.with_defaults(facts.ranking.settings),
        "tie_breaks": list(facts.ranking.tie_breaks),
        "parts": _parts(facts),
        "missing": _missing(facts),
        "is_built_in": bool(worst),
        "rows": _rows(facts, lines, worst),
    }


def _parts(facts: Facts) -> list[str]:
    """The columns: the scores used by the formula and available in the contest."""
    uses = formula_of(facts).uses
    has = {
        "utility": facts.ranking.utility_measure is not None,
        "protection": True,
        "attack": facts.attack is not None,
        "presentation": facts.presentation is not None,
    }
    return [part for part in PARTS if part in uses and has[part]]


def _missing(facts: Facts) -> list[str]:
    """The components that rounds in progress will add."""
    awaited = {
        "protection": facts.attack is not None and not facts.is_attack_shown,
        "attack": facts.attack is not None and not facts.is_attack_shown,
        "presentation": facts.presentation is not None and not facts.marks,
    }
    return [part for part in _parts(facts) if awaited.get(part)]


def _rows(facts: Facts, lines: Mapping[int, Line], worst: Mapping[int, Worst]) -> list[Row]:
    taking_part, parts = facts.taking_part, _parts(facts)
    hides_utility = facts.ranking.utility_measure in facts.hidden
    rows = []
    for player in facts.players:
        line = lines[player.id]
        in_it = player.id in taking_part
        attack = worst.get(player.id)
        hidden = {
            "utility": hides_utility,
            "protection": attack is not None and attack.attack in facts.hidden,
        }
        rows.append(
            {
                **named(player, line.rank if in_it and line.total is not None else None),
                "submitted": in_it,
                "total": line.total if in_it else None,
                "tie_broken_by": line.tie_broken_by if in_it else None,
                "cells": [_cell(line, part, in_it, hidden.get(part, False)) for part in parts],
            }
        )
    by_utility = sorted(rows, key=lambda row: -(lines[row["team"]].utility or 0.0))
    unranked = [row for row in by_utility if row["rank"] is None]
    return in_order(row for row in rows if row["rank"] is not None) + unranked


def _cell(line: Line, part: str, in_it: bool, hidden: bool) -> Row:
    """A component of the total; `hidden` if it would reveal a hidden measure's value."""
    value = getattr(line, part) if in_it and not hidden else None
    return {"part": part, "value": value, "hidden": hidden}


# The measures, which are not ranked


def _measures(facts: Facts, rows: list[Row]) -> Row:
    """The measures of every table, in the order of the board of scores."""
    measures = [
        measure
        for measure in facts.rules.measures
        if measure not in facts.hidden
        and any(values.get(measure) is not None for values in facts.measured.values())
    ]
    best = {
        measure: ALL_MEASURES[measure].best_of(
            facts.measured.get(row["team"], {}).get(measure) for row in rows
        )
        for measure in measures
    }
    return {
        **phase_row(facts.anonymization),
        "measures": measures,
        "rows": [
            {
                **{name: row[name] for name in ("rank", "team", "name", "house")},
                "submitted": row["team"] in facts.measured,
                "cells": [
                    {"value": value, "best": value is not None and value == best[measure]}
                    for measure in measures
                    for value in [facts.measured.get(row["team"], {}).get(measure)]
                ],
            }
            for row in rows
        ],
    }
