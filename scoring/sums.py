"""Sums and means without accumulated rounding, so that neither order nor size is of account.

Means of amounts near 1e7 are apart by 2e-9 in 64-bit floats, more than the nine decimals that
scores are rounded to: a difference of means is therefore taken before the division rounds.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from itertools import pairwise

import numpy as np

from scoring.equivalence import FloatArray, IntArray, frozen

_SPLITTER = 2.0**27 + 1  # Dekker's: halves a float into two of 26 bits
_EXACT_INTEGERS = 2.0**53


@dataclass(frozen=True, slots=True)
class Sums:
    """The sum of each column in each class.

    Attributes
    ----------
    high, low : float64 arrays, shape (n_classes, n_columns)
        The sum is high + low, with about 106 bits.
    counts : int64 array, shape (n_classes,)
    """

    high: FloatArray
    low: FloatArray
    counts: IntArray

    def at(self, classes: IntArray) -> Sums:
        """The sums of some classes; -1 stands for an empty one, which has mean 0."""
        is_empty = classes < 0
        high, low, counts = self.high[classes], self.low[classes], self.counts[classes]
        high[is_empty], low[is_empty], counts[is_empty] = 0.0, 0.0, 1
        return Sums(high, low, counts)


def class_sums(values: FloatArray, of_row: IntArray, n_classes: int) -> Sums:
    """Sum the columns of `values` within the classes 0 to `n_classes` - 1, none of them empty."""
    order = np.argsort(of_row, kind="stable")
    counts = np.bincount(of_row, minlength=n_classes).astype(np.int64)
    bounds = np.append(0, np.cumsum(counts)).tolist()
    high = np.empty((n_classes, values.shape[1]))
    low = np.zeros_like(high)
    for position, column in enumerate(values.T):
        ordered = column[order].tolist()
        parts = [ordered[start:end] for start, end in pairwise(bounds)]
        sums = list(map(math.fsum, parts))
        high[:, position] = sums
        if not _is_exact(column):
            low[:, position] = _remainders(parts, sums)
    return Sums(frozen(high), frozen(low), frozen(counts))


def column_sums(values: FloatArray) -> Sums:
    """Sum whole columns: one class."""
    return class_sums(values, np.zeros(len(values), dtype=np.int64), 1)


def differences_of_means(x: Sums, y: Sums) -> FloatArray:
    """\\|mean in x - mean in y\\| for each class and column, rounded about once."""
    n_x, n_y = x.counts[:, None].astype(np.float64), y.counts[:, None].astype(np.float64)
    x_upper, x_lower = _halves(x.high)
    y_upper, y_lower = _halves(y.high)
    # Products of halves and counts are exact, and where the means are close so is what cancels.
    difference = n_y * x_upper - n_x * y_upper
    difference += n_y * x_lower - n_x * y_lower
    difference += n_y * x.low - n_x * y.low
    return np.abs(difference) / (n_x * n_y)


def exact_mean(values: FloatArray) -> float:
    """The mean of all entries, whatever their order."""
    return math.fsum(values.ravel().tolist()) / values.size


def _is_exact(column: FloatArray) -> bool:
    """Whether every sum of entries is a 64-bit float: they are integers, and not too large."""
    return bool((column == np.rint(column)).all() and np.abs(column).sum() < _EXACT_INTEGERS)


def _remainders(parts: Sequence[list[float]], sums: Sequence[float]) -> list[float]:
    return [math.fsum([*part, -total]) for part, total in zip(parts, sums, strict=True)]


def _halves(values: FloatArray) -> tuple[FloatArray, FloatArray]:
    scaled = values * _SPLITTER
    upper = scaled - (scaled - values)
    return upper, values - upper
