# SPDX-License-Identifier: Apache-2.0
"""Randomized response: each person's value is randomized before anyone sees it (local differential privacy)."""

from __future__ import annotations

import math
from typing import NamedTuple

import numpy as np
from numpy.typing import ArrayLike, NDArray

from scoring.privacy.domains import Floats, Integers, checked_epsilon, checked_epsilon_or_0
from scoring.privacy.sampling import Randomness, hits, randomness_of, uniform


class Answers(NamedTuple):
    """The probability of the true answer, and of each other one."""

    true: float
    other: float


def probabilities(size: int, epsilon: float) -> Answers:
    """p = e^ε / (size - 1 + e^ε) for the true value, (1 - p) / (size - 1) for each other one.

    Two values are the classic randomized response, more the generalized one: any two of the values
    give any answer with probabilities that differ by the factor e^ε at most.

    Parameters
    ----------
    size
        The number of values, at least 2.
    epsilon
        At least 0 and finite; at 0 all values are answered equally often, and nothing is learned.

    Raises
    ------
    ValueError
        An argument lies elsewhere.

    Notes
    -----
    Warner, "Randomized Response"; KDDI Research's lecture on privacy-enhancing technologies, on
    mechanisms of local differential privacy.

    Examples
    --------
    >>> [round(probabilities(2, epsilon).true, 3) for epsilon in (0.1, 0.5, 0.75, 1, 1.5, 5)]
    [0.525, 0.622, 0.679, 0.731, 0.818, 0.993]
    >>> round(probabilities(4, math.log(3)).other, 4)
    0.1667
    >>> probabilities(5, 0)
    Answers(true=0.2, other=0.2)
    """
    if size < 2:
        raise ValueError(f"size: expected at least 2 values, got {size}")
    below = math.exp(-checked_epsilon_or_0(epsilon))
    true = 1 / (1 + (size - 1) * below)
    return Answers(true, below * true)


def respond(
    values: NDArray[np.integer], size: int, epsilon: float, rng: Randomness | np.random.Generator
) -> Integers:
    """Each value, 0 to size - 1, answered truly with the probability p, else by one of the others.

    Parameters
    ----------
    values
        Integer array of any shape.
    size, epsilon
        As in `probabilities`.
    rng
        `sampling.secure()` for a release, a seeded generator for experiments.

    Raises
    ------
    ValueError
        A value lies outside the domain, or an argument elsewhere.

    Examples
    --------
    >>> respond(np.array([0, 1, 2]), 3, 50.0, np.random.default_rng(1)).tolist()
    [0, 1, 2]
    """
    # Two steps below, so that no rounding of the formula makes the truth likelier than ε allows.
    true = math.nextafter(math.nextafter(probabilities(size, epsilon).true, 0), 0)
    if values.size and not 0 <= values.min() <= values.max() < size:
        raise ValueError(f"values: expected 0 to {size - 1}, got {values.min()} to {values.max()}")
    randomness = randomness_of(rng)
    kept = hits(true, values.size, randomness).reshape(values.shape)
    shift = 1 + uniform(size - 1, values.size, randomness).reshape(values.shape)
    return np.where(kept, values, (values.astype(np.int64) + shift) % size)


def estimate(counts: ArrayLike, epsilon: float) -> Floats:
    """Unbiased estimates of the shares of values, from how often each was answered.

    Parameters
    ----------
    counts
        One non-negative number for each value of the domain, zeros included.
    epsilon
        That of the answers.

    Returns
    -------
    float64 array
        (c / n - q) / (p - q); they add up to 1, and a rare value's may be below 0.

    Raises
    ------
    ValueError
        There are no answers or fewer than two values, a count is negative, or ε is not above 0.

    Notes
    -----
    Kairouz, Bonawitz & Ramage, "Discrete Distribution Estimation under Local Privacy", §2.

    Examples
    --------
    >>> estimate([60, 40], math.log(3)).round(3).tolist()
    [0.7, 0.3]
    """
    answered = np.asarray(counts, dtype=np.float64)
    true, other = probabilities(answered.size, checked_epsilon(epsilon))
    if not (answered >= 0).all() or not 0 < answered.sum() < math.inf:
        raise ValueError("counts: expected finite numbers of at least 0, one of them above")
    shares: Floats = (answered / answered.sum() - other) / (true - other)
    return shares


def variance(shares: ArrayLike, n_records: int, epsilon: float) -> Floats:
    """The variances of `estimate` for a table of n records with these true shares.

    n f records answer a value with probability p and all others with q, hence
    (f p (1 - p) + (1 - f) q (1 - q)) / (n (p - q)²).

    Examples
    --------
    >>> variance([0.7, 0.3], 100, math.log(3)).round(4).tolist()
    [0.0075, 0.0075]
    """
    if n_records < 1:
        raise ValueError(f"n_records: expected at least 1, got {n_records}")
    f = np.asarray(shares, dtype=np.float64)
    p, q = probabilities(f.size, checked_epsilon(epsilon))
    found: Floats = (f * p * (1 - p) + (1 - f) * q * (1 - q)) / (n_records * (p - q) ** 2)
    return found
