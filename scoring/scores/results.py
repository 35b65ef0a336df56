# SPDX-License-Identifier: Apache-2.0
"""Guess results: how many records a guess file hits."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from scoring.scores.options import DECIMALS
from scoring.tables.equivalence import IntArray


@dataclass(frozen=True, slots=True)
class Mark:
    """The hits of a guess file: `rate` is `hits` / `n_records`."""

    n_records: int
    hits: int
    rate: float


def mark(source: IntArray, guess: IntArray) -> Mark:
    """Compare guesses with the declared rows.

    Parameters
    ----------
    source, guess : int arrays, shape (n_records,)
        0-based original rows; -1 in `guess` is no guess and never hits.

    Raises
    ------
    ValueError
        Where the lengths differ or there is no record.

    Examples
    --------
    >>> mark(np.array([2, 0, 1]), np.array([2, -1, 0]))
    Mark(n_records=3, hits=1, rate=0.333333333)
    """
    declared, guessed = np.asarray(source), np.asarray(guess)
    if declared.shape != guessed.shape or declared.ndim != 1 or not len(declared):
        raise ValueError("expected one guess for each of one or more records")
    hits = int(((declared == guessed) & (declared >= 0)).sum())
    return Mark(len(declared), hits, round(hits / len(declared), DECIMALS))
