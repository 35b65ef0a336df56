"""Components that are too large to count: their worlds are sampled."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from scipy.sparse import csr_array
from scipy.sparse.csgraph import maximum_bipartite_matching
from scipy.special import stdtrit

from scoring.equivalence import IntArray
from scoring.intervals import CONFIDENCE
from scoring.kernels.worlds import find_world, mend, walk
from scoring.sequential.tables import FloatArray
from scoring.sequential.worlds import Places

N_SAMPLES = 1_000
N_WALKS, N_BATCHES = 4, 20
"""Walks with a start of their own, and runs of samples whose means tell how much samples repeat each other."""
_BURN_IN, _MOST_BURN_INS = 20, 50
"""Sweeps that are walked at least before the first sample, and how often they may be repeated."""
_ROUNDS = 2_000
"""How often each entity may be mended for a start, on average."""
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
    everybody = np.concatenate(components)
    walks = [_start(places, everybody, rng) for _ in range(N_WALKS)]
    found = [
        all(_finds_world(places, entities, state, rng) for state in walks)
        for entities in components
    ]
    movable = [entities for entities, is_placed in zip(components, found, strict=True) if is_placed]
    per_batch = -(-n_samples // N_BATCHES)
    means = np.full((N_BATCHES, len(everybody)), np.nan)
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
        _forget_start(places, entities, state, per_batch, rng)
        for _ in range(N_BATCHES // N_WALKS):
            means.append(_walk(places, entities, state, per_batch, rng) / per_batch)
    return np.array(means)


def _forget_start(
    places: Places, entities: IntArray, state: State, per_batch: int, rng: np.random.Generator
) -> None:
    """Walk on for as long as fewer and fewer entities have the true value that they started with."""
    n_sweeps, before = max(per_batch, _BURN_IN), np.inf
    for _ in range(_MOST_BURN_INS):
        now = float(_walk(places, entities, state, n_sweeps, rng).mean())
        if now >= before:
            return
        before = now


def _start(places: Places, entities: IntArray, rng: np.random.Generator) -> State:
    """Rows for as many entities as are found, of the true value for each person."""
    rows = places.rows
    slot = np.repeat(np.arange(len(places.time)), np.diff(places.starts))
    entity = places.entity[slot]
    true_value = places.true_value[entity]
    is_true = (true_value < 0) | (rows.value[rows.kind[places.row]] == true_value)
    kept = is_true & np.isin(entity, entities)
    slot, row = slot[kept], places.row[kept]
    row_of, slot_in = np.full(len(places.time), -1), np.full(int(rows.starts[-1]), -1)
    order = rng.permutation(len(places.time))  # another matching for every start
    size = (len(places.time), len(slot_in))
    pairs = (np.ones(len(row)), (order[slot], row))
    column = maximum_bipartite_matching(csr_array(pairs, shape=size), perm_type="column")[order]
    placed = np.flatnonzero(column >= 0)
    row_of[placed], slot_in[column[placed]] = column[placed], placed
    _put_out(places, np.unique(places.entity[row_of < 0]), row_of, slot_in)
    starts = np.concatenate([[0], np.cumsum(np.bincount(slot, minlength=len(places.time)))])
    whole = entities[row_of[places.first[entities]] >= 0]
    mend(rng, _ROUNDS, whole, places.first, places.entity, starts, row, rows.kind, row_of, slot_in)
    changes = rows.kind[row_of] != rows.kind[row_of[places.first[places.entity]]]
    _put_out(places, np.unique(places.entity[changes]), row_of, slot_in)
    return row_of, slot_in


def _put_out(places: Places, entities: IntArray, row_of: IntArray, slot_in: IntArray) -> None:
    slots = np.flatnonzero(np.isin(places.entity, entities) & (row_of >= 0))
    slot_in[row_of[slots]] = -1
    row_of[slots] = -1


def _finds_world(
    places: Places, entities: IntArray, state: State, rng: np.random.Generator
) -> bool:
    """Whether rows are found for those of a component that have none at the start."""
    rows = places.rows
    waiting = entities[state[0][places.first[entities]] < 0]
    n_left = find_world(
        rng,
        _STEPS * len(entities),
        waiting,
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
