# SPDX-License-Identifier: Apache-2.0
"""Numerical accounting: how much several mechanisms lose together, by the distribution of the privacy loss.

The privacy loss of an answer is ln(P / Q), its probabilities under two neighbouring tables; of independent
answers the losses add up. Distributions are kept on a grid: the mass between two points is moved to them so that the
probabilities under both tables are kept, which overstates δ(ε) between the points and nowhere understates it. Sums
are convolutions. What is given for several answers is thus an upper bound that is exact but for the grid and the
rounding of the Fourier transform, about 1e-13 in δ.

Source: Koskela, Jälkö & Honkela, "Computing Tight Differential Privacy Guarantees Using FFT"; Doroshenko, Ghazi,
Kamath, Kumar & Manurangsi, "Connect the Dots: Tighter Discrete Approximations of Privacy Loss Distributions".
"""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from dataclasses import dataclass

import numpy as np

from scoring.privacy.domains import Floats, checked_epsilon, checked_positive

INTERVAL = 1e-4
"""Points of the grid lie at multiples of this, or of a fraction of it where a loss is smaller."""
SMALLEST_DELTA = 1e-11
"""Below it the rounding of the Fourier transform could be seen."""
_TAIL = 1e-15
_MOST_POINTS = 2**23


@dataclass(frozen=True, slots=True)
class LossDistribution:
    """The distribution of the privacy loss of one or more answers.

    Attributes
    ----------
    interval : float
        The distance of two points of the grid.
    first : int
        The number of the first point: its loss is `first * interval`.
    masses : float64 array
        The probabilities of the losses under the one table.
    infinite : float
        The probability of an answer that the other table cannot give.
    """

    interval: float
    first: int
    masses: Floats
    infinite: float

    def delta(self, epsilon: float) -> float:
        """The least δ with which the answers are (ε, δ)-differentially private.

        Examples
        --------
        >>> round(gaussian(1.0).delta(1.0), 6)
        0.126937
        """
        losses = self._losses()
        above = losses > epsilon
        lost = self.masses[above] * -np.expm1(epsilon - losses[above])
        return min(1.0, self.infinite + float(lost.sum()))

    def epsilon(self, delta: float) -> float:
        """The least ε, 0 or more, with which the answers are (ε, δ)-differentially private.

        Returns
        -------
        float
            Infinite where an answer that discloses everything is more likely than δ.

        Raises
        ------
        ValueError
            δ is below 1e-11 or not below 1.

        Examples
        --------
        >>> round(gaussian(1.0).epsilon(1e-5), 4)
        4.3772
        """
        if not SMALLEST_DELTA <= delta < 1:
            raise ValueError(f"delta: expected {SMALLEST_DELTA} or more and below 1, got {delta}")
        if self.infinite > delta:
            return math.inf
        losses = self._losses()
        positive = losses > 0
        losses, masses = losses[positive], self.masses[positive]
        # δ(ε) between two points is what is above them less e^ε times what is above them for the other table.
        above = np.cumsum(masses[::-1])[::-1] + self.infinite
        others = np.cumsum((masses * np.exp(-losses))[::-1])[::-1]
        at_points = np.append(above[1:], self.infinite) - np.exp(losses) * np.append(others[1:], 0)
        enough = np.flatnonzero(at_points <= delta)
        if not len(losses) or above[0] - others[0] <= delta:
            return 0.0
        at = int(enough[0])
        return max(0.0, float(np.log((above[at] - delta) / others[at])))

    def _losses(self) -> Floats:
        losses: Floats = (
            self.first + np.arange(len(self.masses), dtype=np.float64)
        ) * self.interval
        return losses


Mechanism = Callable[..., LossDistribution]
"""The distribution of one answer on a grid of some `interval`, a keyword; by default of one that suits it."""


def compose(answers: Sequence[tuple[Mechanism, int]]) -> LossDistribution:
    """The distribution of the loss of several answers together.

    Parameters
    ----------
    answers
        Mechanisms, such as `partial(laplace, 2.0)`, and how many answers each of them gives. What is asked
        may depend on the answers before.

    Raises
    ------
    ValueError
        There is no answer, or a number is below 1.

    Examples
    --------
    A hundred answers of ε = 0.1 cost 10 by their sum and 6.31 by advanced composition:

    >>> from functools import partial
    >>> together = compose([(partial(pure, 0.1), 100)])
    >>> round(together.epsilon(1e-6), 3)
    4.775
    """
    if not answers or any(n < 1 for _, n in answers):
        raise ValueError("answers: expected one mechanism or more, and each of them once or more")
    suited = [mechanism().interval for mechanism, _ in answers]
    interval = max(min(suited), *(own for own in suited if own > INTERVAL), 0.0)
    numbers = [n for _, n in answers]
    while True:
        parts = [mechanism(interval=interval) for mechanism, _ in answers]
        low, high = _window(parts, numbers)
        if high - low < _MOST_POINTS:
            break
        interval *= 2 * (high - low) / _MOST_POINTS
    size = 1 << max(int(high - low + 1).bit_length(), 1)
    product = np.ones(size // 2 + 1, dtype=np.complex128)
    finite, first = 1.0, 0
    for part, n in zip(parts, numbers, strict=True):
        wrapped = np.zeros(size)
        np.add.at(wrapped, np.arange(len(part.masses)) % size, part.masses)
        product *= np.fft.rfft(wrapped) ** n
        finite *= (1 - part.infinite) ** n
        first += part.first * n
    together = np.maximum(np.roll(np.fft.irfft(product, size), first - low), 0.0)
    # What lies beyond the window counts as infinite: its probability is at most _TAIL on either side.
    return LossDistribution(interval, low, together, min(1.0, 1 - finite + 2 * _TAIL))


def _window(parts: Sequence[LossDistribution], numbers: Sequence[int]) -> tuple[int, int]:
    """Between which points of the grid all but a negligible part of the sum lies, by Chernoff's bound."""
    interval = parts[0].interval
    ends = []
    for side in (-1, 1):
        reach = sum(
            n * (part.first + (len(part.masses) - 1 if side > 0 else 0))
            for part, n in zip(parts, numbers, strict=True)
        )
        best = side * reach * interval
        for t in np.geomspace(1e-2, 1e5, 71):
            log_moment = sum(
                n * _log_moment(part, side * t) for part, n in zip(parts, numbers, strict=True)
            )
            best = min(best, (log_moment - math.log(_TAIL)) / t)
        ends.append(side * math.ceil(best / interval - 1e-9))
    return ends[0], ends[1]


def _log_moment(part: LossDistribution, t: float) -> float:
    """ln E[e^(t loss)] over the finite losses."""
    exponents = t * part._losses()
    largest = float(exponents.max())
    return largest + math.log(float((part.masses * np.exp(exponents - largest)).sum()))


# Mechanisms


def pure(epsilon: float, delta: float = 0.0, *, interval: float | None = None) -> LossDistribution:
    """Any (ε, δ)-differentially private mechanism, of which only that is known.

    It loses no more than the one that discloses everything with probability δ and else answers a question at
    random such that it loses ε or -ε (Murtagh & Vadhan, "The Complexity of Computing the Optimal Composition
    of Differential Privacy").

    Examples
    --------
    >>> round(pure(0.5).delta(0.0), 6), round(pure(0.5).epsilon(1e-9), 6)  # tanh(ε / 4)
    (0.244919, 0.5)
    """
    checked_epsilon(epsilon)
    if not 0 <= delta < 1:
        raise ValueError(f"delta: expected 0 or more and below 1, got {delta}")
    true = 1 / (1 + math.exp(-epsilon))
    losses = np.array([-epsilon, epsilon])
    masses = (1 - delta) * np.array([1 - true, true])
    return _of_atoms(losses, masses, delta, _chosen(interval, epsilon))


def randomized_response(
    epsilon: float, n_values: int, *, interval: float | None = None
) -> LossDistribution:
    """One randomized response of ε among so many values.

    Examples
    --------
    >>> round(randomized_response(0.5, 10).delta(0.0), 6)
    0.06092
    """
    checked_epsilon(epsilon)
    if n_values < 2:
        raise ValueError(f"n_values: expected at least 2, got {n_values}")
    false = 1 / (n_values - 1 + math.exp(epsilon))
    losses = np.array([-epsilon, 0.0, epsilon])
    masses = np.array([false, (n_values - 2) * false, math.exp(epsilon) * false])
    return _of_atoms(losses, masses, 0.0, _chosen(interval, epsilon))


def laplace(scale: float, *, interval: float | None = None) -> LossDistribution:
    """A number with Laplace noise of this scale, in units of its sensitivity: ε is 1 / scale.

    Examples
    --------
    >>> round(laplace(2.0).delta(0.25), 6)  # 1 - e^(-(1/2 - 1/4) / 2)
    0.117503
    """
    epsilon = 1 / checked_positive("scale", scale)
    fine = _chosen(interval, epsilon)
    points = np.arange(math.ceil(-epsilon / fine), math.floor(epsilon / fine) + 1, dtype=np.float64)
    ends: Floats = np.unique(np.clip(np.r_[-epsilon, points * fine, epsilon], -epsilon, epsilon))
    low, high = ends[:-1], ends[1:]
    under_one = (np.exp((high - epsilon) / 2) - np.exp((low - epsilon) / 2)) / 2
    under_other = (np.exp((-low - epsilon) / 2) - np.exp((-high - epsilon) / 2)) / 2
    # The noise is on the far side of both answers, or on that of the other.
    atoms = np.array([math.exp(-epsilon) / 2, 1 / 2])
    found = _of_atoms(np.array([-epsilon, epsilon]), atoms, 0.0, fine)
    return _spread(found, low, under_one, under_other)


def gaussian(sigma: float, *, interval: float | None = None) -> LossDistribution:
    """A number, or a vector, with normal noise of this standard deviation, in units of its L2 sensitivity.

    Examples
    --------
    >>> from scoring.privacy.mechanisms import gaussian_delta
    >>> round(gaussian(2.0).delta(1.0) / gaussian_delta(1, 1, 2.0), 4)
    1.0
    """
    from scipy.special import ndtr

    ratio = 1 / checked_positive("sigma", sigma)
    reach = ratio * ratio / 2 + 9 * ratio
    fine = _chosen(interval, ratio, reach)
    numbers = np.arange(-math.ceil(reach / fine), math.ceil(reach / fine) + 1)
    ends: Floats = numbers.astype(np.float64) * fine

    def between(mean: float) -> Floats:
        z = (ends - mean) / ratio
        low, high = z[:-1], z[1:]
        masses: Floats = np.where(low > 0, ndtr(-low) - ndtr(-high), ndtr(high) - ndtr(low))
        return masses

    under_one, under_other = between(ratio**2 / 2), between(-(ratio**2) / 2)
    above = float(ndtr((ratio**2 / 2 - ends[-1]) / ratio))
    below = float(ndtr((ends[0] - ratio**2 / 2) / ratio))
    found = LossDistribution(fine, int(numbers[0]), np.zeros(len(numbers)), above)
    found.masses[0] = below
    return _spread(found, ends[:-1], under_one, under_other)


def discrete_gaussian(
    sigma: float, sensitivity: int = 1, *, interval: float | None = None
) -> LossDistribution:
    """An integer with discrete normal noise, P(x) in proportion to e^(-x² / 2σ²).

    Notes
    -----
    Canonne, Kamath & Steinke, "The Discrete Gaussian for Differential Privacy", Theorem 7.

    Examples
    --------
    >>> round(discrete_gaussian(3.0).epsilon(1e-5), 4)
    1.2675
    """
    checked_positive("sigma", sigma)
    if sensitivity < 1:
        raise ValueError(f"sensitivity: expected an integer of at least 1, got {sensitivity}")
    reach = math.ceil(12 * sigma) + sensitivity
    x = np.arange(-reach, reach + 1)
    masses = np.exp(-(x**2) / (2 * sigma**2))
    masses /= masses.sum()
    losses = (sensitivity**2 - 2 * x * sensitivity) / (2 * sigma**2)
    fine = _chosen(interval, sensitivity / (2 * sigma**2), float(losses[0]))
    return _of_atoms(losses[::-1], masses[::-1], 0.0, fine)


def discrete_laplace(
    epsilon: float, sensitivity: int = 1, *, interval: float | None = None
) -> LossDistribution:
    """An integer with discrete Laplace noise of ε, as `sampling.noisy_counts` draws it.

    Examples
    --------
    >>> round(discrete_laplace(0.5).epsilon(1e-9), 6)
    0.5
    """
    checked_epsilon(epsilon)
    if sensitivity < 1:
        raise ValueError(f"sensitivity: expected an integer of at least 1, got {sensitivity}")
    step = epsilon / sensitivity
    q = math.exp(-step)
    alone = (1 - q) / (1 + q)
    x = np.arange(1, sensitivity)  # between the answers
    losses = np.r_[-epsilon, (sensitivity - 2 * x[::-1]) * step, epsilon]
    tail = 1 / (1 + q)  # the probability of noise of 0 or less
    masses = np.r_[tail * math.exp(-epsilon), alone * q ** x[::-1].astype(np.float64), tail]
    return _of_atoms(losses, masses, 0.0, _chosen(interval, epsilon))


def _chosen(interval: float | None, loss: float, reach: float = 0.0) -> float:
    """The interval that is asked for; else one that divides a typical loss, of which not too many lie within all."""
    if interval is not None:
        return checked_positive("interval", interval)
    return max(loss / max(128, math.ceil(loss / INTERVAL)), 2 * reach / _MOST_POINTS)


def _of_atoms(losses: Floats, masses: Floats, infinite: float, interval: float) -> LossDistribution:
    """Single losses, each divided among the points on either side of it."""
    below = np.floor(losses / interval + 1e-12).astype(np.int64)
    first, last = int(below.min()), int(below.max()) + 1
    found = LossDistribution(interval, first, np.zeros(last - first + 1), infinite)
    part = np.maximum(losses - below * interval, 0.0)
    upper = masses * (np.expm1(-part) / math.expm1(-interval))
    np.add.at(found.masses, below - first, masses - upper)
    np.add.at(found.masses, below - first + 1, upper)
    return found


def _spread(
    found: LossDistribution, starts: Floats, under_one: Floats, under_other: Floats
) -> LossDistribution:
    """Add masses of which each lies within one cell of the grid, from its start on."""
    interval, masses = found.interval, found.masses
    cell = np.floor(starts / interval + 1e-9).astype(np.int64)
    gained = under_one - under_other * np.exp(cell * interval)
    upper = np.clip(gained / -math.expm1(-interval), 0.0, under_one)
    np.add.at(masses, cell - found.first, under_one - upper)
    np.add.at(masses, cell - found.first + 1, upper)
    return found
