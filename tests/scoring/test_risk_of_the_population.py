# SPDX-License-Identifier: Apache-2.0
"""Estimates of population uniqueness: exact small cases, likelihood grids, known populations."""

from __future__ import annotations

import math
from collections.abc import Iterator
from fractions import Fraction

import numpy as np
import pytest

from scoring.measures import population
from scoring.measures.population import Pitman, expected_unique_share, fit_pitman
from tests.every import every


def sizes_of(values: np.ndarray) -> np.ndarray:
    return np.unique(values, return_counts=True)[1]


# Zayatz


def zayatz_oracle(sizes: list[int], n_population: int) -> Fraction:
    """Bayes over the classes of the sample, with binomial coefficients."""
    n = sum(sizes)
    draws = math.comb(n_population, n)
    once = [
        Fraction(size * math.comb(n_population - size, n - 1), draws) / len(sizes) for size in sizes
    ]
    unique = sum((p for p, size in zip(once, sizes, strict=True) if size == 1), Fraction(0))
    return Fraction(sizes.count(1), n) * unique / sum(once) if unique else Fraction(0)


def test_zayatz_computed_manually():
    # 4 of 8 drawn. F = 1 is seen with 1/2; one of F = 2 with 2 · C(6,3) / C(8,4) = 4/7.
    # (2/3 · 1/2) / (2/3 · 1/2 + 1/3 · 4/7) = 7/11 of the two sample uniques among four records.
    assert population.zayatz_share(np.array([1, 1, 2]), 0.5) == pytest.approx(7 / 22)


@every(seed=range(30))
def test_zayatz_is_bayes_with_binomial_coefficients(seed):
    rng = np.random.default_rng(seed)
    sizes = rng.integers(1, 6, rng.integers(1, 12))
    n = int(sizes.sum())
    n_population = n + int(rng.integers(0, 3 * n))
    got = population.zayatz_share(sizes, n / n_population)
    assert got == pytest.approx(float(zayatz_oracle(sizes.tolist(), n_population)), rel=1e-12)


def test_zayatz_of_the_whole_population_counts():
    assert population.zayatz_share(np.array([1, 1, 2, 6]), 1) == pytest.approx(0.2)
    assert population.zayatz_share(np.array([2, 2, 3]), 0.1) == 0


# Pitman


def set_partitions(n: int) -> Iterator[list[int]]:
    """Class sizes of every partition of n labelled persons."""
    if n == 0:
        yield []
        return
    for smaller in set_partitions(n - 1):
        for i in range(len(smaller)):
            yield [size + (i == j) for j, size in enumerate(smaller)]
        yield [*smaller, 1]


def probability(sizes: list[int], model: Pitman) -> float:
    """Pitman's sampling formula for one partition of labelled persons."""
    new = math.prod(model.theta + i * model.alpha for i in range(1, len(sizes)))
    joined = math.prod(i - model.alpha for size in sizes for i in range(1, size))
    return new * joined / math.prod(model.theta + i for i in range(1, sum(sizes)))


@pytest.mark.parametrize(
    "model", [Pitman(1, 0), Pitman(2.5, 0.3), Pitman(-0.4, 0.5), Pitman(30, 0.9)]
)
@pytest.mark.parametrize("n", [1, 2, 6])
def test_the_expected_share_is_that_over_all_partitions(model, n):
    partitions = list(set_partitions(n))
    chances = [probability(sizes, model) for sizes in partitions]
    assert sum(chances) == pytest.approx(1)
    mean = sum(p * sizes.count(1) for p, sizes in zip(chances, partitions, strict=True))
    assert expected_unique_share(model, n) == pytest.approx(mean / n, rel=1e-12)


def test_the_expected_share_keeps_its_digits_for_large_populations():
    model, n = Pitman(-0.3, 0.5), 200_000
    product = math.fsum(
        math.log((model.theta + model.alpha + i - 1) / (model.theta + i)) for i in range(1, n)
    )
    assert expected_unique_share(model, n) == pytest.approx(math.exp(product), rel=1e-9)


def log_likelihood(sizes: list[int], theta: float, alpha: float) -> float:
    new = sum(math.log(theta + i * alpha) for i in range(1, len(sizes)))
    joined = sum(math.log(i - alpha) for size in sizes for i in range(1, size))
    return new + joined - sum(math.log(theta + i) for i in range(1, sum(sizes)))


def random_sizes(seed: int) -> np.ndarray:
    rng = np.random.default_rng(seed)
    n = int(rng.integers(4, 40))
    if seed % 2:
        return sizes_of(rng.integers(0, rng.integers(2, n), n))
    return sizes_of(rng.zipf(1.1 + 2 * rng.random(), n) % n)


@every(seed=range(24))
def test_nothing_on_a_grid_is_more_likely_than_the_fit(seed):
    sizes = random_sizes(seed)
    if not 1 < len(sizes) < sizes.sum():
        sizes = np.append(sizes, 2)
    model = fit_pitman(sizes)
    best = log_likelihood(sizes.tolist(), model.theta, model.alpha)
    for alpha in [0.0, *np.linspace(0.02, 0.98, 13)]:
        for shifted in np.logspace(-5, 6, 23):
            assert log_likelihood(sizes.tolist(), shifted - alpha, alpha) <= best + 1e-9


@pytest.mark.parametrize(
    "sizes",
    [
        [1, 10**6],
        [1] * 10_000 + [2],
        [2] * 500,
        [1000] * 50,
        [1, 1, 2],
        [1, 2],
        [1, 3, 50_000, 1],
    ],
    ids=lambda sizes: f"{len(sizes)} classes",
)
@pytest.mark.parametrize("fraction", [1, 0.1, 0.0001])
def test_odd_class_sizes_have_a_fit_and_a_share(sizes, fraction):
    sizes = np.array(sizes)
    model = fit_pitman(sizes)
    assert 0 <= model.alpha < 1
    assert model.theta > -model.alpha
    assert 0 < population.pitman_share(sizes, fraction) < 1


def test_the_ends_need_no_model():
    assert population.pitman_share(np.ones(5, dtype=np.int64), 0.1) == 1
    assert population.pitman_share(np.array([5]), 0.1) == 0
    for sizes in ([5], [1, 1, 1]):
        with pytest.raises(ValueError, match="more than one class"):
            fit_pitman(np.array(sizes))


def crowd(n: int, model: Pitman, rng: np.random.Generator) -> list[int]:
    """The class of each of n persons who join each other by Pitman's rule."""
    of_person, sizes = [0], [1]
    for size in range(1, n):
        if rng.random() * (size + model.theta) < model.theta + len(sizes) * model.alpha:
            of_person.append(len(sizes))
            sizes.append(1)
            continue
        chosen = of_person[rng.integers(size)]
        while rng.random() * sizes[chosen] < model.alpha:  # class i with size - alpha
            chosen = of_person[rng.integers(size)]
        of_person.append(chosen)
        sizes[chosen] += 1
    return of_person


def test_the_estimates_find_what_a_simulated_crowd_is_like():
    rng = np.random.default_rng(5)
    persons = np.array(crowd(10_000, Pitman(50, 0.6), rng))
    assert fit_pitman(sizes_of(persons)).alpha == pytest.approx(0.6, abs=0.05)
    share = (sizes_of(persons) == 1).sum() / len(persons)
    drawn = sizes_of(rng.choice(persons, 2_000, replace=False))
    assert population.pitman_share(drawn, 0.2) == pytest.approx(share, rel=0.15)
    assert population.zayatz_share(drawn, 0.2) == pytest.approx(share, rel=1)


# Both


@pytest.mark.parametrize("estimate", [population.zayatz_share, population.pitman_share])
def test_wrong_arguments_are_refused(estimate):
    for fraction in (0, -0.1, 1.01, float("nan")):
        with pytest.raises(ValueError, match="fraction"):
            estimate(np.array([1, 2]), fraction)
    for sizes in ([], [0, 2]):
        with pytest.raises(ValueError, match="sizes"):
            estimate(np.array(sizes, dtype=np.int64), 0.5)


@pytest.mark.parametrize("estimate", [population.zayatz_share, population.pitman_share])
def test_the_larger_the_population_the_fewer_are_unique(estimate):
    sizes = np.array([1, 1, 1, 1, 2, 2, 3, 9])
    shares = [estimate(sizes, fraction) for fraction in (1, 0.5, 0.1, 0.01)]
    assert shares == sorted(shares, reverse=True)
    assert len(set(shares)) == 4
