# SPDX-License-Identifier: Apache-2.0
"""Components that are too large to count: their possible worlds are sampled."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from scoring.formats.sequential.chances import chances
from scoring.formats.sequential.starts import State, finds_world, start
from scoring.formats.sequential.tables import FloatArray
from scoring.formats.sequential.worlds import Places
from scoring.reporting.intervals import CONFIDENCE
from scoring.tables.equivalence import IntArray

N_SAMPLES = 1_000
N_WALKS, N_BATCHES = 4, 20
"""The number of independent walks, and of batches of samples whose means show their autocorrelation."""
_BURN_IN, _MOST_BURN_INS = 20, 50
"""Sweeps that are walked at least before the first sample, and how often they may be repeated."""


@dataclass(frozen=True, slots=True)
class Sample:
    """The share of the sampled possible worlds in which each entity has its true value.

    Attributes
    ----------
    shares, low, high : float64 arrays, shape (n,)
        With the ends of a confidence interval. NaN where no possible world was found.
    n_samples : int
    """

    shares: FloatArray
    low: FloatArray
    high: FloatArray
    n_samples: int


def sample(
    places: Places,
    components: Sequence[IntArray],
    *,
    rng: np.random.Generator,
    n_samples: int = N_SAMPLES,
) -> Sample:
    """Walk through the possible worlds of some components and estimate the shares of true values.

    Parameters
    ----------
    places : Places
    components : sequence of int64 arrays
        The entities of each.
    rng : Generator
    n_samples : int
        Possible worlds looked at, one after each sweep of moves; rounded up to a multiple of `N_BATCHES`.

    Returns
    -------
    Sample
        Of the entities of all components, in that order.

    Notes
    -----
    A possible world counts for each entity as the chance that it has its true value after its value is exchanged with
    that of a row drawn from its group. The mean of these chances is the share that is looked for, and varies less (D.
    Blackwell, "Conditional Expectation and Unbiased Sequential Estimation"). It lies between the bounds of
    `scoring.formats.sequential.chances`, and nothing is uncertain where these are one number.

    Samples of a walk depend on each other. How many independent ones they are worth is found by batch means over all
    walks, for each entity; the interval is Wilson's, between the bounds, for so many, with Student's quantile for the
    number of batches. Where no mean differs, it is found by what is true in the possible worlds themselves if there are
    no bounds; an entity without such variation counts as `N_BATCHES` samples. The interval assumes that
    the moves lead into every part of the possible worlds.
    """
    everybody = np.concatenate(components)
    walks = [start(places, everybody, rng) for _ in range(N_WALKS)]
    found = [
        all(finds_world(places, entities, state, rng) for state in walks) for entities in components
    ]
    movable = [entities for entities, is_placed in zip(components, found, strict=True) if is_placed]
    per_batch = -(-n_samples // N_BATCHES)
    shares, low, high = np.full((3, len(everybody)), np.nan)
    if movable:
        entities = np.concatenate(movable)
        is_movable = np.repeat(found, [len(entities) for entities in components])
        truths, means = _means(places, entities, walks, per_batch, rng)
        least, most = (bound[entities] for bound in chances(places))
        n = _worth(truths, means, least, most, per_batch * N_BATCHES)
        share = np.clip(means.mean(axis=0), least, most)
        low[is_movable], high[is_movable] = _intervals(share, n, least, most)
        shares[is_movable] = share
    return Sample(shares, low, high, per_batch * N_BATCHES)


def _means(
    places: Places,
    entities: IntArray,
    walks: Sequence[State],
    per_batch: int,
    rng: np.random.Generator,
) -> FloatArray:
    """The shares of truth and the mean chances in each batch, as many batches of one walk as of another."""
    means = []
    for state in walks:
        _forget_start(places, entities, state, per_batch, rng)
        for _ in range(N_BATCHES // N_WALKS):
            means.append(_walk(places, entities, state, per_batch, rng) / per_batch)
    return np.stack(means, axis=1)


def _forget_start(
    places: Places, entities: IntArray, state: State, per_batch: int, rng: np.random.Generator
) -> None:
    """Walk on for as long as fewer and fewer entities have the true value that they started with."""
    n_sweeps, before = max(per_batch, _BURN_IN), np.inf
    for _ in range(_MOST_BURN_INS):
        hits, _chances = _walk(places, entities, state, n_sweeps, rng)
        if hits.mean() >= before:
            return
        before = float(hits.mean())


def _walk(
    places: Places,
    entities: IntArray,
    state: State,
    n_sweeps: int,
    rng: np.random.Generator,
) -> FloatArray:
    """Sweep on, and say for how many sweeps each entity had its true value, and the sum of its chances."""
    from scoring.kernels.worlds import walk  # loads machine code

    rows = places.rows
    slot = np.repeat(np.arange(len(places.time)), np.diff(places.starts))
    holders = slot[np.argsort(places.row, kind="stable")]
    n_holders = np.bincount(places.row, minlength=int(rows.starts[-1]))
    sums = np.zeros((2, len(entities)))
    walk(
        rng,
        n_sweeps,
        entities,
        places.first,
        places.entity,
        places.starts,
        places.row,
        rows.kind,
        rows.group,
        rows.group_starts,
        rows.members,
        np.concatenate([[0], np.cumsum(n_holders)]),
        holders,
        rows.value,
        places.true_value,
        *state,
        *sums,
    )
    return sums


def _worth(
    truths: FloatArray, means: FloatArray, least: FloatArray, most: FloatArray, n_samples: int
) -> FloatArray:
    """The effective number of independent samples of each entity."""
    share = means.mean(axis=0)
    spread = means.var(axis=0, ddof=1) / len(means)
    n = np.full(len(share), float(len(means)))
    np.divide((share - least) * (most - share), spread, out=n, where=spread > 0)
    truth, spread_of_truth = truths.mean(axis=0), truths.var(axis=0, ddof=1) / len(truths)
    is_free = (spread == 0) & (spread_of_truth > 0) & (least == 0) & (most == 1)
    np.divide(truth * (1 - truth), spread_of_truth, out=n, where=is_free)
    worth: FloatArray = np.clip(n, 1, n_samples)
    return worth


def _intervals(
    share: FloatArray, n: FloatArray, least: FloatArray, most: FloatArray
) -> tuple[FloatArray, FloatArray]:
    """The ends of the interval of each share, between its bounds."""
    from scipy.special import stdtrit

    width = most - least
    p = np.zeros(len(share))
    np.divide(share - least, width, out=p, where=width > 0)
    z2 = stdtrit(N_BATCHES - 1, (1 + CONFIDENCE) / 2) ** 2
    middle = (p + z2 / (2 * n)) / (1 + z2 / n)
    half = np.sqrt(z2 * (p * (1 - p) / n + z2 / (4 * n**2))) / (1 + z2 / n)
    return (
        np.minimum(share, least + width * np.maximum(0, middle - half)),
        np.maximum(share, least + width * np.minimum(1, middle + half)),
    )
