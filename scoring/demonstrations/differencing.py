# SPDX-License-Identifier: Apache-2.0
"""Differencing: two averages over many persons that disclose the value of one."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

SCORES = (40.0, 80.0, 78.0, 82.0)
"""The lecture's class: one teenager with 40 points, and three in their twenties."""


@dataclass(frozen=True, slots=True)
class Differenced:
    """The disclosure of one person's value by two averages.

    Attributes
    ----------
    n : int
        How many persons the larger average is about; the other is about one fewer.
    decimals : int or None
        To how many decimals the averages were rounded; None where they were not.
    epsilon : float or None
        The ε of the Laplace noise on each average; None where there was none.
    value, found : float
        The person's value, and the value computed from the averages.
    """

    n: int
    decimals: int | None
    epsilon: float | None
    value: float
    found: float


@dataclass(frozen=True, slots=True)
class DifferencingResult:
    """The same attack on classes of several sizes, on rounded averages and on noisy ones."""

    attempts: tuple[Differenced, ...]

    def rows(self) -> list[tuple[str, ...]]:
        head = ("persons", "averages", "value", "found", "off by at most")
        return [head, *(_row(attempt) for attempt in self.attempts)]


def _row(attempt: Differenced) -> tuple[str, ...]:
    published, bound = "exact", "0"
    if attempt.epsilon is not None:
        published, bound = f"Laplace noise, ε = {attempt.epsilon:g}", "no bound"
    elif attempt.decimals is not None:
        published = f"rounded to {attempt.decimals} decimals"
        bound = f"{rounding_bound(attempt.n, attempt.decimals):g}"
    return str(attempt.n), published, f"{attempt.value:g}", f"{attempt.found:.2f}", bound


def difference_of_means(mean_all: float, n_all: int, mean_rest: float, n_rest: int) -> float:
    """The sum of what is in the first average and not in the second: one value, if one fewer.

    Examples
    --------
    The lecture's class: 70 points on average, those in their twenties 80.

    >>> difference_of_means(70, 4, 80, 3)
    40
    """
    return mean_all * n_all - mean_rest * n_rest


def rounding_bound(n: int, decimals: int) -> float:
    """The largest error of the found value if both averages were rounded: (n + n - 1) half steps.

    Examples
    --------
    >>> rounding_bound(100, 2)
    0.995
    """
    return (2 * n - 1) / 2 / 10.0**decimals


def noisy_mean(
    values: NDArray[np.float64], high: float, epsilon: float, rng: np.random.Generator
) -> float:
    """The mean of values from 0 to `high` with Laplace noise of scale high / (n ε)."""
    return float(values.mean() + rng.laplace(0, high / len(values) / epsilon))


def differencing(
    *, rng: np.random.Generator, sizes: Sequence[int] = (100, 10_000), epsilon: float = 1.0
) -> DifferencingResult:
    """Compute a person's points from the average of all and the average of all others.

    The attacker knows two averages and how many persons they are about. Each of them is about all persons; together
    they are about one. Rounding helps only as far as the sizes make it coarse. Noise of differential privacy on each
    average leaves the value off by about the whole range of points divided by ε, however many persons there are, while
    the averages themselves get ever more exact.

    Notes
    -----
    KDDI Research's lecture on privacy-enhancing technologies, "Privacy risks of statistical
    analysis"; sums of n and of n - 1 persons are the same thing.
    """
    lecture = np.array(SCORES)
    exact = difference_of_means(lecture.mean(), 4, lecture[1:].mean(), 3)
    attempts = [Differenced(4, None, None, SCORES[0], float(exact))]
    for n in sizes:
        points = rng.integers(0, 101, n).astype(np.float64)
        for decimals in (2, 4):
            means = round(points.mean(), decimals), round(points[1:].mean(), decimals)
            found = difference_of_means(means[0], n, means[1], n - 1)
            attempts.append(Differenced(n, decimals, None, float(points[0]), float(found)))
        noisy = (noisy_mean(some, 100, epsilon, rng) for some in (points, points[1:]))
        found = difference_of_means(next(noisy), n, next(noisy), n - 1)
        attempts.append(Differenced(n, None, epsilon, float(points[0]), float(found)))
    return DifferencingResult(tuple(attempts))
