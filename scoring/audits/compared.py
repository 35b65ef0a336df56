# SPDX-License-Identifier: Apache-2.0
"""Two tables side by side: histograms before and after, and how correlations changed."""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass
from itertools import combinations, pairwise

import numpy as np
import pandas as pd

from scoring.scores.sums import correlations
from scoring.tables.schema import Kind, Schema

N_BINS, MOST_VALUES = 12, 12
OTHERS = ""
"""The label of the values that are not among the most frequent."""


@dataclass(frozen=True, slots=True)
class Histogram:
    """The records of both tables by the values of one column.

    Attributes
    ----------
    column : str
    labels : tuple of str
        Ranges of a number, or values of a category, the most frequent first; `OTHERS` for the rest.
    before, after : tuple of float
        The share of the records of each table, 0 to 1, in the order of the labels.
    """

    column: str
    labels: tuple[str, ...]
    before: tuple[float, ...]
    after: tuple[float, ...]


@dataclass(frozen=True, slots=True)
class PairChange:
    """Pearson's correlation of two numeric columns in both tables, -1 to 1."""

    columns: tuple[str, str]
    before: float
    after: float


@dataclass(frozen=True, slots=True)
class TablesCompared:
    """A histogram of each column, and each pair of numeric columns, the largest change first."""

    histograms: tuple[Histogram, ...]
    pairs: tuple[PairChange, ...]


def compared_tables(
    original: pd.DataFrame, anonymized: pd.DataFrame, schema: Schema
) -> TablesCompared:
    """Compare the columns of two tables, without matching records.

    Parameters
    ----------
    original, anonymized : DataFrame
        Records without identifiers, in any order; neither is empty.
    schema : Schema

    Examples
    --------
    >>> from scoring.examples import SCHEMA, table
    >>> found = compared_tables(table("original"), table("noise"), SCHEMA)
    >>> found.histograms[0]
    Histogram(column='QI1', labels=('1', '2'), before=(0.5, 0.5), after=(0.5, 0.5))
    >>> [(pair.columns, round(pair.before, 2), round(pair.after, 2)) for pair in found.pairs]
    [(('SA1', 'SA2'), 0.71, 0.82)]
    """
    columns = [column for column in schema.columns if column.name in original.columns]
    numeric = [column.name for column in columns if column.kind is not Kind.CATEGORY]
    return TablesCompared(
        tuple(
            _numbers(column.name, original[column.name], anonymized[column.name])
            if column.name in numeric
            else _categories(column.name, original[column.name], anonymized[column.name])
            for column in columns
        ),
        _pairs(original, anonymized, numeric),
    )


def _numbers(name: str, before: pd.Series, after: pd.Series) -> Histogram:
    x, y = (np.asarray(series, dtype=np.float64) for series in (before, after))
    known = np.concatenate([x, y])
    low, high = float(known.min()), float(known.max())
    if low == high:
        return Histogram(name, (f"{low:g}",), (1.0,), (1.0,))
    edges = np.linspace(low, high, N_BINS + 1)
    counts = (np.histogram(values, bins=edges)[0] / len(values) for values in (x, y))
    labels = tuple(f"{a:.4g} – {b:.4g}" for a, b in pairwise(edges))
    one, other = (tuple(share.tolist()) for share in counts)
    return Histogram(name, labels, one, other)


def _categories(name: str, before: pd.Series, after: pd.Series) -> Histogram:
    counts = [Counter(map(str, series)) for series in (before, after)]
    together = counts[0] + counts[1]
    frequent = sorted(together, key=lambda value: (-together[value], value))[:MOST_VALUES]
    has_others = len(together) > len(frequent)
    shares = []
    for counted, series in zip(counts, (before, after), strict=True):
        listed = [counted[value] / len(series) for value in frequent]
        shares.append((*listed, *([max(0.0, 1 - sum(listed))] if has_others else [])))
    return Histogram(name, (*frequent, *([OTHERS] if has_others else [])), *shares)


def _pairs(
    original: pd.DataFrame, anonymized: pd.DataFrame, numeric: list[str]
) -> tuple[PairChange, ...]:
    if len(numeric) < 2:
        return ()
    before, after = (
        correlations(table[numeric].to_numpy(dtype=np.float64)).tolist()
        for table in (original, anonymized)
    )
    pairs = combinations(numeric, 2)
    found = [PairChange(*one) for one in zip(pairs, before, after, strict=True)]
    return tuple(sorted(found, key=lambda pair: -abs(pair.after - pair.before)))
