# SPDX-License-Identifier: Apache-2.0
"""Zero-concentrated differential privacy: ρ of mechanisms, their sum, and the (ε, δ) that it promises.

This ρ is no retention parameter: a mechanism is ρ-zCDP where the Rényi divergence of order α of its answers for
neighbouring tables is at most ρ α, for all α above 1. Source: Bun & Steinke, "Concentrated Differential Privacy:
Simplifications, Extensions, and Lower Bounds".
"""

from __future__ import annotations

import math
from collections.abc import Iterable

from scoring.privacy.domains import checked_epsilon, checked_positive, checked_probability


def rho_of_gaussian(sigma: float, sensitivity: float = 1.0) -> float:
    """The ρ of normal noise, discrete or not: sensitivity² / 2σ².

    Notes
    -----
    Bun & Steinke, Proposition 1.6; for discrete noise Canonne, Kamath & Steinke, "The Discrete Gaussian for
    Differential Privacy", Theorem 4.

    Examples
    --------
    >>> rho_of_gaussian(2.0)
    0.125
    """
    ratio = checked_positive("sensitivity", sensitivity) / checked_positive("sigma", sigma)
    return ratio * ratio / 2


def rho_of_epsilon(epsilon: float) -> float:
    """The ρ of every ε-differentially private mechanism: ε² / 2.

    Notes
    -----
    Bun & Steinke, Proposition 1.4.

    Examples
    --------
    >>> rho_of_epsilon(0.5)
    0.125
    """
    return checked_epsilon(epsilon) ** 2 / 2


def composed(rhos: Iterable[float]) -> float:
    """The ρ of several answers together: their sum.

    Examples
    --------
    >>> composed([0.125, 0.25])
    0.375
    """
    return math.fsum(checked_positive("rho", rho) for rho in rhos)


def sigma_of_rho(rho: float, sensitivity: float = 1.0) -> float:
    """The standard deviation of normal noise with this ρ.

    Examples
    --------
    >>> sigma_of_rho(0.125)
    2.0
    """
    return checked_positive("sensitivity", sensitivity) / math.sqrt(
        2 * checked_positive("rho", rho)
    )


def delta_of_rho(rho: float, epsilon: float) -> float:
    """A δ with which every ρ-zCDP mechanism is (ε, δ)-differentially private.

    The least over α above 1 of e^((α - 1)(α ρ - ε)) (1 - 1/α)^α / (α - 1), at most 1.

    Notes
    -----
    Canonne, Kamath & Steinke, "The Discrete Gaussian for Differential Privacy", Proposition 7.

    Examples
    --------
    >>> round(delta_of_rho(0.125, 2.0), 6)
    3.9e-05
    """
    checked_positive("rho", rho)
    if epsilon < 0:
        raise ValueError(f"epsilon: expected 0 or more, got {epsilon}")
    # The logarithm is convex in α; its derivative is (2α - 1) ρ - ε + ln(1 - 1/α).
    low, high = 1.0, (epsilon + 1) / (2 * rho) + 2
    for _ in range(200):
        middle = (low + high) / 2
        slope = (2 * middle - 1) * rho - epsilon + math.log1p(-1 / middle)
        low, high = (middle, high) if slope < 0 else (low, middle)
    order = high
    log_delta = (order - 1) * (order * rho - epsilon) + order * math.log1p(-1 / order)
    return min(1.0, math.exp(min(0.0, log_delta - math.log(order - 1))))


def epsilon_of_rho(rho: float, delta: float) -> float:
    """The least ε that `delta_of_rho` promises at this δ; at most ρ + 2 √(ρ ln(1/δ)), the simple formula.

    Examples
    --------
    >>> round(epsilon_of_rho(0.5, 1e-5), 4), round(0.5 + 2 * math.sqrt(0.5 * math.log(1e5)), 4)
    (4.7284, 5.2985)
    """
    checked_positive("rho", rho)
    checked_probability("delta", delta)
    low, high = 0.0, rho + 2 * math.sqrt(rho * math.log(1 / delta))
    if delta_of_rho(rho, 0.0) <= delta:
        return 0.0
    for _ in range(100):
        middle = (low + high) / 2
        low, high = (low, middle) if delta_of_rho(rho, middle) <= delta else (middle, high)
    return high


def rho_of_budget(epsilon: float, delta: float) -> float:
    """The largest ρ that is (ε, δ)-differentially private by `delta_of_rho`.

    Examples
    --------
    >>> round(epsilon_of_rho(rho_of_budget(1.0, 1e-6), 1e-6), 9)
    1.0
    """
    checked_epsilon(epsilon)
    checked_probability("delta", delta)
    low, high = 0.0, epsilon + 1.0
    for _ in range(100):
        middle = (low + high) / 2
        low, high = (middle, high) if delta_of_rho(middle, epsilon) <= delta else (low, middle)
    return low
