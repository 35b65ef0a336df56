# SPDX-License-Identifier: Apache-2.0
"""Anonymity S1 and S2: how large the equivalence classes of the anonymized table are.

Source: Ito & Kikuchi, PWSCup 2015 evaluation, Table 1.
"""

from __future__ import annotations

from scoring.scores.comparison import Comparison, Options

DEFAULT = Options()


def smallest_class(comparison: Comparison, options: Options = DEFAULT) -> int:
    """Size of the smallest equivalence class of Y on all quasi-identifiers, in records.

    Parameters
    ----------
    comparison : Comparison
        Y with n_anonymized records; the original plays no part.

    Returns
    -------
    int
        1 if a record is unique on its quasi-identifiers, n_anonymized where all share them;
        higher is safer. Without quasi-identifiers all records are one class.

    Notes
    -----
    k-anony of the paper's Table 1.

    Examples
    --------
    >>> from scoring.examples import comparison
    >>> smallest_class(comparison("noise"))
    2
    """
    return int(comparison.class_sizes.min())


def mean_class(comparison: Comparison, options: Options = DEFAULT) -> float:
    """n_anonymized / number of distinct quasi-identifier vectors in Y, in records.

    Parameters
    ----------
    comparison : Comparison
        Y with n_anonymized records; the original plays no part.

    Returns
    -------
    float
        1 if every record is unique, n_anonymized where all share their quasi-identifiers; higher
        is safer. Without quasi-identifiers all records are one class.

    Notes
    -----
    k-anonymMean of the paper's Table 1; exact in its Tables 11 and 12 (8333/231 = 36.07).

    Examples
    --------
    >>> from scoring.examples import comparison
    >>> mean_class(comparison("noise"))
    2.0
    """
    return comparison.n_records / len(comparison.class_sizes)
