"""The boards as they follow from the facts: pure functions from values to plain JSON data.

Everything is in lists whose order is the order on the page, so that a database that reorders
object keys changes nothing. Names of measures and words for people are added when a page is made.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

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

Values = Mapping[str, float | None]
Row = dict[str, Any]

BOARDS = ("overall", "anonymization", "attack", "matrix")


@dataclass(frozen=True, slots=True)
class Player:
    """A team as the boards name it."""

    id: int
    name: str
    is_house: bool


@dataclass(frozen=True, slots=True)
class Phase:
    """What the clock says of a round: whether its values may be shown, and how many are awaited."""

    shown: bool
    closed: bool
    shown_at: str  # ISO 8601
    n_awaited: int  # submissions of a closed round that are still being scored


@dataclass(frozen=True, slots=True)
class Facts:
    """All that the boards are made from; values that may not be shown yet are not in it.

    `measured` has the counted submission's measures by team, `published` the teams whose tables
    could be attacked, `rates` the counted guess's rate by (attacker, defender).
    """

    players: tuple[Player, ...]
    ranking: RankingSpec
    anonymization: Phase | None
    attack: Phase | None
    measured: Mapping[int, Values]
    published: frozenset[int]
    rates: Mapping[tuple[int, int], float]


def build(facts: Facts) -> dict[str, Any]:
    """The three boards and the attack matrix."""
    defence = defence_of(facts)
    offence = _offence(facts)
    return {
        "n_teams": len(facts.players),
        "live": _is_live(facts),
        "anonymization": {
            **_phase(facts.anonymization),
            "measures": _ranked_measures(facts.ranking, defence),
            "rows": _anonymization_rows(facts, defence),
        },
        "attack": {**_phase(facts.attack), "rows": _attack_rows(facts, offence)},
        "overall": {**_phase(facts.attack), "rows": _overall_rows(facts, defence, offence)},
        "matrix": {**_phase(facts.attack), **_matrix(facts, defence, offence)},
    }


def defence_of(
    facts: Facts, measured: Mapping[int, Values] | None = None
) -> dict[int, AnonymizationStanding]:
    """Every team on the anonymization board; `measured` puts other values in place of the counted ones."""
    values = facts.measured if measured is None else measured
    return anonymization_board(
        {player.id: values.get(player.id, {}) for player in facts.players},
        facts.ranking,
        worst_attack={defender: rate for defender, (rate, _) in _strongest(facts).items()},
    )


def _strongest(facts: Facts) -> dict[int, tuple[float, int]]:
    """For every attacked team the highest rate and who reached it, the oldest team among equals."""
    best: dict[int, tuple[float, int]] = {}
    for (attacker, defender), rate in sorted(facts.rates.items()):
        if attacker != defender and (defender not in best or rate > best[defender][0]):
            best[defender] = (rate, attacker)
    return best


def _offence(facts: Facts) -> dict[int, AttackStanding]:
    rates: dict[int, dict[int, float | None]] = {player.id: {} for player in facts.players}
    for (attacker, defender), rate in facts.rates.items():
        rates[attacker][defender] = rate
    return attack_board(rates, facts.published)


def _is_live(facts: Facts) -> bool:
    """Whether anything on the boards can still change by itself."""
    phases = [phase for phase in (facts.anonymization, facts.attack) if phase]
    return any(
        not (phase.closed and phase.shown) or phase.n_awaited for phase in phases
    ) or _house_plays(facts)


def _house_plays(facts: Facts) -> bool:
    """Whether the platform's own teams, which also play in rounds of the past, still have to."""
    houses = {player.id for player in facts.players if player.is_house}
    pairs = {(house, team) for house in houses for team in facts.published if house != team}
    return bool(facts.attack and (houses - facts.published or pairs - facts.rates.keys()))


def _phase(phase: Phase | None) -> Row:
    if phase is None:
        return {"exists": False, "shown": False, "shown_at": None, "n_awaited": 0}
    return {
        "exists": True,
        "shown": phase.shown,
        "shown_at": phase.shown_at,
        "n_awaited": phase.n_awaited,
    }


def _named(player: Player, rank: int | None) -> Row:
    return {"rank": rank, "team": player.id, "name": player.name, "house": player.is_house}


def _in_order(rows: list[Row]) -> list[Row]:
    """By rank; who has none stands at the end; equal ranks by name."""
    return sorted(rows, key=lambda row: (row["rank"] is None, row["rank"], row["name"]))


def _ranked_measures(ranking: RankingSpec, defence: Mapping[int, AnonymizationStanding]) -> list:
    """The measures that have a rank, utility before safety; one that no team has is left out."""
    ranked = next(iter(defence.values())).measure_ranks if defence else {}
    return [measure for measure in (*ranking.utility, *ranking.safety) if measure in ranked]


def _anonymization_rows(facts: Facts, defence: Mapping[int, AnonymizationStanding]) -> list[Row]:
    measures = _ranked_measures(facts.ranking, defence)
    strongest = _strongest(facts)
    names = {player.id: player.name for player in facts.players}
    rows = []
    for player in facts.players:
        values = facts.measured.get(player.id)
        if values is None:
            rows.append({**_named(player, None), "submitted": False})
            continue
        standing = defence[player.id]
        by_teams = standing.worst_by == TEAMS
        rows.append(
            {
                **_named(player, standing.rank),
                "submitted": True,
                "total": standing.total,
                "utility_rank": standing.utility_rank,
                "safety_rank": standing.safety_rank,
                "worst_rate": standing.worst_rate,
                "worst_rank": standing.worst_rank,
                "worst_by": names[strongest[player.id][1]] if by_teams else standing.worst_by,
                "worst_by_team": by_teams,
                "cells": [
                    _cell(values.get(measure), standing.measure_ranks[measure])
                    for measure in measures
                ],
            }
        )
    return _in_order(rows)


def _cell(value: float | None, rank: int) -> Row:
    return {"value": value, "rank": rank, "best": value is not None and rank == 1}


def _attack_rows(facts: Facts, offence: Mapping[int, AttackStanding]) -> list[Row]:
    if facts.attack is None or not facts.attack.shown:
        return []
    rows = []
    for player in facts.players:
        standing = offence[player.id]
        rows.append(
            {
                **_named(player, standing.rank),
                "mean_rate": standing.mean_rate,
                "n_guessed": sum(attacker == player.id for attacker, _ in facts.rates),
                "n_targets": len(facts.published - {player.id}),
            }
        )
    return sorted(_in_order(rows), key=lambda row: (row["rank"], row["n_guessed"] == 0))


def _overall_rows(
    facts: Facts,
    defence: Mapping[int, AnonymizationStanding],
    offence: Mapping[int, AttackStanding],
) -> list[Row]:
    if facts.attack is None or not facts.attack.shown:
        return []
    n_teams = len(facts.players)
    ranks = {p.id: defence[p.id].rank if p.id in facts.measured else None for p in facts.players}
    board = overall_board(ranks, {t: s.rank for t, s in offence.items()}, facts.ranking, n_teams)
    attackers = {attacker for attacker, _ in facts.rates}
    return _in_order(
        [
            _overall_row(p, board[p.id], ranks[p.id], offence[p.id], attackers, n_teams)
            for p in facts.players
        ]
    )


def _overall_row(
    player: Player,
    standing: OverallStanding,
    anonymization_rank: int | None,
    attack: AttackStanding,
    attackers: set[int],
    n_teams: int,
) -> Row:
    submitted = anonymization_rank is not None
    took_part = submitted or player.id in attackers
    return {
        **_named(player, standing.rank if took_part else None),
        "total": standing.total,
        "anonymization_rank": anonymization_rank if submitted else n_teams,
        "attack_rank": attack.rank,
        "submitted": submitted,
    }


def _matrix(
    facts: Facts,
    defence: Mapping[int, AnonymizationStanding],
    offence: Mapping[int, AttackStanding],
) -> Row:
    """Attackers down, attacked teams across: the teams once they may be shown, then the built-in attacks."""
    defenders = sorted(
        (player for player in facts.players if player.id in facts.measured),
        key=lambda player: (defence[player.id].rank, player.name),
    )
    attacking = {attacker for attacker, _ in facts.rates}
    attackers = sorted(
        (player for player in facts.players if player.id in attacking),
        key=lambda player: (offence[player.id].rank, player.name),
    )
    teams = [
        {
            **_named(player, offence[player.id].rank),
            "attack": None,
            "cells": [_met(facts, player, defender) for defender in defenders],
        }
        for player in attackers
    ]
    house = [
        {
            "rank": None,
            "team": None,
            "name": attack,
            "house": True,
            "attack": attack,
            "cells": [
                {"rate": facts.measured[defender.id].get(attack), "own": False}
                for defender in defenders
            ],
        }
        for attack in facts.ranking.linkage
        if any(facts.measured[defender.id].get(attack) is not None for defender in defenders)
    ]
    columns = [_named(player, defence[player.id].rank) for player in defenders]
    return {"defenders": columns, "rows": teams + house}


def _met(facts: Facts, attacker: Player, defender: Player) -> Row:
    return {
        "rate": facts.rates.get((attacker.id, defender.id)),
        "own": attacker.id == defender.id,
    }
