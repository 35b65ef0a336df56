# SPDX-License-Identifier: Apache-2.0
"""The boards of a contest with a hidden table: its rounds next to each other, their comparison, the budget curve."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from datetime import datetime
from decimal import Decimal
from functools import lru_cache
from typing import Any

from pwscup.formats.hidden.disclosed import errors_epsilon
from pwscup.leaderboards.boards.sections import (
    Disclosure,
    Facts,
    Row,
    Values,
    in_order,
    measure_cell,
    named,
    phase_row,
)
from scoring.formulas import Line, combined, direction_of
from scoring.formulas.ranking import EstimatesStanding, compared_totals, estimates_board
from scoring.scores.options import DECIMALS

DISTANCE = "table-L2"
"""The measure of the budget curve."""
N_STEPS = 60
"""The number of points of the formula's line."""


def build(facts: Facts) -> dict[str, Any]:
    """The comparison of the rounds, the board of each of them, and the budget curve."""
    return {
        "comparison": _comparison(facts),
        "estimates": _estimates(facts),
        "curve": _curve(facts),
    }


def shown_rounds(facts: Facts) -> list[Disclosure]:
    """All rounds about the table, or none: results of one round would reveal the table in the others."""
    return [round for round in facts.disclosures if round.phase.shown]


def board_of(facts: Facts, measured: Mapping[int, Values]) -> dict[int, EstimatesStanding]:
    """Every team on the board of a round with these values."""
    values = _of_players(facts, measured)
    return estimates_board(values, facts.ranking, weights=facts.rules.weights)


def _of_players(facts: Facts, measured: Mapping[int, Values]) -> dict[int, Values]:
    """The values of every team, empty for a team without a submission."""
    return {player.id: measured.get(player.id, {}) for player in facts.players}


def lines_of(facts: Facts) -> dict[int, Line]:
    """Every team's mean over the rounds, None for one that took part in none."""
    rounds = [_of_players(facts, round.measured) for round in shown_rounds(facts)]
    totals = compared_totals(rounds, facts.ranking, weights=facts.rules.weights)
    lines = {player.id: Line(0, totals.get(player.id)) for player in facts.players}
    direction = direction_of(facts.ranking.formula)
    return combined([(1, lines)], direction, facts.ranking.tie_breaks, arrived(facts))


def arrived(facts: Facts) -> dict[int, datetime]:
    """The time of a team's last counting estimate."""
    latest: dict[int, datetime] = {}
    for round in shown_rounds(facts):
        for team, at in round.arrived.items():
            latest[team] = max(at, latest.get(team, at))
    return latest


# The comparison


def _phases(facts: Facts) -> Row:
    """The state of all rounds of a board, whose results are shown at the same time."""
    last = facts.disclosures[-1].phase if facts.disclosures else None
    return {**phase_row(last), "n_awaited": sum(d.phase.n_awaited for d in facts.disclosures)}


def _round_row(round: Disclosure) -> Row:
    return {
        "key": round.spec.key,
        "title": dict(round.spec.title),
        "kind": round.spec.kind,
        "epsilon": f"{round.spec.epsilon:f}",
    }


def _comparison(facts: Facts) -> Row:
    lines, rounds = lines_of(facts), shown_rounds(facts)
    boards = [board_of(facts, round.measured) for round in rounds]
    rows = []
    for player in facts.players:
        line = lines[player.id]
        rows.append(
            {
                **named(player, None if line.total is None else line.rank),
                "submitted": any(player.id in round.measured for round in rounds),
                "total": line.total,
                "tie_broken_by": line.tie_broken_by,
                "cells": [
                    _place(board[player.id] if player.id in round.measured else None)
                    for round, board in zip(rounds, boards, strict=True)
                ],
            }
        )
    return {
        **_phases(facts),
        "direction": direction_of(facts.ranking.formula),
        "tie_breaks": list(facts.ranking.tie_breaks),
        "rounds": [_round_row(round) for round in facts.disclosures],
        "rows": in_order(rows) if rounds else [],
    }


def _place(standing: EstimatesStanding | None) -> Row:
    if standing is None:
        return {"total": None, "rank": None}
    return {"total": standing.total, "rank": standing.rank}


# The rounds


def _estimates(facts: Facts) -> Row:
    """The boards of the rounds, one after the other, each row with its round."""
    boards = [(round, board_of(facts, round.measured)) for round in shown_rounds(facts)]
    ranked = {m for _, board in boards for s in board.values() for m in s.measure_ranks}
    measures = [m for m in facts.ranking.utility if m in ranked and m not in facts.hidden]
    return {
        **_phases(facts),
        "measures": measures,
        "rounds": [_round_row(round) for round in facts.disclosures],
        "rows": [
            {"round": round.spec.key, **row}
            for round, board in boards
            for row in _rows_of(facts, round, board, measures)
        ],
    }


def _rows_of(
    facts: Facts, round: Disclosure, board: Mapping[int, EstimatesStanding], measures: list[str]
) -> list[Row]:
    rows = []
    for player in facts.players:
        values = round.measured.get(player.id)
        if values is None:
            rows.append({**named(player, None), "submitted": False})
            continue
        standing = board[player.id]
        rows.append(
            {
                **named(player, standing.rank),
                "submitted": True,
                "total": standing.total,
                "cells": [
                    measure_cell(values.get(m), standing.measure_ranks.get(m)) for m in measures
                ],
            }
        )
    return in_order(rows)


# The budget curve


def _curve(facts: Facts) -> Row:
    """Every estimate by its ε and its distance, and the theoretical curve."""
    is_hidden = DISTANCE in facts.hidden
    rows = [] if is_hidden else list(_points(facts))
    return {
        **_phases(facts),
        "exists": bool(facts.disclosures) and DISTANCE in facts.rules.measures,
        "hidden": is_hidden,
        "rounds": [_round_row(round) for round in facts.disclosures],
        "n_cells": facts.n_cells,
        "line": _line(facts) if rows else [],
        "rows": rows,
    }


def _points(facts: Facts) -> Iterator[Row]:
    players = {player.id: player for player in facts.players}
    for round in shown_rounds(facts):
        for estimate in round.estimates:
            value = estimate.values.get(DISTANCE)
            if estimate.team in players and value is not None:
                yield {
                    "round": round.spec.key,
                    **named(players[estimate.team], None),
                    "epsilon": f"{estimate.epsilon:f}",
                    "value": value,
                    "asked_once": _asked_once(facts, estimate.epsilon),
                    "counts": estimate.counts,
                }


def _line(facts: Facts) -> list[list[float]]:
    """The distance of the target table after one query, at every step up to the largest ε."""
    most = max(round.spec.epsilon or Decimal(0) for round in shown_rounds(facts))
    steps = (most * step / N_STEPS for step in range(1, N_STEPS + 1))
    found = ((float(epsilon), _asked_once(facts, epsilon)) for epsilon in steps)
    return [[epsilon, value] for epsilon, value in found if value is not None]


def _asked_once(facts: Facts, epsilon: Decimal) -> float | None:
    """The theoretical value; None for a team without queries."""
    if not facts.n_cells or not epsilon:
        return None
    return _rounded(facts.n_cells, epsilon, errors_epsilon(facts.rules))


@lru_cache(maxsize=1000)
def _rounded(n_cells: int, epsilon: Decimal, errors: Decimal | None) -> float:
    from scoring.formats.disclosure.curves import asked_once  # imports numpy

    return round(asked_once(n_cells, epsilon, errors_epsilon=errors), DECIMALS)
