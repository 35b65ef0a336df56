# SPDX-License-Identifier: Apache-2.0
"""The columns by which records are found: each by itself, and the fewest columns that are enough for one record.

Some columns *find* a record if, over these columns, its own original is nearer to it than every other candidate. A
number is |x - y| / range of the candidates apart, a category 0 if equal and 1 if not; the columns are added up. A
tie finds nobody.
"""

from __future__ import annotations

from collections.abc import Sequence
from itertools import combinations

import numpy as np
import numpy.typing as npt
import pandas as pd

from scoring.attacks.metrics import Metric
from scoring.audits.single import SingleColumn
from scoring.tables.equivalence import FloatArray, IntArray
from scoring.tables.schema import Schema

MAX_TOGETHER = 3
"""Sets of more columns are not searched."""
MAX_COLUMNS = 12
"""Of more columns, sets are made of those that find most records by themselves."""
_LEAST = 1e-9  # sums of the same parts in another order differ by less
_AT_ONCE = 32  # sets of columns that are added up together

Flags = npt.NDArray[np.bool_]


def single_columns(
    candidates: pd.DataFrame, anonymized: pd.DataFrame, own: IntArray, schema: Schema
) -> tuple[SingleColumn, ...]:
    """How many records each column finds by itself.

    Parameters
    ----------
    candidates : DataFrame, n_candidates records
        All records that an attacker chooses from: the original, or a table with decoys.
    anonymized : DataFrame, n_anonymized records, at least 1
    own : int array, shape (n_anonymized,)
        The 0-based row among the candidates that each anonymized record was made from.
    schema : Schema
        Its columns are looked at, whatever their role, without identifiers.

    Returns
    -------
    tuple of SingleColumn
        In the order of the schema.

    Raises
    ------
    ValueError
        If `own` has another length than the table.

    Examples
    --------
    >>> from scoring.examples import SCHEMA, table
    >>> found = single_columns(table("original"), table("noise"), np.arange(4), SCHEMA)
    >>> [(one.column, one.n_found) for one in found]
    [('QI1', 0), ('QI2', 0), ('QI3', 0), ('SA1', 4), ('SA2', 4)]
    """
    _check(anonymized, own)
    result = []
    for name in _columns(candidates, anonymized, schema):
        x, y = candidates[name], anonymized[name]
        found, same = (_of_numbers if schema.column(name).is_numeric else _of_texts)(x, y, own)
        result.append(SingleColumn(name, int(found.sum()), len(own), bool(same.all())))
    return tuple(result)


def fewest_columns(
    candidates: pd.DataFrame,
    anonymized: pd.DataFrame,
    own: IntArray,
    schema: Schema,
    *,
    records: Sequence[int] | None = None,
) -> list[tuple[str, ...]]:
    """The smallest set of columns that finds each record.

    Of several sets of the smallest size, the one with the largest distance between the own original and the
    next candidate, and of equal ones the first in the order of the columns.

    Parameters
    ----------
    candidates, anonymized, own, schema
        See `single_columns`.
    records : sequence of int, optional
        0-based anonymized records; all by default.

    Returns
    -------
    list of tuple of str
        For each of the records the names of one to `MAX_TOGETHER` columns, in the order of the schema; empty if no
        set of that size finds it.

    Raises
    ------
    ValueError
        If `own` has another length than the table.

    Examples
    --------
    >>> from scoring.examples import SCHEMA, table
    >>> fewest_columns(table("original"), table("averaged"), np.arange(4), SCHEMA)
    [(), (), (), ()]
    >>> fewest_columns(table("original"), table("noise"), np.arange(4), SCHEMA)
    [('SA1',), ('SA2',), ('SA2',), ('SA1',)]
    """
    _check(anonymized, own)
    names = _strongest(single_columns(candidates, anonymized, own, schema))
    one = [Metric.fit(candidates, schema, (name,), "gower") for name in names]
    points = [(metric, metric.points(candidates), metric.points(anonymized)) for metric in one]
    result = []
    for record in range(len(own)) if records is None else records:
        at = np.array([record])
        parts = np.stack([metric.distances(x, y.take(at))[0] for metric, x, y in points])
        further = parts - parts[:, own[record], None]
        found = _smallest(np.delete(further, own[record], axis=1))
        result.append(tuple(names[column] for column in found))
    return result


def _check(anonymized: pd.DataFrame, own: IntArray) -> None:
    if len(anonymized) != len(own):
        raise ValueError(f"own: expected {len(anonymized)} rows, got {len(own)}")


def _columns(candidates: pd.DataFrame, anonymized: pd.DataFrame, schema: Schema) -> list[str]:
    both = set(candidates.columns) & set(anonymized.columns)
    return [name for name in schema.public().names if name in both]


def _of_texts(x: pd.Series, y: pd.Series, own: IntArray) -> tuple[Flags, Flags]:
    """The records found by a category, and those that keep it: it must be kept, and be nobody else's."""
    values = x.to_numpy(dtype=object)
    same: Flags = np.asarray(values[own] == y.to_numpy(dtype=object), dtype=bool)
    times = x.map(x.value_counts()).to_numpy()[own]
    return same & (times == 1), same


def _of_numbers(x: pd.Series, y: pd.Series, own: IntArray) -> tuple[Flags, Flags]:
    """The same by a number, which must be nearer to its own original than to the next smaller and larger one."""
    values, got = x.to_numpy(dtype=np.float64), y.to_numpy(dtype=np.float64)
    levels, times = np.unique(values, return_counts=True)
    place = np.searchsorted(levels, values[own])
    bounded = np.concatenate([[-np.inf], levels, [np.inf]])
    distance = np.abs(got - values[own])
    least = _LEAST * max(float(levels[-1] - levels[0]), 1.0)
    below, above = np.abs(got - bounded[place]), np.abs(bounded[place + 2] - got)
    found: Flags = (times[place] == 1) & (distance + least < np.minimum(below, above))
    return found, distance == 0


def _strongest(found: Sequence[SingleColumn]) -> list[str]:
    order = sorted(range(len(found)), key=lambda at: -found[at].n_found)[:MAX_COLUMNS]
    return [found[at].column for at in sorted(order)]


def _smallest(further: FloatArray) -> tuple[int, ...]:
    """The columns of the smallest set whose sum is positive for all others: shape (n_columns, n_others)."""
    for size in range(1, min(MAX_TOGETHER, len(further)) + 1):
        sets = np.array(list(combinations(range(len(further)), size)))
        margins = np.concatenate(
            [
                further[part].sum(axis=1).min(axis=1, initial=np.inf)
                for part in np.array_split(sets, -(-len(sets) // _AT_ONCE))
            ]
        )
        best = int(margins.argmax())
        if margins[best] > _LEAST:
            return tuple(int(column) for column in sets[best])
    return ()
