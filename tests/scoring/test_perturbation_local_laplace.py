# SPDX-License-Identifier: Apache-2.0
"""Laplace noise on each value: its scale, its tails, its range, and what the bounds do to it."""

from __future__ import annotations

import math

import numpy as np
import pandas as pd
import pytest

from scoring.anonymizers import anonymize
from scoring.anonymizers.local_laplace import local_laplace, with_laplace
from scoring.errors import ProblemsFound
from scoring.tables.schema import Column, Kind, Role, Schema

SA = Role.SENSITIVE
FREE = Schema((Column("a", SA, Kind.NUMBER), Column("b", SA, Kind.NUMBER)))
BOUNDED = Schema(
    (
        Column("age", Role.QUASI_IDENTIFIER, Kind.INTEGER, min=0, max=100),
        Column("test", SA, Kind.INTEGER, min=0, max=100),
        Column("name", SA, Kind.CATEGORY),
    )
)


def run(original, schema, **options):
    return anonymize(
        original, schema, [("local-laplace", options)], rng=np.random.default_rng(6)
    ).table


def free_table(n=100_000):
    return pd.DataFrame({"a": np.resize([10.0, 40.0], n), "b": np.zeros(n)})


@pytest.mark.parametrize(
    ("options", "scale"),
    [
        ({"epsilon": 1.0}, 30),  # from 10 to 40
        ({"epsilon": 0.5}, 60),
        ({"epsilon": 2.0, "value_range": (0, 100)}, 50),
        ({"epsilon": 2.0, "value_range": (100, 0)}, 50),
        ({"epsilon": 1.0, "range_from": "column"}, 30),
    ],
)
def test_the_scale_is_the_range_divided_by_epsilon(options, scale):
    original = free_table()
    noise = np.abs(run(original, FREE, **options)["a"] - original["a"])
    assert noise.mean() == pytest.approx(scale, rel=0.02)
    for beta in (0.5, 0.05, 0.01):
        beyond = (noise > scale * math.log(1 / beta)).mean()
        assert beyond == pytest.approx(beta, abs=5 * math.sqrt(beta * (1 - beta) / 100_000))


def test_noise_has_no_direction_and_a_constant_column_has_no_range():
    original = free_table()
    done = run(original, FREE, columns=("a", "b"))
    assert (done["a"] - original["a"]).mean() == pytest.approx(0, abs=5 * 30 * math.sqrt(2 / 1e5))
    assert (done["b"] == 0).all()


def test_any_two_values_give_any_answer_alike():
    """The densities at any answer differ by the factor e^ε at most: compared in narrow bins."""
    rng, n, epsilon = np.random.default_rng(3), 200_000, 1.0
    bins = np.linspace(-2, 3, 11)
    low, high = (
        np.histogram(with_laplace(np.full(n, v), 0.0, 1.0, epsilon, rng), bins)[0]
        for v in (0.0, 1.0)
    )
    ratio = low / high
    assert np.abs(np.log(ratio)).max() < epsilon + 0.1
    assert ratio[:4] == pytest.approx(np.full(4, math.e), rel=0.1)  # below both
    assert ratio[-4:] == pytest.approx(np.full(4, 1 / math.e), rel=0.1)  # above both


def test_values_outside_the_range_count_as_its_ends():
    values = np.array([-1000.0, 5.0, 1000.0])
    moved = with_laplace(values, 0.0, 10.0, 1e9, np.random.default_rng(1))
    assert moved == pytest.approx([0, 5, 10], abs=1e-6)


def bounded_table(n=5000):
    ages = np.resize([20, 30], n)
    return pd.DataFrame({"age": ages, "test": ages, "name": ["x"] * n}).astype({"name": "str"})


def test_the_schema_s_bounds_are_the_range_and_bound_what_comes_out():
    original = bounded_table()
    done = run(original, BOUNDED, epsilon=1.0)
    assert done["test"].dtype == np.int64
    assert done["test"].between(0, 100).all()
    # Of Laplace noise of scale 100 half of e^-0.2 or e^-0.3 falls to the minimum or below it.
    at_minimum = (math.exp(-0.2) + math.exp(-0.3)) / 4
    assert (done["test"] == 0).mean() == pytest.approx(at_minimum, abs=0.03)
    assert done["test"].mean() > original["test"].mean() + 5  # towards the middle
    assert (done[["age", "name"]] == original[["age", "name"]]).all(axis=None)


def test_the_column_s_own_range_is_narrower():
    original = bounded_table()
    done = run(original, BOUNDED, epsilon=1.0, range_from="column", columns=("age",))
    assert np.abs(done["age"] - original["age"]).mean() < 11
    assert (done["test"] == original["test"]).all()


@pytest.mark.parametrize(
    ("options", "named", "expected"),
    [
        ({"epsilon": 0}, "epsilon", "a number above 0"),
        ({"epsilon": -2.0}, "epsilon", "a number above 0"),
        ({"epsilon": math.nan}, "epsilon", "a number above 0"),
        ({"value_range": (5.0,)}, "value_range", "two different numbers"),
        ({"value_range": (5.0, 5.0)}, "value_range", "two different numbers"),
        ({"value_range": (0.0, math.inf)}, "value_range", "numbers with commas between them"),
        ({"range_from": "nowhere"}, "range_from", "one of schema, column"),
        ({"columns": ("name",)}, "columns", "out of age, test"),
    ],
)
def test_wrong_options(options, named, expected):
    with pytest.raises(ProblemsFound) as found:
        run(bounded_table(10), BOUNDED, **options)
    (problem,) = found.value.problems
    assert (problem.params["method"], problem.params["option"]) == ("local-laplace", named)
    assert expected in problem.message


def test_the_function_only_refuses_an_epsilon_of_zero():
    with pytest.raises(ProblemsFound):
        local_laplace(bounded_table(10), BOUNDED, rng=np.random.default_rng(1), epsilon=0)
