# SPDX-License-Identifier: Apache-2.0
"""Ranking formulas: tables ranked manually, plain oracles, and laws that every formula must keep."""

from __future__ import annotations

import copy
import math
import pickle
import re
from dataclasses import replace
from fractions import Fraction
from functools import cache

import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy import stats

from scoring.errors import ProblemsFound
from scoring.formulas import (
    FORMULAS,
    PARTS,
    TIE_BREAKS,
    Line,
    Scores,
    attack_score,
    binomial_threshold,
    combined,
    protection,
    ranked,
)
from scoring.formulas.files import read_matrix, read_part
from scoring.formulas.parts import part
from scoring.formulas.top_defenders import top_defenders

# --- ranked manually ---

TEAMS = ("ume", "take", "matsu", "kiku")  # kiku has no table of its own
MATRIX = {
    "ume": {"take": 40.0, "matsu": 10.0},
    "take": {"ume": 20.0, "matsu": 30.0},
    "matsu": {"ume": 60.0, "take": 0.0},
    "kiku": {"ume": 10.0, "take": 20.0},
}
UTILITY = {"ume": 90.0, "take": 60.0, "matsu": 45.0}
LOSS = {"ume": 0.2, "take": 3.5, "matsu": 12.0}
CUP = Scores(TEAMS, MATRIX, UTILITY, defenders=frozenset({"ume", "take", "matsu"}), loss=LOSS)

BY_HAND = {  # settings, totals, ranks
    # utility 1 2 3 4, protection 3 2 1 4, attack 2 2 1 4
    "part-ranks": ({}, (6, 6, 5, 12), (2, 2, 1, 4)),
    # (30 U + 30 P + 20 A) / 80
    "weighted-sum": ({}, (55, 51.25, 50.625, 2.5), (1, 2, 3, 4)),
    "harmonic": ({}, (7200 / 130, 60, 6300 / 115, None), (2, 1, 3, 4)),
    "minimum": ({}, (40, 60, 45, None), (3, 1, 2, 4)),
    "sum": ({}, (130, 120, 115, None), (1, 2, 3, 4)),
    "penalised-sum": ({}, (130 - 20, 120, 115 - 10, None), (2, 1, 3, 4)),
    # against take and matsu; 40 and 30 in the place of their own cells
    "top-k-attack": ({"k": 2}, (25, 35, 15, 10), (2, 1, 3, 4)),
    # R(100) = 4: won 1, 1, 1/2, 2/3; withstood 0, 1/3, 1/3, none
    "binomial-threshold": ({}, (50, 200 / 3, 125 / 3, 100 / 3), (2, 1, 3, 4)),
    # R(10) = 6, and matsu hits 6 of ume's 10 records
    "surviving-loss": ({"n": 10, "p": 0.3}, (9999, 3.5, 12, 9999), (3, 1, 2, 3)),
}


def totals_and_ranks(lines):
    return [line.total for line in lines.values()], [line.rank for line in lines.values()]


def approximately(values):
    return [value if value is None else pytest.approx(value, abs=1e-8) for value in values]


@pytest.mark.parametrize("id_", FORMULAS)
def test_a_cup_ranked_computed_manually(id_):
    settings, totals, ranks = BY_HAND[id_]
    got_totals, got_ranks = totals_and_ranks(ranked(id_, CUP, settings))
    assert got_totals == approximately(totals)
    assert got_ranks == list(ranks)


def test_the_parts_of_the_cup():
    assert [protection(CUP, team) for team in TEAMS] == [40, 60, 70, None]
    assert [attack_score(CUP, team) for team in TEAMS] == [25, 25, 30, 10]
    line = ranked("minimum", CUP)["kiku"]
    assert line == Line(4, None, None, None, 10.0, None, None)


def test_the_lecture_s_example():
    """Four records, one of them deleted; an attacker gets two of the other three right."""
    age_loss, city_loss = (0 + 10 / 30 + 0 + 1) / 4, (0 + 0 + 1 + 1) / 4
    utility = 100 * (1 - (age_loss + city_loss) / 2)
    rates = {"x": {"y": 25.0}, "y": {"x": 100 * 2 / 3}, "z": {"x": 100 / 3, "y": 0.0}}
    lecture = Scores(
        ("x", "y", "z"), rates, {"x": utility}, {"x": 80.0}, defenders=frozenset({"x", "y"})
    )
    line = ranked("weighted-sum", lecture)["x"]
    assert (round(line.utility, 2), round(line.protection, 2)) == (58.33, 33.33)
    assert line.attack == 25
    # 30 * 58.33 + 30 * 33.33 + 20 * 25 + 20 * 80 of 100
    assert line.total == pytest.approx(17.5 + 10 + 5 + 16, abs=1e-8)
    assert ranked("harmonic", lecture)["x"].total == pytest.approx(35000 / 825, abs=1e-8)
    assert ranked("minimum", lecture)["x"].total == pytest.approx(100 / 3, abs=1e-8)
    # 58.33 + 33.33 - 2 * 16.67
    assert ranked("penalised-sum", lecture)["x"].total == pytest.approx(175 / 3, abs=1e-8)


def test_protection_is_that_of_the_worst_attack_by_another_team():
    scores = Scores(("a", "b", "c"), {"a": {"a": 100.0, "b": 5.0}, "b": {"a": 20.0}})
    assert [protection(scores, team) for team in "abc"] == [80, 95, 100]
    assert protection(Scores(("a", "b"), {}, defenders=frozenset("a")), "b") is None


def test_an_attack_is_the_mean_over_the_published_tables_of_others():
    rates = {"a": {"a": 100.0, "b": 30.0, "c": None}, "b": {"a": 20.0, "c": 90.0}}
    scores = Scores(("a", "b", "c"), rates, defenders=frozenset("ab"))
    assert [attack_score(scores, team) for team in "abc"] == [30, 20, 0]
    alone = Scores(("a", "b"), {}, defenders=frozenset("a"))
    assert [attack_score(alone, team) for team in "ab"] == [None, 0]


def test_who_is_not_ranked_does_not_count():
    rates = {"a": {"b": 10.0}, "gone": {"b": 90.0}, "b": {"gone": 100.0, "a": 20.0}}
    scores = Scores(("a", "b"), rates, {"gone": 50.0}, defenders=frozenset({"a", "b", "gone"}))
    assert (protection(scores, "b"), attack_score(scores, "b")) == (90, 20)
    assert list(ranked("part-ranks", scores)) == ["a", "b"]


def test_harmonic_is_0_where_either_part_is():
    scores = Scores(("a", "b", "c"), {"a": {"b": 100.0}}, {"a": 0.0, "b": 80.0, "c": 0.0})
    assert totals_and_ranks(ranked("harmonic", scores)) == ([0, 0, 0], [1, 1, 1])


def test_a_missing_part_counts_0_and_a_team_without_any_has_no_total():
    scores = Scores(("a", "b", "c"), {}, {"a": 70.0, "b": 60.0}, defenders=frozenset("a"))
    for id_ in ("harmonic", "minimum", "penalised-sum"):
        lines = ranked(id_, scores)
        assert [lines["b"].total, lines["c"].total] == [0, None]
        assert [lines["b"].rank, lines["c"].rank] == [2, 3]


@pytest.mark.parametrize("id_", [id_ for id_ in FORMULAS if "utility" in FORMULAS[id_].needs])
def test_without_a_part_that_it_needs_a_formula_has_no_total(id_):
    no_utility = Scores(("a", "b"), {"a": {"b": 10.0}})
    unpublished = Scores(("a", "b"), {}, {"a": 50.0, "b": 60.0}, defenders=frozenset())
    for scores in (no_utility, unpublished):
        assert totals_and_ranks(ranked(id_, scores)) == ([None, None], [2, 2])


def test_parts_that_a_contest_does_not_have_weigh_nothing():
    early = Scores(("a", "b"), {}, {"a": 50.0, "b": 60.0}, defenders=frozenset())
    assert totals_and_ranks(ranked("weighted-sum", early)) == ([50, 60], [2, 1])
    assert totals_and_ranks(ranked("part-ranks", early)) == ([2, 1], [2, 1])
    with_marks = Scores(("a", "b"), {}, {"a": 50.0}, {"a": 100.0}, defenders=frozenset())
    # (30 * 50 + 20 * 100) / 50; b has neither
    assert totals_and_ranks(ranked("weighted-sum", with_marks)) == ([70, None], [1, 2])
    nothing = Scores(("a", "b"), {}, defenders=frozenset())
    for id_ in FORMULAS:
        assert totals_and_ranks(ranked(id_, nothing)) == ([None, None], [2, 2])


def test_weights_are_divided_by_their_sum():
    for factor in (1, 3):
        weights = {"utility": 1.0 * factor, "protection": 3.0 * factor, "attack": 0.0}
        weights["presentation"] = 0.0
        lines = ranked("weighted-sum", CUP, weights)
        assert lines["ume"].total == (90 + 3 * 40) / 4
        assert lines["kiku"].total is None  # what it has weighs nothing
    nothing = dict.fromkeys(PARTS, 0)
    assert {line.total for line in ranked("weighted-sum", CUP, nothing).values()} == {None}


def test_all_defenders_that_are_equal_on_the_last_place_are_among_the_best():
    rates = {"a": {"b": 30.0, "c": 20.0, "d": 20.0}, "b": {"a": 50.0}}
    scores = Scores(("a", "b", "c", "d"), rates)
    best = [top_defenders(scores, k) for k in (1, 2, 3, 4, 9)]
    assert best == [["c", "d"], ["c", "d"], ["b", "c", "d"], [*"abcd"], [*"abcd"]]
    # k = 1: both c and d; the others' tables do not count
    assert [line.total for line in ranked("top-k-attack", scores, {"k": 1}).values()] == [
        20,
        0,
        None,
        None,
    ]
    # k = 3: b's own cell is 30, the worst against it
    assert ranked("top-k-attack", scores, {"k": 3})["b"].total == 10


def test_a_success_takes_the_threshold_s_hits():
    # 7 hits or more: a chance of 0.0995; 8 hits, which are 20 %: 0.042
    assert binomial_threshold(40, 0.1, 0.05) == 8
    settings = {"n": 40, "p": 0.1}
    for rate, total in ((20.0, 100), (19.9999, 50), (20 - 1e-12, 100)):
        scores = Scores(("a", "b"), {"a": {"b": rate}})
        assert ranked("binomial-threshold", scores, settings)["a"].total == total


# --- R(n) ---


@cache
def plain_threshold(n, p, alpha, bound="tail"):
    """Binomial tails term by term, from the definition; a union bound leaves out that the others are wrong."""
    miss = {"tail": 1 - p, "union": 1}[bound]

    def at_least(r):
        return sum(math.comb(n, k) * p**k * miss ** (n - k) for k in range(r, n + 1))

    return next(r for r in range(n + 2) if at_least(r) < alpha)


@pytest.mark.parametrize("p", ["0", "0.005", "0.1", "0.5", "0.9", "1"])
@pytest.mark.parametrize("alpha", ["0.000001", "0.01", "0.05", "0.5", "1"])
def test_thresholds_agree_with_the_definition(p, alpha):
    for n in (0, 1, 2, 5, 13, 40):
        expected = plain_threshold(n, Fraction(p), Fraction(alpha))
        assert binomial_threshold(n, float(p), float(alpha)) == expected
        assert binomial_threshold(n, Fraction(p), Fraction(alpha)) == expected
        expected = plain_threshold(n, Fraction(p), Fraction(alpha), "union")
        assert binomial_threshold(n, float(p), float(alpha), "union") == expected


def test_the_union_bound_gives_the_thresholds_published_in_2018():
    published = {10: 10, 50: 34, 100: 65, 500: 308, 1000: 612}
    for p in (1 / 3, Fraction(1, 3)):
        assert {n: binomial_threshold(n, p, 0.0005, "union") for n in published} == published
    assert binomial_threshold(1000, Fraction(1, 3), 0.0005) == 384


def test_a_tail_that_is_exactly_alpha_is_not_below_it():
    # P(Binomial(2, 1/10) = 2) is 1/100, which floating-point numbers only come close to.
    assert binomial_threshold(2, 0.1, 0.01) == 3
    assert binomial_threshold(2, 0.1, 0.0100000001) == 2
    # The float 0.3 squared is below the float 0.09.
    assert Fraction(0.3) ** 2 < Fraction(0.09)
    assert binomial_threshold(2, 0.3, 0.09) == 3


@pytest.mark.parametrize(("n", "p"), [(100, 0.005), (8333, 0.00012), (8333, 0.5), (20_000, 0.25)])
def test_large_thresholds_agree_with_scipy(n, p):
    r = binomial_threshold(n, p, 0.05)
    assert stats.binom.sf(r - 1, n, p) < 0.05 <= stats.binom.sf(r - 2, n, p)


@pytest.mark.parametrize(
    ("n", "p", "alpha"), [(-1, 0.5, 0.5), (3, -0.1, 0.5), (3, 1.1, 0.5), (3, 0.5, 0), (3, 0.5, 2)]
)
def test_a_threshold_out_of_bounds_is_refused(n, p, alpha):
    with pytest.raises(ValueError, match="expected n >= 0"):
        binomial_threshold(n, p, alpha)


# --- oracles ---

# Few distinct values, so that ties are common; thirds, so that sums are not exact.
percent = st.none() | st.sampled_from([0.0, 5.0, 100 / 3, 50.0, 200 / 3, 100.0])


@st.composite
def contests(draw, least=1):
    teams = tuple(f"team{i}" for i in range(draw(st.integers(least, 5))))
    attackers = draw(st.lists(st.sampled_from(teams), unique=True))
    matrix = {a: {d: draw(percent) for d in teams if draw(st.booleans())} for a in attackers}
    utility = {t: draw(percent) for t in teams if draw(st.booleans())}
    presentation = {t: draw(percent) for t in teams if draw(st.booleans())}
    defenders = draw(st.frozensets(st.sampled_from(teams)))
    loss = {t: draw(st.sampled_from([0.0, 1 / 3, 250.0])) for t in teams if draw(st.booleans())}
    return Scores(teams, matrix, utility, presentation, defenders, loss=loss)


def cell(scores, attacker, defender):
    return None if attacker == defender else scores.matrix.get(attacker, {}).get(defender)


def plain_parts(scores):
    """U, P, A and marks of each team, from the definitions."""
    parts = {name: {} for name in PARTS}
    for team in scores.teams:
        parts["utility"][team] = scores.utility.get(team)
        parts["presentation"][team] = scores.presentation.get(team)
        parts["protection"][team] = parts["attack"][team] = None
        if team in scores.defenders:
            worst = [cell(scores, attacker, team) or 0 for attacker in scores.teams]
            parts["protection"][team] = 100 - max(worst)
        if others := [t for t in scores.teams if t in scores.defenders and t != team]:
            rates = [cell(scores, team, other) or 0 for other in others]
            parts["attack"][team] = sum(rates) / len(others)
    return parts


def has(parts, name):
    return any(value is not None for value in parts[name].values())


def plain_part_ranks(scores, settings):
    parts, n = plain_parts(scores), len(scores.teams)
    used = [name for name in ("utility", "protection", "attack") if has(parts, name)]

    def rank(values, team):
        if values[team] is None:
            return n
        better = [v for v in values.values() if v is not None and v > values[team] + 1e-9]
        return 1 + len(better)

    return {t: sum(rank(parts[name], t) for name in used) if used else None for t in scores.teams}


def plain_weighted_sum(scores, settings):
    parts = plain_parts(scores)
    used = [name for name in PARTS if has(parts, name) and settings[name]]
    whole = sum(settings[name] for name in used)
    return {
        t: None
        if all(parts[name][t] is None for name in used)
        else sum(settings[name] * (parts[name][t] or 0) for name in used) / whole
        for t in scores.teams
    }


def plain_pair(total):
    def of(scores, settings):
        parts = plain_parts(scores)
        if not has(parts, "utility") or not has(parts, "protection"):
            return dict.fromkeys(scores.teams)
        pairs = {t: (parts["utility"][t], parts["protection"][t]) for t in scores.teams}
        return {
            t: None if u is None and p is None else total(u or 0, p or 0)
            for t, (u, p) in pairs.items()
        }

    return of


def attacked(scores, team):
    return any(cell(scores, team, d) is not None for d in scores.defenders)


def plain_top_k(scores, settings):
    protected = {t: p for t, p in plain_parts(scores)["protection"].items() if p is not None}
    worth = dict(protected)
    if settings["of"] == "total":
        worth = {t: p + (scores.utility.get(t) or 0) for t, p in protected.items()}
    best = [
        t for t, p in worth.items() if sum(q > p + 1e-9 for q in worth.values()) < settings["k"]
    ]

    def total(team):
        own = {"worst": 100 - (protected.get(team) or 0), "zero": 0, "left_out": None}
        cells = [own[settings["own"]] if d == team else cell(scores, team, d) or 0 for d in best]
        rates = [rate for rate in cells if rate is not None]
        return sum(rates) / (max(len(rates), 1) if settings["combine"] == "mean" else 1)

    return {t: total(t) if attacked(scores, t) else None for t in scores.teams}


def plain_successes(scores, settings):
    n, chance = settings["n"], [Fraction(str(settings[name])) for name in ("p", "alpha")]
    needed = plain_threshold(n, *chance, settings["bound"])
    return {
        (a, d)
        for a in scores.teams
        for d in scores.defenders
        if cell(scores, a, d) is not None and cell(scores, a, d) / 100 * n + 1e-9 >= needed
    }


def plain_surviving(scores, settings):
    hit = {d for _, d in plain_successes(scores, settings)}
    alive = [t for t in scores.teams if t in scores.defenders and t not in hit]
    totals = {t: scores.loss[t] if t in alive and t in scores.loss else 9999 for t in scores.teams}
    return totals if scores.defenders else dict.fromkeys(scores.teams)


def plain_binomial(scores, settings):
    won = plain_successes(scores, settings)

    def total(team):
        if team not in scores.defenders and not attacked(scores, team):
            return None
        targets, others = scores.defenders - {team}, set(scores.teams) - {team}
        made = sum((team, d) in won for d in targets) / len(targets) if targets else 0
        kept = sum((other, team) not in won for other in others) / len(others) if others else 0
        return 50 * made + 50 * (kept if team in scores.defenders else 0)

    return {t: total(t) for t in scores.teams}


ORACLES = {
    "part-ranks": plain_part_ranks,
    "weighted-sum": plain_weighted_sum,
    "harmonic": plain_pair(lambda u, p: 2 / (1 / u + 1 / p) if u * p else 0),
    "minimum": plain_pair(min),
    "sum": plain_pair(lambda u, p: u + p),
    "penalised-sum": plain_pair(
        lambda u, p: max(0, p + u - 2 * max(0, 50 - p) - 2 * max(0, 50 - u))
    ),
    "top-k-attack": plain_top_k,
    "binomial-threshold": plain_binomial,
    "surviving-loss": plain_surviving,
}
SETTINGS = {
    "weighted-sum": {"utility": 1, "protection": 0, "attack": 0.5, "presentation": 2},
    "top-k-attack": {"k": 2, "of": "total", "own": "left_out", "combine": "sum"},
    "binomial-threshold": {"n": 20, "p": 0.1, "alpha": 0.2},
    "surviving-loss": {"n": 6, "p": 0.3, "alpha": 0.3, "bound": "union"},
}


@given(contests(), st.booleans())
def test_totals_agree_with_the_oracle(scores, by_default):
    for id_ in FORMULAS:
        assert_agrees_with_the_oracle(id_, scores, by_default)


def assert_agrees_with_the_oracle(id_, scores, by_default):
    settings = {} if by_default else SETTINGS.get(id_, {})
    if by_default and "n" in FORMULAS[id_].with_defaults({}):
        settings = {"n": 30}  # the oracle is slow
    lines = ranked(id_, scores, settings)
    expected = ORACLES[id_](scores, FORMULAS[id_].with_defaults(settings))
    assert {t: line.total for t, line in lines.items()} == dict(
        zip(expected, approximately(expected.values()), strict=True)
    )
    n, higher = len(scores.teams), FORMULAS[id_].direction == "higher"
    for team, line in lines.items():
        if line.total is None:
            assert line.rank == n
            continue
        others = [other.total for other in lines.values() if other.total is not None]
        assert line.rank == 1 + sum(t > line.total if higher else t < line.total for t in others)
        assert line.tie_broken_by is None, team


@given(contests())
def test_parts_agree_with_the_oracle(scores):
    plain = plain_parts(scores)
    for name in PARTS:
        values = part(scores, name)
        assert list(values) == list(scores.teams)
        assert list(values.values()) == approximately(plain[name].values())


# --- laws over the registry ---

RANGES = {  # least and greatest total of n teams
    "part-ranks": lambda n: (1, 3 * n),
    "penalised-sum": lambda n: (0, 200),
    "sum": lambda n: (0, 200),
    "surviving-loss": lambda n: (0, 9999),
    "top-k-attack": lambda n: (0, 100 * n),
} | dict.fromkeys(
    ["weighted-sum", "harmonic", "minimum", "binomial-threshold"],
    lambda n: (0, 100),
)


def board(id_, scores, tie_breaks=()):
    return ranked(id_, scores, SETTINGS.get(id_, {}), tie_breaks)


@given(contests())
def test_totals_lie_within_the_range_and_ranks_among_the_teams(scores):
    n = len(scores.teams)
    for id_ in FORMULAS:
        low, high = RANGES[id_](n)
        lines = board(id_, scores)
        for line in lines.values():
            assert line.total is None or low <= line.total <= high, id_
            assert 1 <= line.rank <= n, id_
        if any(line.total is not None for line in lines.values()):
            assert min(line.rank for line in lines.values()) == 1, id_


@given(contests(), st.randoms())
def test_names_and_order_of_the_teams_change_nothing(scores, random):
    order = random.sample(scores.teams, len(scores.teams))
    name = dict(zip(scores.teams, random.sample(range(100), len(order)), strict=True))

    def renamed(values):
        items = [(name[t], v) for t, v in values.items()]
        return dict(random.sample(items, len(items)))

    other = Scores(
        tuple(name[t] for t in order),
        renamed({t: renamed(cells) for t, cells in scores.matrix.items()}),
        renamed(scores.utility),
        renamed(scores.presentation),
        frozenset(name[t] for t in scores.defenders),
        loss=renamed(scores.loss),
    )
    tie_breaks = ["protection", "attack"]
    for id_ in FORMULAS:
        lines, others = board(id_, scores, tie_breaks), board(id_, other, tie_breaks)
        assert {name[t]: line for t, line in lines.items()} == others, id_


@given(contests(), st.data())
def test_a_better_utility_never_worsens_the_rank(scores, data):
    team = data.draw(st.sampled_from(scores.teams))
    before = scores.utility.get(team)
    better = data.draw(st.sampled_from([0.0, 20.0, 50.0, 75.0, 100.0]))
    if before is not None:
        better = max(before, better)
    raised = replace(scores, utility={**scores.utility, team: better})
    for id_ in FORMULAS:
        settings = {
            **SETTINGS.get(id_, {}),
            **({"of": "protection"} if id_ == "top-k-attack" else {}),
        }
        old, new = ranked(id_, scores, settings), ranked(id_, raised, settings)
        if "utility" in FORMULAS[id_].uses:
            assert new[team].rank <= old[team].rank, id_
        else:
            assert totals_and_ranks(new) == totals_and_ranks(old), id_


@given(contests(), percent)
def test_own_cells_never_matter(scores, own):
    matrix = {t: {**scores.matrix.get(t, {}), t: own} for t in scores.teams}
    other = replace(scores, matrix=matrix)
    tie_breaks = ["protection", "attack"]
    for id_ in FORMULAS:
        assert board(id_, scores, tie_breaks) == board(id_, other, tie_breaks), id_


@given(contests())
def test_inputs_are_unchanged(scores):
    before, tie_breaks = copy.deepcopy(scores), ["earlier", "utility"]
    arrived = {team: i for i, team in enumerate(scores.teams)}
    for id_ in FORMULAS:
        settings = dict(SETTINGS.get(id_, {}))
        kept = pickle.dumps((settings, arrived, tie_breaks))
        ranked(id_, scores, settings, tie_breaks, arrived)
        assert scores == before, id_
        assert pickle.dumps((settings, arrived, tie_breaks)) == kept, id_


@given(contests(), st.data())
def test_a_formula_uses_what_it_says(scores, data):
    others = {t: data.draw(percent) for t in scores.teams}
    changed = replace(scores, presentation=others)
    for id_, formula in FORMULAS.items():
        if "presentation" not in formula.uses:
            found = totals_and_ranks(board(id_, changed))
            assert found == totals_and_ranks(board(id_, scores)), id_
        assert set(formula.needs) <= set(formula.uses) <= {*PARTS, "loss"}, id_


@pytest.mark.parametrize("id_", FORMULAS)
def test_formulas_describe_themselves(id_):
    formula = FORMULAS[id_]
    assert formula.id == id_
    assert formula.title
    assert formula.direction in ("higher", "lower")
    for heading in ("Returns\n", "Examples\n", ">>> "):
        assert heading in formula.function.__doc__
    for setting in formula.settings:
        assert setting.option.accepts(setting.default)
        assert setting.description


def test_every_formula_is_in_every_table_of_this_file():
    assert set(BY_HAND) == set(ORACLES) == set(RANGES) == set(FORMULAS)
    assert {id_ for id_, formula in FORMULAS.items() if formula.settings} == set(SETTINGS)


# --- ties ---


def three(tie_breaks, arrived=None, **parts):
    """Teams a, b, c with the same minimum of utility and protection, 50."""
    matrix = {"x": {"a": 50.0, "b": 50.0, "c": 50.0}, "a": {"b": 20.0}, "c": {"b": 20.0}}
    utility = {"a": 60.0, "b": 70.0, "c": 60.0}
    scores = Scores(("a", "b", "c", "x"), matrix, utility, defenders=frozenset("abc"), **parts)
    lines = ranked("minimum", scores, {}, tie_breaks, arrived or {})
    return {t: (line.rank, line.tie_broken_by) for t, line in lines.items() if t != "x"}


def test_equal_totals_share_the_best_rank():
    assert three([]) == {"a": (1, None), "b": (1, None), "c": (1, None)}


def test_tie_breaks_are_taken_in_order_and_named():
    assert three(["protection"]) == {"a": (1, None), "b": (1, None), "c": (1, None)}
    assert three(["utility"]) == {"b": (1, "utility"), "a": (2, "utility"), "c": (2, "utility")}
    assert three(["attack"]) == {"a": (1, "attack"), "c": (1, "attack"), "b": (3, "attack")}
    arrived = {"a": 3, "b": 2, "c": 1}
    assert three(["utility", "earlier"], arrived) == {
        "b": (1, "utility"),
        "c": (2, "earlier"),
        "a": (3, "earlier"),
    }
    assert three(["earlier", "utility"], {"a": 1, "b": 1, "c": None}) == {
        "b": (1, "utility"),
        "a": (2, "utility"),
        "c": (3, "earlier"),
    }


def test_who_has_no_value_goes_after_those_who_have():
    marks = {"c": 0.0}
    lines = three(["presentation"], presentation=marks)
    assert lines == {
        "c": (1, "presentation"),
        "a": (2, "presentation"),
        "b": (2, "presentation"),
    }


def test_a_tie_break_parts_no_teams_of_different_totals_and_none_without_a_total():
    scores = Scores(("a", "b", "c", "d"), {"a": {"b": 50.0}}, {"a": 60.0, "b": 90.0}, {"d": 9.0})
    unpublished = Scores(scores.teams, scores.matrix, scores.utility, {"d": 9.0}, frozenset("ab"))
    lines = ranked("minimum", unpublished, {}, ["presentation", "utility"])
    assert [(line.rank, line.tie_broken_by) for line in lines.values()] == [
        (1, None),
        (2, None),
        (4, None),
        (4, None),
    ]


def test_sums_that_differ_by_noise_only_are_equal():
    # 33.3… + 33.3… + 33.3… three times, added up from different parts
    utility = {"a": 100 / 3, "b": 50.0, "c": 200 / 3}
    marks = {"a": 200 / 3, "b": 50.0, "c": 100 / 3}
    scores = Scores(("a", "b", "c"), {}, utility, marks, defenders=frozenset())
    lines = ranked("weighted-sum", scores, {"utility": 1, "presentation": 1})
    assert totals_and_ranks(lines) == ([50, 50, 50], [1, 1, 1])


# --- seasons ---


def lines_of(totals):
    return {team: Line(1, total) for team, total in totals.items()}


def test_the_final_weighs_nine_times_the_preliminary():
    preliminary, final = lines_of({"a": 90, "b": 60, "c": 20}), lines_of({"a": 40, "b": 50})
    lines = combined([(1, preliminary), (9, final)], "higher")
    # c was not in the final and has 0 there
    assert totals_and_ranks(lines) == ([45, 51, 2], [2, 1, 3])
    assert totals_and_ranks(combined([(0.1, preliminary), (0.9, final)], "higher")) == (
        [45, 51, 2],
        [2, 1, 3],
    )


def test_where_lower_is_better_a_missing_total_is_the_worst():
    first, second = lines_of({"a": 3, "b": 9, "c": 6}), lines_of({"a": 2, "b": 1, "d": 1})
    lines = combined([(1, first), (1, second)], "lower")
    # d was not in the first: 9 as b; c not in the second: no less than the 4 teams of the season
    assert [line.total for line in lines.values()] == [2.5, 5, 5, 5]
    assert [line.rank for line in lines.values()] == [1, 2, 2, 2]


def test_a_stage_without_totals_yet_is_left_out():
    first = lines_of({"a": 40, "b": 20})
    for second in ({}, lines_of({"a": None, "b": None})):
        lines = combined([(1, first), (9, second)], "higher")
        assert totals_and_ranks(lines) == ([40, 20], [1, 2])
    practice = combined([(0, lines_of({"a": 1, "z": 50})), (1, first)], "higher")
    assert totals_and_ranks(practice) == ([40, None, 20], [1, 3, 2])


def test_ties_of_a_season_are_broken_by_its_parts():
    first = {"a": Line(1, 50.0, utility=60.0), "b": Line(1, 50.0, utility=80.0)}
    second = {"a": Line(1, 50.0, utility=90.0), "b": Line(1, 50.0)}
    lines = combined([(1, first), (1, second)], "higher", ["utility"])
    assert lines["a"] == Line(1, 50.0, utility=75.0, tie_broken_by="utility")
    assert lines["b"] == Line(2, 50.0, utility=40.0, tie_broken_by="utility")
    by_arrival = combined([(1, first)], "higher", ["earlier"], {"a": 2, "b": 1})
    assert [line.rank for line in by_arrival.values()] == [2, 1]


def test_a_season_that_cannot_be_is_refused():
    with pytest.raises(ValueError, match="weights of 0 or more"):
        combined([(-1, lines_of({"a": 1}))], "higher")
    with pytest.raises(ValueError, match="expected lower or higher"):
        combined([(1, lines_of({"a": 1}))], "up")
    assert combined([], "higher") == {}


# --- what cannot be used ---


@pytest.mark.parametrize("value", [-1.0, 100.1, math.nan, math.inf])
def test_scores_out_of_range_are_refused(value):
    for scores in ({"matrix": {"a": {"b": value}}}, {"matrix": {}, "utility": {"a": value}}):
        with pytest.raises(ValueError, match="expected 0 to 100, got"):
            Scores(("a", "b"), **scores)
    assert Scores(("a", "b"), {"a": {"b": 100 * (1 + 1e-14)}})


def test_unknown_names_and_bad_settings_are_refused():
    with pytest.raises(
        ProblemsFound, match=r"no such formula — expected one of part-ranks, .* “x”"
    ):
        ranked("x", CUP)
    with pytest.raises(ValueError, match=f"expected {', '.join(TIE_BREAKS)}, got luck"):
        ranked("minimum", CUP, {}, ["luck"])
    with pytest.raises(ProblemsFound) as caught:
        ranked("binomial-threshold", CUP, {"n": 2.5, "p": 2, "q": 1, "alpha": True})
    assert [problem.params["option"] for problem in caught.value.problems] == [*"npq", "alpha"]
    for settings in ({"utility": -1}, {"utility": math.inf}, {"utility": math.nan}):
        with pytest.raises(ProblemsFound, match="a number of at least 0"):
            ranked("weighted-sum", CUP, settings)


# --- files ---


def codes(data, read=read_matrix, **more):
    with pytest.raises(ProblemsFound) as caught:
        read(data, file="M.csv", **more)
    assert {problem.file for problem in caught.value.problems} == {"M.csv"}
    return [(problem.code, problem.row, problem.column) for problem in caught.value.problems]


def test_a_matrix_may_have_attackers_without_a_table_and_defenders_that_do_not_attack():
    scores = read_matrix('attacker,"a,1",b\r\nb,50,7\r\nc,,100.0\r\n'.encode("utf-8-sig"), file="M")
    assert scores.teams == ("a,1", "b", "c")
    assert scores.defenders == {"a,1", "b"}
    assert [scores.rate("b", "a,1"), scores.rate("c", "b"), scores.rate("b", "b")] == [
        50,
        100,
        None,
    ]
    assert [part(scores, "attack")[team] for team in scores.teams] == [0, 50, 50]


def test_every_problem_of_a_matrix_is_named_together():
    data = b"team,a, b,a,,c\na,101,-1,x,1e1,NaN\n,1\n\nd, 5,+5,,,0\nd,,,,,\n,,,,,\nd ,,,,,"
    assert codes(data) == [
        ("scores.first_column", None, None),
        ("scores.spaces", None, " b"),
        ("header.repeated", None, "a"),
        ("header.empty_name", None, None),
        ("cell.above_maximum", 1, "a"),
        ("cell.below_minimum", 1, " b"),
        ("cell.not_a_number", 1, "a"),
        ("cell.exponent", 1, ""),
        ("cell.not_finite", 1, "c"),
        ("record.cell_count", 2, None),
        ("record.empty_line", 3, None),
        ("cell.spaces", 4, "a"),
        ("cell.not_a_number", 4, " b"),
        ("scores.repeated", 5, "team"),
        ("cell.empty", 6, "team"),
        ("scores.spaces", 7, "team"),
    ]


@pytest.mark.parametrize(
    ("data", "expected"),
    [
        (b"", [("file.empty", None, None)]),
        (b"\na,1\n", [("header.no_line", None, None)]),
        (b"attacker,a\n", [("file.header_only", None, None)]),
        (b"attacker\na\n", [("scores.no_defenders", None, None)]),
        ("attacker,松\n梅".encode("cp932") + b"\x85\x40,5\n", [("file.cp932", None, None)]),
        ("attacker,a\nb,5\n".encode("utf-16"), [("file.utf16", None, None)]),
        (
            b'attacker,a\nb,500\nc,"5\n',
            [("cell.above_maximum", 1, "a"), ("file.quote", None, None)],
        ),
    ],
)
def test_a_file_that_is_no_matrix(data, expected):
    assert codes(data) == expected


def test_reading_gives_up_after_too_many_unusable_lines():
    with pytest.raises(ProblemsFound) as caught:
        read_matrix(b"attacker,a\n" + b"b\n" * 20_000, file="M.csv")
    assert caught.value.n_total == 10_002


@pytest.mark.parametrize(
    ("data", "expected"),
    [
        (
            b"team,util\na,1\n",
            [("header.missing", None, "utility"), ("header.unexpected", None, "util")],
        ),
        (b"utility,team\n1,a\n", [("header.order", None, None)]),
        (b"team,utility,team\na,1,b\n", [("header.repeated", None, "team")] * 1),
        (b"team,utility\n", [("file.header_only", None, None)]),
        (
            b"team,utility\na,1\na,2\nz,3\nb,-0.5\n",
            [
                ("scores.repeated", 2, "team"),
                ("scores.unknown_team", 3, "team"),
                ("cell.below_minimum", 4, "utility"),
            ],
        ),
    ],
)
def test_every_problem_of_a_utility_file_is_named_together(data, expected):
    assert codes(data, lambda *a, **k: read_part(*a, "utility", teams=["a", "b"], **k)) == expected


def test_numbers_have_any_number_of_decimals():
    data = b"team,utility\na,66.66666666666667\nb,-0.0\n"
    values = read_part(data, "utility", teams=None, file="U")
    assert list(map(str, values.values())) == ["66.66666666666667", "0.0"]


def test_messages_name_what_was_expected_and_what_came():
    with pytest.raises(ProblemsFound) as caught:
        read_matrix(b"team,a\nb,200\nb,1\n", file="M.csv")
    text = str(caught.value)
    assert re.search(r"M.csv — the header begins with .* expected attacker — got “team”", text)
    assert "M.csv, record 1, column a — above the column's maximum — expected at most 100" in text
    assert "got “b” again, first in record 1" in text
