# SPDX-License-Identifier: Apache-2.0
"""Sums and means without accumulated rounding, so that neither order nor size is of account.

Means of amounts near 1e7 are apart by 2e-9 in 64-bit floats, more than the nine decimals that
scores are rounded to: a difference of means is therefore taken before the division rounds.
"""

from __future__ import annotations

import math
from dataclasses import dataclass

import numpy as np

from scoring.kernels import amounts
from scoring.kernels.parts import in_parts
from scoring.tables.equivalence import FloatArray, IntArray, NumberArray, frozen

_SPLITTER = 2.0**27 + 1  # Dekker's: halves a float into two of 26 bits


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
        """The sums of some classes; one that is empty, or that there is not, has mean 0."""
        known = np.minimum(classes, len(self.counts) - 1)
        high, low, counts = self.high[known], self.low[known], self.counts[known]
        is_empty = (known != classes) | (counts == 0)
        high[is_empty], low[is_empty], counts[is_empty] = 0.0, 0.0, 1
        return Sums(high, low, counts)

    def total(self) -> Sums:
        """The sums over all classes, as one class."""
        one_class = np.zeros(len(self.counts), dtype=np.int32)
        high, low = np.zeros((1, self.high.shape[1])), np.zeros((1, self.high.shape[1]))
        for part in (self.high, self.low):
            amounts.add_classes(part, one_class, high, low, 0, high.shape[1])
        counts = np.array([self.counts.sum()], dtype=np.int64)
        return Sums(*_normalized(high, low), frozen(counts))

    def means(self) -> FloatArray:
        """The mean of each column in the one class, and what rounding it lost: shape (2, n_columns)."""
        n_records, high, low = float(self.counts[0]), self.high[0], self.low[0]
        rounded = (high + low) / n_records
        upper, lower = _halves(rounded)  # times a count they are exact, and so is what cancels
        lost = ((high - n_records * upper) - n_records * lower + low) / n_records
        return np.stack([rounded, lost])


def class_sums(values: FloatArray, numbers: NumberArray, n_classes: int, threads: int = 1) -> Sums:
    """Sum the columns of `values` within the classes 0 to `n_classes` - 1."""
    rows = np.ascontiguousarray(values, dtype=np.float64)
    high = np.zeros((n_classes, rows.shape[1]))
    low = np.zeros_like(high)

    n_columns = rows.shape[1]

    def work(begin: int, end: int) -> None:
        first, last = n_columns * begin // threads, n_columns * end // threads
        amounts.add_classes(rows, numbers, high, low, first, last)

    in_parts(threads, threads, work, n_each=len(rows) // threads)
    counts = np.bincount(numbers, minlength=n_classes).astype(np.int64)
    return Sums(*_normalized(high, low), frozen(counts))


def column_sums(values: FloatArray) -> Sums:
    """Sum whole columns: one class."""
    return class_sums(values, np.zeros(len(values), dtype=np.int32), 1)


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


def correlations(
    values: FloatArray, means: FloatArray | None = None, threads: int = 1
) -> FloatArray:
    """Pearson's r of each pair of distinct columns, in order; 0 where a column is constant."""
    rows = np.ascontiguousarray(values, dtype=np.float64)
    n_records, n_columns = rows.shape
    means = column_sums(rows).means() if means is None else means
    n_chunks = -(-n_records // amounts.CHUNK)
    products = np.zeros((n_chunks, n_columns, n_columns))
    changes = np.zeros((n_chunks, n_columns), dtype=np.int64)

    def work(begin: int, end: int) -> None:
        amounts.add_products(rows, means, begin, end, products, changes)

    in_parts(n_chunks, threads, work, n_each=amounts.CHUNK)
    sums = products.sum(axis=0)
    varies = changes.sum(axis=0) > 0
    lengths = np.sqrt(np.where(varies, np.diag(sums), 1.0))
    r = np.where(varies[:, None] & varies, sums / np.outer(lengths, lengths), 0.0)
    pairs: FloatArray = r[np.triu_indices(n_columns, k=1)]
    return pairs


def _normalized(high: FloatArray, low: FloatArray) -> tuple[FloatArray, FloatArray]:
    """The same sums in parts that are equal where the sums are, in whatever order they were added up."""
    total = high + low
    low -= total - high
    return frozen(total), frozen(low)


def _halves(values: FloatArray) -> tuple[FloatArray, FloatArray]:
    scaled = values * _SPLITTER
    upper = scaled - (scaled - values)
    return upper, values - upper
