# SPDX-License-Identifier: Apache-2.0
"""The boards of every other formula: utility, protection, attack and presentation in per cent, and a total."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any

from pwscup.contests.rules.measures import columns_of
from pwscup.leaderboards.boards.sections import (
    Facts,
    Row,
    built_in_attacks,
    in_order,
    matrix,
    named,
    phase_row,
    with_intervals,
)
from scoring.formulas import OF_LISTED, PARTS, Line, Scores, ranked_boards
from scoring.rulesets.base import ONLY_BOARD, BoardSpec

if TYPE_CHECKING:
    from scoring.formulas.uncertainty import Place

BUILT_IN = 0
"""The key of the library's attacks among the attackers, whose keys begin with 1."""


@dataclass(frozen=True, slots=True)
class Worst:
    """The highest rate of a built-in attack against a table, in per cent, and its attack."""

    rate: float
    attack: str


def build(facts: Facts) -> dict[str, Any]:
    """The boards of scores, the measures of the tables, and the attack matrix."""
    lines = boards_of(facts)
    places = _places(facts, lines)
    sections = {
        spec.key: _section(facts, spec, lines, places.get(spec.key, {}))
        for spec in facts.rules.score_boards
    }
    first = next(iter(sections.values()))
    ranks = {row["team"]: row["rank"] for row in first["rows"]}
    return {
        **sections,
        "measures": _measures(facts, first["rows"]),
        "matrix": {**phase_row(facts.attack), **matrix(facts, ranks, ranks)},
    }


def _places(
    facts: Facts, lines: Mapping[str, Mapping[int, Line]]
) -> Mapping[str, Mapping[int, Place]]:
    """The intervals of the boards, once attacks whose records are known are shown."""
    if not (facts.is_attack_shown and facts.found):
        return {}
    from scoring.formulas.places import board_places  # loads NumPy

    return board_places(
        facts.rules.score_boards,
        _scores(facts),
        facts.found,
        lines,
        are_shared=facts.ranking.shares_ranks,
    )


def boards_of(facts: Facts) -> dict[str, dict[int, Line]]:
    """Every ranked team's total and components on each board; unknown values are missing and have no weight.

    The totals are computed among all teams, so that the attacks of all count; a division ranks its own teams by them.
    """
    boards = ranked_boards(
        facts.rules.score_boards,
        _scores(facts),
        players=[player.id for player in facts.players],
        arrived=facts.arrived,
        # unknown guesses differ from wrong guesses
        changed={} if facts.is_attack_shown else {"attack": 0},
    )
    return {
        key: {team: _known(facts, line) for team, line in lines.items()}
        for key, lines in boards.items()
    }


def _known(facts: Facts, line: Line) -> Line:
    """The line without an attack score that must not be shown yet."""
    return line if facts.is_attack_shown else replace(line, attack=None)


def _scores(facts: Facts) -> Scores[int]:
    teams = tuple(player.id for player in facts.everybody)
    values = {team: facts.measured.get(team, {}) for team in teams}
    ranking = facts.ranking
    scores = Scores(
        teams,
        {},
        {team: ranking.utility_in(of) for team, of in values.items()},
        {team: facts.marks.get(team) for team in teams},
        loss={team: of.get(ranking.loss_measure or "") for team, of in values.items()},
        lost=facts.lost,
        repeats=facts.repeats,
    )
    worst = built_in_worst(facts)
    against: dict[int, float | None] = {team: found.rate for team, found in worst.items()}
    if not facts.is_attack_shown:
        return replace(
            scores,
            teams=(*teams, BUILT_IN),
            matrix={BUILT_IN: against},
            defenders=frozenset(worst),
        )
    baselines = [player.id for player in facts.baselines]
    matrix: dict[int, dict[int, float | None]] = {team: {} for team in (*teams, *baselines)}
    sizes: dict[int, dict[int, int]] = {}
    for (attacker, defender), rate in facts.rates.items():
        matrix[attacker][defender] = 100 * rate
    for (attacker, defender), n in facts.n_guessed.items():
        sizes.setdefault(attacker, {})[defender] = n
    if "built-in" in ranking.baselines:
        matrix[BUILT_IN] = against
        baselines.append(BUILT_IN)
    return replace(
        scores,
        matrix=matrix,
        defenders=facts.published,
        attackers=ranking.attackers,
        baselines=tuple(baselines),
        n_guessed=sizes,
    )


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


def _section(
    facts: Facts,
    spec: BoardSpec,
    boards: Mapping[str, Mapping[int, Line]],
    places: Mapping[int, Place],
) -> Row:
    formula = OF_LISTED[spec.formula]
    worst = {} if facts.is_attack_shown else built_in_worst(facts)
    phases = (facts.anonymization, facts.attack, facts.presentation)
    return {
        **phase_row(facts.anonymization),
        **listed(facts, spec),
        "n_awaited": sum(phase.n_awaited for phase in phases if phase),
        "provisional": any(phase.is_provisional for phase in phases if phase),
        "formula": formula.id,
        "direction": spec.direction,
        "settings": formula.with_defaults(spec.settings),
        "tie_breaks": list(spec.tie_breaks),
        "parts": _parts(facts, spec),
        "missing": _missing(facts, spec),
        "is_built_in": bool(worst),
        "rows": with_intervals(_rows(facts, spec, boards, worst), places, facts.ranking),
    }


def listed(facts: Facts, spec: BoardSpec) -> Row:
    """Further parts of a board of a list: its title, and the boards that it is made of."""
    if not facts.rules.boards:
        return {}
    below = [facts.rules.board(key) for key in spec.boards]
    return {
        "kind": ONLY_BOARD,
        "title": dict(spec.title),
        "below": [{"key": other.key, "title": dict(other.title)} for other in below],
        "weights": list(spec.weights),
        "lost": [player.name for player in facts.players if player.id in facts.lost],
    }


def _uses(facts: Facts, spec: BoardSpec) -> set[str]:
    """The scores that a board depends on, those of the boards below among them."""
    below = (_uses(facts, facts.rules.board(key)) for key in spec.boards)
    return {*OF_LISTED[spec.formula].used(spec.settings)}.union(*below)


def _parts(facts: Facts, spec: BoardSpec) -> list[str]:
    """The columns: the scores used by the formula and available in the contest."""
    uses = OF_LISTED[spec.formula].used(spec.settings)
    has = {
        "utility": facts.ranking.utility_measure is not None,
        "protection": True,
        "attack": facts.attack is not None,
        "presentation": facts.presentation is not None,
    }
    return [part for part in PARTS if part in uses and has[part]]


def _missing(facts: Facts, spec: BoardSpec) -> list[str]:
    """The components that rounds in progress will add."""
    awaited = {
        "protection": facts.attack is not None and not facts.is_attack_shown,
        "attack": facts.attack is not None and not facts.is_attack_shown,
        "presentation": facts.presentation is not None and not facts.marks,
    }
    return [part for part in PARTS if part in _uses(facts, spec) and awaited.get(part)]


def _rows(
    facts: Facts,
    spec: BoardSpec,
    boards: Mapping[str, Mapping[int, Line]],
    worst: Mapping[int, Worst],
) -> list[Row]:
    lines, parts = boards[spec.key], _parts(facts, spec)
    taking_part = facts.taking_part
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
                **_below(spec, boards, player.id, in_it),
            }
        )
    by_utility = sorted(rows, key=lambda row: -(lines[row["team"]].utility or 0.0))
    unranked = [row for row in by_utility if row["rank"] is None]
    return in_order(row for row in rows if row["rank"] is not None) + unranked


def _below(
    spec: BoardSpec, boards: Mapping[str, Mapping[int, Line]], team: int, in_it: bool
) -> Row:
    """A team's places on the boards that this one is made of."""
    if not spec.boards:
        return {}
    lines = [boards[key][team] for key in spec.boards]
    known = [line if in_it and line.total is not None else None for line in lines]
    return {"below": [{"total": line and line.total, "rank": line and line.rank} for line in known]}


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
        measure: facts.rules.measure(measure).best_of(
            facts.measured.get(row["team"], {}).get(measure) for row in rows
        )
        for measure in measures
    }
    return {
        **phase_row(facts.anonymization),
        **columns_of(measures, facts.rules),
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
