"""Components that are too large to count: their worlds are sampled."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from scipy.special import stdtrit

from scoring.equivalence import IntArray
from scoring.intervals import CONFIDENCE
from scoring.kernels.worlds import find_world, walk
from scoring.sequential.tables import FloatArray
from scoring.sequential.worlds import Places

N_SAMPLES = 1_000
N_WALKS, N_BATCHES = 4, 20
"""Walks with a start of their own, and runs of samples whose means tell how much samples repeat each other."""
_BURN_IN = 0.2
"""Sweeps of a walk before its first sample, as a share of its samples."""
_STEPS = 1_000
"""How often each entity may look for a place before there is said to be no world, on average."""
State = tuple[IntArray, IntArray]
"""The row of each slot, and the slot in each row."""


@dataclass(frozen=True, slots=True)
class Sample:
    """The share of the sampled worlds in which each entity has its true value.

    Attributes
    ----------
    shares, low, high : float64 arrays, shape (n,)
        With the ends of a confidence interval. NaN where no world was found.
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
    """Walk through the worlds of some components and look at what is true in them.

    Parameters
    ----------
    places : Places
    components : sequence of int64 arrays
        The entities of each.
    rng : Generator
    n_samples : int
        Worlds looked at, one after each sweep of moves; rounded up to a multiple of `N_BATCHES`.

    Returns
    -------
    Sample
        Of the entities of all components, in that order.

    Notes
    -----
    Samples of a walk depend on each other. How many independent ones they are worth is found by
    batch means over all walks, for each entity; the interval is Wilson's for so many, with Student's quantile for
    the number of batches. An entity that has one value all the time is given `N_BATCHES` samples. The
    interval takes for granted that the moves lead into every part of the worlds.
    """
    n_rows = int(places.rows.starts[-1])
    walks = [(np.full(len(places.time), -1), np.full(n_rows, -1)) for _ in range(N_WALKS)]
    found = [
        all(_finds_world(places, entities, state, rng) for state in walks)
        for entities in components
    ]
    movable = [entities for entities, is_placed in zip(components, found, strict=True) if is_placed]
    per_batch = -(-n_samples // N_BATCHES)
    means = np.full((N_BATCHES, sum(map(len, components))), np.nan)
    if movable:
        is_movable = np.repeat(found, [len(entities) for entities in components])
        means[:, is_movable] = _means(places, np.concatenate(movable), walks, per_batch, rng)
    shares, low, high = _intervals(means, per_batch * N_BATCHES)
    return Sample(shares, low, high, per_batch * N_BATCHES)


def _means(
    places: Places,
    entities: IntArray,
    walks: Sequence[State],
    per_batch: int,
    rng: np.random.Generator,
) -> FloatArray:
    """The shares of truth in each batch, as many batches of one walk as of another."""
    means = []
    for state in walks:
        _walk(places, entities, state, int(per_batch * N_BATCHES * _BURN_IN / N_WALKS), rng)
        for _ in range(N_BATCHES // N_WALKS):
            means.append(_walk(places, entities, state, per_batch, rng) / per_batch)
    return np.array(means)


def _finds_world(
    places: Places, entities: IntArray, state: State, rng: np.random.Generator
) -> bool:
    rows = places.rows
    n_left = find_world(
        rng,
        _STEPS * len(entities),
        entities,
        places.first,
        places.entity,
        places.starts,
        places.row,
        rows.kind,
        rows.value,
        places.true_value,
        *state,
    )
    return bool(n_left == 0)


def _walk(
    places: Places,
    entities: IntArray,
    state: State,
    n_sweeps: int,
    rng: np.random.Generator,
) -> FloatArray:
    """Sweep on, and say for how many sweeps each entity had its true value."""
    rows = places.rows
    slot = np.repeat(np.arange(len(places.time)), np.diff(places.starts))
    holders = slot[np.argsort(places.row, kind="stable")]
    n_holders = np.bincount(places.row, minlength=int(rows.starts[-1]))
    hits = np.zeros(len(entities))
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
        hits,
    )
    return hits


def _intervals(means: FloatArray, n_samples: int) -> tuple[FloatArray, FloatArray, FloatArray]:
    """The mean of the batches, and the ends of its interval."""
    share = means.mean(axis=0)
    spread = means.var(axis=0, ddof=1) / len(means)
    n = np.full(len(share), float(len(means)))
    np.divide(share * (1 - share), spread, out=n, where=spread > 0)
    n = np.clip(n, 1, n_samples)
    z2 = stdtrit(len(means) - 1, (1 + CONFIDENCE) / 2) ** 2
    middle = (share + z2 / (2 * n)) / (1 + z2 / n)
    half = np.sqrt(z2 * (share * (1 - share) / n + z2 / (4 * n**2))) / (1 + z2 / n)
    return (
        share,
        np.minimum(share, np.maximum(0, middle - half)),
        np.maximum(share, np.minimum(1, middle + half)),
    )
