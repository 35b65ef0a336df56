# SPDX-License-Identifier: Apache-2.0
"""Pk-anonymization and randomized response: exact probabilities, published figures, estimates."""

from __future__ import annotations

import math
from itertools import product

import numpy as np
import pandas as pd
import pytest

from scoring.anonymizers import anonymize
from scoring.anonymizers.randomized_response import (
    Domain,
    pk_anonymization,
    replace_uniformly,
    respond,
)
from scoring.datasets.households import HOUSEHOLDS_SCHEMA, households
from scoring.errors import ProblemsFound
from scoring.privacy.post_randomization import epsilon_of, k_of, rhos_of
from scoring.privacy.randomized_response import estimate, probabilities, variance
from scoring.tables.schema import Column, Kind, Role, Schema

QI, SA = Role.QUASI_IDENTIFIER, Role.SENSITIVE
PK, RESPONSE = "pk-anonymization", "generalized-randomized-response"
SCHEMA = Schema(
    (
        Column("sex", QI, Kind.CATEGORY, values=("f", "m")),
        Column("age", QI, Kind.INTEGER, min=17.5, max=20.9),
        Column("city", QI, Kind.CATEGORY),
        Column("floor", QI, Kind.INTEGER, min=0),
        Column("height", QI, Kind.NUMBER),
        Column("cost", SA, Kind.INTEGER, min=0, max=9),
    )
)


def table(n=60):
    return pd.DataFrame(
        {
            "sex": ["f"] * n,
            "age": [18] * n,
            "city": (["x"] + ["y"] * (n - 1)),
            "floor": ([3] + [7] * (n - 1)),
            "height": [1.7] * n,
            "cost": [5] * n,
        }
    ).astype({"sex": "str", "city": "str"})


def run(original, method, schema=SCHEMA, seed=1, **options):
    return anonymize(original, schema, [(method, options)], rng=np.random.default_rng(seed)).table


# --- formulas ---


# ε, the one rho of two attributes of 2 and 7 values that has it, and k of 6,040 records.
PUBLISHED_DOMAINS = [
    (0.1, 0.01135, 4945),
    (1.0, 0.13346, 818),
    (2.0, 0.29908, 111.6),
    (3.2, 0.50355, 11.03),
    (3.7, 0.58118, 4.69),
    (4.0, 0.62426, 3.03),
]


@pytest.mark.parametrize(("epsilon", "rho", "k"), PUBLISHED_DOMAINS)
def test_the_domains_of_the_paper(epsilon, rho, k):
    assert epsilon_of(rho, (2, 7)) == pytest.approx(epsilon, abs=2e-4)
    assert k_of(epsilon, 6040) == pytest.approx(k, rel=2e-3)
    factors = [((1 - rho) / (1 + (v - 1) * rho)) ** 2 for v in (2, 7)]
    assert 1 + 6039 * math.prod(factors) == pytest.approx(k, rel=2e-3)


@pytest.mark.parametrize("n_values", [2, 3, 10, 25_000_001])
@pytest.mark.parametrize("rho", [1e-9, 0.01, 0.5, 0.99])
def test_rho_epsilon_and_keeping_say_the_same(n_values, rho):
    epsilon = epsilon_of(rho, (n_values,))
    assert epsilon == pytest.approx(math.log((1 + (n_values - 1) * rho) / (1 - rho)))
    assert rhos_of(epsilon, (n_values,)) == pytest.approx((rho,))
    p, q = probabilities(n_values, epsilon).true, (1 - rho) / n_values
    assert p == pytest.approx(rho + q)
    assert p / q == pytest.approx(math.exp(epsilon))
    assert p + (n_values - 1) * q == pytest.approx(1)


@pytest.mark.parametrize("method", [PK, RESPONSE])
def test_the_ends_of_an_epsilon(method):
    original = table().drop(columns=["height", "cost"]).assign(city="x")  # a domain of one value
    schema = Schema(SCHEMA.columns[:4])
    same = run(original, method, schema, epsilon=1000.0 * len(original.columns))
    pd.testing.assert_frame_equal(same, original)
    changed = run(original, method, schema, epsilon=5e-324)  # a part of it is no more than 0
    assert set(changed["city"]) == {"x"}
    for name, n_values in (("sex", 2), ("age", 3), ("floor", 2)):
        assert changed[name].nunique() == n_values


@pytest.mark.parametrize(
    ("epsilon", "expected"), [(0.1, 0.525), (0.5, 0.622), (1.5, 0.818), (5, 0.993)]
)
def test_the_lecture_s_table_of_two_answers(epsilon, expected):
    assert probabilities(2, epsilon).true == pytest.approx(expected, abs=5e-4)


# --- mechanisms ---


def frequencies_fit(found, probabilities, n):
    """Whether counts are within five standard deviations of what they are expected to be."""
    for value, p in enumerate(probabilities):
        count = np.count_nonzero(found == value)
        assert count == pytest.approx(n * p, abs=5 * math.sqrt(n * p * (1 - p)) + 1e-9)


@pytest.mark.parametrize("rho", [0, 0.3, 1])
@pytest.mark.parametrize("code", [0, 2])
def test_replacement_draws_from_the_whole_domain(rho, code):
    n = 60_000
    found = replace_uniformly(np.full(n, code), 4, rho, np.random.default_rng(2))
    frequencies_fit(found, [(1 - rho) / 4 + rho * (v == code) for v in range(4)], n)


@pytest.mark.parametrize("keep", [0, 0.4, 1])
@pytest.mark.parametrize("code", [0, 2])
def test_answers_are_true_or_one_of_the_others(keep, code):
    n = 60_000
    found = respond(np.full(n, code), 4, keep, np.random.default_rng(2))
    frequencies_fit(found, [keep if v == code else (1 - keep) / 3 for v in range(4)], n)


def test_a_single_value_is_answered_truly():
    assert list(respond(np.zeros(3, dtype=int), 1, 0.2, np.random.default_rng(1))) == [0, 0, 0]


# --- estimates ---


def answers_with_probabilities(codes, n_values, epsilon):
    """Every table of answers with its probability."""
    p = probabilities(n_values, epsilon).true
    q = (1 - p) / (n_values - 1)
    for answers in product(range(n_values), repeat=len(codes)):
        yield answers, math.prod(p if a == c else q for a, c in zip(answers, codes, strict=True))


@pytest.mark.parametrize("codes", [(0, 0, 1, 2), (1, 1, 1, 1), (2, 0, 2, 0)])
@pytest.mark.parametrize("epsilon", [0.3, 2.0])
def test_estimates_are_unbiased_with_the_stated_variance(codes, epsilon):
    truth = np.bincount(codes, minlength=3) / 4
    mean, second = np.zeros(3), np.zeros(3)
    for answers, probability in answers_with_probabilities(codes, 3, epsilon):
        shares = estimate(np.bincount(answers, minlength=3), epsilon)
        assert shares.sum() == pytest.approx(1)
        mean += probability * shares
        second += probability * shares**2
    assert mean == pytest.approx(truth, abs=1e-12)
    assert second - mean**2 == pytest.approx(variance(truth, 4, epsilon), rel=1e-9)


def test_shares_can_be_estimated_from_kept_and_redrawn_values_as_well():
    truth, rho = np.array([0.6, 0.3, 0.1]), 0.4
    expected_answers = (rho * truth + (1 - rho) / 3) * 3000
    assert estimate(expected_answers, epsilon_of(rho, (3,))) == pytest.approx(truth)


@pytest.mark.parametrize(("counts", "epsilon"), [([0, 0], 1.0), ([3, 1], 0.0), ([3, 1], math.nan)])
def test_nothing_can_be_estimated_from_nothing(counts, epsilon):
    with pytest.raises(ValueError, match=r"one of them above|a finite number above 0"):
        estimate(counts, epsilon)


def test_a_table_s_shares_are_found_again():
    original = households(8000, seed=5)
    done = run(original, RESPONSE, HOUSEHOLDS_SCHEMA, columns=("age_class",), epsilon=1.0)
    values = HOUSEHOLDS_SCHEMA.column("age_class").values
    truth, answered = (
        t["age_class"].value_counts().reindex(values).to_numpy() for t in (original, done)
    )
    off = estimate(answered, 1.0) - truth / 8000
    deviations = np.sqrt(variance(truth / 8000, 8000, 1.0))
    assert (np.abs(off) < 4 * deviations).all()
    assert np.abs(answered - truth).max() > 4 * 8000 * deviations.max()


# --- domains ---


@pytest.mark.parametrize(
    ("name", "values"),
    [
        ("sex", ["f", "m"]),  # listed, though nobody is m
        ("age", [18, 19, 20]),  # whole numbers within the bounds
        ("city", ["x", "y"]),  # as the table has them
        ("floor", [3, 7]),  # without a maximum: as the table has them
    ],
)
def test_domains(name, values):
    original = table()
    domain = Domain.of(original[name], SCHEMA.column(name))
    assert domain.size == len(values)
    everything = domain.series(np.arange(domain.size), original[name].dtype)
    assert list(everything) == values
    assert everything.dtype == original[name].dtype
    assert (domain.series(domain.codes, original[name].dtype) == original[name]).all()


@pytest.mark.parametrize("options", [{"rho": 0.0}, {"epsilon": 1e-9}, {"k": 60.0}])
def test_nothing_is_left_of_the_quasi_identifiers_at_the_end(options):
    done = run(table(), PK, **options)
    assert set(done["sex"]) == {"f", "m"}
    assert set(done["age"]) == {18, 19, 20}
    assert set(done["city"]) == {"x", "y"}
    assert set(done["floor"]) == {3, 7}
    # Numbers have no list of values, and sensitive columns are left unchanged unless they are named.
    assert set(done["height"]) == {1.7}
    assert set(done["cost"]) == {5}


def test_a_rho_of_one_changes_nothing():
    original = households(300, seed=1)
    done = run(original, PK, HOUSEHOLDS_SCHEMA, rho=1.0)
    pd.testing.assert_frame_equal(done, original)


def test_a_range_of_integers_is_drawn_without_listing_it():
    done = run(households(300, seed=1), PK, HOUSEHOLDS_SCHEMA, columns=("income",), rho=0)
    assert done["income"].between(0, 25_000_000).all()
    assert done["income"].mean() == pytest.approx(12.5e6, rel=0.2)


def changed_shares(options, columns, n=40_000):
    original = table(n)
    done = run(original, PK, columns=columns, **options)
    return [(done[name] != original[name]).mean() for name in columns]


@pytest.mark.parametrize(
    ("options", "each"),
    [
        ({"epsilon": 2.0}, 1.0),
        ({"epsilon": 2.0, "budget": "total"}, 1.0),
        ({"epsilon": 2.0, "budget": "each"}, 2.0),
        ({"k": 40_000 * math.exp(-4)}, (4 + 1e-3) / 4),
        ({"rho": 0.9, "epsilon": 2.0}, 1.0),
    ],
)
def test_what_an_epsilon_is_for(options, each):
    changed = changed_shares(options, ("sex", "age"))
    expected = [1 - probabilities(n_values, each).true for n_values in (2, 3)]
    assert changed == pytest.approx(expected, abs=0.0125)


def test_the_same_rho_for_all_columns():
    assert changed_shares({"rho": 0.4}, ("sex", "age")) == pytest.approx([0.3, 0.4], abs=0.0125)


@pytest.mark.parametrize(("budget", "each"), [("total", 1.0), ("each", 2.0)])
def test_the_budget_of_randomized_response(budget, each):
    original = table(40_000)
    done = run(original, RESPONSE, epsilon=2.0, budget=budget, columns=("sex", "cost"))
    changed = [(done[name] != original[name]).mean() for name in ("sex", "cost")]
    expected = [1 - probabilities(n_values, each).true for n_values in (2, 10)]
    assert changed == pytest.approx(expected, abs=0.0125)


# --- bad input ---


@pytest.mark.parametrize(
    ("method", "options", "named", "expected"),
    [
        (PK, {"rho": 1.01}, "rho", "a number from 0 to 1"),
        (PK, {"rho": -0.5}, "rho", "a number from 0 to 1"),
        (PK, {"epsilon": 0}, "epsilon", "a number above 0"),
        (PK, {"epsilon": -1.0}, "epsilon", "a number above 0"),
        (PK, {"epsilon": math.nan}, "epsilon", "a number above 0"),
        (PK, {"epsilon": math.inf}, "epsilon", "a number above 0"),
        (PK, {"k": 1}, "k", "a number above 1"),
        (PK, {"k": 61}, "k", "a number above 1, up to the table's 60 records"),
        (PK, {"k": 5, "epsilon": 1.0}, "epsilon", "epsilon or k, not both"),
        (PK, {"budget": "some"}, "budget", "one of total, each"),
        (PK, {"columns": ("height",)}, "columns", "out of sex, age, city, floor, cost"),
        (RESPONSE, {"epsilon": 0}, "epsilon", "a number above 0"),
        (RESPONSE, {"epsilon": ""}, "epsilon", "a number above 0"),
        (RESPONSE, {"columns": ("sex", "shoe")}, "columns", "out of sex, age, city, floor, cost"),
    ],
)
def test_wrong_options(method, options, named, expected):
    with pytest.raises(ProblemsFound) as found:
        run(table(), method, **options)
    (problem,) = found.value.problems
    assert (problem.params["method"], problem.params["option"]) == (method, named)
    assert expected in problem.message


@pytest.mark.parametrize("options", [{"epsilon": 0}, {"epsilon": -1.0}, {"rho": 2.0}, {"k": 0.5}])
def test_the_function_only_refuses_them_too(options):
    with pytest.raises(ProblemsFound):
        pk_anonymization(table(), SCHEMA, rng=np.random.default_rng(1), **options)
