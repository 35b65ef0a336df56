# SPDX-License-Identifier: Apache-2.0
"""What noise does: a value from a mean, repeated questions, and a test on noisy counts."""

from __future__ import annotations

import math

import numpy as np
import pytest
from scipy.stats import chi2_contingency

from scoring.demonstrations import noise
from scoring.demonstrations.differencing import difference_of_means, differencing
from tests.every import every


def rng(seed=1):
    return np.random.default_rng(seed)


# --- one value from a mean ---


def test_the_introductions_example():
    """40 lengths of mean 5.98, 39 of them known: the last is 5.1. The noisy mean gives 9.25."""
    assert noise.value_from_mean(5.98, 40, 234.1) == pytest.approx(5.1)
    assert noise.value_from_mean(6.083817, 40, 234.1) == pytest.approx(9.2527, abs=1e-4)


def test_the_lectures_example():
    """70 points on average, the three in their twenties 80: the teenager has 40."""
    assert difference_of_means(70, 4, 80, 3) == 40
    assert differencing(rng=rng(), sizes=(10,)).attempts[0].found == 40


def test_too_little_noise_is_worth_more_epsilon():
    found = noise.known_rest(rng=rng())
    exact, short, right = found.attempts
    assert exact.found == pytest.approx(exact.value)
    assert (exact.epsilon, exact.scale) == (None, 0)
    assert short.epsilon == pytest.approx(0.036)
    assert short.bound == pytest.approx(7.489331, abs=1e-6)
    assert right.epsilon == pytest.approx(0.01)
    assert right.scale == pytest.approx(3.6 / 40 / 0.01)


def test_right_noise_hides_the_value():
    """Over many runs the value is off by 40 times the noise: its range divided by ε, and more."""
    off = []
    for seed in range(300):
        attempt = noise.known_rest(rng=rng(seed), epsilon=1.0).attempts[2]
        off.append(abs(attempt.found - attempt.value))
    assert np.mean(off) == pytest.approx(3.6, rel=0.25)
    assert np.mean(np.array(off) > 3.6 * math.log(20)) == pytest.approx(0.05, abs=0.04)


# --- the same question again ---


def test_fresh_noise_averages_away_and_shared_noise_does_not():
    found = noise.averaging(rng=rng(), epsilon=0.5, answers=(1, 4, 100), trials=2000)
    for error in found.errors:
        n, scale = error.answers, 1 / 0.5
        assert error.fresh == pytest.approx(math.sqrt(2 / n) * scale, rel=0.1)
        assert error.shared == pytest.approx(math.sqrt(2 * n) * scale, rel=0.1)
        assert error.repeated == pytest.approx(math.sqrt(2) * scale, rel=0.1)
        assert error.spent == n * 0.5


# --- a test on noisy counts ---


@every(seed=range(20))
def test_the_statistic_is_that_of_the_textbook(seed):
    tables = rng(seed).integers(1, 60, (3, 2, 2)).astype(float)
    expected = [chi2_contingency(table, correction=False).statistic for table in tables]
    assert noise.chi_squared(tables) == pytest.approx(expected)


def test_negative_counts_are_none():
    tables = np.array(
        [[[-3.0, 5.0], [5.0, 0.0]], [[0.0, 5.0], [5.0, 0.0]], [[-1.0, -1.0], [-1.0, 9.0]]]
    )
    assert noise.chi_squared(tables).tolist() == [10, 10, 0]
    assert tables.min() == -3


def test_noise_gives_false_alarms_and_the_correction_takes_them_back():
    found = noise.noisy_chi_squared(
        rng=rng(), sizes=(200, 20_000), epsilons=(None, 0.1), trials=3000
    )
    plain_small, noisy_small, plain_large, noisy_large = found.tests
    for plain in (plain_small, plain_large):
        assert plain.false_alarms == pytest.approx(0.05, abs=0.015)
    assert noisy_small.false_alarms > 0.5
    assert noisy_large.false_alarms < 0.1
    for test in found.tests:
        assert test.false_alarms_corrected == pytest.approx(0.05, abs=0.02)
    assert plain_small.power_corrected > 0.5 > 0.2 > noisy_small.power_corrected
    assert noisy_large.power_corrected > 0.99
