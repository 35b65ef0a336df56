# SPDX-License-Identifier: Apache-2.0
"""Confidence intervals for shares of hits and for what is computed from two of them."""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import dataclass
from statistics import NormalDist

CONFIDENCE = 0.95


@dataclass(frozen=True, slots=True)
class Interval:
    """An estimate between the two ends of its confidence interval."""

    value: float
    low: float
    high: float


@dataclass(frozen=True, slots=True)
class Rate:
    """`hits` out of `n`, as a share with its Wilson interval."""

    hits: int
    n: int
    value: float
    low: float
    high: float

    @classmethod
    def of(cls, hits: int, n: int, confidence: float = CONFIDENCE) -> Rate:
        """The share of hits; where nothing was tried it is 0, and anything from 0 to 1 is possible.

        Examples
        --------
        >>> Rate.of(0, 0)
        Rate(hits=0, n=0, value=0.0, low=0.0, high=1.0)
        """
        if n == 0 and hits == 0:
            return cls(0, 0, 0.0, 0.0, 1.0)
        found = wilson(hits, n, confidence)
        return cls(hits, n, found.value, found.low, found.high)


def wilson(hits: int, n: int, confidence: float = CONFIDENCE) -> Interval:
    """The share of hits and Wilson's score interval for the probability of a hit.

    Parameters
    ----------
    hits : int
        From 0 to `n`.
    n : int
        Number of independent trials, at least 1.
    confidence : float
        Between 0 and 1; 0.95 by default.

    Returns
    -------
    Interval
        hits / n and the ends of the interval, which lie from 0 to 1 and enclose it.

    Raises
    ------
    ValueError
        Where an argument lies elsewhere.

    Notes
    -----
    Wilson, “Probable inference, the law of succession, and statistical inference”, without a
    correction for continuity: the probabilities p with \\|hits/n - p\\| <= z sqrt(p (1 - p) / n).

    Examples
    --------
    >>> found = wilson(81, 263)
    >>> round(found.low, 4), round(found.high, 4)
    (0.2553, 0.3662)
    """
    _check(hits, n, confidence)
    z2 = NormalDist().inv_cdf((1 + confidence) / 2) ** 2
    share = hits / n
    middle = (hits + z2 / 2) / (n + z2)
    half = math.sqrt(z2 * (hits * (n - hits) / n + z2 / 4)) / (n + z2)
    low = 0.0 if hits == 0 else min(share, max(0.0, middle - half))
    high = 1.0 if hits == n else max(share, min(1.0, middle + half))
    return Interval(share, low, high)


def difference(
    hits: int, n: int, other_hits: int, other_n: int, confidence: float = CONFIDENCE
) -> Interval:
    """hits/n - other_hits/other_n with Newcombe's hybrid score interval.

    Parameters
    ----------
    hits, n, other_hits, other_n : int
        Two independent series of trials, each of at least one.
    confidence : float
        Between 0 and 1; 0.95 by default.

    Returns
    -------
    Interval
        From -1 to 1.

    Raises
    ------
    ValueError
        Where an argument lies elsewhere.

    Notes
    -----
    Newcombe, “Interval estimation for the difference between independent proportions: comparison of
    eleven methods”, method 10.

    Examples
    --------
    >>> found = difference(56, 70, 48, 80)
    >>> round(found.value, 4), round(found.low, 4), round(found.high, 4)
    (0.2, 0.0524, 0.3339)
    """
    one, two = wilson(hits, n, confidence), wilson(other_hits, other_n, confidence)
    value = one.value - two.value
    low = value - math.hypot(one.value - one.low, two.high - two.value)
    high = value + math.hypot(one.high - one.value, two.value - two.low)
    return Interval(value, low, high)


def area_interval(
    area: float, n_members: int, n_others: int, confidence: float = CONFIDENCE
) -> Interval:
    """An area under the curve and an interval for the probability that it estimates.

    Parameters
    ----------
    area : float
        The share of the pairs of a member and another in which the member scores higher, ties counting
        half.
    n_members, n_others : int
        How many there are of each, at least 1.
    confidence : float
        Between 0 and 1; 0.95 by default.

    Returns
    -------
    Interval
        From 0 to 1. Also where the area is 0 or 1 it has a width.

    Raises
    ------
    ValueError
        Where an argument lies elsewhere.

    Notes
    -----
    Newcombe, “Confidence intervals for an effect size measure based on the Mann–Whitney statistic. Part 2:
    asymptotic methods and evaluation”, method 5: the areas θ with |area - θ| <= z sqrt(V(θ)), V being the
    variance of Hanley & McNeil, “The meaning and use of the area under a receiver operating characteristic
    (ROC) curve”, with the mean of both numbers in place of each in its factors.

    Examples
    --------
    >>> found = area_interval(0.5, 300, 300)
    >>> round(found.low, 3), round(found.high, 3)
    (0.454, 0.546)
    """
    if not 0 <= area <= 1:
        raise ValueError(f"area: expected 0 to 1, got {area}")
    _check(0, min(n_members, n_others), confidence)
    z2 = NormalDist().inv_cdf((1 + confidence) / 2) ** 2
    further = (n_members + n_others) / 2 - 1

    def is_within(theta: float) -> bool:
        joint = 1 + further * ((1 - theta) / (2 - theta) + theta / (1 + theta))
        return (area - theta) ** 2 <= z2 * theta * (1 - theta) * joint / (n_members * n_others)

    return Interval(area, _end(is_within, area, 0.0), _end(is_within, area, 1.0))


def _end(is_within: Callable[[float], bool], inside: float, outside: float) -> float:
    """The point at which a condition of one end of an interval ceases to hold, by bisection."""
    if is_within(outside):
        return outside
    for _ in range(60):
        middle = (inside + outside) / 2
        inside, outside = (middle, outside) if is_within(middle) else (inside, middle)
    return inside


def risk_over_control(
    hits: int, n: int, control_hits: int, control_n: int, confidence: float = CONFIDENCE
) -> Interval:
    """(main - control) / (1 - control) of two shares of hits: what an attack owes to the release.

    The part of the attacks that fail against strangers but would succeed against the people of the
    table. It is 1 minus a ratio of two shares of failures, and so is its interval.

    Parameters
    ----------
    hits, n : int
        Attacks on records that the release was made from.
    control_hits, control_n : int
        The same attacks on records that it was not made from.
    confidence : float
        Between 0 and 1; 0.95 by default.

    Returns
    -------
    Interval
        From 0 to 1. A control attack that succeeds at least as often gives 0, also where it always
        succeeds.

    Raises
    ------
    ValueError
        Where there is not at least one attack of each kind, or an argument lies elsewhere.

    Notes
    -----
    The risk is that of Giomi et al., “A unified framework for quantifying privacy risk in synthetic
    data”, section “Risk estimation”. The interval for the ratio is found from the two Wilson
    intervals by the method of variance estimates recovery: Donner & Zou, “Closed-form confidence
    intervals for functions of the normal mean and standard deviation”, the section on ratios.

    Examples
    --------
    >>> found = risk_over_control(300, 400, 200, 400)
    >>> found.value, round(found.low, 3), round(found.high, 3)
    (0.5, 0.393, 0.589)
    """
    main, control = wilson(hits, n, confidence), wilson(control_hits, control_n, confidence)
    low, high = _ratio_limits(_complement(main), _complement(control))
    failures = 1 - control.value
    value = (main.value - control.value) / failures if control_hits < control_n else 0.0
    return Interval(_share(value), _share(1 - high), _share(1 - low))


def _ratio_limits(one: Interval, two: Interval) -> tuple[float, float]:
    """The ends of an interval for one.value / two.value, both at least 0; the upper may be inf."""
    product = one.value * two.value
    # Both are at most product², being x (2 v - x) <= v² for any x, so that the roots are real.
    a, b = one.low * (2 * one.value - one.low), two.high * (2 * two.value - two.high)
    c, d = one.high * (2 * one.value - one.high), two.low * (2 * two.value - two.low)
    below = product + math.sqrt(max(0.0, product**2 - a * b))
    above = product + math.sqrt(max(0.0, product**2 - c * d))
    return (a / below if below > 0 else 0.0), (above / d if d > 0 else math.inf)


def _complement(share: Interval) -> Interval:
    return Interval(1 - share.value, 1 - share.high, 1 - share.low)


def _share(value: float) -> float:
    return min(1.0, max(0.0, value))


def _check(hits: int, n: int, confidence: float) -> None:
    if n < 1:
        raise ValueError(f"n: expected at least 1, got {n}")
    if not 0 <= hits <= n:
        raise ValueError(f"hits: expected 0 to {n}, got {hits}")
    if not 0 < confidence < 1:
        raise ValueError(f"confidence: expected more than 0 and less than 1, got {confidence}")
