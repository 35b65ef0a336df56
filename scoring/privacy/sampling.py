# SPDX-License-Identifier: Apache-2.0
"""Randomness for what is released: exact probabilities, from random bits, without floating-point numbers.

Noise computed from floating-point numbers has gaps that can distinguish inputs (Mironov, "On Significance of
the Least Significant Bits for Differential Privacy"). Here every draw is made of random bits and integers only, so
that its probabilities are those of the mathematics.
"""

from __future__ import annotations

import os
from collections.abc import Callable
from decimal import Decimal
from fractions import Fraction
from math import isqrt

import numpy as np
from numpy.typing import NDArray

from scoring.privacy.domains import Integers

Words = NDArray[np.uint64]
_WORDS = 2**64
_PRECISION = 53


class Randomness:
    """Random bits of a source of bytes: `secure()` for releases, `seeded()` for experiments."""

    def __init__(self, source: Callable[[int], bytes]) -> None:
        self._source = source
        self._pool, self._left = 0, 0

    def bits(self, n: int) -> int:
        """An integer of n random bits, each of them used once."""
        while self._left < n:
            more = self._source(64)
            self._pool |= int.from_bytes(more, "little") << self._left
            self._left += 8 * len(more)
        drawn = self._pool & ((1 << n) - 1)
        self._pool >>= n
        self._left -= n
        return drawn

    def below(self, n: int) -> int:
        """An integer from 0 to n - 1, each with probability 1/n exactly."""
        length = (n - 1).bit_length()
        while (drawn := self.bits(length)) >= n:
            pass
        return drawn

    def words(self, n: int) -> Words:
        """n random integers of 64 bits, for decisions on whole columns."""
        return np.frombuffer(self._source(8 * n), dtype="<u8").astype(np.uint64, copy=False)


def secure() -> Randomness:
    """The operating system's randomness, which nobody can repeat: for everything that is released."""
    return Randomness(os.urandom)


def seeded(rng: np.random.Generator) -> Randomness:
    """Randomness that repeats with a generator's seed: for experiments, never for a release.

    Examples
    --------
    >>> drawn = [seeded(np.random.default_rng(1)).below(1000) for _ in range(2)]
    >>> drawn[0] == drawn[1]
    True
    """
    return Randomness(rng.bytes)


def randomness_of(source: Randomness | np.random.Generator) -> Randomness:
    """The source itself, or a generator's bits."""
    return source if isinstance(source, Randomness) else seeded(source)


def hits(probability: float, n: int, randomness: Randomness) -> NDArray[np.bool_]:
    """n independent events, each with the probability rounded down to a multiple of 2^-53, exactly.

    Examples
    --------
    >>> hits(1.0, 3, secure()).tolist(), hits(0.0, 3, secure()).tolist()
    ([True, True, True], [False, False, False])
    """
    if not 0 <= probability <= 1:
        raise ValueError(f"probability: expected 0 to 1, got {probability}")
    threshold = np.uint64(int(Fraction(probability) * 2**_PRECISION))
    drawn: NDArray[np.bool_] = (randomness.words(n) >> np.uint64(64 - _PRECISION)) < threshold
    return drawn


def uniform(size: int, n: int, randomness: Randomness) -> Integers:
    """n integers from 0 to size - 1, each with probability 1/size exactly.

    Examples
    --------
    >>> set(uniform(3, 1000, secure()).tolist())
    {0, 1, 2}
    """
    if not 1 <= size < 2**63:
        raise ValueError(f"size: expected 1 to 2^63 - 1, got {size}")
    words = randomness.words(n).copy()
    last = np.uint64(_WORDS - _WORDS % size - 1)  # above it lies an incomplete round of values
    while len(again := np.flatnonzero(words > last)):
        words[again] = randomness.words(len(again))
    return (words % np.uint64(size)).astype(np.int64)


def discrete_laplace(scale: Fraction, n: int, randomness: Randomness) -> Integers:
    """n integers x with probabilities in proportion to e^(-\\|x\\| / scale), exactly.

    Parameters
    ----------
    scale
        Sensitivity / ε as a fraction, above 0; the sensitivity is that of integer answers.
    n
        How many.
    randomness
        `secure()` for a release.

    Raises
    ------
    ValueError
        The scale is not above 0.

    Notes
    -----
    Canonne, Kamath & Steinke, "The Discrete Gaussian for Differential Privacy", §5.1 and §5.2
    (Algorithms 1 and 2). A draw takes some tens of random bits for any scale.

    Examples
    --------
    >>> noise = discrete_laplace(Fraction(2), 2000, seeded(np.random.default_rng(1)))
    >>> noise.dtype.name, bool(abs(noise.mean()) < 0.3), bool(2 < noise.std() < 4)
    ('int64', True, True)
    """
    if not scale > 0:
        raise ValueError(f"scale: expected a fraction above 0, got {scale}")
    t, s = scale.numerator, scale.denominator
    return np.array([_discrete_laplace(t, s, randomness) for _ in range(n)], dtype=np.int64)


def discrete_laplace_variance(scale: Fraction) -> float:
    """The variance of `discrete_laplace`: 2 q / (1 - q)² with q = e^(-1/scale).

    It is below 2 scale², the variance of the continuous distribution, and near it for large scales.

    Examples
    --------
    >>> round(discrete_laplace_variance(Fraction(2)), 3), round(discrete_laplace_variance(Fraction(1, 2)), 3)
    (7.835, 0.362)
    """
    q = float(np.exp(-1 / float(scale)))
    return 2 * q / (1 - q) ** 2


def discrete_gaussian(variance: Fraction, n: int, randomness: Randomness) -> Integers:
    """n integers x with probabilities in proportion to e^(-x² / 2 variance), exactly.

    Parameters
    ----------
    variance
        σ², above 0: the variance of the integers is slightly less.
    n
        How many.
    randomness
        `secure()` for a release.

    Raises
    ------
    ValueError
        σ² is not above 0.

    Notes
    -----
    Canonne, Kamath & Steinke, "The Discrete Gaussian for Differential Privacy", §5.3 (Algorithm 3): a
    discrete Laplace number is kept with a probability that makes it discrete normal, about every other time.
    What it costs says `zcdp.rho_of_gaussian`, to the last digit `loss_distributions.discrete_gaussian`.

    Examples
    --------
    >>> noise = discrete_gaussian(Fraction(9), 2000, seeded(np.random.default_rng(1)))
    >>> noise.dtype.name, bool(abs(noise.mean()) < 0.3), bool(2.8 < noise.std() < 3.2)
    ('int64', True, True)
    """
    if not variance > 0:
        raise ValueError(f"variance: expected a fraction above 0, got {variance}")
    return np.array([_discrete_gaussian(variance, randomness) for _ in range(n)], dtype=np.int64)


def noisy_counts(
    counts: Integers, sensitivity: int, epsilon: Decimal | Fraction | int, randomness: Randomness
) -> Integers:
    """Counts with discrete Laplace noise, as they may be released under ε-differential privacy.

    Parameters
    ----------
    counts
        Integers of any shape; all of them are one answer.
    sensitivity
        By how much the answer can change in all for neighbouring tables (L1): 2 for a histogram
        where a record's value is replaced, 1 where a record is added or removed.
    epsilon
        What the whole answer costs: exact, so a decimal or a fraction and no float, above 0.
    randomness
        `secure()`, unless it is an experiment.

    Returns
    -------
    int64 array of the same shape
        Unbiased; a noisy count may be negative.

    Raises
    ------
    ValueError
        ε or the sensitivity is not above 0, or the counts are no integers: noise of whole numbers
        would leave their fractions in the open.

    Examples
    --------
    >>> noisy_counts(np.array([78, 298]), 2, Decimal("1000000"), secure()).tolist()
    [78, 298]
    """
    exact = Fraction(epsilon) if not isinstance(epsilon, Decimal) or epsilon.is_finite() else None
    if exact is None or exact <= 0:
        raise ValueError(f"epsilon: expected a finite number above 0, got {epsilon}")
    if sensitivity < 1:
        raise ValueError(f"sensitivity: expected an integer of at least 1, got {sensitivity}")
    if not np.issubdtype(counts.dtype, np.integer):
        raise ValueError(f"counts: expected integers, got {counts.dtype}")
    noise = discrete_laplace(sensitivity / exact, counts.size, randomness)
    return counts + noise.reshape(counts.shape)


def _discrete_laplace(t: int, s: int, randomness: Randomness) -> int:
    while True:
        low = randomness.below(t)
        if not _exp_of_minus(low, t, randomness):
            continue
        rounds = 0
        while _exp_of_minus(1, 1, randomness):
            rounds += 1
        size = (low + t * rounds) // s
        negative = randomness.bits(1)
        if negative and size == 0:
            continue  # 0 must not be drawn twice as often
        return -size if negative else size


def _discrete_gaussian(variance: Fraction, randomness: Randomness) -> int:
    scale = isqrt(variance.numerator // variance.denominator) + 1
    while True:
        drawn = _discrete_laplace(scale, 1, randomness)
        off = (abs(drawn) - variance / scale) ** 2 / (2 * variance)
        whole = off.numerator // off.denominator
        part = off - whole
        if all(_exp_of_minus(1, 1, randomness) for _ in range(whole)) and _exp_of_minus(
            part.numerator, part.denominator, randomness
        ):
            return drawn


def _exp_of_minus(numerator: int, denominator: int, randomness: Randomness) -> bool:
    """True with probability e^(-numerator / denominator), for a fraction from 0 to 1."""
    k = 1
    while randomness.below(denominator * k) < numerator:
        k += 1
    return k % 2 == 1
