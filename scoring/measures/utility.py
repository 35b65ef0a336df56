# SPDX-License-Identifier: Apache-2.0
"""Utility U1–U6: what was lost, 0 where nothing was.

Source of the six names: Ito & Kikuchi, PWSCup 2015 evaluation, Table 1. Sensitive columns are the
numeric sensitive columns of the schema.
"""

from __future__ import annotations

import math

import numpy as np

from scoring.kernels import amounts
from scoring.kernels.parts import in_parts
from scoring.scores.comparison import Comparison, Options, correlations
from scoring.scores.sums import differences_of_means, exact_mean
from scoring.tables.equivalence import IntArray

DEFAULT = Options()


def mean_difference(comparison: Comparison, options: Options = DEFAULT) -> float | None:
    """Mean over the sensitive columns j of \\|mean(X_j) - mean(Y_j)\\|, in the columns' unit.

    A difference of column means, not record by record: swapping, averaging within a class and
    permuting leave it at 0.

    Returns
    -------
    float or None
        0 where every column keeps its mean, without an upper end; None without a numeric sensitive
        column.

    Notes
    -----
    meanMAE of the paper's Table 1. The text calls it a mean absolute error; its Table 11 (0 for
    averaging and for swapping) shows that column means are compared. Means are compared before
    they are rounded.

    Examples
    --------
    >>> from scoring.examples import comparison
    >>> mean_difference(comparison("noise"))
    1.25
    """
    if not comparison.schema.sensitive_numeric:
        return None
    return exact_mean(differences_of_means(comparison.prepared.totals, comparison.totals))


def cell_mean_difference(comparison: Comparison, options: Options = DEFAULT) -> float | None:
    """Mean over cells and sensitive columns of \\|cell mean in X - cell mean in Y\\|, in their unit.

    The cells are those of the joint cross-tabulation of the schema's `cross` columns. A cell that
    is empty in one table has mean 0 there.

    Parameters
    ----------
    options : Options
        `cells`: those present in Y, or those present in X or Y.

    Returns
    -------
    float or None
        0 where every cell keeps its means, without an upper end; None without a `cross` column or
        without a numeric sensitive column.

    Notes
    -----
    crossMean of the paper's Table 1; its Table 11 fits a mean over the cells of Y. The paper's U2
    of D_F and D_G cannot come from a cross-tabulation on quasi-identifiers, which operations
    within a class leave unchanged. Counting the cells of Y only rewards emptying cells; the option
    "union" does not.

    Examples
    --------
    >>> from scoring.examples import comparison
    >>> cell_mean_difference(comparison("noise"))
    13.75
    """
    if not (comparison.schema.cross and comparison.schema.sensitive_numeric):
        return None
    counted = _counted_cells(comparison, options)
    x, y = comparison.prepared.cell_sums.at(counted), comparison.cell_sums.at(counted)
    return exact_mean(differences_of_means(x, y))


def cell_count_difference(comparison: Comparison, options: Options = DEFAULT) -> float | None:
    """Mean over cells of \\|number of records in X - number of records in Y\\|, in records.

    Parameters
    ----------
    options : Options
        `cells`: the cells of the `cross` columns present in Y, or those present in X or Y.

    Returns
    -------
    float or None
        0 where every cell keeps its number of records, without an upper end; None without a
        `cross` column.

    Notes
    -----
    crossCnt of the paper's Table 1; its Table 11 fits the cells of Y (5.833 = 70/12, .097 = 7/72).
    The paper's Table 10 shows noise on amounts as a small loss here; its Table 11 has the 0 that
    the definition gives.

    Examples
    --------
    >>> from scoring.examples import comparison
    >>> cell_count_difference(comparison("unified"))
    1.0
    """
    if not comparison.schema.cross:
        return None
    counted = _counted_cells(comparison, options)
    x = np.zeros(len(comparison.cell_vectors.sizes), dtype=np.int64)
    x[: comparison.prepared.cells.n_classes] = comparison.prepared.cell_sums.counts
    differences = np.abs(x - comparison.cell_vectors.sizes)[counted]
    return int(differences.sum()) / len(counted)


def correlation_difference(comparison: Comparison, options: Options = DEFAULT) -> float | None:
    """Mean over the pairs of distinct sensitive columns of \\|r_X - r_Y\\|, r being Pearson's.

    A column that is constant in a table has r = 0 with every other there.

    Returns
    -------
    float or None
        0 where every correlation is kept, 2 where each turns from 1 to -1; None with fewer than
        two numeric sensitive columns, which have no pair.

    Notes
    -----
    corMAE of the paper's Table 1, which does not say whether the diagonal, always 0, is averaged
    in; here it is not.

    Examples
    --------
    >>> from scoring.examples import comparison
    >>> round(correlation_difference(comparison("noise")), 6)
    0.113857
    """
    if len(comparison.schema.sensitive_numeric) < 2:
        return None
    means = comparison.totals.means()
    found = correlations(comparison.alignment.rows, means, comparison.threads)
    return exact_mean(np.abs(comparison.prepared.correlations - found))


def record_difference(comparison: Comparison, options: Options = DEFAULT) -> float | None:
    """Mean over records r of Y and sensitive columns j of \\|Y[r,j] - X[source[r],j]\\| / range(X_j).

    The only utility measure that follows the declared rows. A column that is constant in X counts
    0 where Y equals it and 1 where not.

    Parameters
    ----------
    comparison : Comparison
        X with n_original and Y with n_anonymized records, and the declared rows.

    Returns
    -------
    float or None
        0 where every record keeps its values; 1 is a whole range off in every cell, and values
        outside the original's range can exceed it. None without a numeric sensitive column.

    Notes
    -----
    IL of the paper's Table 1, which calls it the mean absolute error of the values and leaves the
    division by the range unsaid; its Tables 11 and 12 are too small for undivided amounts.

    Examples
    --------
    >>> from scoring.examples import comparison
    >>> record_difference(comparison("noise"))
    0.040625
    """
    if not comparison.schema.sensitive_numeric:
        return None
    rows, places = comparison.alignment.rows, comparison.alignment.places
    points = comparison.prepared.index.in_classes.points
    n_chunks = -(-len(rows) // amounts.CHUNK)
    high, low = np.zeros((n_chunks, rows.shape[1])), np.zeros((n_chunks, rows.shape[1]))
    changed = np.zeros((n_chunks, rows.shape[1]), dtype=np.int64)

    def work(begin: int, end: int) -> None:
        amounts.add_differences(points, rows, places, begin, end, high, low, changed)

    in_parts(n_chunks, comparison.threads, work, n_each=amounts.CHUNK)
    lost = [
        math.fsum(parts) / span if span else float(n_changed)
        for parts, span, n_changed in zip(
            np.concatenate([high, low]).T.tolist(),
            comparison.prepared.spans.tolist(),
            changed.sum(axis=0).tolist(),
            strict=True,
        )
    ]
    return math.fsum(lost) / rows.size


def records_deleted(comparison: Comparison, options: Options = DEFAULT) -> int:
    """n_original - n_anonymized, the number of deleted records.

    Parameters
    ----------
    comparison : Comparison
        X with n_original and Y with n_anonymized records.

    Returns
    -------
    int
        0 where none was deleted, n_original - 1 where one is left.

    Notes
    -----
    nrow of the paper's Table 1, which names the number of records; its Table 11 shows the
    difference.

    Examples
    --------
    >>> from scoring.examples import comparison
    >>> records_deleted(comparison("noise"))
    0
    """
    return comparison.prepared.n_records - comparison.n_records


def _counted_cells(comparison: Comparison, options: Options) -> IntArray:
    """The cells that count: those that Y fills, or all."""
    sizes = comparison.cell_vectors.sizes
    is_union = options.cells == "union"
    return np.arange(len(sizes), dtype=np.int64) if is_union else np.flatnonzero(sizes)
