# SPDX-License-Identifier: Apache-2.0
"""Population uniques: counted where the population is given, estimated from a sample where not.

A sample unique is unique on its quasi-identifiers in Y; it is a population unique where nobody
else in the population has them either.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np
from scipy.special import digamma, poch

from scoring.measures.risk import class_sizes
from scoring.scores.comparison import Comparison, Options
from scoring.tables.equivalence import FloatArray, IntArray

DEFAULT = Options()
MANY = 1e3
"""From here on digamma and its expansion agree to the last bits, and only the latter cancels well."""
TOLERANCE = 1e-13


def population_uniques(comparison: Comparison, options: Options = DEFAULT) -> float:
    """Share of the sample uniques of Y whose quasi-identifiers exactly one record of X has.

    Parameters
    ----------
    comparison : Comparison
        Y, and X as the population.

    Returns
    -------
    float
        0 where no sample unique leads to a single person, or nobody is unique in Y; 1 where all
        do; lower is safer.

    Notes
    -----
    Skinner & Elliot, "A Measure of Disclosure Risk for Microdata", introduction: the probability
    that a record is unique in the population, given that it is in the sample.

    Examples
    --------
    >>> from scoring.examples import comparison
    >>> population_uniques(comparison("noise"))
    0.0
    """
    sample, population = class_sizes(comparison)
    alone = sample == 1
    n_alone = int(alone.sum())
    return int((population[alone] == 1).sum()) / n_alone if n_alone else 0.0


def zayatz(comparison: Comparison, options: Options = DEFAULT) -> float:
    """Zayatz's estimate of the share of records that are unique in the population, from Y only.

    Parameters
    ----------
    comparison : Comparison
        Y, taken for a random sample of n_original persons; of X only their number plays a part.
    options : Options
        `population_fraction`: the sampling fraction in place of n_anonymized / n_original.

    Returns
    -------
    float
        0 where nobody is unique in Y; at most the share of sample uniques, which it is where no
        record was deleted; lower is safer.

    Notes
    -----
    Zayatz, "Estimation of the Percent of Unique Population Elements on a Microdata File Using the
    Sample": see `zayatz_share`, with the sampling fraction n_anonymized / n_original.

    Examples
    --------
    >>> from scoring.examples import comparison
    >>> zayatz(comparison("noise"))
    0.0
    """
    return zayatz_share(comparison.class_sizes, sampling_fraction(comparison, options))


def pitman(comparison: Comparison, options: Options = DEFAULT) -> float:
    """Pitman's estimate of the share of records that are unique in the population, from Y only.

    Parameters
    ----------
    comparison : Comparison
        Y, taken for a random sample of n_original persons; of X only their number plays a part.
    options : Options
        `population_fraction`: the sampling fraction in place of n_anonymized / n_original.

    Returns
    -------
    float
        0 where all share their quasi-identifiers, 1 where every record of Y is unique; lower is
        safer. A model's expectation: it is not 0 where nobody is unique in Y.

    Notes
    -----
    Hoshino, "Applying Pitman's Sampling Formula to Microdata Disclosure Risk Assessment": see
    `pitman_share`, with the sampling fraction n_anonymized / n_original.

    Examples
    --------
    >>> from scoring.examples import comparison
    >>> round(pitman(comparison("noise")), 6)
    0.226682
    """
    return pitman_share(comparison.class_sizes, sampling_fraction(comparison, options))


def sampling_fraction(comparison: Comparison, options: Options) -> float:
    """The share of the population that is in Y: the option, or that of the original's records."""
    if options.population_fraction is not None:
        return options.population_fraction
    return comparison.n_records / comparison.prepared.n_records


def zayatz_share(sizes: IntArray, fraction: float) -> float:
    """The share of records that are unique in the population, from class sizes in a sample.

    Parameters
    ----------
    sizes : int array, shape (n_classes,)
        Records of each class of the sample, 1 or more.
    fraction : float
        Sampling fraction, above 0 and at most 1.

    Returns
    -------
    float
        Sample uniques / n · P(F = 1 | f = 1): from 0, no sample unique, to the share of sample
        uniques, which it is at a fraction of 1. A record of the sample and one of the population
        have the same expected share.

    Raises
    ------
    ValueError
        Where there is no record or the fraction is outside its range.

    Notes
    -----
    Zayatz, "Estimation of the Percent of Unique Population Elements on a Microdata File Using the
    Sample". By Bayes, with the sample's distribution of class sizes in place of the population's
    and f hypergeometric given F = j.

    Examples
    --------
    >>> round(zayatz_share(np.array([1, 1, 2]), 0.5), 6)  # 2/4 · 7/11
    0.318182
    """
    n, n_population = _numbers(sizes, fraction)
    size, n_classes = np.unique(sizes, return_counts=True)
    if size[0] != 1:
        return 0.0
    seen_once = _chance_of_one(size, n, n_population)
    weights = n_classes * seen_once
    return float(n_classes[0] / n * (weights[0] / weights.sum()))


def pitman_share(sizes: IntArray, fraction: float) -> float:
    """The expected share of records that are unique in the population, from class sizes in a sample.

    Parameters
    ----------
    sizes : int array, shape (n_classes,)
        Records of each class of the sample, 1 or more.
    fraction : float
        Sampling fraction, above 0 and at most 1.

    Returns
    -------
    float
        From 0, a single class, to 1, every record of the sample is unique.

    Raises
    ------
    ValueError
        Where there is no record or the fraction is outside its range.

    Notes
    -----
    Hoshino, "Applying Pitman's Sampling Formula to Microdata Disclosure Risk Assessment", section
    on the estimation of uniques: the parameters by `fit_pitman`, and E[S_1] / N, here with gamma
    functions for every N instead of the power of N that it tends to.

    Examples
    --------
    >>> round(pitman_share(np.array([1, 1, 1, 1, 2, 2, 3, 9]), 0.1), 4)
    0.0247
    """
    n, n_population = _numbers(sizes, fraction)
    if len(sizes) == n:
        return 1.0
    if len(sizes) == 1:
        return 0.0
    return expected_unique_share(fit_pitman(sizes), n_population)


@dataclass(frozen=True, slots=True)
class Pitman:
    """The two parameters of Pitman's sampling formula: 0 ≤ alpha < 1 and theta > -alpha."""

    theta: float
    alpha: float


def expected_unique_share(model: Pitman, n_population: int) -> float:
    """The probability that nobody else among `n_population` persons has a person's values.

    Examples
    --------
    >>> round(expected_unique_share(Pitman(1.0, 0.5), 2), 12)  # (theta + alpha) / (theta + 1)
    0.75
    """
    others = n_population - 1
    rising = poch(model.theta + 1 + np.array([0, others]), model.alpha - 1)
    return min(1.0, float(rising[1] / rising[0]))


def fit_pitman(sizes: IntArray) -> Pitman:
    """The parameters under which these class sizes are most likely.

    Two nested bisections, on the sign of the derivatives: theta for a given alpha, which always
    has a root, and alpha with the best theta. Where the likelihood falls from alpha = 0 on, alpha
    is 0, Ewens's formula.

    Parameters
    ----------
    sizes : int array, shape (n_classes,)
        Records of each class; more than one class, and not all of them single records, for which
        the likelihood has no maximum.

    Raises
    ------
    ValueError
        Where the likelihood has no maximum.

    Notes
    -----
    Pitman, "Exchangeable and Partially Exchangeable Random Partitions"; Hoshino, section on
    maximum likelihood estimation.

    Examples
    --------
    >>> model = fit_pitman(np.array([1, 1, 1, 1, 2, 2, 3, 9]))
    >>> round(model.theta, 3), round(model.alpha, 3)
    (4.063, 0.052)
    """
    n, u = int(sizes.sum()), len(sizes)
    if not 1 < u < n:
        raise ValueError("sizes: expected more than one class, and one of two records or more")
    size, n_classes = np.unique(sizes, return_counts=True)
    ranks = np.arange(1, u, dtype=np.float64)

    def slope(alpha: float) -> float:
        theta = _best_theta(alpha, n, u)
        joined = n_classes * (digamma(size - alpha) - digamma(1 - alpha))
        return float((ranks / (theta + ranks * alpha)).sum() - joined.sum())

    alpha = 0.0 if slope(0.0) <= 0 else _root(slope, 0.0, 1 - 1e-12)
    return Pitman(_best_theta(alpha, n, u), alpha)


def _best_theta(alpha: float, n: int, u: int) -> float:
    """The theta at which the likelihood of u classes among n records is highest for this alpha."""

    def slope(log_shifted: float) -> float:
        theta = float(np.exp(log_shifted)) - alpha
        apart = _harmonic(theta / alpha, u) / alpha if alpha else (u - 1) / theta
        return float((apart - _harmonic(theta, n)) * (theta + alpha))

    low, high = -1.0, 1.0
    while slope(low) <= 0:
        low *= 2
    while slope(high) >= 0:
        high *= 2
    return float(np.exp(_root(slope, low, high)) - alpha)


def _root(function: Callable[[float], float], low: float, high: float) -> float:
    """The root of a function with opposite signs at both ends."""
    from scipy.optimize import brentq

    return float(brentq(function, low, high, xtol=TOLERANCE))


def _harmonic(x: float, m: int) -> float:
    """1/(x+1) + 1/(x+2) + … + 1/(x+m-1)."""
    if x < MANY:
        return float(digamma(x + m) - digamma(x + 1))
    low, high = 1 / (x + 1), 1 / (x + m)
    main = np.log1p((m - 1) * low) + (low - high) / 2
    return float(main + (low**2 - high**2) / 12 - (low**4 - high**4) / 120)


def _chance_of_one(size: IntArray, n: int, n_population: int) -> FloatArray:
    """The probability that a sample of n holds exactly one of `size` records of the population."""
    others = np.arange(1, size.max(), dtype=np.float64)
    stay_out = np.maximum(n_population - n + 1 - others, 0) / (n_population - others)
    none_of = np.append(1.0, np.cumprod(stay_out))
    chance: FloatArray = size * (n / n_population) * none_of[size - 1]
    return chance


def _numbers(sizes: IntArray, fraction: float) -> tuple[int, int]:
    """Records of the sample and of the population."""
    if not len(sizes) or sizes.min() < 1:
        raise ValueError("sizes: expected one record or more in each of one or more classes")
    if not 0 < fraction <= 1:
        raise ValueError(f"fraction: expected above 0 and at most 1, got {fraction}")
    n = int(sizes.sum())
    return n, max(n, round(n / fraction))
