"""The boards of the formula "rank-sum": measures ranked under headings, attackers, and both together."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping
from dataclasses import replace
from typing import Any

from pwscup.leaderboards.sections import (
    Facts,
    Row,
    Values,
    in_order,
    matrix,
    measure_cell,
    named,
    phase_row,
    utility_of,
)
from scoring.formulas import Line, combined
from scoring.ranking import (
    TEAMS,
    AnonymizationStanding,
    AttackStanding,
    OverallStanding,
    anonymization_board,
    attack_board,
    overall_board,
)
from scoring.rulesets.base import RankingSpec


def build(facts: Facts) -> dict[str, Any]:
    """The three boards and the attack matrix."""
    defence = defence_of(facts)
    offence = _offence(facts)
    columns = {team: standing.rank for team, standing in defence.items()}
    rows = {team: standing.rank for team, standing in offence.items()}
    return {
        "anonymization": {
            **phase_row(facts.anonymization),
            "measures": _shown_measures(facts, defence),
            "rows": _anonymization_rows(facts, defence),
        },
        "attack": {
            **phase_row(facts.attack),
            "average": facts.ranking.attackers,
            "rows": _attack_rows(facts, offence),
        },
        "overall": {**phase_row(facts.attack), "rows": _overall_rows(facts, defence, offence)},
        "matrix": {**phase_row(facts.attack), **matrix(facts, columns, rows)},
    }


def defence_of(
    facts: Facts,
    measured: Mapping[int, Values] | None = None,
    worst: Mapping[int, float] | None = None,
) -> dict[int, AnonymizationStanding]:
    """Every team on the anonymization board; `measured` puts other values in place of the counted ones, `worst`
    other rates in place of the strongest attacks."""
    values = facts.measured if measured is None else measured
    if worst is None:
        worst = {defender: rate for defender, (rate, _) in facts.strongest.items()}
    return anonymization_board(
        {player.id: values.get(player.id, {}) for player in facts.players},
        facts.ranking,
        worst_attack=worst,
        weights=facts.rules.weights,
    )


def _offence(facts: Facts) -> dict[int, AttackStanding]:
    rates: dict[int, dict[int, float | None]] = {player.id: {} for player in facts.players}
    for (attacker, defender), rate in facts.rates.items():
        if attacker in rates:
            rates[attacker][defender] = rate
    return attack_board(rates, facts.published, facts.ranking.attackers)


def _ranked_measures(ranking: RankingSpec, defence: Mapping[int, AnonymizationStanding]) -> list:
    """The measures that have a rank, utility before safety; one that no team has is left out."""
    ranked = next(iter(defence.values())).measure_ranks if defence else {}
    return [measure for measure in (*ranking.utility, *ranking.safety) if measure in ranked]


def _shown_measures(facts: Facts, defence: Mapping[int, AnonymizationStanding]) -> list:
    ranked = _ranked_measures(facts.ranking, defence)
    return [measure for measure in ranked if measure not in facts.hidden]


def _anonymization_rows(facts: Facts, defence: Mapping[int, AnonymizationStanding]) -> list[Row]:
    measures = _shown_measures(facts, defence)
    names = {player.id: player.name for player in facts.everybody}
    attackers = {team: names[by] for team, (_rate, by) in facts.strongest.items()}
    rows = []
    for player in facts.players:
        values = facts.measured.get(player.id)
        if values is None:
            rows.append({**named(player, None), "submitted": False})
            continue
        standing = defence[player.id]
        rows.append(
            {
                **named(player, standing.rank),
                "submitted": True,
                "total": standing.total,
                "utility_rank": standing.utility_rank,
                "safety_rank": standing.safety_rank,
                **_worst(facts, standing, attackers.get(player.id)),
                "cells": [
                    measure_cell(values.get(measure), standing.measure_ranks[measure])
                    for measure in measures
                ],
            }
        )
    return in_order(rows)


def without_hidden(facts: Facts, standing: AnonymizationStanding) -> AnonymizationStanding:
    """A team's place on the anonymization board, without a worst rate that is hidden."""
    if standing.worst_by not in facts.hidden:
        return standing
    return replace(standing, worst_rate=None, worst_rank=None, worst_by=None)


def _worst(facts: Facts, standing: AnonymizationStanding, attacker: str | None) -> Row:
    """The worst rate and whose it is, unless that is a built-in attack that is hidden.

    `attacker` is the name of the team that found most.
    """
    if standing.worst_by in facts.hidden:
        nothing = dict.fromkeys(("worst_rate", "worst_rank", "worst_by"))
        return {**nothing, "worst_by_team": False, "worst_hidden": True}
    by_teams = standing.worst_by == TEAMS
    return {
        "worst_rate": standing.worst_rate,
        "worst_rank": standing.worst_rank,
        "worst_by": attacker if by_teams else standing.worst_by,
        "worst_by_team": by_teams,
        "worst_hidden": False,
    }


def _attack_rows(facts: Facts, offence: Mapping[int, AttackStanding]) -> list[Row]:
    if not facts.is_attack_shown:
        return []
    n_guessed = Counter(attacker for attacker, _ in facts.rates)
    rows = []
    for player in facts.players:
        standing = offence[player.id]
        rows.append(
            {
                **named(player, standing.rank),
                "mean_rate": standing.mean_rate,
                "n_guessed": n_guessed[player.id],
                "n_targets": len(facts.published - {player.id}),
            }
        )
    return sorted(in_order(rows), key=lambda row: (row["rank"], row["n_guessed"] == 0))


# Both together


def _overall_rows(
    facts: Facts,
    defence: Mapping[int, AnonymizationStanding],
    offence: Mapping[int, AttackStanding],
) -> list[Row]:
    if not facts.is_attack_shown:
        return []
    board = _overall(facts, defence, offence)
    ranks = _ranks_of_tables(facts, defence)
    taking_part = facts.taking_part
    n_teams = len(facts.players)
    return in_order(
        {
            **named(player, board[player.id].rank if player.id in taking_part else None),
            "total": board[player.id].total,
            "anonymization_rank": ranks[player.id] or n_teams,
            "attack_rank": offence[player.id].rank,
            "submitted": player.id in facts.measured,
        }
        for player in facts.players
    )


def _ranks_of_tables(
    facts: Facts, defence: Mapping[int, AnonymizationStanding]
) -> dict[int, int | None]:
    """The rank on the anonymization board, None for a team without a table."""
    return {p.id: defence[p.id].rank if p.id in facts.measured else None for p in facts.players}


def _overall(
    facts: Facts,
    defence: Mapping[int, AnonymizationStanding],
    offence: Mapping[int, AttackStanding],
) -> dict[int, OverallStanding] | dict[int, Line]:
    ranks = _ranks_of_tables(facts, defence)
    attack_ranks = {team: standing.rank for team, standing in offence.items()}
    board = overall_board(ranks, attack_ranks, facts.ranking, len(facts.players))
    if not facts.ranking.tie_breaks:
        return board
    lines = {
        team: _line(facts, team, standing, defence[team], offence[team])
        for team, standing in board.items()
    }
    return combined([(1, lines)], "lower", facts.ranking.tie_breaks, facts.arrived)


def _line(
    facts: Facts,
    team: int,
    standing: OverallStanding,
    defence: AnonymizationStanding,
    attack: AttackStanding,
) -> Line:
    """The total, and what tie-breaks look at: the scores of the other formulas, of which more is better."""
    worst = defence.worst_rate
    return Line(
        standing.rank,
        standing.total,
        utility=utility_of(facts, team),
        protection=None if worst is None else 100 * (1 - worst),
        attack=100 * attack.mean_rate,
        presentation=facts.marks.get(team),
    )


def lines_of(facts: Facts) -> dict[int, Line]:
    """Of everybody who took part, the total on the overall board; nothing before it is shown."""
    if not facts.is_attack_shown:
        return {}
    defence, offence = defence_of(facts), _offence(facts)
    board = _overall(facts, defence, offence)
    taking_part = facts.taking_part
    return {
        team: _line(
            facts,
            team,
            OverallStanding(standing.total or 0.0, standing.rank),
            defence[team],
            offence[team],
        )
        if team in taking_part
        else Line(standing.rank, None)
        for team, standing in board.items()
    }
