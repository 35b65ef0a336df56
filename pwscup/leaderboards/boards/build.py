# SPDX-License-Identifier: Apache-2.0
"""The boards, derived from the facts: pure functions from values to plain JSON data."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from datetime import datetime
from types import ModuleType
from typing import Any

from pwscup.leaderboards.boards import disclosure as disclosure_board
from pwscup.leaderboards.boards import measures as measure_board
from pwscup.leaderboards.boards import scores as score_board
from pwscup.leaderboards.boards.sections import Facts, Row, in_order, is_live, named
from pwscup.leaderboards.scope import Scope
from scoring.formulas import (
    ESTIMATE_RANKS,
    MEASURE_RANKS,
    Line,
    combined,
    direction_of,
    season_boards,
)
from scoring.rulesets.base import Ruleset

BOARDS = ("overall", "anonymization", "attack", "matrix")
"""The boards of the formula "measure-ranks"."""
SCORE_BOARDS = ("score", "measures", "matrix")
"""The boards of every other formula."""
DISCLOSURE_BOARDS = ("comparison", "estimates", "curve")
"""The boards of a contest about a hidden table."""
OF_FORMULAS = {MEASURE_RANKS: BOARDS, ESTIMATE_RANKS: DISCLOSURE_BOARDS}
MODULES = {MEASURE_RANKS: measure_board, ESTIMATE_RANKS: disclosure_board}
SEASON = "season"
"""The board of all weighted stages."""
OF_SEASON = "season-"
"""Prefix of the further boards of the season, where the rules list several."""
RANKED = ("score", "overall", "anonymization", "attack", "comparison", SEASON)
"""The boards with ranks of teams."""


def boards_of_formula(rules: Ruleset) -> tuple[str, ...]:
    """The names of a stage's boards."""
    if rules.boards:
        return (*(spec.key for spec in rules.boards), *SCORE_BOARDS[1:])
    return OF_FORMULAS.get(rules.ranking.formula, SCORE_BOARDS)


def season_boards_of(rules: Ruleset) -> tuple[str, ...]:
    """The names of the season's boards, the main one first; a list has one for each of its boards."""
    return (SEASON, *(f"{OF_SEASON}{spec.key}" for spec in rules.boards[1:]))


def is_of_season(name: str | None) -> bool:
    """True for the name of a board of the season."""
    return name is not None and (name == SEASON or name.startswith(OF_SEASON))


def ranked_boards_of(rules: Ruleset) -> tuple[str, ...]:
    """The names of all boards with ranks of teams, those of the season first."""
    if not rules.boards:
        return tuple(sorted(RANKED, key=lambda name: name != SEASON))
    return (*season_boards_of(rules), *(spec.key for spec in rules.boards))


def first_board(rules: Ruleset, data: Mapping[str, Any]) -> str:
    """The main board of a stage; without an attack round there is no overall board."""
    name = boards_of_formula(rules)[0]
    is_hidden = name == BOARDS[0] and not rules.boards and not data[name]["shown"]
    return "anonymization" if is_hidden else name


def first_board_of(scope: Scope) -> str:
    """The same, before the boards are read."""
    name = boards_of_formula(scope.rules)[0]
    hides_attacks = scope.stage.shown(scope.stage.attack) is None
    is_hidden = name == BOARDS[0] and not scope.rules.boards and hides_attacks
    return "anonymization" if is_hidden else name


def build(facts: Facts) -> dict[str, Any]:
    """The boards of one stage."""
    return {"n_teams": len(facts.players), "live": is_live(facts), **_kind(facts).build(facts)}


def _kind(facts: Facts) -> ModuleType:
    return MODULES.get(facts.ranking.formula, score_board)


def build_season(stages: Sequence[Facts]) -> dict[str, Any]:
    """The boards of a season from its weighted stages; a stage is left out until its attacks are shown."""
    first = stages[0]
    arrived = {team: at for facts in stages for team, at in _arrived(facts).items()}
    if first.rules.boards:
        sections = _listed_seasons(stages, arrived)
    else:
        lines = [final_lines(facts) for facts in stages]
        direction = direction_of(first.ranking.formula)
        pairs = zip(stages, lines, strict=True)
        weighted = [(facts.stage.weight, own) for facts, own in pairs if own]
        board = combined(weighted, direction, first.ranking.tie_breaks, arrived)
        sections = {SEASON: _season_section(stages, lines, board, direction)}
    return {
        "n_teams": len(first.players),
        "live": any(is_live(facts) for facts in stages),
        **sections,
    }


def _listed_seasons(stages: Sequence[Facts], arrived: Mapping[int, datetime]) -> dict[str, Any]:
    """The season of every board of the list."""
    rules = stages[0].rules
    boards = [final_boards(facts) for facts in stages]
    weighted = [(facts.stage.weight, own) for facts, own in zip(stages, boards, strict=True) if own]
    seasons = season_boards(rules.boards, weighted, arrived) if weighted else {}
    return {
        name: {
            **_season_section(
                stages,
                [own.get(spec.key, {}) for own in boards],
                seasons.get(spec.key, {}),
                spec.season_direction,
            ),
            **score_board.listed(stages[0], spec),
            "kind": SEASON,
            "of": spec.season,
            "formula": spec.formula,
            "tie_breaks": list(
                spec.tie_breaks if spec.season_tie_breaks is None else spec.season_tie_breaks
            ),
        }
        for name, spec in zip(season_boards_of(rules), rules.boards, strict=True)
    }


def _season_section(
    stages: Sequence[Facts],
    lines: Sequence[Mapping[int, Line]],
    board: Mapping[int, Line],
    direction: str,
) -> Row:
    return {
        "exists": True,
        "shown": any(lines),
        "shown_at": next(filter(None, map(_awaited_until, stages)), None),
        "n_awaited": sum(p.n_awaited for facts in stages for p in facts.phases),
        "provisional": any(p.is_provisional for facts in stages for p in facts.phases),
        "direction": direction,
        "stages": [
            {
                "key": facts.stage.key,
                "title": dict(facts.stage.title),
                "weight": facts.stage.weight,
                "shown": bool(own),
            }
            for facts, own in zip(stages, lines, strict=True)
        ],
        "rows": _season_rows(stages[0], board, lines) if any(lines) else [],
    }


def _awaited_until(facts: Facts) -> str | None:
    """The time when the attacks on a stage's tables, or the errors of its estimates, are shown; None if they are."""
    deciding = [facts.attack] if facts.attack else [d.phase for d in facts.disclosures]
    return max((phase.shown_at for phase in deciding if not phase.shown), default=None)


def _arrived(facts: Facts) -> Mapping[int, datetime]:
    return disclosure_board.arrived(facts) if facts.disclosures else facts.arrived


def final_lines(facts: Facts) -> dict[int, Line]:
    """The totals with which a stage enters the season: none before its last round is shown."""
    if _awaited_until(facts) is not None:
        return {}
    module = MODULES.get(facts.ranking.formula)
    if module is not None:
        lines: dict[int, Line] = module.lines_of(facts)
        return lines
    return next(iter(final_boards(facts).values()))


def final_boards(facts: Facts) -> dict[str, dict[int, Line]]:
    """The same of every board of scores: no total of a team that took no part."""
    if _awaited_until(facts) is not None:
        return {}
    taking_part = facts.taking_part
    return {
        key: {t: line if t in taking_part else Line(line.rank, None) for t, line in lines.items()}
        for key, lines in score_board.boards_of(facts).items()
    }


def _season_rows(
    facts: Facts, board: Mapping[int, Line], lines: Sequence[Mapping[int, Line]]
) -> list[Row]:
    rows = []
    for player in facts.players:
        line = board[player.id]
        cells = [own.get(player.id) for own in lines]
        rows.append(
            {
                **named(player, None if line.total is None else line.rank),
                "total": line.total,
                "tie_broken_by": line.tie_broken_by,
                "cells": [
                    {"total": cell.total, "rank": cell.rank}
                    if cell and cell.total is not None
                    else {"total": None, "rank": None}
                    for cell in cells
                ],
            }
        )
    return in_order(rows)
