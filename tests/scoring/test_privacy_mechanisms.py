# SPDX-License-Identifier: Apache-2.0
"""Noise, what it has to cover, how large it is, and that it hides one record as well as it claims."""

from __future__ import annotations

import itertools
import math
from collections import Counter
from decimal import Decimal
from fractions import Fraction

import numpy as np
import pytest

from scoring.privacy import mechanisms, sensitivity
from scoring.privacy.sampling import (
    Randomness,
    discrete_laplace,
    discrete_laplace_variance,
    hits,
    noisy_counts,
    secure,
    seeded,
    uniform,
)
from tests.scoring.privacy_oracles import largest_log_ratio


def rng(seed=1):
    return np.random.default_rng(seed)


# --- sensitivity: against every pair of neighbouring tables ---


@pytest.mark.parametrize("adjacency", sensitivity.ADJACENCIES)
def test_sensitivities_are_those_of_all_small_tables(adjacency):
    low, high, n = -2, 3, 3
    tables = [np.array(t) for t in np.ndindex(*(high - low + 1,) * n)]
    worst = dict.fromkeys(("count", "histogram", "total", "mean", "maximum"), 0.0)

    def compare(one, other):
        def found(table):
            counts = np.bincount(table - low, minlength=high - low + 1)
            top = table.max() if len(table) else low
            average = table.mean() if len(table) else None
            return (table > 0).sum(), counts, table.sum(), average, top

        for name, a, b in zip(worst, found(one), found(other), strict=True):
            if a is not None and b is not None:
                worst[name] = max(worst[name], float(np.abs(a - b).sum()))

    for table in tables:
        values = table + low
        if adjacency == "add_remove":
            compare(values, values[1:])
        else:
            for value in range(low, high + 1):
                compare(values, np.array([value, *values[1:]]))
    assert worst == {
        "count": sensitivity.count(adjacency),
        "histogram": sensitivity.histogram(adjacency),
        "total": sensitivity.total(low, high, adjacency),
        "mean": pytest.approx(sensitivity.mean(low, high, n)),
        "maximum": sensitivity.maximum(low, high),
    }


@pytest.mark.parametrize("call", [
    lambda: sensitivity.total(1, 1),
    lambda: sensitivity.maximum(0, math.inf),
    lambda: sensitivity.mean(0, 1, 0),
    lambda: sensitivity.mean(math.nan, 1, 5),
    lambda: sensitivity.histogram("neighbours"),
])  # fmt: skip
def test_what_has_no_sensitivity(call):
    with pytest.raises(ValueError, match="expected"):
        call()


# --- accuracy ---


def test_the_lectures_numbers_corrected():
    """Ages from 0 to 100 at ε = 0.1; the first is printed as 3."""
    mean = [sensitivity.mean(0, 100, n) for n in (100, 100_000)]
    assert mechanisms.accuracy(mean[0], 0.1, 0.05) == pytest.approx(29.957, abs=1e-3)
    assert mechanisms.accuracy(mean[1], 0.1, 0.05) == pytest.approx(0.029957, abs=1e-6)
    assert mechanisms.accuracy(sensitivity.maximum(0, 100), 0.1, 0.05) == pytest.approx(
        2995.73, abs=0.01
    )
    assert mechanisms.accuracy(100, 0.1, 0.2) == pytest.approx(1609.44, abs=0.01)


def test_the_blogs_numbers_corrected():
    """A mean of 40 lengths: 0.7489 belongs to ε = 0.1, and 1/n is too little noise for a range of 3.6."""
    assert mechanisms.accuracy(1 / 40, 0.1, 0.05) == pytest.approx(0.7489331, abs=1e-7)
    assert mechanisms.accuracy(1 / 40, 0.01, 0.05) == pytest.approx(7.489331, abs=1e-6)
    right = sensitivity.mean(4.3, 7.9, 40)
    spent = right / mechanisms.scale(1 / 40, 0.01)
    assert spent == pytest.approx(0.036)


@pytest.mark.parametrize("beta", [0.5, 0.05, 1e-6])
@pytest.mark.parametrize("epsilon", [0.01, 1, 30])
def test_accuracy_and_its_inverse(beta, epsilon):
    bound = mechanisms.accuracy(2, epsilon, beta)
    assert mechanisms.epsilon_for_accuracy(2, bound, beta) == pytest.approx(epsilon)
    scale = mechanisms.scale(2, epsilon)
    outside = mechanisms.laplace_cdf(-bound, scale) + 1 - mechanisms.laplace_cdf(bound, scale)
    assert outside == pytest.approx(beta)
    assert mechanisms.laplace_quantile(beta / 2, scale) == pytest.approx(-bound)
    assert mechanisms.laplace_quantile(1 - beta / 2, scale) == pytest.approx(bound)


def test_noise_exceeds_its_bound_as_often_as_it_says():
    noise = mechanisms.laplace(np.zeros(200_000), 3.0, 0.5, rng())
    for beta in (0.5, 0.1, 0.01):
        share = (np.abs(noise) > mechanisms.accuracy(3, 0.5, beta)).mean()
        assert share == pytest.approx(beta, abs=5 * math.sqrt(beta / 200_000))


# --- Gaussian and exponential ---


@pytest.mark.parametrize("delta", [1e-3, 1e-6, 1e-10])
@pytest.mark.parametrize("epsilon", [0.01, 0.5, 1, 8, 60])
def test_gaussian_noise_is_as_small_as_delta_allows(epsilon, delta):
    sigma = mechanisms.gaussian_sigma(2.0, epsilon, delta)
    assert mechanisms.gaussian_delta(2.0, epsilon, sigma) == pytest.approx(delta, rel=1e-5)
    assert mechanisms.gaussian_delta(2.0, epsilon, 0.99 * sigma) > delta
    if epsilon <= 1:
        assert sigma < 2.0 * math.sqrt(2 * math.log(1.25 / delta)) / epsilon


def test_gaussian_delta_is_the_integral_of_what_exceeds():
    sigma, epsilon, shift = 1.5, 0.7, 1.0
    x = np.linspace(-20, 20, 400_001)
    one = np.exp(-((x - shift) ** 2) / (2 * sigma**2)) / (sigma * math.sqrt(2 * math.pi))
    other = np.exp(-(x**2) / (2 * sigma**2)) / (sigma * math.sqrt(2 * math.pi))
    above = np.maximum(0, one - math.exp(epsilon) * other)
    expected = np.trapezoid(above, x)
    assert mechanisms.gaussian_delta(shift, epsilon, sigma) == pytest.approx(expected, rel=1e-6)


def test_gaussian_noise_has_its_deviation():
    noise = mechanisms.gaussian(np.zeros(100_000), 1.0, 1.0, 1e-5, rng())
    assert noise.std() == pytest.approx(mechanisms.gaussian_sigma(1, 1, 1e-5), rel=0.02)
    assert abs(noise.mean()) < 0.06


def test_the_exponential_mechanism_keeps_its_promise_on_all_neighbours():
    epsilon, scores = 0.8, np.array([3.0, 0.0, 7.0, 6.5])
    own = mechanisms.exponential_probabilities(scores, 1.0, epsilon)
    assert own.sum() == pytest.approx(1)
    assert own.argmax() == 2
    worst = 0.0
    for change in np.ndindex(3, 3, 3, 3):
        near = mechanisms.exponential_probabilities(scores + np.array(change) - 1, 1.0, epsilon)
        worst = max(worst, float(np.abs(np.log(near / own)).max()))
    assert 0.5 * epsilon < worst <= epsilon + 1e-12
    drawn = [
        mechanisms.exponential(scores, 1.0, epsilon, generator) for generator in [rng()] * 4000
    ]
    assert np.bincount(drawn, minlength=4) / 4000 == pytest.approx(own, abs=0.04)


def test_scores_far_apart_do_not_overflow():
    assert mechanisms.exponential_probabilities([0, 1e6], 1, 1.0).tolist() == [0, 1]


# --- exact sampling ---


@pytest.mark.parametrize("scale", [Fraction(1, 3), Fraction(2), Fraction(20, 7)])
def test_discrete_laplace_has_its_probabilities(scale):
    n = 40_000
    drawn = discrete_laplace(scale, n, seeded(rng(3)))
    q = math.exp(-1 / scale)
    for x in range(-4, 5):
        expected = (1 - q) / (1 + q) * q ** abs(x)
        assert (drawn == x).mean() == pytest.approx(expected, abs=5 * math.sqrt(expected / n))
    variance = discrete_laplace_variance(scale)
    assert drawn.var() == pytest.approx(variance, rel=0.06)
    x = np.arange(-2000, 2001)
    weights = np.exp(-np.abs(x) / float(scale))
    assert variance == pytest.approx((weights * x**2).sum() / weights.sum())


@pytest.mark.parametrize("epsilon", ["0.000001", "0.3", "1000000"])
def test_noise_of_any_decimal_epsilon(epsilon):
    noise = noisy_counts(np.zeros(300, dtype=np.int64), 2, Decimal(epsilon), seeded(rng()))
    expected = math.sqrt(discrete_laplace_variance(2 / Fraction(epsilon)))
    assert noise.std() == pytest.approx(expected, rel=0.3)


def test_counts_keep_shape_and_input():
    counts = np.arange(6).reshape(2, 3)
    noisy = noisy_counts(counts, 2, Fraction(1, 10), secure())
    assert noisy.shape == (2, 3)
    assert noisy.dtype == np.int64
    assert counts.tolist() == [[0, 1, 2], [3, 4, 5]]


@pytest.mark.parametrize("epsilon", [0, Decimal(0), Decimal("-1"), Decimal("NaN"), Decimal("Inf")])
def test_no_noise_without_a_real_epsilon(epsilon):
    with pytest.raises(ValueError, match="epsilon: expected a finite number above 0"):
        noisy_counts(np.zeros(1, dtype=np.int64), 2, epsilon, secure())


def test_integers_are_uniform_and_use_their_bits_once():
    source = bytes(range(256)) * 4
    position = iter(range(0, len(source), 64))
    randomness = Randomness(lambda n: source[(at := next(position)) : at + n])
    drawn = [randomness.bits(8) for _ in range(256)]
    assert drawn == list(range(256))
    counts = np.bincount([seeded(generator).below(6) for generator in [rng()] * 3000], minlength=6)
    assert len(counts) == 6
    assert counts.min() > 400
    several = uniform(5, 50_000, seeded(rng(2)))
    assert np.bincount(several) == pytest.approx([10_000] * 5, abs=450)


def test_words_of_an_incomplete_round_are_drawn_again():
    """Of 64 bits, the last 2^64 mod size words would make the first values likelier."""
    size = 2**62 + 1
    last = 2**64 - 2**64 % size - 1
    words = iter([[last + 1, 5, last], [7]])
    randomness = Randomness(lambda n: np.array(next(words), dtype="<u8").tobytes())
    assert uniform(size, 3, randomness).tolist() == [7, 5, last % size]


def test_events_have_their_probability():
    assert hits(0.3, 100_000, seeded(rng())).mean() == pytest.approx(0.3, abs=0.01)
    with pytest.raises(ValueError, match="expected 0 to 1"):
        hits(1.5, 1, secure())


def test_secure_noise_does_not_repeat_and_seeded_noise_does():
    counts = np.zeros(64, dtype=np.int64)
    one, two = (noisy_counts(counts, 2, 1, secure()) for _ in range(2))
    assert (one != two).any()
    three, four = (noisy_counts(counts, 2, 1, seeded(rng(9))) for _ in range(2))
    assert (three == four).all()


# --- the promise itself, on neighbouring inputs ---


@pytest.mark.parametrize("epsilon", [0.5, 1.5])
def test_empirical_epsilon_of_laplace(epsilon):
    """A count of 10 or 11: no bin of answers tells them apart by more than ε."""
    draws = 300_000
    one = mechanisms.laplace(np.full(draws, 10.0), 1, epsilon, rng(1))
    other = mechanisms.laplace(np.full(draws, 11.0), 1, epsilon, rng(2))
    found, error = largest_log_ratio(one, other)
    assert found <= epsilon + 4 * error
    assert found >= 0.9 * epsilon  # the noise is no larger than it needs to be
    broken = mechanisms.laplace(np.full(draws, 12.0), 1, epsilon, rng(2))
    found, error = largest_log_ratio(one, broken)
    assert found > epsilon + 4 * error  # the test sees too little noise


def test_empirical_epsilon_of_released_counts():
    epsilon, draws = Fraction(1), 50_000
    one = noisy_counts(np.full(draws, 10), 1, epsilon, seeded(rng(1)))
    other = noisy_counts(np.full(draws, 11), 1, epsilon, seeded(rng(2)))
    found, error = largest_log_ratio(one, other)
    assert 0.85 <= found <= 1 + 4 * error


@pytest.mark.parametrize("call", [
    lambda: mechanisms.laplace([1], 2, 0, rng()),
    lambda: mechanisms.laplace([1], 2, -1, rng()),
    lambda: mechanisms.laplace([1], 2, math.inf, rng()),
    lambda: mechanisms.laplace([1], 2, math.nan, rng()),
    lambda: mechanisms.laplace([1], 0, 1, rng()),
    lambda: mechanisms.accuracy(1, 1, 0),
    lambda: mechanisms.accuracy(1, 1, 1.1),
    lambda: mechanisms.epsilon_for_accuracy(1, 0, 0.1),
    lambda: mechanisms.epsilon_for_accuracy(1, 1, 1),
    lambda: mechanisms.gaussian([1], 1, 1, 0, rng()),
    lambda: mechanisms.gaussian_sigma(1, -0.1, 0.1),
    lambda: mechanisms.exponential_probabilities([1], 1, -1),
    lambda: mechanisms.exponential_probabilities([1], 0, 1),
    lambda: mechanisms.gaussian_delta(1, 1, 0),
    lambda: mechanisms.laplace_quantile(1, 1),
    lambda: mechanisms.laplace_cdf(0, 0),
    lambda: mechanisms.exponential_probabilities([], 1, 1),
    lambda: mechanisms.exponential_probabilities([1, math.nan], 1, 1),
    lambda: discrete_laplace(Fraction(0), 1, secure()),
    lambda: noisy_counts(np.zeros(1, dtype=np.int64), 0, 1, secure()),
    lambda: noisy_counts(np.array([0.5]), 2, 1, secure()),
    lambda: uniform(0, 1, secure()),
])  # fmt: skip
def test_wrong_arguments_are_named(call):
    with pytest.raises(ValueError, match=r"^\w+: expected .* (got|candidate)"):
        call()


# --- ε = 0, and graphs ---


def test_at_epsilon_0_noise_hides_all_but_delta_and_choices_are_even():
    """δ at ε = 0 is the total variation distance of two normal distributions: 2 Φ(Δ / 2σ) - 1."""
    assert mechanisms.gaussian_delta(1, 0, 2) == pytest.approx(math.erf(0.25 / math.sqrt(2)))
    sigma = mechanisms.gaussian_sigma(1, 0, 0.1)
    assert mechanisms.gaussian_delta(1, 0, sigma) == pytest.approx(0.1)
    assert mechanisms.exponential_probabilities([0, 3, 100], 1, 0).tolist() == [1 / 3] * 3
    with pytest.raises(ValueError, match="above 0, got 0"):
        mechanisms.scale(1, 0)  # Laplace noise without end


def graphs(n):
    """Every directed graph of n vertices, as sets of edges."""
    pairs = list(itertools.permutations(range(n), 2))
    for chosen in itertools.product((False, True), repeat=len(pairs)):
        yield frozenset(itertools.compress(pairs, chosen))


def of_degree(graph, least):
    degrees = Counter(source for source, _target in graph)
    return sum(degree >= least for degree in degrees.values())


def without(graph, vertex):
    return frozenset(edge for edge in graph if vertex not in edge)


@pytest.mark.long
def test_sensitivities_on_graphs_are_the_largest_changes_of_all_graphs():
    """All 4,096 graphs of four vertices: one edge less, or one vertex less with all its edges."""
    by_edge, by_vertex, by_bounded = Counter(), Counter(), Counter()
    for graph in graphs(4):
        followers = Counter(target for _source, target in graph)
        for least in (1, 2, 3):
            n = of_degree(graph, least)
            for edge in graph:
                change = abs(n - of_degree(graph - {edge}, least))
                by_edge[least] = max(by_edge[least], change)
            for vertex in range(4):
                change = abs(n - of_degree(without(graph, vertex), least))
                by_vertex[least] = max(by_vertex[least], change)
                if followers[vertex] <= 2:
                    by_bounded[least] = max(by_bounded[least], change)
        lost = max(len(graph) - len(without(graph, vertex)) for vertex in range(4))
        by_vertex["edges"] = max(by_vertex["edges"], lost)
    for least in (1, 2, 3):
        assert by_edge[least] == sensitivity.vertices_of_degree(4, "edge")
        assert by_vertex[least] == sensitivity.vertices_of_degree(4, "vertex")
        bounded = sensitivity.vertices_of_degree(4, "vertex", most_followers=2)
        assert by_bounded[least] == bounded == 3
    assert by_vertex["edges"] == sensitivity.edges(4, "vertex")
    assert sensitivity.edges(4) == 1


@pytest.mark.parametrize("function", [sensitivity.vertices_of_degree, sensitivity.edges])
def test_graphs_that_cannot_be_are_refused(function):
    with pytest.raises(ValueError, match="n_vertices: expected at least 2"):
        function(1)
    with pytest.raises(ValueError, match="neighbours: expected edge or vertex, got node"):
        function(5, "node")
