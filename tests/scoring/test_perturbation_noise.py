# SPDX-License-Identifier: Apache-2.0
"""Added and multiplied noise: moments, bounds, and covariances that are kept."""

from __future__ import annotations

import numpy as np
import pandas as pd
import pytest

from scoring.anonymizers import anonymize
from scoring.anonymizers.noise import covariance_root, mean_one_factors, standard_noise
from scoring.errors import ProblemsFound
from scoring.tables.schema import Column, Kind, Role, Schema

QI, SA = Role.QUASI_IDENTIFIER, Role.SENSITIVE
SCHEMA = Schema(
    (
        Column("city", QI, Kind.CATEGORY),
        Column("age", QI, Kind.INTEGER, min=0, max=120),
        Column("a", SA, Kind.NUMBER),
        Column("b", SA, Kind.NUMBER),
        Column("c", SA, Kind.NUMBER),
    )
)
N = 20_000


def table(n=N):
    """Two columns with correlation 0.8, one of them much larger, and a constant one."""
    rng = np.random.default_rng(7)
    x, y = rng.standard_normal((2, n))
    return pd.DataFrame(
        {
            "city": ["x"] * n,
            "age": rng.integers(0, 121, n),
            "a": (5 + x).round(4),
            "b": (1e6 + 1e5 * (0.8 * x + 0.6 * y)).round(4),
            "c": [3.0] * n,
        }
    )


def run(original, method, schema=SCHEMA, **options):
    return anonymize(original, schema, [(method, options)], rng=np.random.default_rng(3)).table


# Of each distribution the fourth moment about the mean, in squared variances.
KURTOSIS = {"normal": 3, "uniform": 9 / 5, "laplace": 6}


@pytest.mark.parametrize("distribution", KURTOSIS)
def test_standard_noise_has_its_moments(distribution):
    drawn = standard_noise(distribution, (400_000,), np.random.default_rng(1))
    assert drawn.mean() == pytest.approx(0, abs=0.01)
    assert drawn.var() == pytest.approx(1, rel=0.02)
    assert (drawn**4).mean() == pytest.approx(KURTOSIS[distribution], rel=0.05)


@pytest.mark.parametrize("distribution", KURTOSIS)
def test_added_noise_is_as_wide_as_asked(distribution):
    original = table()
    done = run(original, "additive-noise", distribution=distribution, scale=0.5)
    for name in "ab":
        noise = (done[name] - original[name]) / original[name].std()
        assert noise.std() == pytest.approx(0.5, rel=0.03)
        assert noise.mean() == pytest.approx(0, abs=0.02)
        assert (noise**4).mean() / noise.var() ** 2 == pytest.approx(
            KURTOSIS[distribution], rel=0.2
        )
    if distribution == "uniform":
        assert np.abs(noise).max() <= 0.5 * 3**0.5 * 1.0001
    assert (done["c"] == 3).all()
    assert (done["age"] == original["age"]).all()


def covariances(frame):
    return frame[["a", "b"]].cov().to_numpy()


def test_independent_noise_keeps_covariances_and_raises_variances():
    original = table()
    ratio = covariances(run(original, "additive-noise", scale=0.5)) / covariances(original)
    assert ratio == pytest.approx(np.array([[1.25, 1], [1, 1.25]]), rel=0.04)


@pytest.mark.parametrize("distribution", KURTOSIS)
def test_correlated_noise_keeps_correlations(distribution):
    original = table()
    options = {"distribution": distribution, "scale": 0.5}
    wider = run(original, "additive-noise", correlated="proportional", **options)
    assert covariances(wider) / covariances(original) == pytest.approx(
        np.full((2, 2), 1.25), rel=0.04
    )
    kept = run(original, "additive-noise", correlated="preserving", **options)
    assert covariances(kept) / covariances(original) == pytest.approx(np.ones((2, 2)), rel=0.04)
    assert kept["a"].mean() == pytest.approx(original["a"].mean(), abs=0.02)
    assert (wider["c"] == 3).all()
    assert (kept["c"] == 3).all()


def test_the_root_gives_the_covariances_exactly():
    rng = np.random.default_rng(2)
    values = rng.normal(size=(50, 4)) @ rng.normal(size=(4, 4)) * [1e-3, 1, 1e3, 1e7]
    root = covariance_root(values)
    exact = np.cov(values.T, bias=True)
    scales = np.sqrt(np.outer(np.diag(exact), np.diag(exact)))
    assert root.T @ root / scales == pytest.approx(exact / scales, abs=1e-12)


def test_columns_that_are_multiples_of_each_other_stay_so():
    schema = Schema((Column("a", SA, Kind.NUMBER), Column("b", SA, Kind.NUMBER)))
    original = pd.DataFrame({"a": np.arange(50.0), "b": 3 * np.arange(50.0)})
    done = run(original, "additive-noise", schema, correlated="proportional", scale=1.0)
    assert done["b"].to_numpy() == pytest.approx(3 * done["a"].to_numpy(), abs=0.0003)
    assert (done["a"] != original["a"]).any()


@pytest.mark.parametrize("method", ["additive-noise", "multiplicative-noise"])
def test_noise_of_no_scale_changes_nothing_and_noise_stays_in_the_domain(method):
    original = table(200)
    pd.testing.assert_frame_equal(run(original, method, scale=0), original)
    done = run(original, method, scale=0.5, columns=("age",))
    assert done["age"].between(0, 120).all()
    assert done["age"].dtype == np.int64
    assert (done["age"] != original["age"]).any()
    pd.testing.assert_frame_equal(done.drop(columns="age"), original.drop(columns="age"))


@pytest.mark.parametrize(("distribution", "deviation"), [("lognormal", 0.3), ("truncated", 0.2639)])
def test_factors_have_mean_one(distribution, deviation):
    # A normal cut off at two deviations keeps 0.8796 of its deviation.
    factors = mean_one_factors(distribution, 0.3, 400_000, np.random.default_rng(1))
    assert factors.mean() == pytest.approx(1, abs=0.003)
    assert factors.std() == pytest.approx(deviation, rel=0.01)
    assert factors.min() > 0
    if distribution == "truncated":
        assert np.abs(factors - 1).max() <= 0.6
    else:
        logarithms = np.log(factors)
        assert ((logarithms - logarithms.mean()) ** 3).mean() == pytest.approx(0, abs=0.001)


@pytest.mark.parametrize("distribution", ["lognormal", "truncated"])
def test_multiplied_noise_is_a_share_of_the_value(distribution):
    schema = Schema((Column("a", SA, Kind.NUMBER),))
    original = pd.DataFrame({"a": [0.0, -100.0, 1000.0, 1e6] * 2000})
    done = run(original, "multiplicative-noise", schema, distribution=distribution, scale=0.1)["a"]
    assert (done[original["a"] == 0] == 0).all()
    assert (np.sign(done) == np.sign(original["a"])).all()
    off = (done / original["a"] - 1)[original["a"] != 0].to_numpy().reshape(-1, 3)
    assert off.std(axis=0) == pytest.approx(np.full(3, 0.1), rel=0.15)


@pytest.mark.parametrize(
    ("method", "options", "named", "expected"),
    [
        ("additive-noise", {"scale": -1}, "scale", "a number from 0 to 1e+15"),
        ("additive-noise", {"distribution": "cauchy"}, "distribution", "normal, uniform, laplace"),
        ("additive-noise", {"correlated": "yes"}, "correlated", "no, proportional, preserving"),
        ("additive-noise", {"columns": ("city",)}, "columns", "out of age, a, b, c"),
        ("multiplicative-noise", {"columns": ("d",)}, "columns", "out of age, a, b, c"),
        (
            "multiplicative-noise",
            {"distribution": "truncated", "scale": 0.6},
            "scale",
            "at most 0.5 where the factors are truncated",
        ),
    ],
)
def test_wrong_options(method, options, named, expected):
    with pytest.raises(ProblemsFound) as found:
        run(table(5), method, **options)
    (problem,) = found.value.problems
    assert (problem.params["method"], problem.params["option"]) == (method, named)
    assert expected in problem.message
