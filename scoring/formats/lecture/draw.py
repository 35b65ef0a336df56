# SPDX-License-Identifier: Apache-2.0
"""A team's records and decoys, drawn from the organizer's table."""

from __future__ import annotations

import numpy as np

from scoring.tables.equivalence import IntArray


def draw(
    n_total: int, sample: int, decoys: int, *, rng: np.random.Generator
) -> tuple[IntArray, IntArray]:
    """Draw a team's records and its decoys uniformly without replacement.

    Parameters
    ----------
    n_total : int
        How many records the organizer's table has.
    sample, decoys : int
        How many to draw of each: 1 or more, and 0 or more.
    rng : numpy.random.Generator

    Returns
    -------
    own : int64 array, shape (sample,)
        0-based rows of the organizer's table, in the order of the team's original table.
    decoys : int64 array, shape (decoys,)
        Further rows; none is in `own`.

    Raises
    ------
    ValueError
        Where there are not so many records.

    Examples
    --------
    >>> own, others = draw(10, 3, 2, rng=np.random.default_rng(1))
    >>> len(own), len(others), len({*own.tolist(), *others.tolist()})
    (3, 2, 5)
    """
    if sample < 1 or decoys < 0:
        raise ValueError(
            f"expected a sample of 1 or more and 0 decoys or more, got {sample} and {decoys}"
        )
    if sample + decoys > n_total:
        raise ValueError(
            f"a sample of {sample} records and {decoys} decoys: expected at most the table's "
            f"{n_total} records, got {sample + decoys}"
        )
    rows = rng.choice(n_total, sample + decoys, replace=False).astype(np.int64)
    return rows[:sample], rows[sample:]


def candidate_table(own: IntArray, decoys: IntArray, *, rng: np.random.Generator) -> IntArray:
    """Shuffle a team's records and its decoys to the lines of its candidate table.

    Parameters
    ----------
    own, decoys : int arrays
        Rows of the organizer's table, all distinct.
    rng : numpy.random.Generator

    Returns
    -------
    int64 array, shape (len(own) + len(decoys),)
        The row of the organizer's table that each candidate line is.

    Raises
    ------
    ValueError
        Where a row is there twice.

    Examples
    --------
    >>> lines = candidate_table(np.array([7, 2]), np.array([5]), rng=np.random.default_rng(1))
    >>> sorted(lines.tolist())
    [2, 5, 7]
    """
    rows = np.concatenate([np.asarray(own), np.asarray(decoys)]).astype(np.int64)
    if len(np.unique(rows)) != len(rows):
        raise ValueError("expected distinct rows: a record and a decoy cannot be the same")
    return rng.permutation(rows)
