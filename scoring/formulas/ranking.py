# SPDX-License-Identifier: Apache-2.0
"""Boards of a contest: pure functions from values to ranks.

Equal values share the best rank (1 1 3), a missing value ranks as the number of teams, and values
are rounded to nine decimals before they are compared, so that no rank hangs on the last bits of a
floating-point sum.
"""

from __future__ import annotations

import math
from collections.abc import Collection, Hashable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from fractions import Fraction
from typing import TYPE_CHECKING, TypeVar

from scoring.scores.options import DECIMALS

if TYPE_CHECKING:
    from scoring.rulesets.base import RankingSpec

K = TypeVar("K", bound=Hashable)

AVERAGES = ("mean", "median", "trimmed")
"""Averages of rates against several tables, see `averaged`."""
TEAMS = "teams"
"""Value of `worst_by` if the worst re-identification rate is that of another team's attack."""


@dataclass(frozen=True, slots=True)
class AnonymizationStanding:
    """One team's line of the anonymization board.

    `measure_ranks` holds the ranked measures only: one that no team has a value for is not ranked.
    `worst_rate` is the highest re-identification rate (0 to 1) and `worst_by` names the linkage
    measure that reached it, or "teams"; both are None where nothing has attacked the table.
    """

    measure_ranks: dict[str, int]
    worst_rate: float | None
    worst_by: str | None
    worst_rank: int | None
    utility_rank: float
    safety_rank: float
    total: float
    rank: int


@dataclass(frozen=True, slots=True)
class AttackStanding:
    """One team's line of the attack board: mean re-identification rate (0 to 1) and rank."""

    mean_rate: float
    rank: int


@dataclass(frozen=True, slots=True)
class EstimatesStanding:
    """One team's line of the board of a round in which a hidden table is estimated.

    `measure_ranks` holds the ranked measures only: one that no team has a value for is not ranked.
    """

    measure_ranks: dict[str, int]
    total: float
    rank: int


@dataclass(frozen=True, slots=True)
class OverallStanding:
    """One team's line of the overall board: weighted sum of its two board ranks, and rank."""

    total: float
    rank: int


def competition_ranks(
    values: Mapping[K, float | None], *, direction: str, n: int | None = None
) -> dict[K, int]:
    """Rank of every key, 1 is best; equal values share the best rank (1 1 3).

    Parameters
    ----------
    values
        One value per team; None (or NaN) is a missing value and ranks as the number of teams.
    direction
        Which values are better, "lower" or "higher".
    n
        The number of teams, where `values` does not hold all of them.

    Raises
    ------
    ValueError
        `n` is smaller than the number of values, or the direction is neither of the two.

    Examples
    --------
    >>> competition_ranks({"a": 0.2, "b": 0.1, "c": 0.1, "d": None}, direction="lower")
    {'a': 3, 'b': 1, 'c': 1, 'd': 4}
    """
    if direction not in ("lower", "higher"):
        raise ValueError(f"direction: expected lower or higher, got {direction}")
    n_teams = len(values) if n is None else n
    if n_teams < len(values):
        raise ValueError(f"n: expected at least the {len(values)} values given, got {n_teams}")
    compared = {
        key: None if value is None or math.isnan(value) else round(float(value), DECIMALS)
        for key, value in values.items()
    }
    ordered = sorted([v for v in compared.values() if v is not None], reverse=direction == "higher")
    best_rank: dict[float, int] = {}
    for rank, value in enumerate(ordered, start=1):
        best_rank.setdefault(value, rank)
    return {key: n_teams if v is None else best_rank[v] for key, v in compared.items()}


def anonymization_board(
    values: Mapping[K, Mapping[str, float | None]],
    ranking: RankingSpec,
    *,
    worst_attack: Mapping[K, float] | None = None,
    weights: Mapping[str, float] | None = None,
) -> dict[K, AnonymizationStanding]:
    """Anonymization board: the mean of a utility rank and a safety rank, lower wins.

    The utility rank is the weighted mean of the ranks on the utility measures. The safety rank is
    that of the ranks on the safety measures and on the worst re-identification rate over the linkage
    measures and, in `worst_attack`, over the other teams' attacks.

    Parameters
    ----------
    values
        For every team its measures by id; a team without a scored submission has an empty mapping.
    ranking
        The measures under each heading.
    worst_attack
        The highest rate that another team reached against each team, once it is known.
    weights
        The weight of each measure among those of its heading, above 0; 1 where none is given, and
        for the worst rate.

    Examples
    --------
    >>> from scoring.rulesets.base import RankingSpec
    >>> ranking = RankingSpec(utility=("U1", "U2"), safety=("S1",))
    >>> values = {"a": {"U1": 1.0, "U2": 9.0, "S1": 2.0}, "b": {"U1": 2.0, "U2": 8.0, "S1": 1.0}}
    >>> board = anonymization_board(values, ranking, weights={"U1": 3.0})
    >>> [(team, s.utility_rank, s.safety_rank, s.total) for team, s in board.items()]
    [('a', 1.25, 1.0, 1.125), ('b', 1.75, 2.0, 1.875)]
    """
    teams = list(values)
    known = worst_attack or {}
    weighs = {m: _exact((weights or {}).get(m, 1.0)) for m in (*ranking.utility, *ranking.safety)}
    worst = {t: _worst(values[t], ranking.linkage, known.get(t)) for t in teams}
    rates = {t: rate for t, (rate, _) in worst.items()}
    utility = _measure_ranks(values, ranking.utility, ranking)
    safety = _measure_ranks(values, ranking.safety, ranking)
    worst_ranks = _ranks_if_any(rates, "lower")
    of_utility = [(weighs[m], ranks) for m, ranks in utility.items()]
    of_safety = [(weighs[m], ranks) for m, ranks in safety.items()]
    of_safety += [(Fraction(1), worst_ranks)] if worst_ranks else []
    utility_sum, utility_weight = _rank_sums(of_utility, teams)
    safety_sum, safety_weight = _rank_sums(of_safety, teams)
    total = {
        t: _rounded(
            (utility_sum[t] * safety_weight + safety_sum[t] * utility_weight)
            / (2 * utility_weight * safety_weight)
        )
        for t in teams
    }
    ranks = competition_ranks(total, direction="lower")
    return {
        t: AnonymizationStanding(
            measure_ranks={m: r[t] for m, r in {**utility, **safety}.items()},
            worst_rate=worst[t][0],
            worst_by=worst[t][1],
            worst_rank=worst_ranks[t] if worst_ranks else None,
            utility_rank=_rounded(utility_sum[t] / utility_weight),
            safety_rank=_rounded(safety_sum[t] / safety_weight),
            total=total[t],
            rank=ranks[t],
        )
        for t in teams
    }


def attack_board(
    rates: Mapping[K, Mapping[K, float | None]], defenders: Collection[K], average: str = "mean"
) -> dict[K, AttackStanding]:
    """Attack board: mean re-identification rate over the other teams, or another average, higher wins.

    Parameters
    ----------
    rates
        For every attacker its rate against each defender; a target without a valid guess is None
        or absent and counts 0. An attacker that guessed nothing has an empty mapping.
    defenders
        The teams whose tables were published. A team's own cell is left out.
    average
        One of `AVERAGES`, see `averaged`.
    """
    targets = set(defenders)
    mean = {
        attacker: _averaged([cells.get(d) or 0.0 for d in targets if d != attacker], average)
        for attacker, cells in rates.items()
    }
    ranks = competition_ranks(mean, direction="higher")
    return {attacker: AttackStanding(mean[attacker], ranks[attacker]) for attacker in rates}


def estimates_board(
    values: Mapping[K, Mapping[str, float | None]],
    ranking: RankingSpec,
    *,
    weights: Mapping[str, float] | None = None,
) -> dict[K, EstimatesStanding]:
    """Board of a round of estimates: the mean of the ranks on the utility measures, lower wins.

    Parameters
    ----------
    values
        For every team its measures by id; a team without a scored estimate has an empty mapping.
    ranking
        Its utility measures are ranked.
    weights
        The weight of each measure, above 0; 1 where none is given.

    Examples
    --------
    >>> from scoring.rulesets.base import RankingSpec
    >>> ranking = RankingSpec(utility=("table-L2", "table-spearman"))
    >>> near, right = {"table-L2": 3.0, "table-spearman": 0.5}, {"table-L2": 7.0, "table-spearman": 0.9}
    >>> board = estimates_board({"a": near, "b": right, "c": {}}, ranking, weights={"table-L2": 3.0})
    >>> [(team, s.total, s.rank) for team, s in board.items()]
    [('a', 1.25, 1), ('b', 1.75, 2), ('c', 3.0, 3)]
    """
    ranks, totals = _estimates(values, ranking, weights or {})
    rounded = {t: _rounded(total) for t, total in totals.items()}
    places = competition_ranks(rounded, direction="lower")
    return {
        t: EstimatesStanding({m: r[t] for m, r in ranks.items()}, rounded[t], places[t])
        for t in values
    }


def compared_totals(
    rounds: Iterable[Mapping[K, Mapping[str, float | None]]],
    ranking: RankingSpec,
    *,
    weights: Mapping[str, float] | None = None,
) -> dict[K, float | None]:
    """The mean of a team's totals on the boards of several rounds of estimates, lower wins.

    Parameters
    ----------
    rounds
        For every round what `estimates_board` takes, with the same teams. A round in which nobody
        has a value is left out.
    ranking, weights
        As in `estimates_board`.

    Returns
    -------
    dict
        None for a team that has no value in any round. In a round that only this team left out, its total is the number
        of teams.

    Examples
    --------
    >>> from scoring.rulesets.base import RankingSpec
    >>> batch = {"a": {"table-L2": 3.0}, "b": {"table-L2": 7.0}, "c": {}}
    >>> interactive = {"a": {}, "b": {"table-L2": 1.0}, "c": {}}
    >>> compared_totals([batch, interactive], RankingSpec(utility=("table-L2",)))
    {'a': 2.0, 'b': 1.5, 'c': None}
    """
    played = list(rounds)
    used = [values for values in played if _has_any(values.values(), ranking)]
    boards = [_estimates(values, ranking, weights or {})[1] for values in used]
    teams = dict.fromkeys(team for values in played for team in values)
    took_part = {t for t in teams if _has_any([values.get(t, {}) for values in used], ranking)}
    return {
        t: _rounded(sum((of[t] for of in boards), Fraction(0)) / len(boards))
        if t in took_part
        else None
        for t in teams
    }


def _estimates(
    values: Mapping[K, Mapping[str, float | None]],
    ranking: RankingSpec,
    weights: Mapping[str, float],
) -> tuple[dict[str, dict[K, int]], dict[K, Fraction]]:
    """The ranks of every ranked measure, and the teams' exact totals."""
    ranks = _measure_ranks(values, ranking.utility, ranking)
    weighted = [(_exact(weights.get(m, 1.0)), of) for m, of in ranks.items()]
    sums, whole = _rank_sums(weighted, list(values))
    return ranks, {t: Fraction(summed, whole) for t, summed in sums.items()}


def _has_any(values: Iterable[Mapping[str, float | None]], ranking: RankingSpec) -> bool:
    return any(of.get(m) is not None for of in values for m in ranking.utility)


def overall_board(
    anonymization: Mapping[K, int | None],
    attack: Mapping[K, int | None],
    ranking: RankingSpec,
    n: int,
) -> dict[K, OverallStanding]:
    """Overall board: weighted sum of the two board ranks, lower wins; no rank counts as `n`."""
    teams = dict.fromkeys([*anonymization, *attack])
    total = {
        t: _rounded(
            ranking.anonymization_weight * _or(anonymization.get(t), n)
            + ranking.attack_weight * _or(attack.get(t), n)
        )
        for t in teams
    }
    ranks = competition_ranks(total, direction="lower", n=max(n, len(teams)))
    return {t: OverallStanding(total[t], ranks[t]) for t in teams}


def _measure_ranks(
    values: Mapping[K, Mapping[str, float | None]], measures: Iterable[str], ranking: RankingSpec
) -> dict[str, dict[K, int]]:
    ranked = {}
    for measure in measures:
        of_teams = {t: v.get(measure) for t, v in values.items()}
        ranks = _ranks_if_any(of_teams, ranking.direction(measure))
        if ranks:
            ranked[measure] = ranks
    return ranked


def _ranks_if_any(values: Mapping[K, float | None], direction: str) -> dict[K, int]:
    if all(value is None for value in values.values()):
        return {}
    return competition_ranks(values, direction=direction)


def _worst(
    values: Mapping[str, float | None], linkage: Iterable[str], by_teams: float | None
) -> tuple[float | None, str | None]:
    # max keeps the first of equals: a measure, in the ruleset's order, goes before "teams".
    rates = [(values.get(m), m) for m in linkage] + [(by_teams, TEAMS)]
    known = [(_rounded(rate), by) for rate, by in rates if rate is not None]
    return max(known, key=lambda pair: pair[0], default=(None, None))


def _rank_sums(
    weighted: Sequence[tuple[Fraction, Mapping[K, int]]], teams: Sequence[K]
) -> tuple[dict[K, int], int]:
    """The numerators of the teams' weighted mean ranks, and their common denominator.

    Whole numbers, whose quotient Python rounds correctly: 7/6 + 8/3 and 11/6 + 2 are equal, their rounded decimals
    are not. Without a rank the mean is the number of teams.
    """
    if not weighted:
        return dict.fromkeys(teams, len(teams)), 1
    scale = math.lcm(*(weight.denominator for weight, _ in weighted))
    whole = [(int(weight * scale), ranks) for weight, ranks in weighted]
    sums = {t: sum([weight * ranks[t] for weight, ranks in whole]) for t in teams}
    return sums, sum(weight for weight, _ in whole)


def _exact(weight: float) -> Fraction:
    """The exact decimal value of a weight, 1/10 for 0.1."""
    return Fraction(str(float(weight)))


def averaged(values: Sequence[float], average: str) -> float:
    """Mean, median, or mean without the lowest and the highest quarter of the values.

    A few targets prepared by the attacker, for example colluding teams, change the mean; they do not change the median
    if they are fewer than half, nor the trimmed mean if they are at most a quarter.

    Parameters
    ----------
    values
        At least one.
    average
        "mean", "median" or "trimmed". A quarter of n values are n // 4 on either side.

    Examples
    --------
    >>> [averaged([5.0, 5.0, 5.0, 5.0, 5.0, 100.0, 100.0, 100.0], how) for how in AVERAGES]
    [40.625, 5.0, 28.75]
    """
    if average == "mean":
        return math.fsum(values) / len(values)
    ordered = sorted(values)
    cut = len(ordered) // 4 if average == "trimmed" else (len(ordered) - 1) // 2
    kept = ordered[cut : len(ordered) - cut]
    return math.fsum(kept) / len(kept)


def _averaged(rates: list[float], average: str) -> float:
    return _rounded(averaged(rates, average)) if rates else 0.0


def _rounded(value: float | Fraction) -> float:
    return round(float(value), DECIMALS)


def _or(rank: int | None, missing: int) -> int:
    return missing if rank is None else rank
