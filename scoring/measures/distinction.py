# SPDX-License-Identifier: Apache-2.0
"""Distinction: how quasi-identifiers of a table, all or a few of them, distinguish its records."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import combinations

import numpy as np
import pandas as pd

from scoring.scores.comparison import Comparison, Options
from scoring.tables.equivalence import Classes, IntArray

DEFAULT = Options()


def distinction(comparison: Comparison, options: Options = DEFAULT) -> float:
    """Number of different quasi-identifier vectors in Y over its number of records.

    Parameters
    ----------
    comparison : Comparison
        Y with n_anonymized records; the original plays no part.

    Returns
    -------
    float
        1 / n_anonymized if all records share their quasi-identifiers, 1 if every record is unique;
        lower is safer.

    Notes
    -----
    Motwani & Xu, "Efficient Algorithms for Masking and Finding Quasi-Identifiers", distinct ratio; ARX
    calls it distinction. The same number as `prosecutor-mean`. `distinctions` has it for
    each combination of columns.

    Examples
    --------
    >>> from scoring.examples import comparison
    >>> distinction(comparison("noise"))
    0.5
    """
    return _distinction(comparison.class_sizes)


def separation(comparison: Comparison, options: Options = DEFAULT) -> float:
    """Share of the pairs of records of Y that differ in a quasi-identifier.

    Parameters
    ----------
    comparison : Comparison
        Y with n_anonymized records; the original plays no part.

    Returns
    -------
    float
        0 where all records share their quasi-identifiers, or there is one record, 1 where every record
        is unique; lower is safer.

    Notes
    -----
    Motwani & Xu, "Efficient Algorithms for Masking and Finding Quasi-Identifiers", separation ratio; ARX
    calls it separation. `distinctions` has it for each combination of columns.

    Examples
    --------
    >>> from scoring.examples import comparison
    >>> round(separation(comparison("noise")), 6)
    0.666667
    """
    return _separation(comparison.class_sizes)


@dataclass(frozen=True, slots=True)
class Distinction:
    """Some columns: how many records they give a vector of their own, and how many pairs they separate."""

    columns: tuple[str, ...]
    distinction: float
    separation: float


def distinctions(
    table: pd.DataFrame, columns: Sequence[str], *, max_size: int | None = None
) -> Iterator[Distinction]:
    """The figures of every combination of up to `max_size` columns, small combinations first.

    Raises
    ------
    ValueError
        Where the table has no record.

    Examples
    --------
    >>> table = pd.DataFrame({"sex": list("ffm"), "age": ["20", "30", "30"]})
    >>> for found in distinctions(table, ["sex", "age"]):
    ...     print(*found.columns, round(found.distinction, 3), round(found.separation, 3))
    sex 0.667 0.667
    age 0.667 0.667
    sex age 1.0 1.0
    """
    if not len(table):
        raise ValueError("table: expected at least one record")
    for size in range(1, (len(columns) if max_size is None else max_size) + 1):
        for chosen in combinations(columns, size):
            sizes = Classes.of(table, chosen).sizes()
            yield Distinction(chosen, _distinction(sizes), _separation(sizes))


def _distinction(sizes: IntArray) -> float:
    return len(sizes) / int(sizes.sum())


def _separation(sizes: IntArray) -> float:
    n = int(sizes.sum())
    if n == 1:
        return 0.0
    alike = int((sizes.astype(np.int64) * (sizes.astype(np.int64) - 1)).sum())
    return 1 - alike / (n * (n - 1))
