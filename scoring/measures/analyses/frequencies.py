# SPDX-License-Identifier: Apache-2.0
"""Histograms of columns, and the frequencies of pairs of values."""

from __future__ import annotations

import itertools
import math
from collections.abc import Callable, Sequence

import numpy as np

from scoring.measures.analyses.figures import chosen
from scoring.measures.analyses.names import BAR, BINS, LARGEST, TOTAL
from scoring.scores.comparison import Comparison, Options
from scoring.scores.sheets import Sheet
from scoring.tables.equivalence import FloatArray, IntArray

DEFAULT = Options()


def histogram_difference(
    comparison: Comparison,
    options: Options = DEFAULT,
    *,
    columns: Sequence[str] = (),
    bins: int = BINS,
    distance: str = BAR,
    of: str = LARGEST,
) -> float | None:
    """Distance of the histograms of X and Y, the largest or the mean over the columns.

    Parameters
    ----------
    comparison : Comparison
        X and Y; the declared rows play no part.
    columns : sequence of str
        All scored columns where it is empty.
    bins : int
        Bars of a number: so many of equal width over the range in X, and one on each side of it; with 0 one for each
        value.
    distance : {"bar", "total"}
        The largest difference of the shares of a bar, or half the sum of all of them.
    of : {"largest", "mean"}
        Over the columns, or pairs of columns.

    Returns
    -------
    float or None
        0 where all histograms are equal, at most 1. None without a column.

    Notes
    -----
    PWS Cup 2020 bounds the difference of histograms.

    Examples
    --------
    >>> from scoring.examples import comparison
    >>> [histogram_difference(comparison("noise"), distance=d) for d in ("bar", "total")]
    [0.25, 0.5]
    """
    x, y = comparison.sheets
    coded = [_bars(x, y, name, bins) for name in chosen(comparison, columns)]
    return _together([_apart(*found, DISTANCES[distance]) for found in coded], of)


def pair_frequency_difference(
    comparison: Comparison,
    options: Options = DEFAULT,
    *,
    columns: Sequence[str] = (),
    bins: int = 0,
    distance: str = TOTAL,
    of: str = LARGEST,
    against: str = "",
    skipped: Sequence[str] = (),
) -> float | None:
    """Distance of the shares of pairs of values in X and Y, the largest or the mean over pairs of columns.

    Parameters
    ----------
    comparison : Comparison
        X and Y; the declared rows play no part.
    columns : sequence of str
        All scored columns where it is empty.
    bins : int
        Bars of a number as in a histogram; with 0 each value counts for itself.
    distance : {"bar", "total"}
        The largest difference of the shares of a pair, or half the sum of all of them.
    of : {"largest", "mean"}
        Over the columns, or pairs of columns.
    against : str
        Only pairs with this column; where it is empty, all.
    skipped : sequence of str
        Pairs of two of these columns are left out.

    Returns
    -------
    float or None
        0 where every pair of values is as frequent, 1 where a pair of columns shares none. None without a pair of
        columns.

    Notes
    -----
    PWS Cup 2024: utility is 100 times what the largest leaves of 1, without pairs of two attributes of the person, and
    the smallest over ten subsets of the columns. 2021 bounds the largest difference of a share of a value and the
    presence of diabetes.

    Examples
    --------
    >>> from scoring.examples import comparison
    >>> pair_frequency_difference(comparison("unified"), columns=["QI1", "QI3"])
    0.5
    """
    x, y = comparison.sheets
    names = chosen(comparison, [*columns, against] if columns and against else columns)
    coded = {name: _bars(x, y, name, bins) for name in names}
    found = []
    for pair in itertools.combinations(names, 2):
        if (against and against not in pair) or {*skipped}.issuperset(pair):
            continue
        (x_i, y_i, _), (x_j, y_j, n_j) = (coded[name] for name in pair)
        joint = np.concatenate([x_i * n_j + x_j, y_i * n_j + y_j])
        _levels, codes = np.unique(joint, return_inverse=True)
        n = int(codes.max(initial=-1)) + 1
        found.append(_apart(codes[: len(x_i)], codes[len(x_i) :], n, DISTANCES[distance]))
    return _together(found, of)


def unique_records(
    comparison: Comparison,
    options: Options = DEFAULT,
    *,
    columns: Sequence[str] = (),
    step: float = 0.0,
) -> float | None:
    """Records of Y that no other record of Y equals in some columns, as a share of the records of X.

    Parameters
    ----------
    comparison : Comparison
        Y, and the number of records of X; the declared rows play no part.
    columns : sequence of str
        All scored columns where it is empty.
    step : float
        Numbers are first rounded to multiples of it, a half to the even one; with 0 they stay as they are.

    Returns
    -------
    float or None
        0 where no record is unique, 1 where as many are unique as X has records. None without a column.

    Notes
    -----
    PWS Cup 2021 bounds it by one half, after ages and body mass indices are rounded to tens.

    Examples
    --------
    >>> from scoring.examples import comparison
    >>> [unique_records(comparison("noise"), step=step) for step in (0, 1000)]
    [1.0, 0.5]
    """
    x, y = comparison.sheets
    names = chosen(comparison, columns)
    if not names:
        return None
    rounded = {k: np.round(v / step) for k, v in y.numbers.items()} if step else y.numbers
    keys = [y.codes[name] if name in y.codes else rounded[name] for name in names]
    _values, counts = np.unique(np.column_stack(keys), axis=0, return_counts=True)
    return int((counts == 1).sum()) / x.n


def _bars(x: Sheet, y: Sheet, name: str, bins: int) -> tuple[IntArray, IntArray, int]:
    """The bar of each record of both tables, and how many bars there are."""
    if name in x.codes:
        return x.codes[name], y.codes[name], len(x.levels[name])
    own, other = x.numbers[name], y.numbers[name]
    if bins == 0:
        values, codes = np.unique(np.concatenate([own, other]), return_inverse=True)
        return codes[: len(own)], codes[len(own) :], len(values)
    ends = np.linspace(own.min(), own.max(), bins + 1)
    return _bar_of(own, ends), _bar_of(other, ends), bins + 2


def _bar_of(values: FloatArray, ends: FloatArray) -> IntArray:
    """0 below the first end, then the bars, each with its lower end, the last one with both."""
    bars = np.searchsorted(ends[:-1], values, side="right")
    found: IntArray = np.where(values > ends[-1], len(ends), bars).astype(np.int64)
    return found


def _apart(x: IntArray, y: IntArray, n: int, distance: Callable[[FloatArray], float]) -> float:
    return distance(
        np.abs(np.bincount(x, minlength=n) / len(x) - np.bincount(y, minlength=n) / len(y))
    )


def _half_of_all(differences: FloatArray) -> float:
    return math.fsum(differences.tolist()) / 2


def _largest(differences: FloatArray) -> float:
    return float(differences.max(initial=0.0))


DISTANCES: dict[str, Callable[[FloatArray], float]] = {BAR: _largest, TOTAL: _half_of_all}


def _together(found: Sequence[float], of: str) -> float | None:
    if not found:
        return None
    return max(found) if of == LARGEST else math.fsum(found) / len(found)
