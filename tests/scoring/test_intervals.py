# SPDX-License-Identifier: Apache-2.0
"""Intervals of shares: published values, properties, and how often they hold the truth."""

from __future__ import annotations

import math

import numpy as np
import pytest

from scoring.reporting.intervals import Interval, Rate, difference, risk_over_control, wilson


@pytest.mark.parametrize(
    ("hits", "n", "low", "high"),
    [
        # Newcombe, "Two-sided confidence intervals for the single proportion: comparison of seven
        # methods", Table I, score method without continuity correction.
        (81, 263, 0.2553, 0.3662),
        (15, 148, 0.0624, 0.1605),
        (0, 20, 0.0000, 0.1611),
        (1, 29, 0.0061, 0.1718),
    ],
)
def test_wilson_gives_the_published_limits(hits, n, low, high):
    found = wilson(hits, n)
    assert (round(found.low, 4), round(found.high, 4)) == (low, high)
    assert found.value == hits / n


@pytest.mark.parametrize(
    ("hits", "n", "other_hits", "other_n", "low", "high"),
    [
        # Newcombe, "Interval estimation for the difference between independent proportions:
        # comparison of eleven methods", Table II, method 10.
        (56, 70, 48, 80, 0.0524, 0.3339),
        (9, 10, 3, 10, 0.1705, 0.8090),
        (10, 10, 0, 20, 0.6791, 1.0000),
    ],
)
def test_the_interval_of_a_difference_has_the_published_limits(
    hits, n, other_hits, other_n, low, high
):
    found = difference(hits, n, other_hits, other_n)
    assert (round(found.low, 4), round(found.high, 4)) == (low, high)


def test_wilson_limits_are_where_the_score_test_just_rejects():
    z = 1.959963984540054
    for n in (1, 7, 40):
        for hits in range(n + 1):
            found = wilson(hits, n)
            for p in (found.low, found.high):
                if 0 < p < 1:
                    score = abs(hits / n - p) / math.sqrt(p * (1 - p) / n)
                    assert score == pytest.approx(z)
                else:
                    assert p == hits / n


def test_intervals_enclose_their_estimate_and_narrow_with_confidence():
    for n in (1, 2, 9, 100):
        for hits in range(n + 1):
            wide, narrow = wilson(hits, n, 0.99), wilson(hits, n, 0.5)
            assert 0 <= wide.low <= narrow.low <= hits / n <= narrow.high <= wide.high <= 1
            for other in range(n + 1):
                risk = risk_over_control(hits, n, other, n)
                assert 0 <= risk.low <= risk.value <= risk.high <= 1


def test_the_risk_is_what_the_attack_has_over_the_control():
    assert risk_over_control(3, 4, 1, 2).value == 0.5
    assert risk_over_control(4, 4, 1, 4).value == 1.0
    assert risk_over_control(4, 4, 0, 4).value == 1.0


def test_an_attack_that_does_no_better_than_the_control_is_no_risk():
    assert risk_over_control(1, 4, 3, 4).value == 0.0
    assert risk_over_control(0, 4, 0, 4).value == 0.0
    # A control that always succeeds leaves nothing to be gained, and no division by 0.
    assert risk_over_control(400, 400, 400, 400) == Interval(0.0, 0.0, 1.0)
    assert risk_over_control(0, 400, 400, 400) == Interval(0.0, 0.0, 0.0)


@pytest.mark.parametrize(("main", "control"), [(0.3, 0.2), (0.6, 0.5), (0.95, 0.2), (0.3, 0.01)])
def test_the_interval_of_the_risk_holds_the_truth_as_often_as_it_says(main, control):
    rng = np.random.default_rng(1)
    n, n_runs = 200, 400
    truth = (main - control) / (1 - control)
    found = [
        risk_over_control(int(hits), n, int(others), n)
        for hits, others in zip(
            rng.binomial(n, main, n_runs), rng.binomial(n, control, n_runs), strict=True
        )
    ]
    n_held = sum(risk.low <= truth <= risk.high for risk in found)
    # 95 % less four standard deviations of 400 runs.
    assert n_held >= 0.95 * n_runs - 4 * math.sqrt(0.95 * 0.05 * n_runs)
    assert n_held < n_runs


def test_a_rate_without_a_trial_can_be_anything():
    assert Rate.of(0, 0) == Rate(0, 0, 0.0, 0.0, 1.0)
    assert Rate.of(81, 263).low == wilson(81, 263).low


@pytest.mark.parametrize(
    ("arguments", "name"),
    [
        ((0, 0), "n"),
        ((-1, 4), "hits"),
        ((5, 4), "hits"),
        ((1, 4, 0.0), "confidence"),
        ((1, 4, 1.0), "confidence"),
    ],
)
def test_impossible_arguments_are_refused(arguments, name):
    with pytest.raises(ValueError, match=rf"^{name}: "):
        wilson(*arguments)
