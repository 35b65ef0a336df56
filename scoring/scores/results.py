# SPDX-License-Identifier: Apache-2.0
"""Guess results: how many records a guess file hits."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np
import numpy.typing as npt

from scoring.scores.options import DECIMALS, DECLARED, EITHER
from scoring.tables.equivalence import IntArray

if TYPE_CHECKING:
    from scoring.scores.content import Contents

BoolArray = npt.NDArray[np.bool_]


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


@dataclass(frozen=True, slots=True)
class Linked:
    """The lines that a guess file links to a record.

    Attributes
    ----------
    declared, content : bool arrays, shape (n_lines,)
        To the declared one, and to one that the line shows by its content; see `scoring.scores.content`.
    right : bool array, shape (n_lines,)
        To the one that counts.
    units : int64 array, shape (n_lines,)
        The record that is found by each right line, and the declared one of the others.
    """

    declared: BoolArray
    content: BoolArray
    right: BoolArray
    units: IntArray

    def rates(self, n_records: int) -> dict[str, float]:
        """Both rates as shares of so many records."""
        both = (("declared", self.declared), ("content", self.content))
        return {name: round(int(right.sum()) / n_records, DECIMALS) for name, right in both}


def linked(
    source: IntArray, guess: IntArray, contents: Contents | None = None, truth: str = DECLARED
) -> Linked:
    """Compare guesses with the declared records, and with those that the lines show.

    Parameters
    ----------
    source, guess : int arrays, shape (n_lines,)
        0-based records, -1 for a deleted line and for no guess; a guess about a deleted line is ignored.
    contents : Contents, optional
        Of the same lines; without it no line shows a record.
    truth : str
        One of `TRUTHS`: a guess is right that names the "declared" record, one of the "content", or "either".

    Examples
    --------
    >>> from scoring.scores.content import Contents
    >>> shown = Contents(np.array([1, 0, -1]), np.arange(3))
    >>> found = linked(np.array([0, 1, 2]), np.array([1, 1, -1]), shown, "either")
    >>> found.right.tolist(), found.rates(3), found.units.tolist()
    ([True, True, False], {'declared': 0.333333333, 'content': 0.333333333}, [1, 1, 2])
    """
    declared = (source == guess) & (source >= 0)
    content = np.zeros(len(source), dtype=np.bool_)
    if contents is not None:
        content = contents.right(guess) & (source >= 0)
    right = {DECLARED: declared, EITHER: declared | content}.get(truth, content)
    units = np.where(right & ~declared, guess, source).astype(np.int64)
    return Linked(declared, content, right, units)
