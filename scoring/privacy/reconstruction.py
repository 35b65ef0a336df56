# SPDX-License-Identifier: Apache-2.0
"""Reconstruction of a table from its randomized version, by iterating Bayes' rule (an EM algorithm)."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Literal

import numpy as np
from numpy.typing import ArrayLike

from scoring.privacy.domains import Floats, Rho, checked_rhos, checked_sizes
from scoring.privacy.post_randomization import mix
from scoring.privacy.tables import checked_table

Start = Literal["uniform", "observed"]
STARTS: tuple[Start, ...] = ("uniform", "observed")
TOLERANCE, MAX_ITERATIONS = 1e-9, 1000


@dataclass(frozen=True, slots=True)
class Reconstruction:
    """An estimate of the original table, and how far the iteration came.

    Attributes
    ----------
    table : float64 array
        Estimated counts, 0 or more, with the total of the observed table.
    iterations : int
        How many were made.
    change : float
        How much the last one changed: the sum of absolute changes, as a share of the total.
    converged : bool
        Whether the change was at most the tolerance; otherwise the limit was reached, and the
        estimate depends on where it started.
    """

    table: Floats
    iterations: int
    change: float
    converged: bool


def iterative_bayes(
    observed: ArrayLike,
    sizes: Sequence[int],
    rho: Rho,
    *,
    start: Start | ArrayLike = "uniform",
    prior: float = 0.0,
    tolerance: float = TOLERANCE,
    max_iterations: int = MAX_ITERATIONS,
) -> Reconstruction:
    """The table that most likely became the observed one by Pk-anonymization, iterated from a start.

    z ← z A(y / (z A)) with the observed counts y and the matrix A of randomization, which is applied
    attribute by attribute: an iteration takes time in proportion to the cells times the
    attributes, and memory for five tables.

    Parameters
    ----------
    observed
        Counts of shape `sizes`, 0 or more.
    sizes, rho
        The domain, and the retention parameter of all attributes or of each.
    start
        "uniform", the observed table itself, or a table of positive numbers: a cell that
        starts at 0 stays there.
    prior
        Records that each iteration adds to every cell before the total is restored; 0 or more. Above 0 the result
        is the most probable table under a Dirichlet prior of parameter 1 + `prior`, of which there is only one:
        neither the start nor the limit decides it.
    tolerance
        The change, as in `Reconstruction.change`, at which the iteration stops; 0 or more.
    max_iterations
        The number of iterations at which it stops in any case; 0 or more.

    Returns
    -------
    Reconstruction
        The likelihood, with a prior the probability, never falls from one iteration to the next. At a small ε the
        likelihood is nearly flat, so that without a prior the stopping rule decides the result: name it with every
        result.

    Raises
    ------
    ValueError
        A table has another shape, a negative number or an empty total, or a parameter is wrong.

    Notes
    -----
    Yamaguchi, Terada & Yoshiura on batch and interactive disclosure under differential privacy,
    equation 3 (start, tolerance and limit are not given there); Agrawal, Srikant & Thomas,
    "Privacy Preserving OLAP". The prior: Dempster, Laird & Rubin, "Maximum Likelihood from Incomplete Data via
    the EM Algorithm", on posterior modes.

    Examples
    --------
    Without noise the expected table leads back to the original.

    >>> from scoring.privacy.post_randomization import expected_table
    >>> observed = expected_table([[80, 10], [5, 15]], (2, 2), 0.8)
    >>> found = iterative_bayes(observed, (2, 2), 0.8)
    >>> found.table.round(3).tolist(), found.converged
    ([[80.0, 10.0], [5.0, 15.0]], True)

    Of ten records, nine with the same value; a prior keeps the other value possible.

    >>> [iterative_bayes([9, 1], (2,), 0.5, prior=p).table.round(2).tolist() for p in (0, 1)]
    [[10.0, 0.0], [8.43, 1.57]]
    """
    sizes = checked_sizes(sizes)
    counts = checked_table(observed, sizes)
    [found] = iterative_bayes_each(
        counts[None],
        sizes,
        rho,
        start=start,
        prior=prior,
        tolerance=tolerance,
        max_iterations=max_iterations,
    )
    return found


def iterative_bayes_each(
    observed: ArrayLike,
    sizes: Sequence[int],
    rho: Rho,
    *,
    start: Start | ArrayLike = "uniform",
    prior: float = 0.0,
    tolerance: float = TOLERANCE,
    max_iterations: int = MAX_ITERATIONS,
) -> list[Reconstruction]:
    """`iterative_bayes` of several observed tables along a first axis; each stops by itself.

    Examples
    --------
    >>> found = iterative_bayes_each([[9, 1], [5, 5]], (2,), 0.5, max_iterations=100)
    >>> [(each.table.round().tolist(), each.converged) for each in found]
    [([10.0, 0.0], True), ([5.0, 5.0], True)]
    """
    sizes = checked_sizes(sizes)
    rhos = checked_rhos(rho, sizes)
    if not 0 <= prior < math.inf:
        raise ValueError(f"prior: expected a finite number of at least 0, got {prior}")
    if not tolerance >= 0 or max_iterations < 0:
        raise ValueError(
            f"tolerance, max_iterations: expected 0 or more, got {tolerance} and {max_iterations}"
        )
    y = checked_table(observed, sizes, leading=True)
    totals = y.reshape(len(y), -1).sum(axis=1)
    if not (totals > 0).all():
        raise ValueError("table: expected at least one record, got none")
    z = _started(start, y, totals, sizes)
    running = np.arange(len(y))
    iterations, changes = np.zeros(len(y), dtype=np.int64), np.full(len(y), np.inf)
    result = z if len(y) == 1 else z.copy()
    for _ in range(max_iterations):
        changed = _step(z, y, sizes, rhos, prior)
        iterations[running] += 1
        changes[running] = changed / totals[running]
        done = changes[running] <= tolerance
        if done.any():
            result[running[done]] = z[done]
            running, z, y = running[~done], z[~done], y[~done]
            if not len(running):
                break
    else:
        result[running] = z
    return [
        Reconstruction(
            result[i], int(iterations[i]), float(changes[i]), bool(changes[i] <= tolerance)
        )
        for i in range(len(result))
    ]


def _step(
    z: Floats, y: Floats, sizes: tuple[int, ...], rhos: Sequence[float], prior: float
) -> Floats:
    """One iteration in place; the sums of absolute changes."""
    factors = mix(z.copy(), sizes, rhos)
    # Where nothing is expected nothing was observed, or the start excludes it: it stays as it is.
    np.divide(y, factors, out=factors, where=factors > 0)
    mix(factors, sizes, rhos)  # the matrix is symmetric
    factors *= z
    if prior:
        totals = factors.reshape(len(z), -1).sum(axis=1)
        factors += prior
        factors *= (totals / (totals + prior * math.prod(sizes))).reshape(-1, *(1 for _ in sizes))
    z -= factors
    changed: Floats = np.abs(z, out=z).reshape(len(z), -1).sum(axis=1)
    z[...] = factors
    return changed


def _started(start: Start | ArrayLike, y: Floats, totals: Floats, sizes: Sequence[int]) -> Floats:
    scale = totals.reshape(-1, *(1 for _ in sizes))
    if isinstance(start, str):
        if start not in STARTS:
            raise ValueError(f"start: expected {', '.join(STARTS)} or a table, got {start}")
        if start == "observed":
            return y.copy()
        return np.broadcast_to(scale / np.prod(sizes), y.shape).copy()
    first = checked_table(start, sizes)
    if first.sum() == 0:
        raise ValueError("start: expected at least one number above 0, got none")
    return np.broadcast_to(first / first.sum(), y.shape) * scale
