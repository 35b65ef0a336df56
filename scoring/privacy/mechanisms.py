# SPDX-License-Identifier: Apache-2.0
"""The Laplace, Gaussian and exponential mechanism, and how exact the first one is.

They draw from a seeded generator of floating-point numbers, for experiments; counts are released by
`sampling.noisy_counts`. Local differential privacy is the Laplace mechanism on one value, whose sensitivity is its
range.
"""

from __future__ import annotations

import math

import numpy as np
from numpy.typing import ArrayLike

from scoring.privacy.domains import (
    Floats,
    checked_epsilon,
    checked_epsilon_or_0,
    checked_positive,
    checked_probability,
)


def scale(sensitivity: float, epsilon: float) -> float:
    """λ = sensitivity / ε, the scale of the Laplace noise; its standard deviation is √2 λ.

    Raises
    ------
    ValueError
        Either is not above 0 and finite.

    Notes
    -----
    Yamaguchi, Terada & Yoshiura on batch and interactive disclosure under differential privacy,
    equation 5, with equality.

    Examples
    --------
    >>> scale(2, 0.1), scale(2, 4)
    (20.0, 0.5)
    """
    return checked_positive("sensitivity", sensitivity) / checked_epsilon(epsilon)


def laplace(
    values: ArrayLike, sensitivity: float, epsilon: float, rng: np.random.Generator
) -> Floats:
    """The values with Laplace noise: ε-differential privacy of all of them together.

    Parameters
    ----------
    values
        An answer: numbers of any shape.
    sensitivity
        By how much all of them together can change for neighbouring tables (L1), see `sensitivity`.
    epsilon
        What the whole answer costs.
    rng
        For experiments: anyone who knows the seed can remove the noise.

    Returns
    -------
    float64 array of the same shape
        Unbiased, of variance 2 (sensitivity / ε)².

    Raises
    ------
    ValueError
        ε or the sensitivity is not above 0 and finite.

    Examples
    --------
    >>> laplace([78, 298], 2, 1.0, np.random.default_rng(1)).round(1).tolist()
    [78.0, 302.6]
    """
    exact = np.asarray(values, dtype=np.float64)
    return exact + rng.laplace(0.0, scale(sensitivity, epsilon), exact.shape)


def laplace_cdf(x: float, scale: float) -> float:
    """The probability that Laplace noise of this scale is at most x.

    Examples
    --------
    >>> laplace_cdf(0, 1), round(laplace_cdf(-math.log(5), 1), 9)
    (0.5, 0.1)
    """
    checked_positive("scale", scale)
    tail = math.exp(-abs(x) / scale) / 2
    return tail if x < 0 else 1 - tail


def laplace_quantile(probability: float, scale: float) -> float:
    """The number that Laplace noise of this scale does not exceed with this probability.

    Examples
    --------
    >>> laplace_quantile(0.5, 1), round(laplace_quantile(0.975, 20), 2)
    (0.0, 59.91)
    """
    checked_probability("probability", probability)
    checked_positive("scale", scale)
    if probability < 0.5:
        return scale * math.log(2 * probability)
    return -scale * math.log(2 * (1 - probability)) + 0.0


def accuracy(sensitivity: float, epsilon: float, beta: float) -> float:
    """The bound (sensitivity / ε) ln(1/β), which a number's noise exceeds with probability β.

    Parameters
    ----------
    sensitivity, epsilon
        Of the answer, above 0.
    beta
        Above 0, at most 1.

    Returns
    -------
    float
        In the answer's unit. The probability is β exactly for one number. Of the sum of several
        numbers' noise it is more.

    Raises
    ------
    ValueError
        An argument lies elsewhere.

    Notes
    -----
    KDDI Research's lecture on privacy-enhancing technologies, theorem on the usefulness of the
    Laplace mechanism; Dwork & Roth, "The Algorithmic Foundations of Differential Privacy",
    Theorem 3.8.

    Examples
    --------
    The mean age of 100 and of 100,000 persons and their greatest age, from 0 to 100, at ε = 0.1: the
    lecture prints 3 for the first, which is ten times as much.

    >>> round(accuracy(100 / 100, 0.1, 0.05), 2), round(accuracy(100 / 100_000, 0.1, 0.05), 2)
    (29.96, 0.03)
    >>> round(accuracy(100, 0.1, 0.05), 1), round(accuracy(100, 0.1, 0.2), 1)
    (2995.7, 1609.4)
    """
    return scale(sensitivity, epsilon) * math.log(1 / _checked_beta(beta))


def epsilon_for_accuracy(sensitivity: float, bound: float, beta: float) -> float:
    """The ε at which a number's noise exceeds the bound with probability β: inverse of `accuracy`.

    Raises
    ------
    ValueError
        The sensitivity or the bound is not above 0, or β is not above 0 and below 1.

    Examples
    --------
    >>> round(epsilon_for_accuracy(1, accuracy(1, 0.1, 0.05), 0.05), 12)
    0.1
    """
    checked_positive("sensitivity", sensitivity)
    checked_positive("bound", bound)
    return sensitivity * math.log(1 / checked_probability("beta", beta)) / bound


def gaussian_delta(sensitivity: float, epsilon: float, sigma: float) -> float:
    """The least δ for which normal noise of this standard deviation gives (ε,δ)-differential privacy.

    Parameters
    ----------
    sensitivity
        By how much the answer can change for neighbouring tables, as Euclidean length (L2).
    epsilon
        At least 0; at 0 it is the total variation distance of the answers.
    sigma
        Above 0.

    Returns
    -------
    float
        0 to 1; falls as σ or ε grows.

    Notes
    -----
    Balle & Wang, "Improving the Gaussian Mechanism for Differential Privacy", Theorem 8.

    Examples
    --------
    >>> round(gaussian_delta(1, 1, 3.7304), 7)
    1e-05
    """
    from scipy.special import log_ndtr, ndtr

    checked_epsilon_or_0(epsilon)
    ratio = checked_positive("sensitivity", sensitivity) / checked_positive("sigma", sigma)
    middle = epsilon / ratio
    lost = math.exp(min(0.0, epsilon + float(log_ndtr(-ratio / 2 - middle))))
    return max(0.0, float(ndtr(ratio / 2 - middle)) - lost)


def gaussian_sigma(sensitivity: float, epsilon: float, delta: float) -> float:
    """The least standard deviation of normal noise that gives (ε,δ)-differential privacy.

    Exact for every ε from 0 on, found as the root of `gaussian_delta`. The textbook formula
    √(2 ln(1.25/δ)) sensitivity / ε is larger where it holds, which is below ε = 1.

    Raises
    ------
    ValueError
        ε is below 0 or not finite, the sensitivity is not above 0 and finite, or δ is not above 0 and below 1.

    Examples
    --------
    >>> round(gaussian_sigma(1, 1, 1e-5), 2), round(math.sqrt(2 * math.log(1.25e5)), 2)
    (3.73, 4.84)
    """
    from scipy.optimize import brentq

    checked_probability("delta", delta)
    checked_positive("sensitivity", sensitivity)
    low, high = 1.0, 1.0
    while gaussian_delta(1, epsilon, low) < delta:
        low /= 2
    while gaussian_delta(1, epsilon, high) > delta:
        high *= 2
    if low == high:
        return sensitivity * low
    root = brentq(lambda sigma: gaussian_delta(1, epsilon, sigma) - delta, low, high, xtol=1e-12)
    return sensitivity * float(root)


def gaussian(
    values: ArrayLike, sensitivity: float, epsilon: float, delta: float, rng: np.random.Generator
) -> Floats:
    """The values with normal noise: (ε,δ)-differential privacy of all of them together.

    The sensitivity is the Euclidean length (L2) of the greatest change: √2 for a histogram where a
    record's value is replaced. For experiments, as `laplace` is.

    Examples
    --------
    >>> gaussian([78, 298], math.sqrt(2), 1.0, 1e-5, np.random.default_rng(1)).round(1).tolist()
    [79.8, 302.3]
    """
    exact = np.asarray(values, dtype=np.float64)
    return exact + rng.normal(0.0, gaussian_sigma(sensitivity, epsilon, delta), exact.shape)


def exponential_probabilities(scores: ArrayLike, sensitivity: float, epsilon: float) -> Floats:
    """With which probability the exponential mechanism chooses each candidate: ~ e^(ε score / (2 Δ)).

    Parameters
    ----------
    scores
        One finite number for each candidate: how good it is for the table.
    sensitivity
        By how much any one score can change for neighbouring tables, above 0.
    epsilon
        What the choice costs; at 0 all candidates are equally likely.

    Raises
    ------
    ValueError
        There are no scores, one is not finite, ε is below 0, or the sensitivity is not above 0.

    Notes
    -----
    McSherry & Talwar, "Mechanism Design via Differential Privacy".

    Examples
    --------
    >>> exponential_probabilities([0, 0, math.log(4)], 1, 2.0).round(4).tolist()
    [0.1667, 0.1667, 0.6667]
    """
    goodness = np.asarray(scores, dtype=np.float64)
    if goodness.ndim != 1 or len(goodness) == 0 or not np.isfinite(goodness).all():
        raise ValueError("scores: expected one finite number for each of at least one candidate")
    checked_positive("sensitivity", sensitivity)
    exponents = (goodness - goodness.max()) * (checked_epsilon_or_0(epsilon) / (2 * sensitivity))
    weights = np.exp(exponents)
    probabilities: Floats = weights / weights.sum()
    return probabilities


def exponential(
    scores: ArrayLike, sensitivity: float, epsilon: float, rng: np.random.Generator
) -> int:
    """The number of one candidate, good ones more often: ε-differential privacy of the choice.

    Examples
    --------
    >>> exponential([0, 0, 100], 1, 2.0, np.random.default_rng(1))
    2
    """
    probabilities = exponential_probabilities(scores, sensitivity, epsilon)
    return int(rng.choice(len(probabilities), p=probabilities))


def _checked_beta(beta: float) -> float:
    if not 0 < beta <= 1:
        raise ValueError(f"beta: expected a number above 0, at most 1, got {beta}")
    return beta
