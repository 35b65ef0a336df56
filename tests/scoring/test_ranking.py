# SPDX-License-Identifier: Apache-2.0
"""The boards against a slow oracle, against worked tables, and under the laws of ranking."""

from __future__ import annotations

from fractions import Fraction

import pytest
from hypothesis import given
from hypothesis import strategies as st

from scoring.formulas.ranking import (
    anonymization_board,
    attack_board,
    compared_totals,
    competition_ranks,
    estimates_board,
    overall_board,
)
from scoring.rulesets.base import RankingSpec

UTILITY = ("U1", "U2", "U3")
SAFETY = ("S1", "S2")
LINKAGE = ("E1", "E2", "EUC2")
RANKING = RankingSpec(UTILITY, SAFETY, LINKAGE)
HIGHER = {"S1", "S2"}

# Few distinct values, so that ties are common.
value = st.none() | st.integers(0, 6).map(lambda i: i / 4)
rate = st.none() | st.integers(0, 4).map(lambda i: i / 4)
weight = st.sampled_from([0.1, 0.25, 1.0, 3.0])
teams = st.integers(1, 7).map(lambda n: [f"team{i}" for i in range(n)])


@st.composite
def measure_tables(draw):
    ids = [*UTILITY, *SAFETY, *LINKAGE]
    return {t: {m: draw(value) for m in ids if draw(st.booleans())} for t in draw(teams)}


@st.composite
def attack_tables(draw):
    names = draw(teams)
    rates = {a: {d: draw(rate) for d in names if draw(st.booleans())} for a in names}
    return rates, draw(st.lists(st.sampled_from(names), unique=True))


def slow_rank(values, team, direction, n):
    mine = values[team]
    if mine is None:
        return n
    others = [v for v in values.values() if v is not None]
    if direction == "lower":
        return 1 + sum(v < mine for v in others)
    return 1 + sum(v > mine for v in others)


def slow_anonymization(values, worst_attack, weights):
    n = len(values)
    columns = {m: {t: v.get(m) for t, v in values.items()} for m in (*UTILITY, *SAFETY)}
    columns["worst"] = {
        t: max(
            (r for r in [*(v.get(m) for m in LINKAGE), worst_attack.get(t)] if r is not None),
            default=None,
        )
        for t, v in values.items()
    }

    def mean_rank(team, ids):
        used = [m for m in ids if any(v is not None for v in columns[m].values())]
        ranks = [slow_rank(columns[m], team, "higher" if m in HIGHER else "lower", n) for m in used]
        weighs = [Fraction(str(weights.get(m, 1.0))) for m in used]
        summed = sum(w * rank for w, rank in zip(weighs, ranks, strict=True))
        return summed / sum(weighs) if ranks else Fraction(n)

    totals = {t: (mean_rank(t, UTILITY) + mean_rank(t, (*SAFETY, "worst"))) / 2 for t in values}
    return totals, {t: slow_rank(totals, t, "lower", n) for t in values}


@given(st.dictionaries(st.integers(), value, min_size=1), st.sampled_from(["lower", "higher"]))
def test_ranks_agree_with_the_oracle(values, direction):
    ranks = competition_ranks(values, direction=direction)
    assert ranks == {t: slow_rank(values, t, direction, len(values)) for t in values}


@given(measure_tables(), st.data())
def test_the_anonymization_board_agrees_with_the_oracle(values, data):
    worst_attack = {t: data.draw(st.integers(0, 8)) / 8 for t in values if data.draw(st.booleans())}
    weights = data.draw(st.dictionaries(st.sampled_from([*UTILITY, *SAFETY]), weight))
    board = anonymization_board(values, RANKING, worst_attack=worst_attack, weights=weights)
    totals, ranks = slow_anonymization(values, worst_attack, weights)
    assert {t: s.rank for t, s in board.items()} == ranks
    assert {t: s.total for t, s in board.items()} == {
        t: round(float(total), 9) for t, total in totals.items()
    }


@given(measure_tables(), st.randoms())
def test_the_order_of_the_teams_changes_nothing(values, random):
    shuffled = list(values.items())
    random.shuffle(shuffled)
    assert anonymization_board(dict(shuffled), RANKING) == anonymization_board(values, RANKING)


@given(attack_tables())
def test_the_attack_board_agrees_with_the_oracle(tables):
    rates, defenders = tables
    board = attack_board(rates, defenders)
    means = {}
    for attacker in rates:
        cells = [rates[attacker].get(d) or 0 for d in defenders if d != attacker]
        means[attacker] = sum(cells) / len(cells) if cells else 0
    assert {t: s.mean_rate for t, s in board.items()} == pytest.approx(means, abs=1e-9)
    rounded = {t: round(m, 9) for t, m in means.items()}
    for team, standing in board.items():
        assert standing.rank == slow_rank(rounded, team, "higher", len(rounded))


@given(st.dictionaries(st.integers(0, 9), st.integers(1, 10) | st.none(), min_size=1))
def test_the_overall_board_is_the_weighted_sum_of_the_ranks(anonymization):
    attack = {t: (r or 3) % 4 + 1 for t, r in anonymization.items()}
    n = len(anonymization)
    ranking = RankingSpec(UTILITY, SAFETY, LINKAGE, anonymization_weight=0.75, attack_weight=0.25)
    board = overall_board(anonymization, attack, ranking, n)
    totals = {t: 0.75 * (anonymization[t] or n) + 0.25 * attack[t] for t in anonymization}
    assert {t: s.total for t, s in board.items()} == totals
    assert {t: s.rank for t, s in board.items()} == {
        t: slow_rank(totals, t, "lower", n) for t in totals
    }


# Estimates of a hidden table

ESTIMATED = RankingSpec(utility=("table-L2", "table-spearman"))
THIRDS = {"table-L2": 0.1, "table-spearman": 0.2}  # 1/3 and 2/3 of a total: no decimals hold them


@st.composite
def rounds_of_estimates(draw):
    names = draw(teams)
    given = st.fixed_dictionaries({}, optional=dict.fromkeys(ESTIMATED.utility, value))
    return draw(st.lists(st.fixed_dictionaries(dict.fromkeys(names, given)), max_size=3))


def slow_estimates(values):
    """The totals as fractions, one measure and team after the other."""
    totals = {}
    for team in values:
        parts = []
        for measure, direction in (("table-L2", "lower"), ("table-spearman", "higher")):
            column = {t: v.get(measure) for t, v in values.items()}
            if any(v is not None for v in column.values()):
                weight = 1 if measure == "table-L2" else 2
                parts.append((weight, slow_rank(column, team, direction, len(values))))
        whole = sum(weight for weight, _ in parts)
        summed = sum(weight * rank for weight, rank in parts)
        totals[team] = Fraction(summed, whole) if parts else Fraction(len(values))
    return totals


@given(rounds_of_estimates())
def test_the_board_of_estimates_agrees_with_the_oracle(rounds):
    for values in rounds:
        totals = slow_estimates(values)
        board = estimates_board(values, ESTIMATED, weights=THIRDS)
        assert {t: s.total for t, s in board.items()} == {
            t: round(float(total), 9) for t, total in totals.items()
        }
        assert {t: s.rank for t, s in board.items()} == {
            t: slow_rank(totals, t, "lower", len(values)) for t in values
        }


@given(rounds_of_estimates())
def test_the_comparison_agrees_with_the_oracle(rounds):
    def has_value(values):
        return any(value is not None for value in values.values())

    played = [values for values in rounds if any(map(has_value, values.values()))]
    expected = {}
    for team in rounds[0] if rounds else ():
        totals = [slow_estimates(values)[team] for values in played]
        took_part = any(has_value(values[team]) for values in played)
        expected[team] = round(float(sum(totals) / len(totals)), 9) if took_part else None
    assert compared_totals(rounds, ESTIMATED, weights=THIRDS) == expected


def test_equal_means_of_thirds_are_equal_totals():
    first = {"a": (2.0, 0.9), "b": (1.0, 0.5)}  # totals 4/3 and 5/3
    second = {"a": (2.0, 0.9), "b": (1.0, 0.9)}  # totals 4/3 and 1
    rounds = [
        {team: dict(zip(ESTIMATED.utility, values, strict=True)) for team, values in of.items()}
        for of in (first, second)
    ]
    totals = compared_totals(rounds, ESTIMATED, weights=THIRDS)
    assert totals == {"a": 1.333333333, "b": 1.333333333}


def test_equal_values_share_the_best_rank():
    assert competition_ranks({"a": 1, "b": 1, "c": 2}, direction="lower") == {
        "a": 1,
        "b": 1,
        "c": 3,
    }


def test_a_missing_value_ranks_as_the_number_of_teams():
    values = {"a": 0.5, "b": None, "c": float("nan")}
    assert competition_ranks(values, direction="higher") == {"a": 1, "b": 3, "c": 3}
    assert competition_ranks(values, direction="higher", n=8) == {"a": 1, "b": 8, "c": 8}


def test_fewer_teams_than_values_is_refused():
    with pytest.raises(ValueError, match="expected at least the 2 values given, got 1"):
        competition_ranks({"a": 1, "b": 2}, direction="lower", n=1)


def test_an_unknown_direction_is_refused():
    with pytest.raises(ValueError, match="direction: expected lower or higher, got up"):
        competition_ranks({"a": 1}, direction="up")


def test_values_are_compared_at_nine_decimals():
    almost = {"a": 0.1 + 0.2, "b": 0.3, "c": 0.300000001}
    assert competition_ranks(almost, direction="lower") == {"a": 1, "b": 1, "c": 3}


def test_a_board_computed_manually():
    values = {
        "noise": {"U1": 46.0, "U2": 7.0, "U3": 0.0, "S1": 1, "S2": 1.9, "E1": 0.5, "E2": 0.9},
        "kanon": {"U1": 0.0, "U2": 9.0, "U3": 5.8, "S1": 3, "S2": 7.7, "E1": 0.1, "E2": 0.2},
        "empty": {},
    }
    board = anonymization_board(values, RANKING, worst_attack={"kanon": 0.95})
    # utility ranks: noise 2 1 1, kanon 1 2 2, empty 3 3 3; safety: noise 2 2 1, kanon 1 1 2
    noise, kanon, empty = (board[t] for t in ("noise", "kanon", "empty"))
    assert noise.utility_rank == pytest.approx(4 / 3)
    assert noise.safety_rank == pytest.approx(5 / 3)
    assert (noise.total, noise.rank, noise.worst_rate, noise.worst_by) == (1.5, 1, 0.9, "E2")
    assert kanon.utility_rank == pytest.approx(5 / 3)
    assert kanon.safety_rank == pytest.approx(4 / 3)
    assert (kanon.total, kanon.rank, kanon.worst_rate, kanon.worst_by) == (1.5, 1, 0.95, "teams")
    assert (empty.total, empty.rank, empty.worst_rate, empty.worst_rank) == (3.0, 3, None, 3)
    assert noise.measure_ranks == {"U1": 2, "U2": 1, "U3": 1, "S1": 2, "S2": 2}


def test_equal_totals_share_a_rank_whatever_thirds_and_sixths_they_are_made_of():
    measures = ("U1", "U2", "U3", "U4", "U5", "U6")
    red = dict(zip(measures, (0, 0, 0, 0, 2, 0), strict=True)) | {"S1": 1, "S2": 2, "E1": 0.9}
    blue = dict(zip(measures, (1, 3, 0, 2, 1, 0), strict=True)) | {"S1": 2, "S2": 2, "E1": 0.4}
    green = dict(zip(measures, (1, 1, 1, 1, 3, 3), strict=True)) | {"S1": 3, "S2": 7, "E1": 0.2}
    values = {"red": red, "blue": blue, "green": green}
    board = anonymization_board(values, RankingSpec(measures, SAFETY, LINKAGE))
    # red 7/6 and 8/3, blue 11/6 and 2, green 15/6 and 1
    assert {t: (s.total, s.rank) for t, s in board.items()} == {
        "red": (1.916666667, 2),
        "blue": (1.916666667, 2),
        "green": (1.75, 1),
    }


def test_an_attack_that_only_equals_a_measure_is_named_after_the_measure():
    board = anonymization_board({"a": {"E1": 0.25, "E2": 0.25}}, RANKING, worst_attack={"a": 0.25})
    assert (board["a"].worst_rate, board["a"].worst_by) == (0.25, "E1")


def test_a_measure_that_no_team_has_is_not_ranked():
    values = {"a": {"U1": 0, "U2": None, "S1": 3}, "b": {"U1": 1, "U2": None, "S1": 2}}
    board = anonymization_board(values, RANKING)
    assert board["a"].measure_ranks == {"U1": 1, "S1": 1}
    assert board["a"].worst_rank is None
    assert (board["a"].total, board["b"].total) == (1.0, 2.0)


def test_no_values_at_all_rank_every_team_alike():
    board = anonymization_board({"a": {}, "b": {}}, RANKING)
    assert {(s.total, s.rank) for s in board.values()} == {(2.0, 1)}


def test_the_own_cell_is_left_out_and_a_missing_guess_counts_zero():
    rates = {"a": {"a": 1.0, "b": 0.5}, "b": {"a": 0.2, "c": 0.4}, "c": {}}
    board = attack_board(rates, ["a", "b", "c"])
    assert {t: (s.mean_rate, s.rank) for t, s in board.items()} == {
        "a": (0.25, 2),
        "b": (0.3, 1),
        "c": (0.0, 3),
    }


def test_an_attacker_that_published_nothing_is_measured_over_all_defenders():
    assert attack_board({"x": {"a": 0.5, "b": 0.0}}, ["a", "b"])["x"].mean_rate == 0.25


def test_a_team_only_has_nobody_to_attack():
    assert attack_board({"a": {"a": 1.0}}, ["a"])["a"].mean_rate == 0.0


def test_a_team_that_is_on_one_board_only_gets_the_last_rank_on_the_other():
    board = overall_board({"a": 1, "b": None}, {"b": 1, "c": 2}, RANKING, n=3)
    assert {t: (s.total, s.rank) for t, s in board.items()} == {
        "a": (2.0, 1),
        "b": (2.0, 1),
        "c": (2.5, 3),
    }


def test_a_measure_counts_by_its_weight_and_the_worst_rate_by_one():
    # Utility ranks of a: U1 1, U2 2; weights 3 and 1: (3 + 2)/4. Safety: S1 (weight 2) 2, worst 1.
    values = {
        "a": {"U1": 0.0, "U2": 1.0, "S1": 1.0, "E1": 0.1},
        "b": {"U1": 1.0, "U2": 0.0, "S1": 2.0, "E1": 0.2},
    }
    ranking = RankingSpec(("U1", "U2"), ("S1",), ("E1",))
    board = anonymization_board(values, ranking, weights={"U1": 3, "U2": 1, "S1": 2})
    assert (board["a"].utility_rank, board["b"].utility_rank) == (1.25, 1.75)
    assert (board["a"].safety_rank, board["b"].safety_rank) == (round(5 / 3, 9), round(4 / 3, 9))


@given(measure_tables(), st.floats(0.01, 100))
def test_equal_weights_change_nothing(values, weight):
    weights = dict.fromkeys([*UTILITY, *SAFETY], 1.0)
    assert anonymization_board(values, RANKING, weights=weights) == anonymization_board(
        values, RANKING
    )
    same = dict.fromkeys(UTILITY, weight)
    heavy = anonymization_board(values, RANKING, weights=same)
    plain = anonymization_board(values, RANKING)
    assert {t: s.utility_rank for t, s in heavy.items()} == {
        t: s.utility_rank for t, s in plain.items()
    }
