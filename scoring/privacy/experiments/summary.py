# SPDX-License-Identifier: Apache-2.0
"""One figure for each method from its trials, what theory expects, and where the methods cross."""

from __future__ import annotations

import math
import warnings
from collections.abc import Callable, Iterable
from dataclasses import dataclass

import numpy as np
from scipy.optimize import brentq

from scoring.privacy.domains import Floats
from scoring.privacy.experiments.counts import Counts
from scoring.privacy.experiments.run import BT, IT, Aggregate, Experiment, Setup, stream
from scoring.privacy.post_randomization import mean_squared_distance
from scoring.privacy.sensitivity import histogram
from scoring.privacy.tables import l2, l2_each, root_mean_square, spearman, spearman_each

_CURVE = 3
_DRAWS = 400_000
"""Numbers from which the interactive curve is computed, so that it is far smoother than the trials."""
_MOST_GROUPS = 40
_FARTHEST = 2.0**40
BEST = "best"
L2, RANK = "l2", "rank_correlation"


@dataclass(frozen=True, slots=True)
class Score:
    """Accuracy of a method: L2 (lower is better) and rank correlation (higher)."""

    l2: float
    rank_correlation: float

    def of(self, measure: str) -> float:
        return self.l2 if measure == L2 else self.rank_correlation


@dataclass(frozen=True, slots=True)
class Crossing:
    """From how many queries on the interactive method is no better than a batch.

    Attributes
    ----------
    epsilon : float
    measure : str
        "l2" or "rank_correlation".
    batch : str
        "BT", "BR", or "best" for the better of those that were run.
    value : float
        The batch's.
    queries : float or None
        Where the curve of the interactive method meets it; None where it never does.
    first : int or None
        The least whole number of queries, 1 or more, at which the batch is as good or better.
    """

    epsilon: float
    measure: str
    batch: str
    value: float
    queries: float | None
    first: int | None


def score(estimates: Floats, counts: Counts, aggregate: Aggregate) -> Score:
    """The figure of a method from its trials' tables, which the first axis numbers.

    Rank correlations of trials that have none (all cells equal) are left out of the mean.
    """
    truth = counts.table
    if aggregate == "of_medians":
        middle = np.median(estimates, axis=0)
        return Score(l2(middle, truth), spearman(middle, truth))
    ranks = spearman_each(estimates, truth)
    return Score(root_mean_square(l2_each(estimates, truth)), _mean(ranks))


def scores(experiment: Experiment) -> dict[tuple[float, str], Score]:
    """The figure of every method at every ε, by the setup's aggregate."""
    return {
        key: score(trials.estimates, experiment.counts, experiment.setup.aggregate)
        for key, trials in experiment.trials.items()
    }


def expected_l2(counts: Counts, setup: Setup, epsilon: float, method: str) -> float | None:
    """The root mean square L2 that theory gives, without any trial: of BT and IT, under "rms" only.

    Examples
    --------
    >>> from scoring.privacy.experiments.counts import published_counts
    >>> [round(expected_l2(published_counts(), Setup(), 0.1, m), 2) for m in ("BT", "IT1", "IT14")]
    [1429.32, 105.83, 1481.62]
    """
    if setup.aggregate != "rms":
        return None
    if method == BT:
        rho = setup.rhos(epsilon, counts.sizes)
        return math.sqrt(mean_squared_distance(counts.table, counts.sizes, rho))
    if method.startswith(IT):
        scale = histogram("replace") * int(method.removeprefix(IT)) / epsilon
        return math.sqrt(2 * counts.table.size) * scale
    return None


@dataclass(frozen=True, slots=True)
class Curve:
    """The interactive method's figure as a function of any number of queries, above 0 and not only whole.

    All points share their draws of noise, of which they take multiples, so that the curve has no
    jumps of its own. Under "rms" L2 is the exact expectation.
    """

    counts: Counts
    epsilon: float
    aggregate: Aggregate
    noise: Floats

    @classmethod
    def of(cls, counts: Counts, setup: Setup, epsilon: float) -> Curve:
        rng = stream(setup, _CURVE, float(epsilon))
        groups = max(1, min(_MOST_GROUPS, _DRAWS // (setup.trials * counts.table.size)))
        noise = rng.laplace(0.0, 1.0, (groups, setup.trials, *counts.sizes))
        return cls(counts, epsilon, setup.aggregate, noise)

    def l2(self, queries: float) -> float:
        scale = histogram("replace") * queries / self.epsilon
        if self.aggregate == "rms":
            return math.sqrt(2 * self.counts.table.size) * scale
        middles = self.counts.table + np.median(self.noise, axis=1) * scale
        return float(l2_each(middles, self.counts.table).mean())

    def rank_correlation(self, queries: float) -> float:
        scale = histogram("replace") * queries / self.epsilon
        if self.aggregate == "rms":
            estimates = self.counts.table + self.noise.reshape(-1, *self.counts.sizes) * scale
        else:
            estimates = self.counts.table + np.median(self.noise, axis=1) * scale
        return _mean(spearman_each(estimates, self.counts.table))


def crossings(experiment: Experiment) -> list[Crossing]:
    """The crossings of the interactive curve with each batch method and the best of them, for every ε and measure."""
    found, setup = scores(experiment), experiment.setup
    result = []
    for epsilon in setup.epsilons:
        curve = Curve.of(experiment.counts, setup, epsilon)
        batch = {method: found[epsilon, method] for method in setup.batch}
        for measure in (L2, RANK):
            values = {method: own.of(measure) for method, own in batch.items()}
            known = [value for value in values.values() if not math.isnan(value)]
            if known:
                values[BEST] = min(known) if measure == L2 else max(known)
            result += [
                Crossing(epsilon, measure, method, value, *_meeting(curve, measure, value))
                for method, value in values.items()
            ]
    return result


def crossing_of(found: Iterable[Crossing], epsilon: float, measure: str) -> Crossing | None:
    """The crossing with the best batch method; None where no batch was run."""
    wanted = (epsilon, measure, BEST)
    return next((c for c in found if (c.epsilon, c.measure, c.batch) == wanted), None)


def _meeting(curve: Curve, measure: str, value: float) -> tuple[float | None, int | None]:
    """The root of how much worse the interactive method is, and the first whole number from there."""
    worse: Callable[[float], float]
    if math.isnan(value):
        return None, None
    if measure == L2:
        worse = lambda queries: curve.l2(queries) - value  # noqa: E731
    else:
        worse = lambda queries: value - curve.rank_correlation(queries)  # noqa: E731
    if worse(0.0) >= 0:
        return 0.0, 1
    high = 1.0
    while worse(high) < 0:
        high *= 2
        if high > _FARTHEST:
            return None, None
    root = float(brentq(worse, 0.0, high, xtol=1e-6))
    return root, max(1, math.ceil(root - 1e-5))


def _mean(values: Floats) -> float:
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", RuntimeWarning)  # a mean of nothing is nan, as it should be
        return float(np.nanmean(values))
