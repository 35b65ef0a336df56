# SPDX-License-Identifier: Apache-2.0
"""Differences between groups of records: the Kruskal–Wallis test and its effect sizes."""

from __future__ import annotations

import math
from collections.abc import Sequence
from functools import partial
from itertools import combinations

import numpy as np
from scipy import special
from scipy.stats import rankdata

from scoring.measures.analyses.figures import Figures, chosen, compared
from scoring.measures.analyses.names import (
    EPSILON,
    ETA,
    LARGEST,
    OF_GROUPS,
    P_VALUE,
    PAIRS,
    PAIRS_EITHER_WAY,
    RANK_ETA,
    STATISTIC,
)
from scoring.scores.comparison import Comparison, Options
from scoring.scores.sheets import Sheet
from scoring.tables.equivalence import FloatArray, IntArray

DEFAULT = Options()
P_SCALE = 10.0
"""-log10 p of this size counts one half."""


def group_difference(
    comparison: Comparison,
    options: Options = DEFAULT,
    *,
    by: str,
    bins: Sequence[float] = (),
    columns: Sequence[str] = (),
    parts: Sequence[str] = OF_GROUPS,
    least: int = 2,
    of: str = LARGEST,
) -> float | None:
    """Largest or mean absolute difference of Kruskal–Wallis figures of X and Y.

    The records are put into groups by one column; for each other number the figures say how much its values differ
    between the groups. All lie between 0 and 1.

    Parameters
    ----------
    comparison : Comparison
        X and Y; the declared rows play no part.
    by : str
        The column of the groups.
    bins : sequence of float
        Of a number, where groups begin, ascending, and where the last one ends; what lies above belongs to the last
        group, what lies below to none. Empty where `by` is a category.
    columns : sequence of str
        The numbers that are compared; all other scored ones where it is empty.
    parts : sequence of str
        "statistic": H, divided by the largest that it can be without ties; "p-value": (2/π) atan(-log10 p / 10);
        "epsilon-squared": (H - k + 1) / (n - k + 1); "eta-squared": (H - k + 1) / (n - 1); "rank-eta-squared": the
        share of the ranks' variance that lies between groups; "pairs": how often a value of a group is above one of a
        later group, ties half, the mean over all pairs of records; "pairs-either-way": twice its distance from ½.
    least : int
        Groups of fewer records are left out. With fewer than two groups, or a constant column, all figures are 0.
    of : {"largest", "mean"}
        Over the figures.

    Returns
    -------
    float or None
        0 where all figures are equal, at most 1. None without a number.

    Notes
    -----
    Kruskal & Wallis, "Use of Ranks in One-Criterion Variance Analysis"; Vargha & Delaney, "A Critique and
    Improvement of the CL Common Language Effect Size Statistics", A. PWS Cup 2025, official scorer `KW_IND_diff`:
    ages 0, 18, 45, 65, 75, 200.

    Examples
    --------
    >>> from scoring.examples import comparison
    >>> group_difference(comparison("unified"), by="QI3", columns=["SA1"], parts=["statistic"])
    1.0
    """
    names = [name for name in chosen(comparison, columns, numeric=True) if name != by]
    return compared(
        comparison,
        partial(_all_figures, names=names, by=by, bins=bins, parts=parts, least=least),
        of,
    )


def figures_of_groups(values: FloatArray, groups: IntArray, least: int = 2) -> dict[str, float]:
    """The figures of one column by name; groups are numbered from 0, -1 is none.

    Examples
    --------
    >>> import numpy as np
    >>> found = figures_of_groups(np.array([1.0, 2, 3, 4]), np.array([0, 0, 1, 1]))
    >>> found["statistic"], found["pairs"], round(found["rank-eta-squared"], 6)
    (1.0, 0.0, 0.8)
    """
    sizes = np.bincount(groups[groups >= 0]) if len(groups) else np.zeros(0, dtype=np.int64)
    used = [values[groups == group] for group in np.flatnonzero(sizes >= max(1, least))]
    nothing = dict.fromkeys(OF_GROUPS, 0.0)
    if len(used) < 2:
        return nothing
    n, k = sum(map(len, used)), len(used)
    counts = np.array([len(group) for group in used], dtype=np.float64)
    ranks = rankdata(np.concatenate(used))
    starts = np.concatenate([[0], np.cumsum(counts)[:-1]]).astype(np.int64)
    means, middle = np.add.reduceat(ranks, starts) / counts, (n + 1) / 2
    total = float(((ranks - middle) ** 2).sum())
    if total == 0:
        return nothing
    between = float((counts * (means - middle) ** 2).sum()) / total
    h = (n - 1) * between
    best = starts + (counts + 1) / 2  # mean ranks where the groups do not overlap
    most = 12 / (n * (n + 1)) * float((counts * (best - middle) ** 2).sum())
    directed, either_way = _pairs(used)
    return {
        STATISTIC: _within(h / most),
        P_VALUE: 2 / math.pi * math.atan(minus_log10_p(h, k - 1) / P_SCALE),
        EPSILON: _within((h - k + 1) / (n - k + 1)) if n > k - 1 else 0.0,
        ETA: _within((h - k + 1) / (n - 1)),
        RANK_ETA: between,
        PAIRS: directed,
        PAIRS_EITHER_WAY: either_way,
    }


def minus_log10_p(statistic: float, degrees: int) -> float:
    """-log10 of the upper tail of the chi-square distribution, also where the tail is below the smallest float.

    Examples
    --------
    >>> round(minus_log10_p(4.605170185988092, 2), 9), round(minus_log10_p(4605.170185988092, 2), 6)
    (1.0, 1000.0)
    """
    a, x = degrees / 2, statistic / 2
    tail = float(special.gammaincc(a, x))
    if tail > 1e-290:
        return -math.log10(tail) if tail < 1 else 0.0
    series, term = 1.0, 1.0  # Q(a, x) ~ x^(a-1) e^-x / Γ(a) · (1 + (a-1)/x + (a-1)(a-2)/x² + …)
    for i in range(1, 20):
        term *= (a - i) / x
        if abs(term) < 1e-16:
            break
        series += term
    return -(-x + (a - 1) * math.log(x) - math.lgamma(a) + math.log(series)) / math.log(10)


def groups_of(sheet: Sheet, by: str, bins: Sequence[float]) -> IntArray:
    """The group of each record: its category, or the bin of its number; -1 below the first bin."""
    if by in sheet.codes:
        return sheet.codes[by]
    found = np.searchsorted(np.array(bins), sheet.numbers[by], side="right") - 1
    groups: IntArray = np.minimum(found, len(bins) - 2).astype(np.int64)
    return groups


def _all_figures(
    sheet: Sheet,
    *,
    names: Sequence[str],
    by: str,
    bins: Sequence[float],
    parts: Sequence[str],
    least: int,
) -> Figures:
    groups = groups_of(sheet, by, bins)
    found = {name: figures_of_groups(sheet.numbers[name], groups, least) for name in names}
    return {(name, part): found[name][part] for name in names for part in parts}


def _pairs(groups: Sequence[FloatArray]) -> tuple[float, float]:
    """The share of pairs with the value of the earlier group above, and its distance from one half."""
    directed, either_way, n_pairs = [], [], 0
    for one, other in combinations(groups, 2):
        weight = len(one) * len(other)
        ordered = np.sort(other)
        above = (
            np.searchsorted(ordered, one, "left").sum()
            + np.searchsorted(ordered, one, "right").sum()
        )
        share = float(above) / 2 / weight
        directed.append(weight * share)
        either_way.append(weight * 2 * abs(share - 0.5))
        n_pairs += weight
    return math.fsum(directed) / n_pairs, math.fsum(either_way) / n_pairs


def _within(value: float) -> float:
    return min(1.0, max(0.0, value))
