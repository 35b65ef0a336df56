# SPDX-License-Identifier: Apache-2.0
"""The intervals of totals and ranks on the boards of a contest: formulas applied to draws of the true rates."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from typing import TYPE_CHECKING, Any, Generic

import numpy as np

from scoring.formulas.base import PARTS, Formula, Line, Scores, Settings
from scoring.formulas.boards import BOARD_RANKS, OF_LISTED, OVER_BOARDS, Lines, in_order
from scoring.formulas.catalog import PART_RANKS
from scoring.formulas.measure_ranks import Boards, TableFacts
from scoring.formulas.part_ranks import USES as RANKED
from scoring.formulas.parts import part
from scoring.formulas.ranking import K
from scoring.formulas.uncertainty import Draws, Floats, Found, Place, places

if TYPE_CHECKING:
    from scoring.rulesets.base import BoardSpec, RankingSpec

Sides = tuple[Floats, Floats]
"""Draws of true values, n_draws × n_teams: as bad, and as good, as the data admit."""
TOP_K = "top-k-attack"
_EQUAL = 1e-9
_SLOW_DRAWS = 100
"""Draws of a formula that is no function of arrays, such as one of a plugin."""


def board_places(
    specs: Sequence[BoardSpec],
    scores: Scores[K],
    found: Mapping[K, Found[K]],
    boards: Mapping[str, Lines[K]],
    changed: Mapping[str, Any] | None = None,
    *,
    are_shared: bool = False,
) -> dict[str, dict[K, Place]]:
    """The intervals on all boards of scores.

    Parameters
    ----------
    specs, scores, changed
        As in `scoring.formulas.ranked_boards`.
    found : mapping of defender to Found
        The records that attackers found; a table without it has exact rates.
    boards
        What `ranked_boards` gave. A team without a total has no intervals.
    are_shared
        As in `scoring.formulas.uncertainty.places`.

    Examples
    --------
    >>> from scoring.rulesets.base import BoardSpec
    >>> from scoring.formulas import ranked_boards
    >>> scores = Scores(("a", "b"), {"a": {"b": 40.0}, "b": {"a": 10.0}})
    >>> specs = [BoardSpec("score", {}, "weighted-sum")]
    >>> boards = ranked_boards(specs, scores)
    >>> for n in (20, 2000):
    ...     found = board_places(specs, scores, {"a": Found(n), "b": Found(n)}, boards)["score"]["a"]
    ...     print(f"{found.total_low:.0f}–{found.total_high:.0f}", found.separable)
    56–80 True
    69–71 True
    """
    drawn = _Drawn(scores, found)
    sides: dict[str, Sides] = {}
    for spec in in_order(specs):
        sides[spec.key] = drawn.totals(spec, sides, list(boards[spec.key]), changed or {})
        if spec.direction == "lower":
            sides[spec.key] = -sides[spec.key][0], -sides[spec.key][1]
    return {
        spec.key: _placed(
            drawn.draws.teams, sides[spec.key], boards[spec.key], spec.direction, are_shared
        )
        for spec in specs
    }


def measure_places(
    facts: TableFacts[K],
    ranking: RankingSpec,
    found: Mapping[K, Found[K]],
    boards: Boards[K],
    weights: Mapping[str, float] | None = None,
) -> dict[str, dict[K, Place]]:
    """The intervals of the boards "anonymization", "attack" and "overall" of `scoring.formulas.measure_ranks`.

    Parameters
    ----------
    facts, ranking, weights
        As for `measure_ranks`; without rates there are no intervals.
    found
        As in `board_places`.
    boards
        What `measure_ranks` gave.
    """
    if facts.rates is None:
        return {}
    teams = list(dict.fromkeys([*facts.teams, *sorted({d for _, d in facts.rates}, key=repr)]))
    draws = Draws(teams, [a for a, _ in facts.rates], facts.rates, found)
    own = [draws.teams[team] for team in facts.teams]
    built_in = [_highest(facts.measured.get(team, {}), ranking.linkage) for team in facts.teams]
    rates = -np.maximum(draws.high[:, own], built_in), -np.maximum(draws.low[:, own], built_in)
    defence, n = boards.anonymization, len(facts.teams)
    ranked = next(iter(defence.values())).measure_ranks if defence else {}
    share = 2 * (1 + sum((weights or {}).get(m, 1.0) for m in ranking.safety if m in ranked))
    observed = [defence[team].worst_rank for team in facts.teams]
    moved = _both_ranks(rates, [defence[team].worst_rate is not None for team in facts.teams])
    exact = (
        np.array([defence[team].total for team in facts.teams])
        - np.array([rank or n for rank in observed]) / share
    )
    tables = -(exact + moved[0] / share), -(exact + moved[1] / share)
    targets = {team: [d for d in facts.published if d != team] for team in facts.teams}
    rows = [draws.attackers[team] for team in facts.teams]
    attacks = (draws.attacks(targets, ranking.attackers)[:, rows],) * 2
    ranks = (
        _both_ranks(tables, [team in facts.measured for team in facts.teams]),
        _both_ranks(attacks),
    )
    of_tables, of_attacks = ranking.anonymization_weight, ranking.attack_weight
    overall = (
        -(of_tables * ranks[0][0] + of_attacks * ranks[1][0]),
        -(of_tables * ranks[0][1] + of_attacks * ranks[1][1]),
    )
    position = {team: i for i, team in enumerate(facts.teams)}
    lines: dict[str, Lines[K]] = {
        "anonymization": {
            t: Line(defence[t].rank, defence[t].total) for t in facts.teams if t in facts.measured
        },
        "attack": {t: Line(at.rank, at.mean_rate) for t, at in boards.attack.items()},
        "overall": {t: line for t, line in boards.overall.items() if t in facts.taking_part},
    }
    return {
        name: _placed(position, sides, lines[name], direction, ranking.shares_ranks)
        for name, sides, direction in (
            ("anonymization", tables, "lower"),
            ("attack", attacks, "higher"),
            ("overall", overall, "lower"),
        )
    }


def _highest(values: Mapping[str, float | None], attacks: Sequence[str]) -> float:
    return max((rate for a in attacks if (rate := values.get(a)) is not None), default=0.0)


def _placed(
    position: Mapping[K, int], sides: Sides, lines: Lines[K], direction: str, are_shared: bool
) -> dict[K, Place]:
    """The intervals of the teams with a total; `sides` are higher where they are better."""
    teams = sorted((t for t, line in lines.items() if line.total is not None), key=repr)
    if not teams:
        return {}
    columns, sign = [position[team] for team in teams], 1 if direction == "higher" else -1
    totals = sign * np.array([lines[team].total for team in teams], dtype=float)
    ranks = np.array([lines[team].rank for team in teams])
    made = places(totals, sides[0][:, columns], sides[1][:, columns], ranks, are_shared=are_shared)
    if sign < 0:
        made = [replace(p, total_low=-p.total_high, total_high=-p.total_low) for p in made]
    return dict(zip(teams, made, strict=True))


def _ranks(own: Floats, rivals: Floats, is_in: Any = None) -> Floats:
    """Rank of each column among those of its rivals, higher is better; the number of columns for one that is not in."""
    n = own.shape[1]
    kept = np.flatnonzero(np.ones(n, dtype=bool) if is_in is None else is_in)
    ranks = np.full(own.shape, float(n))
    for j in kept:
        others = kept[kept != j]
        ranks[:, j] = 1 + (rivals[:, others] > own[:, j : j + 1] + _EQUAL).sum(axis=1)
    return ranks


def _both_ranks(sides: Sides, is_in: Sequence[bool] | None = None) -> Sides:
    """The ranks of teams at their worst among the others at their best, and the reverse."""
    worse, better = sides
    if worse is better:
        ranks = _ranks(worse, worse, is_in)
        return ranks, ranks
    return _ranks(worse, better, is_in), _ranks(better, worse, is_in)


class _Drawn(Generic[K]):
    """The draws of a contest, and of the parts of its scores."""

    def __init__(self, scores: Scores[K], found: Mapping[K, Found[K]]) -> None:
        rates = {
            (a, d): rate / 100
            for a, of in scores.matrix.items()
            for d, rate in of.items()
            if rate is not None and d in scores.defenders
        }
        self.scores = scores
        self.draws = draws = Draws(scores.teams, scores.baselines, rates, found)
        exact = {name: part(scores, name) for name in PARTS}
        worse = {
            name: np.array([np.nan if of[t] is None else of[t] for t in draws.teams], dtype=float)
            for name, of in exact.items()
            if any(value is not None for value in of.values())
        }
        self.worse = {name: np.tile(values, (draws.n_draws, 1)) for name, values in worse.items()}
        targets = {team: scores.targets(team) for team in draws.teams}
        if "attack" in worse:
            is_in = [bool(of) for of in targets.values()]
            rows = [draws.attackers[team] for team, of in targets.items() if of]
            self.worse["attack"][:, is_in] = 100 * draws.attacks(targets, scores.attackers)[:, rows]
        self.better = dict(self.worse)
        if "protection" in worse:
            self.worse["protection"] = self._protection(draws.high)
            self.better["protection"] = self._protection(draws.low)

    def _protection(self, rates: Floats) -> Floats:
        scores, teams = self.scores, self.draws.teams
        penalty = [max(scores.repeats.get(team, 0) - 1, 0) for team in teams]
        points = np.maximum(100 * (1 - rates) - penalty, 0)
        points[:, [team in scores.lost for team in teams]] = 0
        points[:, [team not in scores.defenders for team in teams]] = np.nan
        return np.asarray(points)

    def totals(
        self,
        spec: BoardSpec,
        known: Mapping[str, Sides],
        ranked: Sequence[K],
        changed: Mapping[str, Any],
    ) -> Sides:
        """The totals of a board; `known` are higher where they are better, and ranks are those among the `ranked`."""
        if spec.formula in OVER_BOARDS:
            is_in = [team in ranked for team in self.draws.teams]
            below = [known[key] for key in spec.boards]
            if spec.formula == BOARD_RANKS:
                below = [_both_ranks(sides, is_in) for sides in below]
            elif spec.direction == "lower":
                below = [(-worse, -better) for worse, better in below]
            weights = np.array(spec.weights)[:, None, None]
            return _sum(weights * [of[0] for of in below]), _sum(weights * [of[1] for of in below])
        formula: Formula = OF_LISTED[spec.formula]
        settings = formula.with_defaults(spec.settings)
        settings |= {name: value for name, value in changed.items() if name in settings}
        if formula.id == TOP_K:
            return (self._top_k(settings, known[spec.boards[0]] if spec.boards else None),) * 2
        if formula.id not in TOTALS:
            return (self._slowly(formula, settings),) * 2
        total = TOTALS[formula.id]
        return total(self.worse, self.better, settings), total(self.better, self.worse, settings)

    def _top_k(self, settings: Settings, board: Sides | None) -> Floats:
        """The rates of each team against the k best tables of each draw; see `top_k_attack`."""
        is_published = np.array([team in self.scores.defenders for team in self.draws.teams])
        quality = np.nan_to_num(self.worse["protection"])
        if settings["of"] == "total":
            quality = quality + _points(self.worse, "utility") if board is None else board[0]
        top = (_ranks(quality, quality, is_published) <= int(settings["k"])) & is_published
        rows = [self.draws.attackers[team] for team in self.draws.teams]
        rates, own = np.zeros(top.shape), top
        for t in map(int, np.flatnonzero(top.any(axis=0))):
            rates += 100 * top[:, [t]] * np.nan_to_num(self.draws.each(t)[:, rows])
        if settings["own"] == "worst":
            rates += own * 100 * self.draws.high
        if settings["combine"] == "sum":
            return np.asarray(rates)
        n = top.sum(axis=1, keepdims=True) - (own if settings["own"] == "left_out" else 0)
        return np.asarray(rates / np.maximum(n, 1))

    def _slowly(self, formula: Formula, settings: Settings) -> Floats:
        """The totals of any other formula, draw after draw."""
        teams, attackers = self.draws.teams, self.draws.attackers
        drawn = []
        each = 100 * np.stack([self.draws.each(t) for t in teams.values()])
        for draw in range(0, self.draws.n_draws, self.draws.n_draws // _SLOW_DRAWS):
            rates = each[:, draw]
            matrix = {
                a: {t: float(rates[j, i]) for t, j in teams.items() if not np.isnan(rates[j, i])}
                for a, i in attackers.items()
            }
            totals = formula.function(replace(self.scores, matrix=matrix), settings)
            drawn.append([np.nan if totals[team] is None else totals[team] for team in teams])
        return np.array(drawn, dtype=float)


def _sum(values: Any) -> Floats:
    return np.asarray(np.sum(values, axis=0))


# Formulas of arrays: draws of the parts of a team, and of its rivals, n_draws × n_teams, to draws of its total

Side = Mapping[str, Floats]
_HALF = 50


def _points(side: Side, name: str) -> Floats:
    """A part, 0 for a team that has none."""
    return np.asarray(np.nan_to_num(side[name])) if name in side else np.zeros(1)


def _weighted(side: Side, rivals: Side, settings: Settings) -> Floats:
    weights = {name: float(settings[name]) for name in side}
    summed = [weight * _points(side, name) for name, weight in weights.items()]
    return np.asarray(sum(summed) / (sum(weights.values()) or 1))


def _ranks_of_parts(side: Side, rivals: Side, settings: Settings) -> Floats:
    named = [name for name in RANKED if name in side]
    return np.asarray(sum(_ranks(side[n], rivals[n], ~np.isnan(side[n][0])) for n in named))


def _pair(total: Callable[[Floats, Floats], Floats]) -> Callable[[Side, Side, Settings], Floats]:
    return lambda side, rivals, settings: np.asarray(
        total(_points(side, "utility"), _points(side, "protection"))
    )


TOTALS: dict[str, Callable[[Side, Side, Settings], Floats]] = {
    "weighted-sum": _weighted,
    PART_RANKS: _ranks_of_parts,
    "harmonic": _pair(lambda u, p: 2 * u * p / np.maximum(u + p, _EQUAL)),
    "minimum": _pair(np.minimum),
    "sum": _pair(np.add),
    "penalised-sum": _pair(
        lambda u, p: np.maximum(
            0, u + p - 2 * np.maximum(0, _HALF - p) - 2 * np.maximum(0, _HALF - u)
        )
    ),
}
