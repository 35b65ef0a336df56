# SPDX-License-Identifier: Apache-2.0
"""The boards of the formula "measure-ranks": measures ranked under headings, attackers, and both."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping
from dataclasses import replace
from typing import TYPE_CHECKING, Any

from pwscup.contests.rules.measures import columns_of
from pwscup.leaderboards.boards.sections import (
    Facts,
    Row,
    Values,
    in_order,
    matrix,
    measure_cell,
    named,
    phase_row,
    with_intervals,
)
from scoring.formulas import Boards, Line, TableFacts, measure_ranks, season_lines
from scoring.formulas.ranking import TEAMS, AnonymizationStanding, AttackStanding
from scoring.rulesets.base import RankingSpec

if TYPE_CHECKING:
    from scoring.formulas.uncertainty import Place


def build(facts: Facts) -> dict[str, Any]:
    """The three boards and the attack matrix."""
    made = _boards(facts, facts.tables)
    defence = made.anonymization
    columns = {team: standing.rank for team, standing in defence.items()}
    rows = {team: standing.rank for team, standing in made.attack.items()}
    places = _places(facts, made)

    def placed(name: str, found: list[Row]) -> list[Row]:
        return with_intervals(found, places.get(name, {}), facts.ranking)

    return {
        "anonymization": {
            **phase_row(facts.anonymization),
            **columns_of(_shown_measures(facts, defence), facts.rules),
            "rows": placed("anonymization", _anonymization_rows(facts, defence)),
        },
        "attack": {
            **phase_row(facts.attack),
            "average": facts.ranking.attackers,
            "rows": placed("attack", _attack_rows(facts, made.attack)),
        },
        "overall": {
            **phase_row(facts.attack),
            "rows": placed("overall", _overall_rows(facts, made)),
        },
        "matrix": {**phase_row(facts.attack), **matrix(facts, columns, rows)},
    }


def _places(facts: Facts, made: Boards[int]) -> Mapping[str, Mapping[int, Place]]:
    """The intervals of the three boards, once attacks whose records are known are shown."""
    if not (facts.is_attack_shown and facts.found):
        return {}
    from scoring.formulas.places import measure_places  # loads NumPy

    return measure_places(facts.tables, facts.ranking, facts.found, made, facts.rules.weights)


def defence_of(
    facts: Facts, measured: Mapping[int, Values], worst: Mapping[int, float]
) -> dict[int, AnonymizationStanding]:
    """Every team on the anonymization board, with other values and other worst attacks than the counting ones."""
    changed = replace(facts.tables, measured=measured, rates=None, worst=worst)
    return _boards(facts, changed).anonymization


def _boards(facts: Facts, tables: TableFacts[int]) -> Boards[int]:
    return measure_ranks(tables, facts.ranking, facts.rules.weights)


def _ranked_measures(ranking: RankingSpec, defence: Mapping[int, AnonymizationStanding]) -> list:
    """The measures with ranks, utility before safety; a measure without values is left out."""
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
    """A team's place on the anonymization board, without a hidden worst rate."""
    if standing.worst_by not in facts.hidden:
        return standing
    return replace(standing, worst_rate=None, worst_rank=None, worst_by=None)


def _worst(facts: Facts, standing: AnonymizationStanding, attacker: str | None) -> Row:
    """The worst rate and its attacker, unless that is a hidden built-in attack.

    `attacker` is the name of the team with the highest rate.
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
    n_guessed = Counter(attacker for attacker, _ in facts.rates)
    players = {player.id: player for player in facts.players}
    rows = [
        {
            **named(players[team], standing.rank),
            "mean_rate": standing.mean_rate,
            "n_guessed": n_guessed[team],
            "n_targets": len(facts.published - {team}),
        }
        for team, standing in offence.items()
    ]
    return sorted(in_order(rows), key=lambda row: (row["rank"], row["n_guessed"] == 0))


# Both


def _overall_rows(facts: Facts, made: Boards[int]) -> list[Row]:
    taking_part, n_teams = facts.taking_part, len(facts.players)
    players = {player.id: player for player in facts.players}
    return in_order(
        {
            **named(players[team], line.rank if team in taking_part else None),
            "total": line.total,
            "anonymization_rank": (
                made.anonymization[team].rank if team in facts.measured else n_teams
            ),
            "attack_rank": made.attack[team].rank,
            "submitted": team in facts.measured,
        }
        for team, line in made.overall.items()
    )


def lines_of(facts: Facts) -> dict[int, Line]:
    """For every participant the total on the overall board; empty before it is shown."""
    return season_lines(facts.tables, _boards(facts, facts.tables).overall)
