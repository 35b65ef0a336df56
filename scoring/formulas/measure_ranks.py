# SPDX-License-Identifier: Apache-2.0
"""The formula of contests in which tables are anonymized: weighted boards of the ranks in measures and attacks."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from functools import cached_property
from typing import TYPE_CHECKING, Any, Generic

from scoring.formulas.base import Line, Scores
from scoring.formulas.ranking import (
    AnonymizationStanding,
    AttackStanding,
    K,
    anonymization_board,
    attack_board,
    overall_board,
)
from scoring.formulas.standings import attack_places, combined

if TYPE_CHECKING:
    from scoring.rulesets.base import RankingSpec

Values = Mapping[str, float | None]


@dataclass(frozen=True)
class TableFacts(Generic[K]):
    """The facts of a contest in which tables are anonymized.

    Attributes
    ----------
    teams : tuple
        Those that are ranked against each other. The attacks of others count all the same.
    measured : mapping of team to mapping of measure to value
        Of each team with a table that counts.
    rates : mapping of (attacker, defender) to rate, or None
        From 0 to 1, of every pair with a guess that counts; None before attacks are known.
    published : frozenset
        The teams whose tables could be attacked, those that are not ranked here among them.
    worst : mapping of team to rate, or None
        The highest rate that another team reached against each table; None where it follows from `rates`.
    presentation : mapping of team to mark
        From 0 to 100.
    arrived : mapping of team to time
        When each team's counted submission arrived, for the tie-break "earlier".
    """

    teams: tuple[K, ...]
    measured: Mapping[K, Values]
    rates: Mapping[tuple[K, K], float] | None = None
    published: frozenset[K] = frozenset()
    worst: Mapping[K, float] | None = None
    presentation: Mapping[K, float] = field(default_factory=dict)
    arrived: Mapping[K, Any] = field(default_factory=dict)

    @cached_property
    def strongest(self) -> dict[K, tuple[float, K]]:
        """For every attacked team the highest rate and the attacker that reached it, the first among equals."""
        best: dict[K, tuple[float, K]] = {}
        for (attacker, defender), rate in (self.rates or {}).items():
            found = (-rate, attacker)  # the smaller, the stronger
            if attacker != defender and (defender not in best or found < best[defender]):
                best[defender] = found
        return {defender: (-rate, attacker) for defender, (rate, attacker) in best.items()}

    @cached_property
    def taking_part(self) -> set[K]:
        """The teams that have done anything that counts; the others have no rank in the overall board."""
        attackers = {attacker for attacker, _ in self.rates or {}}
        return attackers | self.measured.keys() | self.presentation.keys()


@dataclass(frozen=True, slots=True)
class Boards(Generic[K]):
    """The three boards; the last two are empty before attacks are known."""

    anonymization: dict[K, AnonymizationStanding]
    attack: dict[K, AttackStanding]
    overall: dict[K, Line]


def measure_ranks(
    facts: TableFacts[K], ranking: RankingSpec, weights: Mapping[str, float] | None = None
) -> Boards[K]:
    """The boards of a contest: of its tables, of its attackers, and of both together; lower wins.

    Parameters
    ----------
    facts : TableFacts
    ranking : RankingSpec
        The measures under headings, the weights of the two boards, and the tie-breaks.
    weights : mapping of measure to number, optional
        See `scoring.formulas.ranking.anonymization_board`; 1 where none is given.

    Returns
    -------
    Boards
        `overall` has the weighted sum of the ranks on the other two boards; a team without a table counts as last on
        that of the tables. Its parts are what tie-breaks look at, in per cent.

    Examples
    --------
    >>> from scoring.rulesets.base import RankingSpec
    >>> ranking = RankingSpec(utility=("U1",), safety=("S1",), linkage=("E1",))
    >>> measured = {"a": {"U1": 1.0, "S1": 2.0, "E1": 0.2}, "b": {"U1": 2.0, "S1": 3.0, "E1": 0.1}}
    >>> rates = {("c", "a"): 0.5, ("c", "b"): 0.1, ("a", "b"): 0.0}
    >>> boards = measure_ranks(TableFacts(("a", "b", "c"), measured, rates, frozenset("ab")), ranking)
    >>> [(team, s.worst_rate, s.total) for team, s in boards.anonymization.items()]
    [('a', 0.5, 1.5), ('b', 0.1, 1.5), ('c', None, 3.0)]
    >>> {team: (line.rank, line.total) for team, line in boards.overall.items()}
    {'a': (1, 1.5), 'b': (1, 1.5), 'c': (3, 2.0)}
    """
    worst = facts.worst
    if worst is None:
        worst = {defender: rate for defender, (rate, _) in facts.strongest.items()}
    measured = {team: facts.measured.get(team, {}) for team in facts.teams}
    defence = anonymization_board(measured, ranking, worst_attack=worst, weights=weights)
    if facts.rates is None:
        return Boards(defence, {}, {})
    rates: dict[K, dict[K, float | None]] = {team: {} for team in facts.teams}
    for (attacker, defender), rate in facts.rates.items():
        if attacker in rates:
            rates[attacker][defender] = rate
    offence = attack_board(rates, facts.published, ranking.attackers)
    return Boards(defence, offence, _overall(facts, ranking, defence, offence, rates))


def _overall(
    facts: TableFacts[K],
    ranking: RankingSpec,
    defence: Mapping[K, AnonymizationStanding],
    offence: Mapping[K, AttackStanding],
    rates: Mapping[K, Mapping[K, float | None]],
) -> dict[K, Line]:
    n = len(facts.teams)
    tables = {t: defence[t].rank if t in facts.measured else None for t in facts.teams}
    board = overall_board(tables, {t: offence[t].rank for t in facts.teams}, ranking, n)
    lines = {
        team: Line(
            standing.rank,
            standing.total,
            utility=ranking.utility_in(facts.measured.get(team, {})),
            protection=_protection(defence[team]),
            attack=100 * offence[team].mean_rate,
            presentation=facts.presentation.get(team),
        )
        for team, standing in board.items()
    }
    if not ranking.tie_breaks:
        return lines
    places = attack_places(
        Scores(
            tuple({*facts.teams, *facts.published}),
            {a: {d: 100 * (rate or 0.0) for d, rate in of.items()} for a, of in rates.items()},
            defenders=frozenset(facts.published),
        )
    )
    parted = combined([(1, lines)], "lower", ranking.tie_breaks, facts.arrived, places=places)
    return {
        team: replace(line, rank=parted[team].rank, tie_broken_by=parted[team].tie_broken_by)
        for team, line in lines.items()
    }


def _protection(standing: AnonymizationStanding) -> float | None:
    return None if standing.worst_rate is None else 100 * (1 - standing.worst_rate)


def season_lines(facts: TableFacts[K], overall: Mapping[K, Line]) -> dict[K, Line]:
    """The lines by which a stage enters a season: no total of a team that took no part."""
    return {
        team: line if team in facts.taking_part else Line(line.rank, None)
        for team, line in overall.items()
    }
