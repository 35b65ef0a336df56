# SPDX-License-Identifier: Apache-2.0
"""From totals to ranks, with tie-breaks; and several stages of a season in one."""

from __future__ import annotations

from collections.abc import Hashable, Iterable, Mapping, Sequence
from fractions import Fraction
from typing import Any

from scoring.errors import ProblemsFound
from scoring.formulas.base import (
    EARLIER,
    LOWEST_RATES,
    PARTS,
    TIE_BREAKS,
    Line,
    Scores,
    Settings,
)
from scoring.formulas.catalog import FORMULAS
from scoring.formulas.parts import lowest_rates, part
from scoring.formulas.ranking import K, competition_ranks
from scoring.scores.options import DECIMALS

FINAL = "final"
"""The tie-break of a season by the rank in its last stage."""


def ranked(
    formula: str,
    scores: Scores[K],
    settings: Settings | None = None,
    tie_breaks: Sequence[str] = (),
    arrived: Mapping[K, Any] | None = None,
) -> dict[K, Line]:
    """The board of a contest by one formula: every team's total, rank and parts.

    Parameters
    ----------
    formula
        One of `FORMULAS`.
    scores
    settings
        Those of the formula that are not its defaults.
    tie_breaks
        Tie-breaks of equal totals, in this order: a part of which more is better, "earlier", or "lowest-rates". A team
        without a value comes after those with one. Teams that remain equal share the rank.
    arrived
        When each team's counted submission arrived, in values of one kind that can be compared.

    Returns
    -------
    dict
        In the order of the teams. A team without a total ranks as the number of teams.

    Raises
    ------
    ProblemsFound
        No such formula, or a setting that it does not take.
    ValueError
        No such tie-break.

    Examples
    --------
    >>> scores = Scores(("a", "b", "c"), {"a": {"b": 40.0}}, {"a": 60.0, "b": 70.0, "c": 90.0})
    >>> lines = ranked("minimum", scores, tie_breaks=["protection"])
    >>> [(team, line.rank, line.total, line.tie_broken_by) for team, line in lines.items()]
    [('a', 2, 60.0, 'protection'), ('b', 3, 60.0, 'protection'), ('c', 1, 90.0, None)]
    """
    if unknown := FORMULAS.unknown([formula]):
        raise ProblemsFound(unknown)
    chosen = FORMULAS[formula]
    if problems := chosen.problems(settings or {}):
        raise ProblemsFound(problems)
    totals = chosen.function(scores, chosen.with_defaults(settings or {}))
    own = {name: part(scores, name) for name in PARTS}
    places = attack_places(scores)
    return board_of(totals, own, chosen.direction, tie_breaks, arrived or {}, places)


def attack_places(scores: Scores[K]) -> dict[str, dict[K, int]]:
    """The places of teams by the tie-break of their lowest rates, as `board_of` takes them; a season has none."""
    lowest = lowest_rates(scores)
    return {LOWEST_RATES: _first_places({t: tuple(-r for r in own) for t, own in lowest.items()})}


def combined(
    stages: Sequence[tuple[float, Mapping[K, Line]]],
    direction: str,
    tie_breaks: Sequence[str] = (),
    arrived: Mapping[K, Any] | None = None,
    *,
    of: str = "totals",
    places: Mapping[str, Mapping[K, int]] | None = None,
) -> dict[K, Line]:
    """The board of a season: weighted means of the totals, and of the parts, of its stages.

    Parameters
    ----------
    stages
        Weight, 0 or more, and board of each stage. A stage in which nobody has a total yet is left
        out.
    direction
        That of the formula: where "higher" is better, a missing total counts 0; where "lower" is,
        it counts as the worst of the stage, but no less than the number of teams in the season.
    tie_breaks, arrived
        As in `ranked`; the parts are weighted means over the stages that have them, and a missing
        one counts 0.
    of : {"totals", "ranks"}
        With "ranks" the means are those of the ranks in the stages, and lower is better whatever the direction.
    places
        As in `board_of`.

    Returns
    -------
    dict
        All teams of all stages; the total is None for one that has none in any of them.

    Raises
    ------
    ValueError
        A weight is negative, no such direction or tie-break.

    Examples
    --------
    >>> preliminary = {"a": Line(1, 90.0), "b": Line(2, 60.0)}
    >>> final = {"a": Line(2, 40.0), "b": Line(1, 50.0)}
    >>> {t: (line.rank, line.total) for t, line in combined([(1, preliminary), (9, final)], "higher").items()}
    {'a': (2, 45.0), 'b': (1, 51.0)}
    """
    if any(weight < 0 for weight, _ in stages):
        raise ValueError(f"expected weights of 0 or more, got {[weight for weight, _ in stages]}")
    teams = list(dict.fromkeys(team for _, lines in stages for team in lines))
    if of == "ranks":
        direction = "lower"
        column = [(w, {t: _rank(line) for t, line in lines.items()}) for w, lines in stages]
    else:
        column = _column(stages, "total")
    totals = _means(column, teams, direction)
    return board_of(totals, means(stages, teams), direction, tie_breaks, arrived or {}, places)


def means(
    stages: Sequence[tuple[float, Mapping[K, Line]]], teams: Sequence[K]
) -> dict[str, dict[K, float | None]]:
    """The parts of a season: weighted means over the stages that have them; a missing one counts 0."""
    return {name: _means(_column(stages, name), teams, "higher") for name in PARTS}


_Column = list[tuple[float, dict[K, float | None]]]


def _column(stages: Sequence[tuple[float, Mapping[K, Line]]], name: str) -> _Column[K]:
    return [(w, {team: getattr(line, name) for team, line in of.items()}) for w, of in stages]


def _rank(line: Line) -> float | None:
    return None if line.total is None else float(line.rank)


def _means(column: _Column[K], teams: Sequence[K], direction: str) -> dict[K, float | None]:
    """Weighted means over the stages that have any value and weigh anything."""
    found: dict[K, float | None] = dict.fromkeys(teams)
    has_value: set[K] = set()
    sums = dict.fromkeys(teams, Fraction(0))
    whole = Fraction(0)
    for weight, values in column:
        known = {team: value for team, value in values.items() if value is not None}
        if not known or not weight:
            continue
        missing = 0.0 if direction == "higher" else max(len(teams), *known.values())
        whole += Fraction(weight)
        has_value |= known.keys()
        for team in teams:
            sums[team] += Fraction(weight) * Fraction(known.get(team, missing))
    for team in has_value:
        found[team] = float(sums[team] / whole)
    return found


def board_of(
    totals: Mapping[K, float | None],
    own: Mapping[str, Mapping[K, float | None]],
    direction: str,
    tie_breaks: Sequence[str],
    arrived: Mapping[K, Any],
    places: Mapping[str, Mapping[K, int]] | None = None,
) -> dict[K, Line]:
    """The lines of a board: totals to ranks, with tie-breaks.

    Parameters
    ----------
    totals, own
        The totals, and the four parts by their names.
    direction, tie_breaks, arrived
        As in `ranked`.
    places
        Ranks of teams by the names of further tie-breaks: the key of another board, or "final".
    """
    given = {FINAL: dict[K, int](), LOWEST_RATES: dict[K, int](), **(places or {})}
    if unknown := [name for name in tie_breaks if name not in (*TIE_BREAKS, *given)]:
        raise ValueError(f"tie-breaks: expected {', '.join(TIE_BREAKS)}, got {', '.join(unknown)}")
    ranks = competition_ranks(totals, direction=direction)
    tied = [team for team, total in totals.items() if total is not None]
    keys: dict[K, tuple[int, ...]] = {team: (ranks[team],) for team in tied}
    broken_by: dict[K, str] = {}
    for name in tie_breaks:
        if name in given:
            by: Mapping[K, int] = given[name]
        else:
            by = _arrivals(arrived) if name == EARLIER else _places(own[name])
        finer = {team: (*keys[team], by.get(team, len(totals) + 1)) for team in tied}
        broken_by |= dict.fromkeys(_parted(keys, finer), name)
        keys = finer
    ranks |= _first_places(keys)
    return {
        team: Line(
            rank=ranks[team],
            total=_rounded(total),
            **{name: _rounded(own[name][team]) for name in PARTS},
            tie_broken_by=broken_by.get(team),
        )
        for team, total in totals.items()
    }


def _places(values: Mapping[K, float | None]) -> dict[K, int]:
    """Ranks of those who have a value; more is better."""
    ranks = competition_ranks(values, direction="higher")
    return {team: rank for team, rank in ranks.items() if values[team] is not None}


def _arrivals(arrived: Mapping[K, Any]) -> dict[K, int]:
    """Ranks of those whose submission arrived; earlier is better."""
    return _first_places({team: at for team, at in arrived.items() if at is not None})


def _first_places(keys: Mapping[K, Any]) -> dict[K, int]:
    """Position of every key in ascending order, from 1; equal keys have that of the first."""
    place: dict[Hashable, int] = {}
    for position, key in enumerate(sorted(keys.values()), start=1):
        place.setdefault(key, position)
    return {team: place[key] for team, key in keys.items()}


def _parted(coarse: Mapping[K, Hashable], fine: Mapping[K, Hashable]) -> Iterable[K]:
    """The teams whose group of equal coarse keys has several fine keys."""
    kinds: dict[Hashable, set[Hashable]] = {}
    for team, key in coarse.items():
        kinds.setdefault(key, set()).add(fine[team])
    return [team for team, key in coarse.items() if len(kinds[key]) > 1]


def _rounded(value: float | None) -> float | None:
    return None if value is None else round(value, DECIMALS)
