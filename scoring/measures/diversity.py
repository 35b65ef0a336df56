# SPDX-License-Identifier: Apache-2.0
"""Attribute disclosure: how much a class of Y gives away of its records' sensitive values.

The attacker knows that a person is in a class and reads the sensitive values of the class. Every
sensitive column is looked at by itself, an amount by its exact values; the worst class of the worst
column counts. The formulas are those of `scoring.privacy.diversity`.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator

import numpy as np
import pandas as pd

from scoring.privacy.diversity import (
    ClassCounts,
    alpha,
    distinct_l,
    entropy_l,
    gain,
    hierarchical_emd,
    log_gain,
    ordered_emd,
    recursive_l,
    total_variation,
)
from scoring.scores.comparison import Comparison, Options
from scoring.tables.equivalence import Classes, FloatArray, IntArray, comparable
from scoring.tables.hierarchies import nested_groups
from scoring.tables.hierarchy_files import read_definitions

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
    differences of the shares, or, where they have a hierarchy, by the earth mover's distance in it.

    Parameters
    ----------
    comparison : Comparison
        Y with its sensitive columns, numeric or not, compared with the whole of Y or of X.
    options : Options
        `closeness`: the table that classes are compared with; `hierarchies`: those of categories.

    Returns
    -------
    float or None
        0 where every class has the shares of the whole table, at most 1; lower is safer. None
        without sensitive columns.

    Notes
    -----
    Li, Li & Venkatasubramanian, "t-Closeness: Privacy Beyond k-Anonymity and l-Diversity", sections
    on the earth mover's distance for numerical attributes (ordered distance) and for categorical
    ones (equal and hierarchical distance). Anonymizers with a bound `t` compare with the table that
    they are given: where they suppress records, Y as a whole is another table, and the value may exceed
    the bound unless `closeness` is `original`.

    Examples
    --------
    >>> from scoring.examples import comparison
    >>> largest_t(comparison("noise")), largest_t(comparison("unified"))
    (0.3333333333333333, 0.3333333333333333)
    """
    return max(t_of_columns(comparison, options).values(), default=None)


def t_of_columns(comparison: Comparison, options: Options = DEFAULT) -> dict[str, float]:
    """The same for each sensitive column: `largest_t` is the largest of them.

    Examples
    --------
    >>> from scoring.examples import comparison
    >>> {name: round(t, 3) for name, t in t_of_columns(comparison("noise")).items()}
    {'SA1': 0.333, 'SA2': 0.167}
    """
    definitions = read_definitions(options.hierarchies or {}, comparison.schema)
    found = {}
    for name, counts, total, levels in _counted(comparison, options.closeness == "original"):
        if comparison.schema.column(name).is_numeric:
            distances = ordered_emd(counts, total)
        elif name in definitions:
            groups = nested_groups(levels, definitions[name].labels)
            distances = hierarchical_emd(counts, groups, total)
        else:
            distances = total_variation(counts, total)
        found[name] = float(distances.max())
    return found


def l_of_columns(comparison: Comparison) -> dict[str, int]:
    """The smallest number of different values in a class, for each sensitive column: see `smallest_distinct_l`.

    Examples
    --------
    >>> from scoring.examples import comparison
    >>> l_of_columns(comparison("noise"))
    {'SA1': 2, 'SA2': 2}
    """
    return {
        name: int(distinct_l(counts).min()) for name, counts, _, _ in _counted(comparison, False)
    }


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
    return _largest(comparison, lambda counts, is_numeric: alpha(counts))


def largest_gain(comparison: Comparison, options: Options = DEFAULT) -> float | None:
    """Largest relative gain (q - p) / p of a sensitive value's share in a class: β of basic β-likeness.

    q is the share of the class, p that of the whole of Y.

    Parameters
    ----------
    comparison : Comparison
        Y with its sensitive columns, numeric or not; the original plays no part.

    Returns
    -------
    float or None
        0 where every class has the shares of the whole table, at most n_anonymized - 1; lower is safer.
        None without sensitive columns.

    Notes
    -----
    Cao & Karras, "Publishing Microdata with a Robust Privacy Guarantee", definition of basic β-likeness.

    Examples
    --------
    >>> from scoring.examples import comparison
    >>> largest_gain(comparison("noise"))
    1.0
    """
    return _largest(comparison, lambda counts, is_numeric: gain(counts))


def largest_enhanced_gain(comparison: Comparison, options: Options = DEFAULT) -> float | None:
    """Largest bound that β sets for a value, min(β, -ln p), with β of basic β-likeness: as pyCANON reports.

    Enhanced β-likeness asks that no value gains more than min(β, -ln p). That of frequent values is -ln p
    whatever β is, so that a table may keep it for no β at all: `keeps_enhanced` answers that.

    Parameters
    ----------
    comparison : Comparison
        Y with its sensitive columns, numeric or not; the original plays no part.

    Returns
    -------
    float or None
        0 where every class has the shares of the whole table, at most ln(n_anonymized), where a value
        occurs once; lower is safer. None without sensitive columns.

    Notes
    -----
    Cao & Karras, "Publishing Microdata with a Robust Privacy Guarantee", definition of enhanced
    β-likeness; the value for a table is that of pyCANON's `enhanced_beta_likeness`.

    Examples
    --------
    >>> from scoring.examples import comparison
    >>> largest_enhanced_gain(comparison("noise"))
    1.0
    """
    found = [
        min(float(gain(counts).max()), -math.log(_least_share(counts)))
        for counts, _ in sensitive_counts(comparison)
    ]
    return max(found, default=None)


def keeps_enhanced(comparison: Comparison, beta: float) -> bool:
    """Y keeps enhanced β-likeness: in no class does a sensitive value gain more than min(β, -ln p).

    Examples
    --------
    >>> from scoring.examples import comparison
    >>> keeps_enhanced(comparison("noise"), 1), keeps_enhanced(comparison("noise"), 0.5)
    (True, False)
    """
    for counts, _ in sensitive_counts(comparison):
        shares = counts.total[counts.values] / int(counts.total.sum())
        of_class = counts.counts / np.repeat(counts.sizes, np.diff(counts.starts))
        if (of_class / shares - 1 > np.minimum(beta, -np.log(shares)) + 1e-12).any():
            return False
    return True


def largest_log_gain(comparison: Comparison, options: Options = DEFAULT) -> float | None:
    """Largest |ln(q / p)| of a sensitive value in a class that has it: δ of δ-disclosure privacy.

    q is the share of the class, p that of the whole of Y.

    Parameters
    ----------
    comparison : Comparison
        Y with its sensitive columns, numeric or not; the original plays no part.

    Returns
    -------
    float or None
        0 where every class has the shares of the whole table, at most ln(n_anonymized); lower is safer.
        None without sensitive columns.

    Notes
    -----
    Brickell & Shmatikov, "The Cost of Privacy: Destruction of Data-Mining Utility in Anonymized Data
    Publishing", definition of δ-disclosure privacy, with natural logarithms. By it a value that a class
    lacks makes δ infinite; as in ARX and pyCANON such values are left out. So joining two classes can
    raise it.

    Examples
    --------
    >>> from scoring.examples import comparison
    >>> round(largest_log_gain(comparison("noise")), 6)
    0.693147
    """
    return _largest(comparison, lambda counts, is_numeric: log_gain(counts))


def sensitive_counts(comparison: Comparison) -> Iterator[tuple[ClassCounts, bool]]:
    """For each sensitive column how often its values occur in the classes of Y, and if it is numeric."""
    for name, counts, _, _ in _counted(comparison, with_original=False):
        yield counts, comparison.schema.column(name).is_numeric


def _counted(
    comparison: Comparison, with_original: bool
) -> Iterator[tuple[str, ClassCounts, IntArray, list[str]]]:
    """Each sensitive column: its values by class, how often they occur in Y or X, and the categories."""
    schema, table = comparison.schema, comparison.anonymized
    of_record = Classes.of(table, schema.quasi_identifiers).of_row
    n = len(table)
    for name in schema.sensitive:
        column = table[name]
        if with_original:
            column = pd.concat([column, comparison.prepared.table[name]], ignore_index=True)
        values, levels, n_values = _positions(column, schema.column(name).is_numeric)
        counts = ClassCounts.of(of_record, values[:n], n_values)
        compared = values[n:] if with_original else values
        yield name, counts, np.bincount(compared, minlength=n_values).astype(np.int64), levels


def _positions(column: pd.Series, is_numeric: bool) -> tuple[IntArray, list[str], int]:
    """The position of each record's value among the different ones, in order where they are numbers.

    With it the different categories, and the number of values.
    """
    if is_numeric:
        distinct, position = np.unique(column.to_numpy(dtype=np.float64), return_inverse=True)
        return position.astype(np.int64), [], len(distinct)
    codes, levels = pd.factorize(comparable(column), use_na_sentinel=False)
    return codes.astype(np.int64), [str(level) for level in levels], len(levels)


def _least_share(counts: ClassCounts) -> float:
    """The share of the rarest value that occurs."""
    total = counts.total
    return int(total[total > 0].min()) / int(total.sum())


def _largest(
    comparison: Comparison, formula: Callable[[ClassCounts, bool], FloatArray]
) -> float | None:
    values = _in_classes(comparison, formula)
    return float(values.max()) if len(values) else None


def _in_classes(
    comparison: Comparison, formula: Callable[[ClassCounts, bool], IntArray | FloatArray]
) -> FloatArray:
    """The values of a formula for all classes and all sensitive columns."""
    values = [formula(counts, numeric) for counts, numeric in sensitive_counts(comparison)]
    return np.concatenate(values).astype(np.float64) if values else np.empty(0)
