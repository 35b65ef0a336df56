# SPDX-License-Identifier: Apache-2.0
"""A value that is made of the values of other measures."""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from scoring.measures.catalog import Term
    from scoring.scores.comparison import Comparison, Options


def composite(
    comparison: Comparison, options: Options, *, of: str, terms: Sequence[Term]
) -> float | None:
    """The sum, mean, least, largest or geometric mean of other measures, each brought from its worst to its best value.

    A term of value v counts w · (v - worst) / (best - worst), where w is its weight; with a clip the fraction is at
    least 0 and at most 1. The values are rounded as they are shown, so that everybody can compute it from them.

    Parameters
    ----------
    comparison : Comparison
        As the other measures need it.
    of : {"sum", "mean", "min", "max", "geometric-mean"}
        The means are weighted ones.
    terms : sequence of Term
        Measures, or further composites.

    Returns
    -------
    float or None
        Higher is better. None where a term has no value.

    Notes
    -----
    PWS Cup 2025: the sum of 40, 20, 20 and 20 points; 2024 and 2026: the least; iPWS Cup 2023: the geometric mean of
    six; 2022: the mean of four.
    """
    values = [term.measure.value(comparison, options) for term in terms]
    return combined(of, terms, values)


def combined(of: str, terms: Sequence[Term], values: Sequence[float | None]) -> float | None:
    """The value of a composite from those of its terms.

    Examples
    --------
    >>> from scoring.measures.catalog import MEASURES, Term
    >>> terms = [Term(MEASURES["marginals"], 40.0, 1.0, 0.0), Term(MEASURES["pairs"], 20.0, 1.0, 0.0)]
    >>> combined("sum", terms, [0.25, 0.5]), combined("min", terms, [0.25, 0.5])
    (40.0, 10.0)
    """
    known = [value for value in values if value is not None]
    if len(known) < len(terms):
        return None
    shares = [term.share(value) for term, value in zip(terms, known, strict=True)]
    return OF[of](shares, [term.weight for term in terms])


def _weighted(shares: Sequence[float], weights: Sequence[float]) -> list[float]:
    return [share * weight for share, weight in zip(shares, weights, strict=True)]


def _sum(shares: Sequence[float], weights: Sequence[float]) -> float:
    return math.fsum(_weighted(shares, weights))


def _mean(shares: Sequence[float], weights: Sequence[float]) -> float:
    return _sum(shares, weights) / math.fsum(weights)


def _min(shares: Sequence[float], weights: Sequence[float]) -> float:
    return min(_weighted(shares, weights))


def _max(shares: Sequence[float], weights: Sequence[float]) -> float:
    return max(_weighted(shares, weights))


def _geometric_mean(shares: Sequence[float], weights: Sequence[float]) -> float:
    if min(shares) <= 0:
        return 0.0
    return math.exp(
        math.fsum(_weighted([math.log(share) for share in shares], weights)) / math.fsum(weights)
    )


OF: dict[str, Callable[[Sequence[float], Sequence[float]], float]] = {
    "sum": _sum,
    "mean": _mean,
    "min": _min,
    "max": _max,
    "geometric-mean": _geometric_mean,
}
"""The functions by name."""


def highest(of: str, weights: Sequence[float]) -> float:
    """The value where every term has its best one.

    Examples
    --------
    >>> highest("sum", [40, 20, 20, 20]), highest("geometric-mean", [1, 1]), highest("min", [1.0, 2.0])
    (100.0, 1.0, 1.0)
    """
    return OF[of]([1.0] * len(weights), weights)
