# SPDX-License-Identifier: Apache-2.0
"""Common parts of all boards: the facts as values, rows, and the attack matrix.

All data are lists in the order of the page, so that a database that reorders object keys has no effect. Names
of measures and texts are added when a page is rendered.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from datetime import datetime
from decimal import Decimal
from functools import cached_property
from typing import TYPE_CHECKING, Any

from scoring.formulas import TableFacts
from scoring.rulesets.base import RankingSpec, RoundSpec, Ruleset, StageSpec

if TYPE_CHECKING:
    from scoring.formulas.uncertainty import Found, Place

Values = Mapping[str, float | None]
Row = dict[str, Any]
MATRIX = "matrix"
"""The largest board, stored separately."""


@dataclass(frozen=True, slots=True)
class Player:
    """A team on the boards."""

    id: int
    name: str
    is_house: bool


@dataclass(frozen=True, slots=True)
class Phase:
    """The state of a round: whether its values may be shown, and the number of pending submissions."""

    shown: bool
    closed: bool
    settled: bool  # and no upload that began in time is awaited
    shown_at: str  # ISO 8601
    n_awaited: int  # submissions of a closed round that are still being scored

    @property
    def is_provisional(self) -> bool:
        return self.closed and not self.settled


@dataclass(frozen=True, slots=True)
class Estimate:
    """A scored estimate of a hidden table, with the ε of the data it is based on.

    That is the spent ε when the estimate arrived, or the ε of the release.
    """

    team: int
    epsilon: Decimal
    values: Values
    counts: bool


@dataclass(frozen=True, slots=True)
class Disclosure:
    """A round in which a hidden table is estimated: the counting estimates, and all effective ones."""

    spec: RoundSpec
    phase: Phase
    measured: Mapping[int, Values]
    arrived: Mapping[int, datetime]
    estimates: tuple[Estimate, ...]


@dataclass(frozen=True)
class Facts:
    """All facts for the boards of a stage; values that must not be shown yet are left out.

    `players` are the teams that are ranked against each other, `everybody` all playing teams: the rows of a
    division's board are its own teams, but the attacks of the others count, too. `measured` has the counting
    submission's measures by team and `arrived` its arrival, `published` the teams whose tables could be
    attacked, `rates` the counting guess's rate by (attacker, defender), `marks` the points of presentations.
    `baselines` attack and are not ranked, and the tables of `lost` teams count as found. `repeats` has of each table
    the largest number of attackers who found one record, if the rules count them, `found` the number of records that
    each two attackers of a table found, for intervals, and `n_guessed` the number of
    records that a guess names, if the rules ask for it.
    `disclosures` are the rounds about a hidden table, of which `n_cells` are estimated. The values of
    `hidden` measures enter totals and are not shown.
    """

    players: tuple[Player, ...]
    everybody: tuple[Player, ...]
    rules: Ruleset
    stage: StageSpec
    anonymization: Phase | None
    attack: Phase | None
    presentation: Phase | None
    measured: Mapping[int, Values]
    arrived: Mapping[int, datetime]
    published: frozenset[int]
    rates: Mapping[tuple[int, int], float]
    marks: Mapping[int, float]
    hidden: frozenset[str]
    is_frozen: bool
    disclosures: tuple[Disclosure, ...] = ()
    n_cells: int = 0
    baselines: tuple[Player, ...] = ()
    lost: frozenset[int] = frozenset()
    repeats: Mapping[int, int] = field(default_factory=dict)
    n_guessed: Mapping[tuple[int, int], int] = field(default_factory=dict)
    found: Mapping[int, Found[int]] = field(default_factory=dict)
    is_played_late: bool = False
    """The platform's own teams also play in rounds that are over, as in a demo."""

    @property
    def ranking(self) -> RankingSpec:
        return self.rules.ranking

    @property
    def is_attack_shown(self) -> bool:
        return self.attack is not None and self.attack.shown

    @cached_property
    def attackers(self) -> set[int]:
        """The teams whose guesses count."""
        return {attacker for attacker, _ in self.rates}

    @cached_property
    def tables(self) -> TableFacts[int]:
        """The input of the library's rankings of tables and attacks."""
        return TableFacts(
            teams=tuple(player.id for player in self.players),
            measured=self.measured,
            rates=self.rates if self.is_attack_shown else None,
            published=self.published,
            presentation=self.marks,
            arrived=self.arrived,
        )

    @property
    def strongest(self) -> dict[int, tuple[float, int]]:
        """For every attacked team the highest rate and its attacker; the oldest team if several are equal."""
        return self.tables.strongest

    @cached_property
    def taking_part(self) -> set[int]:
        """The teams with anything that counts; the others have no rank."""
        estimated = {team for round in self.disclosures for team in round.measured}
        return self.attackers | self.measured.keys() | self.marks.keys() | estimated

    @property
    def phases(self) -> list[Phase]:
        """The rounds of the stage."""
        found = (self.anonymization, self.attack, self.presentation)
        return [p for p in found if p] + [round.phase for round in self.disclosures]


def is_live(facts: Facts) -> bool:
    """The boards can still change by themselves, or a freeze can end."""
    return (
        facts.is_frozen
        or any(not (phase.settled and phase.shown) or phase.n_awaited for phase in facts.phases)
        or _house_plays(facts)
    )


def _house_plays(facts: Facts) -> bool:
    """The platform's own teams still have to play, although the rounds are over."""
    if not facts.is_played_late:
        return False
    houses = {player.id for player in facts.everybody if player.is_house}
    attackers = {*houses, *(player.id for player in facts.baselines)}
    pairs = {(house, team) for house in attackers for team in facts.published if house != team}
    return bool(facts.attack and (houses - facts.published or pairs - facts.rates.keys()))


def phase_row(phase: Phase | None) -> Row:
    """The state of the round of a board."""
    if phase is None:
        return {
            "exists": False,
            "shown": False,
            "shown_at": None,
            "n_awaited": 0,
            "provisional": False,
        }
    return {
        "exists": True,
        "shown": phase.shown,
        "shown_at": phase.shown_at,
        "n_awaited": phase.n_awaited,
        "provisional": phase.is_provisional,
    }


def measure_cell(value: float | None, rank: int | None) -> Row:
    """A measure with a rank; the best value is highlighted."""
    return {"value": value, "rank": rank, "best": value is not None and rank == 1}


INTERVAL = ("total_low", "total_high", "rank_low", "rank_high", "separable")


def with_intervals(
    rows: Sequence[Row], places: Mapping[int, Place], ranking: RankingSpec
) -> list[Row]:
    """The rows, those with ranks with their teams' intervals, if known; ends of totals with six decimals.

    Where teams that are not separable share a rank, they have it, and no tie-break decided.
    """
    return [_with_interval(row, places.get(row["team"]), ranking) for row in rows]


def _with_interval(row: Row, place: Place | None, ranking: RankingSpec) -> Row:
    if place is None or row["rank"] is None:
        return row
    found = {name: getattr(place, name) for name in (*INTERVAL, "rival")}
    interval = {n: round(v, 6) if isinstance(v, float) else v for n, v in found.items()}
    shared = {"rank": place.shared} if ranking.shares_ranks else {}
    undecided = {"tie_broken_by": None} if shared and "tie_broken_by" in row else {}
    return row | shared | undecided | {"interval": interval}


def named(player: Player, rank: int | None) -> Row:
    return {"rank": rank, "team": player.id, "name": player.name, "house": player.is_house}


def in_order(rows: Iterable[Row]) -> list[Row]:
    """By rank; rows without a rank at the end; equal ranks by name."""
    return sorted(rows, key=lambda row: (row["rank"] is None, row["rank"], row["name"]))


# The attack matrix


def matrix(
    facts: Facts, defence: Mapping[int, int | None], offence: Mapping[int, int | None]
) -> Row:
    """Attackers in rows, attacked teams in columns: the teams when they may be shown, then the built-in attacks.

    `defence` and `offence` have the ranks that order columns and rows; attackers from outside a division have none.
    """
    by_defence = _by_rank(defence)
    defenders = sorted((p for p in facts.players if p.id in facts.measured), key=by_defence)
    attackers, rate_of, columns = facts.attackers, facts.rates.get, [d.id for d in defenders]
    teams = [
        {
            **named(player, offence.get(player.id)),
            "attack": None,
            "cells": [{"rate": rate_of((player.id, d)), "own": player.id == d} for d in columns],
        }
        for player in sorted(
            (p for p in (*facts.everybody, *facts.baselines) if p.id in attackers),
            key=_by_rank(offence),
        )
    ]
    head = [named(player, defence.get(player.id)) for player in defenders]
    return {"defenders": head, "rows": teams + _built_in(facts, defenders)}


def _by_rank(ranks: Mapping[int, int | None]) -> Callable[[Player], tuple[bool, int, str]]:
    def place(player: Player) -> tuple[bool, int, str]:
        rank = ranks.get(player.id)
        return rank is None, rank or 0, player.name

    return place


def _built_in(facts: Facts, defenders: Iterable[Player]) -> list[Row]:
    measured = [facts.measured[defender.id] for defender in defenders]
    return [
        {
            "rank": None,
            "team": None,
            "name": attack,
            "house": True,
            "attack": attack,
            "cells": [{"rate": values.get(attack), "own": False} for values in measured],
        }
        for attack in built_in_attacks(facts)
        if attack not in facts.hidden and any(values.get(attack) is not None for values in measured)
    ]


def built_in_attacks(facts: Facts) -> tuple[str, ...]:
    """The library's attacks that the rules run on every table."""
    return built_in_of(facts.rules)


def built_in_of(rules: Ruleset) -> tuple[str, ...]:
    """The measures that are rates of built-in attacks: those that the rules name, otherwise all of that family."""
    return rules.ranking.linkage or tuple(
        id_ for id_ in rules.measures if rules.measure(id_).family == "linkage"
    )


# Storage format


def packed(data: Row) -> tuple[Row, Row | None]:
    """The boards without the content of the matrix, and the matrix with its cells as rates: a third of the text."""
    if MATRIX not in data:
        return data, None
    whole = data[MATRIX]
    rows = [{**row, "cells": [cell["rate"] for cell in row["cells"]]} for row in whole["rows"]]
    matrix = {"defenders": whole["defenders"], "rows": rows}
    return {**data, MATRIX: {k: v for k, v in whole.items() if k not in matrix}}, matrix


def unpacked(data: Row, matrix: Row | None = None) -> Row:
    """The unpacked boards; without the content of the matrix if it is not given."""
    if matrix is None:
        return data
    teams = [column["team"] for column in matrix["defenders"]]
    rows = [{**row, "cells": _cells(row["team"], row["cells"], teams)} for row in matrix["rows"]]
    return {**data, MATRIX: {**data[MATRIX], "defenders": matrix["defenders"], "rows": rows}}


def _cells(attacker: int | None, rates: list[float | None], teams: list[int]) -> list[Row]:
    met = zip(rates, teams, strict=True)
    return [{"rate": rate, "own": team == attacker} for rate, team in met]
