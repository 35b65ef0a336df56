# SPDX-License-Identifier: Apache-2.0
"""Costs of a table's classes: discernibility, class sizes, widths of classes, entropy.

The declared rows say which values of X the records of a class had. A deleted record has lost everything.
"""

from __future__ import annotations

import math

import numpy as np
import pandas as pd

from scoring.scores.comparison import Comparison, Options
from scoring.tables import generalization
from scoring.tables.equivalence import Classes, FloatArray, IntArray, comparable

DEFAULT = Options()


def discernibility(comparison: Comparison, options: Options = DEFAULT) -> float:
    """Mean share of the records that a record of X cannot be distinguished from in Y, itself included.

    A deleted record cannot be distinguished from any.

    Parameters
    ----------
    comparison : Comparison
        Y, and the number of records of X.

    Returns
    -------
    float
        1 / n_original if every record is unique, 1 where all are in one class or deleted;
        lower is better.

    Notes
    -----
    Bayardo & Agrawal, "Data Privacy Through Optimal k-Anonymization", discernibility metric, divided by
    n_original².

    Examples
    --------
    >>> from scoring.examples import comparison
    >>> discernibility(comparison("noise"))
    0.5
    """
    n = comparison.prepared.n_records
    sizes = comparison.class_sizes.astype(np.int64)
    return generalization.discernibility(sizes, n, n - comparison.n_records)


def class_average(comparison: Comparison, options: Options = DEFAULT) -> float:
    """Mean size of a class of Y over the size of the smallest: C_avg, with k = S1.

    Parameters
    ----------
    comparison : Comparison
        Y with n_anonymized records; the original plays no part.

    Returns
    -------
    float
        1 where all classes are equally large; lower is better.

    Notes
    -----
    LeFevre, DeWitt & Ramakrishnan, "Mondrian Multidimensional K-Anonymity", normalized average
    equivalence class size; k is the one that Y has, as in pyCANON. S2 / S1.

    Examples
    --------
    >>> from scoring.examples import comparison
    >>> class_average(comparison("noise"))
    1.0
    """
    sizes = comparison.class_sizes
    return comparison.n_records / (len(sizes) * int(sizes.min()))


def certainty_penalty(comparison: Comparison, options: Options = DEFAULT) -> float | None:
    """Mean over the quasi-identifiers and the records of X of the share of a column that a record's class spans.

    Of a number the width of the class's original values over the width of the column, of a category the
    further original values of the class over the further values of the column; of a deleted record 1.

    Parameters
    ----------
    comparison : Comparison
        X and Y with their quasi-identifiers, and the declared rows.

    Returns
    -------
    float or None
        0 where the records of each class had the same quasi-identifiers, 1 where every class spans whole
        columns; lower is better. None without quasi-identifiers.

    Notes
    -----
    Xu et al., "Utility-Based Anonymization Using Local Recoding", normalized certainty penalty, with equal
    weights, of the smallest intervals and sets that hold a class. A generalization that is published may
    be coarser: the loss that `lattice` minimizes is that of its hierarchies.

    Examples
    --------
    >>> from scoring.examples import comparison
    >>> certainty_penalty(comparison("noise")), round(certainty_penalty(comparison("unified")), 6)
    (0.0, 0.0)
    """
    names = comparison.schema.quasi_identifiers
    if not names:
        return None
    classes = Classes.of(comparison.anonymized, names).of_row
    n = comparison.prepared.n_records
    n_deleted = n - comparison.n_records
    found = []
    for name in names:
        values, whole = _original(comparison, name)
        lost = np.zeros(1)
        if whole > 0:
            kept = values[comparison.source]
            lost = generalization.lost_in_groups(classes, kept, whole)[classes]
        found.append((math.fsum(lost.tolist()) + n_deleted) / n)
    return math.fsum(found) / len(found)


def entropy_loss(comparison: Comparison, options: Options = DEFAULT) -> float | None:
    """Mean over the quasi-identifiers of the share of X's information on a value that Y's value leaves open.

    A record loses -log P(its value in X | its value in Y) in a column, a deleted record -log P(its value in
    X), and their sum is divided by what all records would lose if they were deleted.

    Parameters
    ----------
    comparison : Comparison
        X and Y with their quasi-identifiers, and the declared rows.

    Returns
    -------
    float or None
        0 where every value of Y stands for one value of X, by whatever name, 1 where Y says nothing of it;
        lower is better. A column that is constant in X loses 0. None without quasi-identifiers.

    Notes
    -----
    Gionis & Tassa, "k-Anonymization with Minimal Loss of Information", non-uniform entropy measure,
    divided by its largest value as in ARX; P(x | y) is counted among the records of Y.

    Examples
    --------
    >>> from scoring.examples import comparison
    >>> entropy_loss(comparison("noise")), round(entropy_loss(comparison("unified")), 6)
    (0.0, 0.333333)
    """
    names = comparison.schema.quasi_identifiers
    if not names:
        return None
    shares = [_entropy_share(comparison, name) for name in names]
    return math.fsum(shares) / len(shares)


def _entropy_share(comparison: Comparison, name: str) -> float:
    x = _codes(comparison.prepared.table[name])
    y = _codes(comparison.anonymized[name])
    n_x = np.bincount(x)
    alone = -np.log(n_x / len(x))[x]
    total = math.fsum(alone.tolist())
    if total == 0:
        return 0.0
    kept = x[comparison.source]
    pairs = _codes(pd.Series(y * len(n_x) + kept))
    together = np.log(np.bincount(y)[y] / np.bincount(pairs)[pairs])
    is_deleted = np.ones(len(x), dtype=np.bool_)
    is_deleted[comparison.source] = False
    lost = math.fsum(together.tolist()) + math.fsum(alone[is_deleted].tolist())
    return min(1.0, lost / total)


def _original(comparison: Comparison, name: str) -> tuple[FloatArray | IntArray, float]:
    """A column of X as numbers or codes, and what a group of all its values spans."""
    column = comparison.prepared.table[name]
    if comparison.schema.column(name).is_numeric:
        numbers = column.to_numpy(dtype=np.float64)
        return numbers, float(np.ptp(numbers))
    codes = _codes(column)
    return codes, float(codes.max())


def _codes(column: pd.Series) -> IntArray:
    return pd.factorize(comparable(column), use_na_sentinel=False)[0].astype(np.int64)
