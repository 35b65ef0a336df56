"""Attribute disclosure: how much a class of Y gives away of its records' sensitive values.

The attacker knows that a person is in a class and reads the sensitive values of the class. Every
sensitive column is looked at by itself, an amount by its exact values; the worst class of the worst
column counts. The formulas are those of `scoring.privacy.diversity`.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator

import numpy as np
import pandas as pd

from scoring.privacy.diversity import (
    ClassCounts,
    alpha,
    distinct_l,
    entropy_l,
    ordered_emd,
    recursive_l,
    total_variation,
)
from scoring.scores.comparison import Comparison, Options
from scoring.tables.equivalence import Classes, FloatArray, IntArray, comparable
from scoring.tables.schema import Role

DEFAULT = Options()
C = 3.0
"""c of recursive (c, l)-diversity: the most frequent value may be up to three times the tail."""


def smallest_distinct_l(comparison: Comparison, options: Options = DEFAULT) -> int | None:
    """Smallest number of different sensitive values in a class of Y.

    Parameters
    ----------
    comparison : Comparison
        Y with its sensitive columns, numeric or not; the original plays no part.

    Returns
    -------
    int or None
        1 where all records of some class have the same value, at most the number of records;
        higher is safer. None without sensitive columns.

    Notes
    -----
    Machanavajjhala et al., "l-Diversity: Privacy Beyond k-Anonymity", the simplest reading of l
    well-represented values: l distinct ones.

    Examples
    --------
    >>> from scoring.examples import comparison
    >>> smallest_distinct_l(comparison("noise")), smallest_distinct_l(comparison("averaged"))
    (2, 1)
    """
    values = _in_classes(comparison, lambda counts, is_numeric: distinct_l(counts))
    return int(values.min()) if len(values) else None


def smallest_entropy_l(comparison: Comparison, options: Options = DEFAULT) -> float | None:
    """Smallest exp(entropy) of the sensitive values in a class of Y: an effective number of values.

    Parameters
    ----------
    comparison : Comparison
        Y with its sensitive columns, numeric or not; the original plays no part.

    Returns
    -------
    float or None
        1 where all records of some class have the same value, at most the number of different
        ones, reached where all are equally frequent, and not floored; higher is safer. None without
        sensitive columns.

    Notes
    -----
    Machanavajjhala et al., "l-Diversity: Privacy Beyond k-Anonymity", definition of entropy
    l-diversity: entropy at least log(l) in every class.

    Examples
    --------
    >>> from scoring.examples import comparison
    >>> smallest_entropy_l(comparison("noise")), smallest_entropy_l(comparison("averaged"))
    (2.0, 1.0)
    """
    values = _in_classes(comparison, lambda counts, is_numeric: entropy_l(counts))
    return float(values.min()) if len(values) else None


def smallest_recursive_l(comparison: Comparison, options: Options = DEFAULT) -> int | None:
    """Largest l for which Y is recursively (3, l)-diverse.

    A class with the counts r_1 ≥ r_2 ≥ … ≥ r_m of its values is (c, l)-diverse where
    r_1 < c (r_l + r_(l+1) + … + r_m): the most frequent value is not too frequent, even when l - 2
    others have been ruled out.

    Parameters
    ----------
    comparison : Comparison
        Y with its sensitive columns, numeric or not; the original plays no part.

    Returns
    -------
    int or None
        1 where all records of some class have the same value, at most the number of different
        ones; higher is safer. None without sensitive columns.

    Notes
    -----
    Machanavajjhala et al., "l-Diversity: Privacy Beyond k-Anonymity", definition of recursive
    (c, l)-diversity, with c = 3.

    Examples
    --------
    >>> from scoring.examples import comparison
    >>> smallest_recursive_l(comparison("noise")), smallest_recursive_l(comparison("averaged"))
    (2, 1)
    """
    values = _in_classes(comparison, lambda counts, is_numeric: recursive_l(counts, C))
    return int(values.min()) if len(values) else None


def largest_t(comparison: Comparison, options: Options = DEFAULT) -> float | None:
    """Largest distance of a class's sensitive values from those of all records: t of t-closeness.

    Numbers by the earth mover's distance, where the i-th and the j-th of m different values are
    |i - j| / (m - 1) apart; categories by the total variation, half the sum of the absolute
    differences of the shares.

    Parameters
    ----------
    comparison : Comparison
        Y with its sensitive columns, numeric or not, compared with the whole of Y; the original
        plays no part.

    Returns
    -------
    float or None
        0 where every class has the shares of the whole table, at most 1; lower is safer. None
        without sensitive columns.

    Notes
    -----
    Li, Li & Venkatasubramanian, "t-Closeness: Privacy Beyond k-Anonymity and l-Diversity", sections
    on the earth mover's distance for numerical attributes (ordered distance) and for categorical
    ones (equal distance).

    Examples
    --------
    >>> from scoring.examples import comparison
    >>> largest_t(comparison("noise")), largest_t(comparison("unified"))
    (0.3333333333333333, 0.3333333333333333)
    """

    def distance(counts: ClassCounts, is_numeric: bool) -> FloatArray:
        return ordered_emd(counts) if is_numeric else total_variation(counts)

    values = _in_classes(comparison, distance)
    return float(values.max()) if len(values) else None


def largest_alpha(comparison: Comparison, options: Options = DEFAULT) -> float | None:
    """Largest share that one sensitive value has of a class of Y: α of (α, k)-anonymity, k being S1.

    Parameters
    ----------
    comparison : Comparison
        Y with its sensitive columns, numeric or not; the original plays no part.

    Returns
    -------
    float or None
        Above 0, where every class has many values of the same frequency, to 1, where all records
        of some class have the same value; lower is safer. None without sensitive columns.

    Notes
    -----
    Wong et al., "(α, k)-Anonymity: An Enhanced k-Anonymity Model for Privacy-Preserving Data
    Publishing", with every value taken for sensitive.

    Examples
    --------
    >>> from scoring.examples import comparison
    >>> largest_alpha(comparison("noise")), largest_alpha(comparison("averaged"))
    (0.5, 1.0)
    """
    values = _in_classes(comparison, lambda counts, is_numeric: alpha(counts))
    return float(values.max()) if len(values) else None


def sensitive_counts(comparison: Comparison) -> Iterator[tuple[ClassCounts, bool]]:
    """For each sensitive column how often its values occur in the classes of Y, and if it is numeric."""
    schema, table = comparison.schema, comparison.anonymized
    classes = Classes.of(table, schema.quasi_identifiers).of_row
    for column in schema.columns:
        if column.role is Role.SENSITIVE:
            values, n_values = _positions(table[column.name], column.is_numeric)
            yield ClassCounts.of(classes, values, n_values), column.is_numeric


def _positions(column: pd.Series, is_numeric: bool) -> tuple[IntArray, int]:
    """The position of each record's value among the different ones, in order where they are numbers."""
    if is_numeric:
        distinct, position = np.unique(column.to_numpy(dtype=np.float64), return_inverse=True)
        return position.astype(np.int64), len(distinct)
    codes, levels = pd.factorize(comparable(column), use_na_sentinel=False)
    return codes.astype(np.int64), len(levels)


def _in_classes(
    comparison: Comparison, formula: Callable[[ClassCounts, bool], IntArray | FloatArray]
) -> FloatArray:
    """The values of a formula for all classes and all sensitive columns."""
    values = [formula(counts, numeric) for counts, numeric in sensitive_counts(comparison)]
    return np.concatenate(values).astype(np.float64) if values else np.empty(0)
