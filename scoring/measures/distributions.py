# SPDX-License-Identifier: Apache-2.0
"""Similarity of distributions and of records: what an anonymized table still says about its original.

All look at the scored columns, quasi-identifiers and sensitive ones. Where cells are counted, a
number stands in bins that end at the tenths of X's values (`scoring.scores.coding.bins`); what
lies outside X's range falls into two further bins.
"""

from __future__ import annotations

import math
from collections.abc import Sequence

import numpy as np

from scoring.measures.associations import correlation_ratio, cramers_v, pearson
from scoring.measures.loss import change, is_changed, share_of_range
from scoring.scores.coding import Coded, CodedTable, cells, coded_pair, pairs, scored
from scoring.scores.comparison import Comparison, Options
from scoring.tables.equivalence import FloatArray, IntArray

DEFAULT = Options()
SMOOTHING = 0.5
"""The constant added to the count of every cell before logarithms of shares are taken."""
_DENSE = 4
"""Joint cells are counted in an array up to this many times the records, above by sorting."""


def marginal_difference(comparison: Comparison, options: Options = DEFAULT) -> float | None:
    """Mean over the scored columns of the total variation between X's and Y's distribution.

    The total variation is half the sum over the column's cells of \\|share in X - share in Y\\|: the
    share of records that would have to change cell.

    Parameters
    ----------
    comparison : Comparison
        X with n_original and Y with n_anonymized records; the declared rows play no part. A number's
        cells are bins that end at the tenths of X's values, and one below and one above X's range.

    Returns
    -------
    float or None
        0 where every column keeps its shares, 1 where no value stays in a cell of X; None without a
        scored column.

    Notes
    -----
    Total variation of the one-way marginals, as in Tao et al., “Benchmarking differentially private
    synthetic data generation algorithms”, section on the metrics of marginals.

    Examples
    --------
    >>> from scoring.examples import comparison
    >>> marginal_difference(comparison("unified"))
    0.1
    """
    coded, original, anonymized = coded_pair(comparison)
    found = [
        _total_variation(x, y, n_cells, len(original), len(anonymized))
        for n_cells, (x, y) in cells(coded)
    ]
    return _mean(found)


def pair_difference(comparison: Comparison, options: Options = DEFAULT) -> float | None:
    """Mean over the pairs of scored columns of the total variation between X's and Y's joint distribution.

    Half the sum over the pair's joint cells of \\|share in X - share in Y\\|.

    Parameters
    ----------
    comparison : Comparison
        X with n_original and Y with n_anonymized records; the declared rows play no part. A number's
        cells are bins that end at the tenths of X's values, and one below and one above X's range.

    Returns
    -------
    float or None
        0 where every pair keeps its joint shares, 1 where no pair of values stays in a cell of X;
        at least the difference of one-way marginals. None with fewer than two scored columns.

    Notes
    -----
    Total variation of the two-way marginals, as in Tao et al., “Benchmarking differentially private
    synthetic data generation algorithms”, section on the metrics of marginals.

    Examples
    --------
    >>> from scoring.examples import comparison
    >>> pair_difference(comparison("unified"))
    0.2
    """
    coded, original, anonymized = coded_pair(comparison)
    columns = cells(coded)
    found = []
    for i, j in pairs(len(columns)):
        (n_i, (x_i, y_i)), (n_j, (x_j, y_j)) = columns[i], columns[j]
        joint_x, joint_y = x_i * n_j + x_j, y_i * n_j + y_j
        n_cells = n_i * n_j
        if n_cells > _DENSE * (len(joint_x) + len(joint_y)):
            _levels, codes = np.unique(np.concatenate([joint_x, joint_y]), return_inverse=True)
            joint_x, joint_y = codes[: len(joint_x)], codes[len(joint_x) :]
            n_cells = int(codes.max()) + 1
        found.append(_total_variation(joint_x, joint_y, n_cells, len(original), len(anonymized)))
    return _mean(found)


def divergence(comparison: Comparison, options: Options = DEFAULT) -> float | None:
    """Mean over the scored columns of the Kullback-Leibler divergence of Y's distribution from X's, in nats.

    The sum over cells of p ln(p / q), where p and q are the shares in X and in Y after 0.5 was added
    to the count of every cell that occurs in either table. So no cell is empty.

    Parameters
    ----------
    comparison : Comparison
        X with n_original and Y with n_anonymized records; the declared rows play no part. A number's
        cells are bins that end at the tenths of X's values, and one below and one above X's range.

    Returns
    -------
    float or None
        0 where every column keeps its smoothed shares, without an upper end; None without a scored
        column.

    Notes
    -----
    The lecture contest names the sum over columns of the divergence for categories and no rule for
    empty cells, where it would be infinite; here it is the mean, so that tables with other numbers of
    columns compare. Adding 0.5 is the estimator of Krichevsky & Trofimov, “The performance of
    universal encoding”.

    Examples
    --------
    >>> from scoring.examples import comparison
    >>> round(divergence(comparison("unified")), 6)
    0.102165
    """
    coded, _original, _anonymized = coded_pair(comparison)
    return _mean([_divergence(x, y, n_cells) for n_cells, (x, y) in cells(coded)])


def category_association_difference(
    comparison: Comparison, options: Options = DEFAULT
) -> float | None:
    """Mean over the pairs of category columns of \\|V_X - V_Y\\|, V being Cramér's with Bergsma's correction.

    V is 0 where two columns are independent or one is constant, 1 where each determines the other.

    Returns
    -------
    float or None
        0 where every association is kept, 1 where each turns from none to complete or back; None
        with fewer than two scored category columns.

    Notes
    -----
    Bergsma, “A bias-correction for Cramér's V and Tschuprow's T”, section 2. Without the correction
    V grows with the number of values where records are few, so that merging values itself would move
    it.

    Examples
    --------
    >>> from scoring.examples import comparison
    >>> round(category_association_difference(comparison("unified")), 6)
    0.333333
    """
    coded, original, anonymized = coded_pair(comparison)
    found = []
    for i, j in pairs(len(coded.categories)):
        one, two = coded.categories[i], coded.categories[j]
        v = [cramers_v(_codes(t, one), _codes(t, two)) for t in (original, anonymized)]
        found.append(abs(v[0] - v[1]))
    return _mean(found)


def association_difference(comparison: Comparison, options: Options = DEFAULT) -> float | None:
    """Mean over all pairs of scored columns of \\|a_X - a_Y\\|, a being an association that suits their kinds.

    Two numbers: Pearson's r. Two categories: Cramér's V with Bergsma's correction. A category and a
    number: the correlation ratio, the square root of the share of the number's variance that lies
    between the category's values.

    Parameters
    ----------
    options : Options
        None applies. An association with a constant column is 0.

    Returns
    -------
    float or None
        0 where every association is kept, 2 where each is a correlation that turns from 1 to -1;
        None with fewer than two scored columns.

    Notes
    -----
    The correlation ratio is Pearson's, as in Fisher, “Statistical methods for research workers”,
    section 45. U4 uses the numeric sensitive columns only.

    Examples
    --------
    >>> from scoring.examples import comparison
    >>> round(association_difference(comparison("noise")), 6)
    0.034947
    """
    coded, original, anonymized = coded_pair(comparison)
    x, y = _associations(coded, original), _associations(coded, anonymized)
    return _mean([abs(x[pair] - y[pair]) for pair in pairs(len(coded.columns))])


def squared_difference(comparison: Comparison, options: Options = DEFAULT) -> float | None:
    """Mean over records r of Y of the sum over numeric columns j of (Y[r,j] - X[source[r],j])².

    The squared Euclidean distance of a record from its original, in the columns' squared unit.

    Parameters
    ----------
    comparison : Comparison
        X with n_original and Y with n_anonymized records, and the declared rows; numeric scored
        columns.

    Returns
    -------
    float or None
        0 where every record keeps its numbers, without an upper end; None without a numeric scored
        column. Deleted records play no part.

    Notes
    -----
    The lecture contest's Euclidean loss is the sum over records; here it is divided by their number,
    so that deleting records does not pay. Columns are not scaled: the widest decides.

    Examples
    --------
    >>> from scoring.examples import comparison
    >>> squared_difference(comparison("noise"))
    425.0
    """
    names = [column.name for column in scored(comparison.schema) if column.is_numeric]
    if not names:
        return None
    total = np.zeros(len(comparison.anonymized))
    for name in names:
        total += change(comparison, name) ** 2
    return _mean(total.tolist())


def normalised_loss(comparison: Comparison, options: Options = DEFAULT) -> float | None:
    """Mean over the scored columns and the records of X of how much of a cell was lost.

    A number loses \\|x - y\\| / range(X_j), a category 0 where it is kept and 1 where not, and every
    cell of a deleted record 1.

    Parameters
    ----------
    comparison : Comparison
        X with n_original and Y with n_anonymized records, and the declared rows.

    Returns
    -------
    float or None
        0 where nothing is lost, 1 where every record is deleted; numbers outside X's range can exceed
        it. A number that is constant in X loses 0 where equal and 1 where not. None without a scored
        column.

    Notes
    -----
    `LOSS`, the lecture contest's, takes all columns in that are no identifiers, and no cell loses
    more than 1 there.

    Examples
    --------
    >>> from scoring.examples import comparison
    >>> round(normalised_loss(comparison("unified")), 6)
    0.1
    """
    found = []
    n_deleted = comparison.prepared.n_records - len(comparison.anonymized)
    for column in scored(comparison.schema):
        lost = (share_of_range if column.is_numeric else is_changed)(comparison, column.name)
        found.append((math.fsum(lost.tolist()) + n_deleted) / comparison.prepared.n_records)
    return _mean(found)


def largest_change(comparison: Comparison, options: Options = DEFAULT) -> float | None:
    """Largest change of a record: of one of its numbers, in the column's unit, or the number of its changed categories.

    Parameters
    ----------
    comparison : Comparison
        X and Y, and the declared rows.

    Returns
    -------
    float or None
        0 where every record keeps its values, without an upper end; None without a scored column. Deleted records play
        no part.

    Notes
    -----
    PWS Cup 2021 bounds it (information loss) by 6 and 4 over age, body mass index and the changed categories.

    Examples
    --------
    >>> from scoring.examples import comparison
    >>> largest_change(comparison("unified")), largest_change(comparison("noise"))
    (1.0, 20.0)
    """
    columns = scored(comparison.schema)
    if not columns:
        return None
    changed = np.zeros(len(comparison.anonymized))
    found = [0.0]
    for column in columns:
        if column.is_numeric:
            found.append(float(np.abs(change(comparison, column.name)).max(initial=0)))
        else:
            changed += is_changed(comparison, column.name)
    return max(*found, float(changed.max(initial=0)))


def _total_variation(x: IntArray, y: IntArray, n_cells: int, n_x: int, n_y: int) -> float:
    """Half the sum of the differences of shares, in whole numbers until the last division."""
    counts_x = np.bincount(x, minlength=n_cells)
    counts_y = np.bincount(y, minlength=n_cells)
    return int(np.abs(counts_x * n_y - counts_y * n_x).sum()) / (2 * n_x * n_y)


def _divergence(x: IntArray, y: IntArray, n_cells: int) -> float:
    counts_x = np.bincount(x, minlength=n_cells)
    counts_y = np.bincount(y, minlength=n_cells)
    occurs = (counts_x > 0) | (counts_y > 0)
    p, q = counts_x[occurs] + SMOOTHING, counts_y[occurs] + SMOOTHING
    p, q = p / p.sum(), q / q.sum()
    return max(0.0, math.fsum((p * np.log(p / q)).tolist()))


def _associations(coded: Coded, table: CodedTable) -> dict[tuple[int, int], float]:
    """The association of each pair of columns, the smaller position first."""
    found = dict(zip(_numeric_pairs(coded), pearson(_numbers(coded, table)), strict=True))
    for i, j in pairs(len(coded.categories)):
        one, two = coded.categories[i], coded.categories[j]
        found[one, two] = cramers_v(_codes(table, one), _codes(table, two))
    numbers = _numbers(coded, table)
    for category in coded.categories:
        ratios = correlation_ratio(_codes(table, category), numbers)
        for number, ratio in zip(coded.numeric, ratios, strict=True):
            found[min(category, number), max(category, number)] = ratio
    return found


def _numeric_pairs(coded: Coded) -> list[tuple[int, int]]:
    return [(coded.numeric[i], coded.numeric[j]) for i, j in pairs(len(coded.numeric))]


def _numbers(coded: Coded, table: CodedTable) -> FloatArray:
    matrix = np.empty((len(table), len(coded.numeric)), order="F")
    for position, column in enumerate(coded.numeric):
        matrix[:, position] = table.columns[column]
    return matrix


def _codes(table: CodedTable, position: int) -> IntArray:
    return table.columns[position].astype(np.int64)


def _mean(values: Sequence[float]) -> float | None:
    return math.fsum(values) / len(values) if values else None
