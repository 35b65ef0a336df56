# SPDX-License-Identifier: Apache-2.0
"""Associations of two columns: Pearson's r, Cramér's V and the correlation ratio."""

from __future__ import annotations

import math

import numpy as np

from scoring.tables.equivalence import FloatArray, IntArray

_DENSE = 4
"""Cells are counted in an array up to this many times the records, above by sorting."""


def pearson(numbers: FloatArray) -> list[float]:
    """r of each pair of columns, in order; 0 where one is constant.

    Examples
    --------
    >>> [round(r, 6) for r in pearson(np.array([[1.0, 2.0], [2.0, 4.0], [3.0, 7.0]]))]
    [0.993399]
    """
    centered = _centered(numbers)
    lengths = np.sqrt((centered**2).sum(axis=0))
    lengths[lengths == 0] = 1.0
    r = centered.T @ centered / np.outer(lengths, lengths)
    return [float(value) for value in np.clip(r[np.triu_indices(len(r), k=1)], -1.0, 1.0)]


def cramers_v(one: IntArray, two: IntArray, *, is_corrected: bool = True) -> float:
    """Cramér's V of two columns of codes, by default with Bergsma's correction for few records.

    Parameters
    ----------
    one, two : int64 arrays, shape (n_records,)
        The levels of each record, from 0; levels that do not occur play no part.
    is_corrected : bool
        False gives sqrt(chi² / (n (min(rows, columns) - 1))).

    Returns
    -------
    float
        From 0, independent or one column constant, to 1, each determines the other.

    Notes
    -----
    Bergsma, “A bias-correction for Cramér's V and Tschuprow's T”, section 2.

    Examples
    --------
    >>> one, two = np.repeat([0, 0, 1, 1], [12, 7, 6, 7]), np.repeat([0, 1, 0, 1], [12, 7, 6, 7])
    >>> round(cramers_v(one, two, is_corrected=False), 7)
    0.1683451
    """
    n, width = len(one), int(two.max()) + 1
    in_row, in_column = np.bincount(one), np.bincount(two)
    n_rows, n_columns = float(np.count_nonzero(in_row)), float(np.count_nonzero(in_column))
    if min(n_rows, n_columns) < 2:
        return 0.0
    cells, counts = _cells(one * width + two, len(in_row) * width)
    margins = in_row[cells // width] * in_column[cells % width]
    # chi² / n over the cells that occur: the sum of O² / E over all cells, less n, over n.
    phi2 = max(0.0, math.fsum((counts.astype(np.float64) ** 2 / margins).tolist()) - 1)
    if is_corrected:
        phi2 = max(0.0, phi2 - (n_rows - 1) * (n_columns - 1) / (n - 1))
        n_rows -= (n_rows - 1) ** 2 / (n - 1)
        n_columns -= (n_columns - 1) ** 2 / (n - 1)
    freedom = min(n_rows, n_columns) - 1
    return min(1.0, math.sqrt(phi2 / freedom)) if freedom > 0 else 0.0


def correlation_ratio(codes: IntArray, numbers: FloatArray) -> list[float]:
    """For each column of numbers, the square root of the share of its variance between the levels.

    Parameters
    ----------
    codes : int64 array, shape (n_records,)
        The level of each record, from 0.
    numbers : float64 array, shape (n_records, n_columns)

    Returns
    -------
    list of float
        From 0, all levels have the same mean or the column is constant, to 1, a level determines
        the number.

    Notes
    -----
    Fisher, “Statistical methods for research workers”, section 45.

    Examples
    --------
    >>> correlation_ratio(np.array([0, 0, 1, 1]), np.array([[1.0], [3.0], [1.0], [3.0]]))
    [0.0]
    """
    sizes = np.maximum(np.bincount(codes), 1)
    found = []
    for centered in _centered(numbers).T:
        total = float(centered @ centered)
        means = np.bincount(codes, weights=centered) / sizes
        between = float((sizes * means**2).sum())
        found.append(min(1.0, math.sqrt(between / total)) if total > 0 else 0.0)
    return found


def _cells(joint: IntArray, n_cells: int) -> tuple[IntArray, IntArray]:
    """The cells that occur, in order, and how often."""
    if n_cells > _DENSE * len(joint):
        return np.unique(joint, return_counts=True)
    counts = np.bincount(joint, minlength=n_cells).astype(np.int64)
    cells = np.flatnonzero(counts)
    return cells, counts[cells]


def _centered(numbers: FloatArray) -> FloatArray:
    """Each column less its mean; 0 all over where it is constant."""
    # Less the minimum first: large amounts a ten-thousandth apart would drown in the mean's rounding.
    shifted = numbers - numbers.min(axis=0)
    means = [math.fsum(column.tolist()) / len(column) for column in shifted.T]
    centered: FloatArray = shifted - np.array(means)
    return centered
