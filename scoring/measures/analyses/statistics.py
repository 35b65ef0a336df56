# SPDX-License-Identifier: Apache-2.0
"""Summary statistics: means, deviations, quartiles, shares of values, correlations."""

from __future__ import annotations

from collections.abc import Hashable, Sequence
from functools import partial

import numpy as np

from scoring.measures.analyses.figures import Figures, chosen, compared
from scoring.measures.analyses.names import (
    AMONG_COLUMNS,
    AVERAGE,
    CORRELATIONS,
    DEVIATION,
    LARGEST,
    LEFT_OUT,
    ONE_HOT,
    QUARTILES,
    RANGE,
    SHARES,
    STATISTICS,
    UNSCALED,
)
from scoring.scores.comparison import Comparison, Options
from scoring.scores.sheets import Sheet
from scoring.tables.equivalence import FloatArray, IntArray

DEFAULT = Options()


def summary_difference(
    comparison: Comparison,
    options: Options = DEFAULT,
    *,
    columns: Sequence[str] = (),
    parts: Sequence[str] = STATISTICS,
    scale: str = AMONG_COLUMNS,
    of: str = LARGEST,
) -> float | None:
    """Largest or mean absolute difference of summary statistics of X and Y.

    Of each number the mean, the standard deviation with n - 1 in the denominator and the three quartiles
    (linear interpolation), of each category the share of each value, of each two numbers Pearson's correlation.

    Parameters
    ----------
    comparison : Comparison
        X and Y; the declared rows play no part.
    columns : sequence of str
        All scored columns where it is empty.
    parts : sequence of {"mean", "deviation", "quartiles", "shares", "correlations"}
        The statistics.
    scale : {"columns", "range", "none"}
        The figures of numbers: each statistic brought to 0 to 1 among the columns of its own table; divided by the
        range of the column in X; as they are.
    of : {"largest", "mean"}
        Over the figures.

    Returns
    -------
    float or None
        0 where all figures are equal; of "columns" at most 1 without correlations, with them at most 2. A figure
        that is not defined is 0. None without a figure.

    Notes
    -----
    PWS Cup 2025, official scorer `stats_diff`: all parts, "columns", "largest".

    Examples
    --------
    >>> from scoring.examples import comparison
    >>> round(summary_difference(comparison("noise"), parts=["mean"], scale="range"), 6)
    0.00625
    """
    numeric = chosen(comparison, columns, numeric=True)
    categories = chosen(comparison, columns, numeric=False)
    x, _y = comparison.sheets
    spans = {name: float(np.ptp(x.numbers[name])) for name in numeric}
    figures = partial(
        _figures, numeric=numeric, categories=categories, parts=parts, scale=scale, spans=spans
    )
    return compared(comparison, figures, of)


def correlations_apart(
    comparison: Comparison,
    options: Options = DEFAULT,
    *,
    columns: Sequence[str] = (),
    categories: str = LEFT_OUT,
    of: str = LARGEST,
) -> float | None:
    """Largest or mean absolute difference of Pearson's correlations of X and Y, over all pairs of columns.

    Parameters
    ----------
    comparison : Comparison
        X and Y; the declared rows play no part.
    columns : sequence of str
        All scored columns where it is empty.
    categories : {"left-out", "one-hot"}
        With "one-hot" each value of a category is a column of zeros and ones; two values of one category are no pair.
    of : {"largest", "mean"}
        Over the figures.

    Returns
    -------
    float or None
        0 where all correlations are equal, 2 where one is reversed; that of a constant column is 0. None with
        fewer than two columns.

    Notes
    -----
    PWS Cup 2020 and 2021 bound the largest difference of correlations.

    Examples
    --------
    >>> from scoring.examples import comparison
    >>> correlations_apart(comparison("original"))
    0.0
    """
    numeric = chosen(comparison, columns, numeric=True)
    others = chosen(comparison, columns, numeric=False) if categories == ONE_HOT else []
    return compared(comparison, partial(correlations, numeric=numeric, categories=others), of)


def correlations(sheet: Sheet, numeric: Sequence[str], categories: Sequence[str] = ()) -> Figures:
    """Pearson's correlation of each two columns, 0 with a constant one."""
    names: list[tuple[str, int]] = [(name, -1) for name in numeric]
    values = [sheet.numbers[name] for name in numeric]
    for name in categories:
        for code in range(len(sheet.levels[name])):
            names.append((name, code))
            values.append((sheet.codes[name] == code).astype(np.float64))
    matrix = correlation_matrix(np.array(values)) if values else np.zeros((0, 0))
    return {
        (CORRELATIONS, names[i], names[j]): float(matrix[i, j])
        for i in range(len(names))
        for j in range(i + 1, len(names))
        if names[i][0] != names[j][0]
    }


def correlation_matrix(rows: FloatArray) -> FloatArray:
    """Pearson's correlations of variables in rows, 0 where one is constant."""
    centred = rows - rows.mean(axis=1, keepdims=True)
    is_constant = rows.max(axis=1) == rows.min(axis=1)
    norms = np.sqrt((centred**2).sum(axis=1))
    centred = np.where(
        is_constant[:, None], 0.0, centred / np.where(is_constant, 1.0, norms)[:, None]
    )
    # In one order, whatever the number of threads of a matrix product.
    found: FloatArray = np.clip(np.einsum("ik,jk->ij", centred, centred), -1.0, 1.0)
    return found


def shares(codes: IntArray, n_levels: int) -> FloatArray:
    """The share of each level."""
    found: FloatArray = np.bincount(codes, minlength=n_levels) / len(codes)
    return found


def _figures(
    sheet: Sheet,
    *,
    numeric: Sequence[str],
    categories: Sequence[str],
    parts: Sequence[str],
    scale: str,
    spans: dict[str, float],
) -> Figures:
    found: dict[Hashable, float] = {}
    for statistic, values in _statistics(sheet, numeric, parts).items():
        scaled = _scaled(values, [spans[name] for name in numeric], scale)
        found |= {(statistic, name): float(v) for name, v in zip(numeric, scaled, strict=True)}
    if SHARES in parts:
        for name in categories:
            of_levels = shares(sheet.codes[name], len(sheet.levels[name]))
            found |= {(SHARES, name, code): float(v) for code, v in enumerate(of_levels)}
    if CORRELATIONS in parts:
        found |= correlations(sheet, numeric)
    return found


def _statistics(
    sheet: Sheet, numeric: Sequence[str], parts: Sequence[str]
) -> dict[str, FloatArray]:
    """Each statistic of all numeric columns."""
    if not numeric:
        return {}
    rows = np.array([sheet.numbers[name] for name in numeric])
    found: dict[str, FloatArray] = {}
    if AVERAGE in parts:
        found[AVERAGE] = rows.mean(axis=1)
    if DEVIATION in parts:
        found[DEVIATION] = rows.std(axis=1, ddof=1) if sheet.n > 1 else np.zeros(len(rows))
    if QUARTILES in parts:
        for share, values in zip(
            (25, 50, 75), np.percentile(rows, (25, 50, 75), axis=1), strict=True
        ):
            found[f"{QUARTILES} {share}"] = values
    return found


def _scaled(values: FloatArray, spans: Sequence[float], scale: str) -> FloatArray:
    if scale == UNSCALED:
        return values
    if scale == RANGE:
        divisor = np.array(spans)
        shares: FloatArray = np.divide(
            values, divisor, out=np.zeros(len(values)), where=divisor > 0
        )
        return shares
    span = values.max() - values.min()
    return (values - values.min()) / span if span > 0 else np.zeros(len(values))
