# SPDX-License-Identifier: Apache-2.0
"""Empirical lower bounds of ε: published limits, mechanisms that keep their promise and one that does not."""

from __future__ import annotations

import math
from fractions import Fraction

import numpy as np
import pytest

from scoring.privacy import loss_distributions, mechanisms
from scoring.privacy.lower_bounds import empirical_epsilon, lower_bound
from scoring.privacy.post_randomization import randomize, rho_of
from scoring.privacy.sampling import discrete_gaussian, discrete_laplace, seeded


def tail(hits: int, n: int, p: Fraction) -> float:
    """P(at least so many hits)."""
    return float(sum(math.comb(n, k) * p**k * (1 - p) ** (n - k) for k in range(hits, n + 1)))


def clopper_pearson(hits: int, n: int, confidence: float) -> tuple[float, float]:
    """Both limits by bisection of the binomial tails."""

    def root(holds):
        low, high = Fraction(0), Fraction(1)
        for _ in range(40):
            middle = (low + high) / 2
            low, high = (middle, high) if holds(middle) else (low, middle)
        return float(low)

    rest = (1 - confidence) / 2
    return (
        root(lambda p: tail(hits, n, p) < rest) if hits else 0.0,
        root(lambda p: 1 - tail(hits + 1, n, p) > rest) if hits < n else 1.0,
    )


@pytest.mark.parametrize(("hits", "other"), [(20, 1), (30, 0), (30, 3), (12, 9)])
def test_the_bound_is_that_of_the_two_limits(hits, other):
    low, high = clopper_pearson(hits, 30, 0.9)[0], clopper_pearson(other, 30, 0.9)[1]
    expected = max(0.0, math.log(low / high))
    assert lower_bound(hits, other, 30, confidence=0.9) == pytest.approx(expected, abs=1e-6)
    lower = max(0.0, math.log(max(low - 0.1, 1e-9) / high))
    assert lower_bound(hits, other, 30, delta=0.1, confidence=0.9) == pytest.approx(lower, abs=1e-6)


def test_what_distinguishes_nothing_has_no_bound():
    assert lower_bound(0, 0, 10) == lower_bound(5, 5, 10) == lower_bound(10, 10, 10) == 0
    assert lower_bound(1, 0, 10, delta=0.9) == 0


def laplace(count: float, scale: float):
    return lambda n, rng: count + rng.laplace(0, scale, n)


@pytest.mark.parametrize("epsilon", [0.5, 1.0, 2.0])
def test_laplace_noise_keeps_its_promise_and_nearly_uses_it_up(epsilon):
    found = empirical_epsilon(
        laplace(10, 1 / epsilon), laplace(11, 1 / epsilon), np.random.default_rng(1)
    )
    assert 0.9 * epsilon < found.epsilon <= epsilon


@pytest.mark.parametrize("order", [1, -1])
def test_half_the_noise_is_found_out_whichever_table_is_the_first(order):
    tables = [laplace(10, 0.5), laplace(11, 0.5)][::order]
    assert empirical_epsilon(*tables, np.random.default_rng(1)).epsilon > 1.5


def test_normal_noise_is_within_its_epsilon_and_delta():
    from scoring.privacy.mechanisms import gaussian_sigma

    sigma = gaussian_sigma(1, 1, 1e-5)
    tables = [lambda n, rng, c=c: c + sigma * rng.standard_normal(n) for c in (0, 1)]
    found = empirical_epsilon(*tables, np.random.default_rng(2), delta=1e-5)
    assert 0.3 < found.epsilon < 1


def test_randomized_responses_are_within_theirs():
    tables = [lambda n, rng, p=p: (rng.random(n) < p).astype(float) for p in (0.75, 0.25)]
    found = empirical_epsilon(*tables, np.random.default_rng(3))
    assert 1.05 < found.epsilon <= math.log(3)
    assert found.hits > found.other_hits


@pytest.mark.parametrize(
    ("arguments", "options", "name"),
    [
        ((3, 0, 2), {}, "hits"),
        ((0, 0, 0), {}, "hits"),
        ((1, 1, 2), {"confidence": 1}, "confidence"),
        ((1, 1, 2), {"delta": 1}, "delta"),
    ],
)
def test_impossible_arguments_are_refused(arguments, options, name):
    with pytest.raises(ValueError, match=name):
        lower_bound(*arguments, **options)
    with pytest.raises(ValueError, match="n_trials"):
        empirical_epsilon(laplace(0, 1), laplace(1, 1), np.random.default_rng(1), n_trials=1)


# The library's own mechanisms, on two tables that differ in one record

EPSILON = 1.0


def _discrete_laplace(count):
    scale = 1 / Fraction(EPSILON)
    return lambda n, rng: count + discrete_laplace(scale, n, seeded(rng)).astype(float)


def _discrete_normal(count):
    return lambda n, rng: count + discrete_gaussian(Fraction(16), n, seeded(rng)).astype(float)


def _kept(value):
    rho = rho_of(EPSILON, (4,))
    return lambda n, rng: (randomize(np.full((n, 1), value), (4,), rho, rng)[:, 0] == 0).astype(
        float
    )


def _laplace(count):
    return lambda n, rng: mechanisms.laplace(np.full(n, count), 1, EPSILON, rng)


DISCRETE_NORMAL = loss_distributions.discrete_gaussian(4.0)
OF_THE_LIBRARY = [
    ("laplace", _laplace, EPSILON, 0.0, 0.9),
    ("discrete Laplace", _discrete_laplace, EPSILON, 0.0, 0.85),
    ("discrete normal", _discrete_normal, DISCRETE_NORMAL.epsilon(1e-3), 1e-3, 0.3),
    ("Pk-anonymization", _kept, EPSILON, 0.0, 0.85),
]


@pytest.mark.parametrize(
    ("mechanism", "epsilon", "delta", "least"),
    [case[1:] for case in OF_THE_LIBRARY],
    ids=[case[0] for case in OF_THE_LIBRARY],
)
def test_no_mechanism_of_the_library_loses_more_than_it_promises(mechanism, epsilon, delta, least):
    found = empirical_epsilon(
        mechanism(0), mechanism(1), np.random.default_rng(7), n_trials=40_000, delta=delta
    )
    assert least * epsilon < found.epsilon <= epsilon
