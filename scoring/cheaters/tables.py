# SPDX-License-Identifier: Apache-2.0
"""Tables of cheaters: true records that are not anonymized, under claims that hide it."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np
import pandas as pd

from scoring.anonymizers.base import Anonymized, untouched
from scoring.tables.equivalence import FloatArray, IntArray
from scoring.tables.schema import Schema

FEW = 3
"""Records that are copied."""
CHOICE = 200
"""Records among which each next one is chosen."""
NEAR = 2_000
"""Records among which the nearest one is looked for."""
MOST_PRODUCTS = 40
"""Features whose products count as well."""


@dataclass(frozen=True, slots=True)
class Hand:
    """A cheater's possessions.

    Attributes
    ----------
    table : DataFrame, n records
        Its original, public columns only.
    schema : Schema
    others : DataFrame or None
        Records that are not its own: originals of other teams, other originals of its own, shared records and
        candidates.
    is_aligned : bool
        Each published record is compared with the original record that it claims.
    """

    table: pd.DataFrame
    schema: Schema
    others: pd.DataFrame | None = None
    is_aligned: bool = True


def raw(hand: Hand) -> Anonymized:
    """The original, unchanged."""
    return _as(hand, untouched(hand.table))


def sorted_rows(hand: Hand) -> Anonymized:
    """The original sorted by its columns, as by a spreadsheet, under the row numbers of the unsorted one.

    Examples
    --------
    >>> from scoring.examples import SCHEMA, table
    >>> made = sorted_rows(Hand(table("original"), SCHEMA))
    >>> made.table["QI1"].is_monotonic_increasing, made.source.tolist()
    (True, [0, 1, 2, 3])
    """
    names = list(hand.schema.public().names)
    order = hand.table.reset_index(drop=True).sort_values(names, kind="stable").index
    return _as(hand, order.to_numpy(dtype=np.int64))


def permuted(hand: Hand) -> Anonymized:
    """The original with each record under the row of a near other one, none under its own.

    Examples
    --------
    >>> from scoring.examples import SCHEMA, table
    >>> made = permuted(Hand(table("original"), SCHEMA))
    >>> bool((made.table["SA2"].to_numpy() == table("original")["SA2"].to_numpy()).any())
    False
    """
    rows = untouched(hand.table)
    for near in _groups(_points(hand.table, hand.schema)):
        rows[near] = np.roll(near, 1)
    return _as(hand, rows)


def one_record(hand: Hand) -> Anonymized:
    """Copies of the `FEW` records that are nearest to the mean."""
    points = _points(hand.table, hand.schema)
    distances = ((points - points.mean(axis=0)) ** 2).sum(axis=1)
    few = np.argsort(distances, kind="stable")[:FEW]
    return _as(hand, few[np.arange(len(points)) % len(few)])


def verbatim(hand: Hand) -> Anonymized | None:
    """Records of others, none changed: the nearest one to each own record where records are compared, otherwise as
    many as the original has whose means and products are like its own. None without records of others.

    Notes
    -----
    The choice is greedy, as in Welling, “Herding dynamical weights to learn”: each next record is the one of some
    random others after which the mean of all chosen ones is nearest to the original's.
    """
    if hand.others is None or len(hand.others) < 2:
        return None
    both = pd.concat([hand.table, hand.others], ignore_index=True)
    points, n = _points(both, hand.schema), len(hand.table)
    chosen = _nearest if hand.is_aligned else _like
    rows = n + chosen(points[n:], points[:n])
    return Anonymized(both.iloc[rows].reset_index(drop=True), untouched(hand.table))


def _as(hand: Hand, rows: IntArray) -> Anonymized:
    """These rows of the original, each under the number of its line."""
    names = list(hand.schema.public().names)
    return Anonymized(hand.table[names].iloc[rows].reset_index(drop=True), untouched(hand.table))


def _points(table: pd.DataFrame, schema: Schema) -> FloatArray:
    """Records as points: numbers in standard deviations, a coordinate for each category."""
    columns = []
    for column in schema.public().columns:
        values = table[column.name]
        if column.is_numeric:
            number = values.to_numpy(dtype=np.float64)
            columns.append((number - number.mean())[:, None] / (number.std() or 1.0))
        else:
            columns.append(pd.get_dummies(values).to_numpy(dtype=np.float64))
    return np.hstack(columns)


def _groups(points: FloatArray) -> Iterator[IntArray]:
    """All rows in groups of two or three near ones: each with the nearest one that is left, of at most `NEAR` rows."""
    waiting = [np.arange(len(points), dtype=np.int64)]
    while waiting:
        rows = waiting.pop()
        if len(rows) > NEAR:
            widest = points[rows].var(axis=0).argmax()
            order = np.argsort(points[rows, widest], kind="stable")
            waiting += [rows[half] for half in np.array_split(order, 2)]
            continue
        while len(rows) > 3:
            distances = ((points[rows[1:]] - points[rows[0]]) ** 2).sum(axis=1)
            nearest = 1 + int(distances.argmin())
            yield rows[[0, nearest]]
            rows = np.delete(rows, [0, nearest])
        yield rows


def _nearest(others: FloatArray, points: FloatArray) -> IntArray:
    """The nearest of the others to each point."""
    squares = (others**2).sum(axis=1)
    parts = np.array_split(points, len(points) // 500 + 1)
    return np.concatenate([(squares - 2 * part @ others.T).argmin(axis=1) for part in parts])


def _like(others: FloatArray, points: FloatArray) -> IntArray:
    """As many of the others as there are points, each once where they suffice, with means like those of the points."""
    rng, n = np.random.default_rng(len(others)), len(points)
    target, free = _features(points).mean(axis=0), _features(others)
    left = np.tile(rng.permutation(len(others)), -(-n // len(others)))
    total, chosen = np.zeros_like(target), np.zeros(n, dtype=np.int64)
    for place in range(n):
        among = rng.integers(place, len(left), size=CHOICE)
        after = total + free[left[among]] - (place + 1) * target
        best = among[(after**2).sum(axis=1).argmin()]
        left[[place, best]] = left[[best, place]]
        chosen[place] = left[place]
        total += free[left[place]]
    return chosen


def _features(points: FloatArray) -> FloatArray:
    d = points.shape[1]
    if d > MOST_PRODUCTS:
        return points
    products = [points[:, [i]] * points[:, i:] for i in range(d)]
    return np.hstack([points, *products])
