# SPDX-License-Identifier: Apache-2.0
"""Empirical lower bounds of ε: how well many answers of a mechanism distinguish two neighbouring tables."""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import dataclass

import numpy as np

from scoring.privacy.domains import Floats
from scoring.reporting.intervals import CONFIDENCE

_THRESHOLDS = 60
Statistics = Callable[[int, np.random.Generator], Floats]
"""So many answers of a mechanism for one table, each as a number."""


@dataclass(frozen=True, slots=True)
class LowerBound:
    """An ε that a mechanism has at least, at some confidence.

    Attributes
    ----------
    epsilon : float
        0 where the answers do not distinguish the tables.
    threshold : float
        The event is an answer of at least this number, or at most, where `is_above` is False.
    is_above : bool
    hits, other_hits : int
        Answers in the event, of `n` for the table under which it is more likely and of `n` for the other.
    n : int
    """

    epsilon: float
    threshold: float
    is_above: bool
    hits: int
    other_hits: int
    n: int


def lower_bound(
    hits: int, other_hits: int, n: int, *, delta: float = 0.0, confidence: float = CONFIDENCE
) -> float:
    """The ε of a mechanism is at least this number, from how often an event came for two neighbouring tables.

    ln((p - δ) / q) with a lower bound p and an upper bound q of its two probabilities, each of Clopper &
    Pearson at half of what is left of the confidence; not below 0.

    Parameters
    ----------
    hits, other_hits : int
        Answers in the event, of `n` for the one and `n` for the other table.
    delta
        The mechanism's δ.

    Raises
    ------
    ValueError
        An argument is out of range.

    Notes
    -----
    Jagielski, Ullman & Oprea, “Auditing Differentially Private Machine Learning: How Private is Private
    SGD?”, section on statistically measuring ε.

    Examples
    --------
    No event among 1,000 answers for the other table: the bound is about ln(p n / 3.69).

    >>> round(lower_bound(500, 0, 1000), 2)
    4.85
    """
    from scipy.special import betaincinv

    if n < 1 or not 0 <= hits <= n or not 0 <= other_hits <= n:
        raise ValueError(f"hits: expected 0 to n and n at least 1, got {hits}, {other_hits} of {n}")
    if not 0 < confidence < 1:
        raise ValueError(f"confidence: expected more than 0 and less than 1, got {confidence}")
    if not 0 <= delta < 1:
        raise ValueError(f"delta: expected 0 or more and below 1, got {delta}")
    tail = (1 - confidence) / 2
    low = float(betaincinv(hits, n - hits + 1, tail)) if hits else 0.0
    high = float(betaincinv(other_hits + 1, n - other_hits, 1 - tail)) if other_hits < n else 1.0
    return max(0.0, math.log((low - delta) / high)) if low > delta else 0.0


def empirical_epsilon(
    one: Statistics,
    other: Statistics,
    rng: np.random.Generator,
    *,
    n_trials: int = 100_000,
    delta: float = 0.0,
    confidence: float = CONFIDENCE,
) -> LowerBound:
    """A lower bound of ε from answers of a mechanism for two neighbouring tables.

    Half of the answers choose the event, a threshold of the statistic and a side, the other half measure
    it: so the confidence holds.

    Parameters
    ----------
    one, other
        Answers for the one and for the other table.
    rng
        What the mechanism draws from.
    n_trials
        Answers for each table, at least 2.
    delta
        The mechanism's δ.

    Returns
    -------
    LowerBound
        Above the promised ε it shows that the mechanism, or its code, is wrong; below, it shows how tight the
        promise is at least.

    Raises
    ------
    ValueError
        An argument is out of range, or answers are not so many numbers as were asked for.

    Examples
    --------
    A count of 10 or 11 with Laplace noise at ε = 1:

    >>> counts = [lambda n, rng, c=c: c + rng.laplace(0, 1, n) for c in (10, 11)]
    >>> found = empirical_epsilon(*counts, np.random.default_rng(1))
    >>> 0.9 < found.epsilon <= 1
    True
    """
    if n_trials < 2:
        raise ValueError(f"n_trials: expected at least 2, got {n_trials}")
    half = n_trials // 2
    # At a confidence that holds for all thresholds, else one is chosen for its luck.
    strict = 1 - (1 - confidence) / (4 * _THRESHOLDS)
    first = _answers(one, other, half, rng)
    _, threshold, is_above, swapped = max(
        _best(first[swap], first[1 - swap], is_above, delta, strict, bool(swap))
        for swap in (0, 1)
        for is_above in (True, False)
    )
    second = _answers(one, other, half, rng)
    inside = [int(((s >= threshold) if is_above else (s <= threshold)).sum()) for s in second]
    hits, other_hits = inside[::-1] if swapped else inside
    epsilon = lower_bound(hits, other_hits, half, delta=delta, confidence=confidence)
    return LowerBound(epsilon, threshold, is_above, hits, other_hits, half)


def _answers(one: Statistics, other: Statistics, n: int, rng: np.random.Generator) -> list[Floats]:
    """`n` numbers for either table."""
    drawn = [np.asarray(draw(n, rng), dtype=np.float64) for draw in (one, other)]
    for name, values in zip(("one", "other"), drawn, strict=True):
        if (got := int((~np.isnan(values)).sum())) != n or values.shape != (n,):
            raise ValueError(f"{name}: expected {n} numbers, got {got} among {values.size}")
    return drawn


def _best(
    one: Floats, other: Floats, is_above: bool, delta: float, confidence: float, swapped: bool
) -> tuple[float, float, bool, bool]:
    """The bound of the best of some thresholds, with what it was found by."""
    n = len(one)
    places = np.unique(np.geomspace(1, n, _THRESHOLDS).astype(np.int64)) - 1
    ordered = np.sort(one if not is_above else -one)
    thresholds = np.unique(ordered[places])
    hits = np.searchsorted(ordered, thresholds, "right")
    others = np.searchsorted(np.sort(other if not is_above else -other), thresholds, "right")
    bounds = [
        (lower_bound(int(h), int(o), n, delta=delta, confidence=confidence), -float(t))
        for h, o, t in zip(hits, others, thresholds, strict=True)
    ]
    bound, threshold = max(bounds)
    return bound, threshold if is_above else -threshold, is_above, swapped
