# SPDX-License-Identifier: Apache-2.0
"""Phases 1 to 3: which tuples of a table share a bucket, and how many groups each bucket will make.

Division puts a tuple that was published before into the bucket of its signature, balancing fills the values that a
bucket lacks from the new tuples, and assignment spreads the new tuples that are left. Counterfeits fill what a bucket
still lacks: a bucket of height h has h rows of each of its values.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from scoring.errors import Problem, ProblemsFound
from scoring.formats.sequential.boxes import Groups
from scoring.formats.sequential.definitions import Signature, excess, signatures
from scoring.formats.sequential.tables import FloatArray, Microdata, Release
from scoring.tables.equivalence import IntArray

NEW = -1
"""The bucket of a tuple that has none yet."""


@dataclass(frozen=True, slots=True)
class Buckets:
    """Tuples partitioned by signature.

    Attributes
    ----------
    signatures : list of signatures
        One for each bucket, all different.
    of_tuple : int64 array, shape (n,)
        The bucket of each tuple of the snapshot, or `NEW`.
    heights : int64 array, shape (n_buckets,)
        How many groups the bucket will make.
    """

    signatures: list[Signature]
    of_tuple: IntArray
    heights: IntArray


@dataclass(frozen=True, slots=True)
class Step:
    """One step of phase 3: γ tuples and λ values were left, α tuples of each of β values went."""

    gamma: int
    lam: int
    alpha: int
    beta: int
    signature: Signature


def divide(ids: IntArray, before: Release | None, n_ids: int) -> Buckets:
    """Phase 1: the tuples that the release before held, by their signatures in the order of its groups.

    Examples
    --------
    >>> divide(np.array([3, 5]), None, 6).of_tuple
    array([-1, -1])
    """
    found: dict[Signature, int] = {}
    of_id = np.full(n_ids, NEW, dtype=np.int64)
    if before is not None:
        if before.owner is None:
            raise ValueError("before: expected a release whose publisher's secret is known")
        groups = Groups.of(before)
        real = before.owner >= 0
        goes_on = real & np.isin(before.owner, ids)
        of_group = signatures(before)
        for group in np.unique(groups.of_row[goes_on]).tolist():
            found.setdefault(of_group[group], len(found))
        bucket_of = np.array([found.get(signature, NEW) for signature in of_group])
        of_id[before.owner[real]] = bucket_of[groups.of_row[real]]
    return Buckets(list(found), of_id[ids], np.zeros(len(found), dtype=np.int64))


def balance(buckets: Buckets, points: FloatArray, sensitive: IntArray, m: int) -> Buckets:
    """Phase 2: new tuples for what buckets lack, as long as the rest of them stays m-eligible.

    Of each value, the new tuples that lie nearest to the tuples of a bucket are taken.

    Parameters
    ----------
    buckets : Buckets
        As `divide` leaves them.
    points : float64 array, shape (n, d)
        Where tuples are, on scales on which distances mean something.
    sensitive : int64 array, shape (n,)
    m : int
    """
    of_tuple = buckets.of_tuple.copy()
    n_values = int(sensitive.max(initial=-1)) + 1
    n_values = max([n_values, *(signature[-1] + 1 for signature in buckets.signatures)])
    counts = np.zeros((len(buckets.signatures), n_values), dtype=np.int64)
    old = of_tuple != NEW
    np.add.at(counts, (of_tuple[old], sensitive[old]), 1)
    heights = counts.max(axis=1, initial=0)
    lacks = np.zeros_like(counts)
    for bucket, signature in enumerate(buckets.signatures):
        values = list(signature)
        lacks[bucket, values] = heights[bucket] - counts[bucket, values]
    taken = _takes(np.bincount(sensitive[~old], minlength=n_values), lacks.sum(axis=0), m)
    for value in np.flatnonzero(taken).tolist():
        left = int(taken[value])
        for bucket in np.flatnonzero(lacks[:, value]).tolist():
            n = min(left, int(lacks[bucket, value]))
            free = np.flatnonzero((of_tuple == NEW) & (sensitive == value))
            members = points[of_tuple == bucket]
            of_tuple[nearest(points, free, members, n)] = bucket
            left -= n
            if not left:
                break
    return Buckets(buckets.signatures, of_tuple, heights)


def _takes(available: IntArray, lacking: IntArray, m: int) -> IntArray:
    """The number of tuples of each value that may be taken: one at a time of the most frequent value that may be.

    One that leaves the rest further from m-eligible than it is may not.
    """
    rest, wanted = available.copy(), np.minimum(available, lacking)
    taken = np.zeros_like(rest)
    while wanted.any():
        value = int(np.argmax(np.where(wanted > 0, rest, -1)))
        limit = max(0, excess(rest, m))
        rest[value] -= 1
        if excess(rest, m) <= limit:
            wanted[value] -= 1
            taken[value] += 1
        else:
            rest[value] += 1
            wanted[value] = 0
    return taken


def nearest(points: FloatArray, free: IntArray, anchors: FloatArray, n: int) -> IntArray:
    """The n of the `free` tuples nearest to any of the anchors, of equally near ones the first.

    Examples
    --------
    >>> points = np.array([[0.0], [5.0], [6.0], [9.0]])
    >>> nearest(points, np.array([0, 2, 3]), np.array([[5.5], [8.0]]), 2)
    array([2, 3])
    """
    if n == len(free):
        return free
    found: IntArray = free[np.argsort(_distances(points[free], anchors), kind="stable")[:n]]
    return found


def _distances(points: FloatArray, anchors: FloatArray) -> FloatArray:
    """From each point to the nearest anchor."""
    from scipy.spatial import cKDTree

    distances, _neighbours = cKDTree(anchors).query(points)
    found: FloatArray = distances
    return found


def assign(
    buckets: Buckets, points: FloatArray, sensitive: IntArray, m: int
) -> tuple[Buckets, list[Step]]:
    """Phase 3: the new tuples that are left, α of each of the β most frequent values at a time.

    β is the least number of values, at least m, for which an α leaves the rest m-eligible; α is the largest.
    """
    bucket_of = {signature: bucket for bucket, signature in enumerate(buckets.signatures)}
    of_tuple, heights = buckets.of_tuple.copy(), buckets.heights.tolist()
    counts = np.bincount(sensitive[of_tuple == NEW])
    steps = []
    while counts.any():
        step = _step(counts, m)
        steps.append(step)
        bucket = bucket_of.setdefault(step.signature, len(bucket_of))
        if bucket == len(heights):
            heights.append(0)
        heights[bucket] += step.alpha
        for tuples in _chosen(step, counts, points, sensitive, of_tuple):
            of_tuple[tuples] = bucket
        counts[list(step.signature)] -= step.alpha
    return Buckets(list(bucket_of), of_tuple, np.array(heights, dtype=np.int64)), steps


def _step(counts: IntArray, m: int) -> Step:
    order = np.argsort(-counts, kind="stable").tolist()
    gamma, lam = int(counts.sum()), int((counts > 0).sum())
    first = int(counts[order[0]])
    for beta in range(m, lam + 1):
        following = int(counts[order[beta]]) if beta < len(order) else 0
        alpha = min(int(counts[order[beta - 1]]), (gamma - m * following) // beta)
        if beta > m:  # where they are equal, any α keeps the most frequent value below 1 in m
            alpha = min(alpha, (gamma - m * first) // (beta - m))
        if alpha >= 1:
            return Step(gamma, lam, alpha, beta, tuple(sorted(order[:beta])))
    raise AssertionError("tuples that are m-eligible can be assigned")


def _chosen(
    step: Step, counts: IntArray, points: FloatArray, sensitive: IntArray, of_tuple: IntArray
) -> list[IntArray]:
    """α tuples of each value: of the rarest those nearest to all others, of the others what is nearest to them."""
    free = {v: np.flatnonzero((of_tuple == NEW) & (sensitive == v)) for v in step.signature}
    rarest = min(step.signature, key=lambda value: (counts[value], value))
    first = free.pop(rarest)
    apart = np.sum([_distances(points[first], points[other]) for other in free.values()], axis=0)
    first = first[np.argsort(apart, kind="stable")[: step.alpha]]
    return [first, *(nearest(points, t, points[first], step.alpha) for t in free.values())]


def check_eligible(
    buckets: Buckets, sensitive: IntArray, m: int, microdata: Microdata, time: int
) -> None:
    """ProblemsFound where the new tuples that no bucket took up are not m-eligible."""
    rest = sensitive[buckets.of_tuple == NEW]
    counts = np.bincount(rest, minlength=1)
    if excess(counts, m) <= 0:
        return
    value = int(np.argmax(counts))
    params: dict[str, str | int | float] = {
        "value": microdata.sensitive_values[value],
        "expected": len(rest) // m,
        "n": len(rest),
        "m": m,
        "got": int(counts[value]),
    }
    column = microdata.sensitive_name
    raise ProblemsFound([Problem("sequential.not_eligible", params, f"T{time + 1}", column=column)])
