# SPDX-License-Identifier: Apache-2.0
"""Rates that answers reach without the secret, their standard errors, and what a result is above both."""

from __future__ import annotations

from math import sqrt
from typing import NamedTuple

import numpy as np
import numpy.typing as npt

from scoring.questions.bitmaps import BoolArray
from scoring.tables.equivalence import IntArray


class Chance(NamedTuple):
    """A rate next to that of answers which are independent of the secret.

    Attributes
    ----------
    rate, chance : float
        From 0 to 1.
    error : float
        The standard error of their difference where the answers are independent.
    reach : float
        What the best answers have above chance; it depends on the sheet, never on the answers of a guess. 0 where
        nothing can be disclosed.
    """

    rate: float
    chance: float
    error: float
    reach: float

    def above(self, margin: float) -> float:
        """The part above chance by more than `margin` errors, as a share of the reach; from 0 to 1.

        Examples
        --------
        >>> Chance(0.75, 0.5, 0.1, 0.5).above(1)
        0.3
        """
        if self.reach <= 0:
            return 0.0
        return min(1.0, max(0.0, (self.rate - self.chance - margin * self.error) / self.reach))


NONE = Chance(0.0, 0.0, 0.0, 0.0)
"""Nothing to compare, as a group is empty."""


def of_share(rate: float, chance: float, n: int, *, spread: float = 1.0) -> Chance:
    """A share of `n` units, each of which independent answers get right with the probability `chance`.

    The number of right ones has `spread` times a binomial variance, of at least 1: a single lucky answer is never above
    chance by one error.

    Examples
    --------
    >>> of_share(0.5, 0.2, 100)
    Chance(rate=0.5, chance=0.2, error=0.04, reach=0.8)
    """
    if not n:
        return NONE
    return Chance(rate, chance, sqrt(max(spread * n * chance * (1 - chance), 1)) / n, 1 - chance)


def of_groups(scores: npt.ArrayLike, inside: BoolArray, strata: IntArray | None = None) -> Chance:
    """The mean score of the members, and that of the controls; independent scores are dealt to both at random.

    Parameters
    ----------
    scores : float64 or bool array, shape (n_questions,)
        From 0 to 1.
    strata : int64 array, shape (n_questions,), or None
        Scores are dealt within each of these, and the controls' means are weighted by the members of each. A stratum
        without controls has the members' mean, so that it discloses nothing.

    Notes
    -----
    The error is exact for each choice of scores: the variance of a mean of a sample without replacement. Cochran,
    “Sampling techniques”, sections on simple and on stratified random sampling.

    Examples
    --------
    >>> of_groups([1, 1, 0, 0], np.array([True, True, False, False]))
    Chance(rate=1.0, chance=0.0, error=0.5773502691896257, reach=1.0)
    """
    said = np.asarray(scores, dtype=np.float64)
    n_members = int(inside.sum())
    if not 0 < n_members < len(inside):
        return NONE
    rate, chance, variance = float(said[inside].mean()), 0.0, 0.0
    groups = [slice(None)] if strata is None else [strata == s for s in np.unique(strata[inside])]
    for group in groups:
        scored, members = said[group], inside[group]
        n, n_own = len(scored), int(members.sum())
        weight, n_others = n_own / n_members, n - n_own
        chance += weight * float(scored[~members if n_others else members].mean())
        if n_others:
            variance += weight**2 * float(scored.var(ddof=1)) * n / (n_own * n_others)
    return Chance(rate, chance, sqrt(variance), 1 - chance)
