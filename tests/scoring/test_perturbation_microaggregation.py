# SPDX-License-Identifier: Apache-2.0
"""Optimal univariate microaggregation and MDAV against plain definitions and hand-made tables."""

from __future__ import annotations

from fractions import Fraction
from functools import cache

import numpy as np
import pandas as pd
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from scoring.anonymizers import anonymize, microaggregation
from scoring.anonymizers.microaggregation import group_means, mdav_groups, optimal_groups
from scoring.datasets.households import HOUSEHOLDS_SCHEMA, households
from scoring.errors import ProblemsFound
from scoring.tables.schema import Column, Kind, Role, Schema
from tests.every import every, examples

QI, SA = Role.QUASI_IDENTIFIER, Role.SENSITIVE
SCHEMA = Schema(
    (
        Column("city", QI, Kind.CATEGORY),
        Column("age", QI, Kind.INTEGER, min=0, max=120),
        Column("salary", SA, Kind.INTEGER),
        Column("weight", SA, Kind.NUMBER),
    )
)
TABLE = pd.DataFrame(
    {
        "city": list("aabbb"),
        "age": [20, 60, 21, 22, 61],
        "salary": [11, 1, 9, 2, 10],
        "weight": [1.0, 9.0, 2.0, 3.0, 9.5],
    }
)


def run(table, schema, method, **options):
    return anonymize(table, schema, [(method, options)], rng=np.random.default_rng(1)).table


def squares(values):
    """The squares of exact numbers about their mean."""
    exact = [Fraction(v) for v in values]
    mean = sum(exact) / len(exact)
    return sum((v - mean) ** 2 for v in exact)


def least_squares(ascending, k):
    """The least squares of all cuts into groups of k or more, tried one after the other."""

    @cache
    def best(start):
        if start == len(ascending):
            return Fraction(0)
        ends = range(start + k, len(ascending) + 1)
        options = [(squares(ascending[start:end]), best(end)) for end in ends]
        return min((own + rest for own, rest in options if rest is not None), default=None)

    return best(0)


def cost(ascending, groups):
    members = [ascending[groups == g].tolist() for g in range(groups.max() + 1)]
    return sum(squares(group) for group in members)


@settings(max_examples=examples(1.5))
@given(st.lists(st.integers(-20, 20), min_size=1, max_size=14), st.integers(1, 5))
def test_no_cut_costs_less(values, k):
    ascending = np.sort(np.array(values, dtype=float))
    k = min(k, len(values))
    groups = optimal_groups(ascending, k)
    assert np.bincount(groups).min() >= k
    assert (np.diff(groups) >= 0).all()
    assert cost(ascending, groups) == least_squares(tuple(ascending.tolist()), k)


@every(seed=range(20))
def test_large_amounts_a_little_apart_lose_nothing_to_rounding(seed):
    rng = np.random.default_rng(seed)
    ascending = np.sort(1e7 + rng.integers(0, 50, 13) / 8)  # exact in binary
    groups = optimal_groups(ascending, 3)
    assert cost(ascending, groups) == least_squares(tuple(ascending.tolist()), 3)


def test_long_columns_are_cut_in_blocks_with_the_same_result(monkeypatch):
    ascending = np.sort(np.random.default_rng(1).normal(size=500))
    at_once = optimal_groups(ascending, 4)
    monkeypatch.setattr(microaggregation, "_BLOCK", 20)
    assert (optimal_groups(ascending, 4) == at_once).all()


def test_each_column_has_its_own_groups():
    done = run(TABLE, SCHEMA, "univariate-microaggregation", k=2)
    # 1 2 | 9 10 11 and 1 2 3 | 9 9.5; 1.5 is rounded to the even 2 in a column of integers.
    assert list(done["salary"]) == [10, 2, 10, 2, 10]
    assert list(done["weight"]) == [2.0, 9.25, 2.0, 2.0, 9.25]
    assert done["salary"].dtype == np.int64
    assert (done[["city", "age"]] == TABLE[["city", "age"]]).all(axis=None)


def test_other_columns_of_numbers_can_be_named():
    done = run(TABLE, SCHEMA, "univariate-microaggregation", k=2, columns=("age",))
    assert list(done["age"]) == [21, 60, 21, 21, 60]  # 60.5 to the even 60
    assert (done["salary"] == TABLE["salary"]).all()


@pytest.mark.parametrize("method", ["univariate-microaggregation", "mdav"])
def test_groups_of_one_change_nothing_and_groups_of_all_are_the_mean(method):
    pd.testing.assert_frame_equal(run(TABLE, SCHEMA, method, k=1), TABLE)
    done = run(TABLE, SCHEMA, method, k=5)
    assert set(done["salary"]) == {7}
    assert set(done["weight"]) == {4.9}


@pytest.mark.parametrize("k", [2, 3, 7])
def test_every_value_that_is_left_stands_at_k_records(k):
    original = households(500, seed=3)
    done = run(original, HOUSEHOLDS_SCHEMA, "univariate-microaggregation", k=k)
    for name in HOUSEHOLDS_SCHEMA.sensitive_numeric:
        assert done[name].value_counts().min() >= k
        assert done[name].mean() == pytest.approx(original[name].mean(), abs=0.5)


# --- MDAV ---


def slow_mdav(points, k):
    """The groups of MDAV as the paper writes them down, records as tuples."""
    remaining = list(range(len(points)))
    groups = []

    def distance(a, b):
        return sum((x - y) ** 2 for x, y in zip(a, b, strict=True))

    def farthest(center):
        return max(remaining, key=lambda i: (distance(points[i], center), -i))

    def take_around(i):
        by_distance = sorted(remaining, key=lambda j: (distance(points[j], points[i]), j))
        groups.append(sorted(by_distance[:k]))
        for j in by_distance[:k]:
            remaining.remove(j)

    while len(remaining) >= 2 * k:
        n = len(remaining)
        center = [sum(points[i][d] for i in remaining) / n for d in range(len(points[0]))]
        r = farthest(center)
        take_around(r)
        if n >= 3 * k:
            take_around(farthest(points[r]))
    groups.append(sorted(remaining))
    return groups


@settings(max_examples=examples(1.5))
@given(
    st.lists(st.tuples(st.integers(0, 4), st.integers(0, 4)), min_size=1, max_size=10),
    st.integers(1, 4),
)
def test_mdav_agrees_with_the_plain_algorithm_on_ties(records, k):
    # Multiples of 2520: the mean of up to ten records is a whole number, and all ties are exact.
    points = [tuple(2520 * value for value in record) for record in records]
    k = min(k, len(points))
    fast = mdav_groups(np.array(points, dtype=float).T, k)
    found = [np.flatnonzero(fast == g).tolist() for g in range(fast.max() + 1)]
    assert found == slow_mdav(points, k)


@every(seed=range(5))
def test_mdav_agrees_with_the_plain_algorithm_on_points_without_ties(seed):
    points = np.random.default_rng(seed).normal(size=(3, 60))
    fast = mdav_groups(points, 4)
    found = [np.flatnonzero(fast == g).tolist() for g in range(fast.max() + 1)]
    assert found == slow_mdav(list(zip(*points.tolist(), strict=True)), 4)


def test_groups_around_both_ends():
    # The mean is 4.875. The farthest is 12, its two nearest 11 and 10; opposite stand 0, 1 and 2.
    points = np.array([[0.0, 1.0, 2.0, 3.0, 10.0, 11.0, 12.0, 0.0, 1.0]])
    assert mdav_groups(points, 3).tolist() == [1, 1, 2, 2, 0, 0, 0, 1, 2]


@pytest.mark.parametrize(("n", "k"), [(3, 3), (5, 3), (6, 3), (8, 3), (9, 3), (100, 7), (10, 1)])
def test_groups_of_mdav_have_k_records_but_the_last(n, k):
    sizes = np.bincount(mdav_groups(np.random.default_rng(2).normal(size=(2, n)), k))
    assert set(sizes[:-1]) <= {k}
    assert k <= sizes[-1] < 2 * k


def test_columns_of_mdav_count_alike_whatever_their_units():
    original = households(120, seed=4)
    in_yen = run(original, HOUSEHOLDS_SCHEMA, "mdav", columns=("food", "housing"))
    schema = HOUSEHOLDS_SCHEMA.replace_column(Column("food", SA, Kind.NUMBER))
    in_millions = original.assign(food=original["food"] / 1024)
    done = run(in_millions, schema, "mdav", columns=("food", "housing"))
    assert (done["housing"] == in_yen["housing"]).all()


def test_every_combination_of_amounts_stands_at_k_records():
    original = households(300, seed=4)
    done = run(original, HOUSEHOLDS_SCHEMA, "mdav", k=4)
    names = list(HOUSEHOLDS_SCHEMA.sensitive_numeric)
    assert done[names].value_counts().min() >= 4
    assert (done.drop(columns=names) == original.drop(columns=names)).all(axis=None)


def test_constant_columns_and_no_columns_make_no_trouble():
    schema = Schema(tuple(Column(name, SA, Kind.INTEGER) for name in "ab"))
    table = pd.DataFrame({"a": [5, 5, 5, 5], "b": [1, 2, 8, 9]})
    assert list(run(table, schema, "mdav", k=2)["b"]) == [2, 2, 8, 8]
    assert list(run(table, schema, "mdav", k=2, columns=("a",))["a"]) == [5] * 4


def test_the_work_of_mdav_is_a_few_passes_for_every_group(monkeypatch):
    passes = []
    slow = microaggregation._squares
    monkeypatch.setattr(microaggregation, "_squares", lambda *a: passes.append(1) or slow(*a))
    mdav_groups(np.random.default_rng(1).normal(size=(3, 300)), 3)
    assert len(passes) <= 2 * 100


def test_means_of_equal_amounts_are_those_amounts():
    values = np.array([1234567.1, 1234567.1, 1234567.1, 0.3])
    means = group_means(values, np.array([0, 0, 0, 1]), Column("a", SA, Kind.NUMBER))
    assert (means == values).all()


@pytest.mark.parametrize("method", ["univariate-microaggregation", "mdav"])
@pytest.mark.parametrize(
    ("options", "named", "expected"),
    [
        ({"k": 6}, "k", "an integer from 1 to the table's 5 records"),
        ({"k": 0}, "k", "an integer of at least 1"),
        ({"columns": ("age", "nothing")}, "columns", "out of age, salary, weight"),
        ({"columns": ("city",)}, "columns", "different columns of numbers"),
        ({"columns": ("age", "age")}, "columns", "different columns of numbers"),
    ],
)
def test_wrong_options(method, options, named, expected):
    with pytest.raises(ProblemsFound) as found:
        run(TABLE, SCHEMA, method, **options)
    (problem,) = found.value.problems
    assert (problem.params["method"], problem.params["option"]) == (method, named)
    assert expected in problem.message
