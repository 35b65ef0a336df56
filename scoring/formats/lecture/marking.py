# SPDX-License-Identifier: Apache-2.0
"""Hits of guesses of candidate lines, among the records that were not deleted."""

from __future__ import annotations

import numpy as np

from scoring.scores.options import DECIMALS
from scoring.scores.results import Mark
from scoring.tables.equivalence import IntArray


def mark_kept(key: IntArray, guess: IntArray) -> Mark:
    """Compare guesses of candidate lines with a release's key.

    Parameters
    ----------
    key : int array, shape (n_lines,)
        The 0-based candidate line of each line of the release, -1 for a deleted record.
    guess : int array, shape (n_lines,)
        0-based candidate lines, -1 for no guess, which never hits. What is guessed for a deleted
        record is ignored. Of candidates that are equal in every column only the right line hits.

    Returns
    -------
    Mark
        `n_records` are the records that are not deleted.

    Raises
    ------
    ValueError
        Where the lengths differ or every record is deleted.

    Examples
    --------
    >>> mark_kept(np.array([4, -1, 0, 2]), np.array([4, 3, 0, -1]))
    Mark(n_records=3, hits=2, rate=0.666666667)
    """
    truth, guessed = np.asarray(key), np.asarray(guess)
    if truth.shape != guessed.shape or truth.ndim != 1:
        raise ValueError("expected one guess for each line of the release")
    is_kept = truth >= 0
    n_kept = int(is_kept.sum())
    if not n_kept:
        raise ValueError("expected at least one record that is not deleted")
    hits = int((is_kept & (truth == guessed)).sum())
    return Mark(n_kept, hits, round(hits / n_kept, DECIMALS))
