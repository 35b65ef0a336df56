# SPDX-License-Identifier: Apache-2.0
"""The release of an aligned table: all its lines shuffled for attackers, and the secret key."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from scoring.tables.equivalence import IntArray


@dataclass(frozen=True, slots=True)
class Release:
    """The lines of a shuffled release.

    Attributes
    ----------
    positions : int64 array, shape (n_lines,)
        Which of the kept records each line is, -1 for the empty line of a deleted one.
    key : int64 array, shape (n_lines,)
        The 0-based line of the candidate table that each line belongs to, -1 for a deleted record.
        It must stay secret.
    """

    positions: IntArray
    key: IntArray


def positions_of(source: IntArray, n_original: int) -> IntArray:
    """The kept record of each line of an aligned table, -1 if its record is deleted.

    Parameters
    ----------
    source : int array, shape (n_kept,)
        The 0-based record of the original that each kept record was made from, all distinct.
    n_original : int
        How many records the original has.

    Raises
    ------
    ValueError
        Where the rows repeat or lie outside.

    Examples
    --------
    >>> positions_of(np.array([0, 3]), 4)
    array([ 0, -1, -1,  1])
    """
    rows = np.asarray(source, dtype=np.int64)
    if len(np.unique(rows)) != len(rows) or (
        len(rows) and not 0 <= rows.min() <= rows.max() < n_original
    ):
        raise ValueError(f"source: expected distinct rows from 0 to {n_original - 1}")
    positions = np.full(n_original, -1, dtype=np.int64)
    positions[rows] = np.arange(len(rows))
    return positions


def release(
    own: IntArray, source: IntArray, candidates: IntArray, *, rng: np.random.Generator
) -> Release:
    """Shuffle all lines of an aligned table, empty ones among them.

    Parameters
    ----------
    own : int array, shape (n_original,)
        The rows of the organizer's table that the team's original is made of.
    source : int array, shape (n_kept,)
        The 0-based record of the team's original that each kept record was made from, distinct.
    candidates : int array, shape (n_candidates,)
        The row of the organizer's table that each line of the candidate table is, distinct.
    rng : numpy.random.Generator

    Returns
    -------
    Release
        Of as many lines as the original has records.

    Raises
    ------
    ValueError
        Where rows repeat or lie outside, or where a record of the original is no candidate.

    Examples
    --------
    >>> own, candidates = np.array([7, 2, 9]), np.array([5, 9, 2, 7])
    >>> found = release(own, np.array([0, 2]), candidates, rng=np.random.default_rng(1))
    >>> sorted(zip(found.positions.tolist(), found.key.tolist()))
    [(-1, -1), (0, 3), (1, 1)]
    """
    positions = positions_of(source, len(own))
    lines = rng.permutation(len(own))
    shuffled = positions[lines]
    key = np.where(shuffled < 0, -1, candidate_lines(own, candidates)[lines])
    return Release(shuffled, key)


def candidate_lines(own: IntArray, candidates: IntArray) -> IntArray:
    """The 0-based line of the candidate table that each record of a team's original is.

    Raises
    ------
    ValueError
        Where a row is there twice or a record of the original is no candidate.

    Examples
    --------
    >>> candidate_lines(np.array([7, 2]), np.array([5, 2, 7]))
    array([2, 1])
    """
    rows, known = np.asarray(own, dtype=np.int64), np.asarray(candidates, dtype=np.int64)
    order = np.argsort(known, kind="stable").astype(np.int64)
    ranked = known[order]
    if (ranked[1:] == ranked[:-1]).any() or len(np.unique(rows)) != len(rows):
        raise ValueError("expected distinct rows in the original and in the candidate table")
    at = np.minimum(np.searchsorted(ranked, rows), max(len(known) - 1, 0))
    if len(rows) and not (len(known) and (ranked[at] == rows).all()):
        raise ValueError("expected every record of the original in the candidate table")
    return order[at]
