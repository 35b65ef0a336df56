# SPDX-License-Identifier: Apache-2.0
"""The record of a table that is nearest to a target in some columns, numbers and categories together."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from scoring.scores.coding import Coded, CodedTable
from scoring.tables.equivalence import FloatArray, IntArray

_BLOCK = 1 << 19  # distances held at a time


def nearest(
    coded: Coded,
    targets: CodedTable,
    table: CodedTable,
    columns: Sequence[int],
    *,
    rng: np.random.Generator,
) -> IntArray:
    """For each target the nearest record of the table in these columns; of several equally near, one at random.

    Gower's distance: the sum over columns of \\|difference\\| / range for numbers, the range being that
    of the table, and of 0 or 1 for equal and different categories. A number that is constant in the
    table counts 0 where equal and 1 where not. Attackers take the lowest row in place of a random one, because their
    guess must be definite; a measure must not depend on the order of rows.

    Parameters
    ----------
    coded : Coded
        What the columns are.
    targets, table : CodedTable
        The table has at least one record.
    columns : sequence of int
        Positions of the columns that are compared.
    rng : Generator

    Returns
    -------
    int64 array, shape (n_targets,)
        Positions in `table`.

    Notes
    -----
    Gower, “A general coefficient of similarity and some of its properties”.
    """
    found = np.empty(len(targets), dtype=np.int64)
    step = max(1, _BLOCK // len(table))
    for start in range(0, len(targets), step):
        block = slice(start, min(start + step, len(targets)))
        far = _distances(coded, targets, table, columns, block)
        rows, records = np.nonzero(far == far.min(axis=1)[:, None])
        n_nearest = np.bincount(rows)
        firsts = np.cumsum(n_nearest) - n_nearest
        found[block] = records[firsts + rng.integers(n_nearest)]
    return found


def several_nearest(
    coded: Coded,
    targets: CodedTable,
    table: CodedTable,
    columns: Sequence[int],
    n: int,
    *,
    rng: np.random.Generator,
) -> IntArray:
    """For each target the n nearest records of the table, all of them where it has fewer.

    Returns
    -------
    int64 array, shape (n_targets, min(n, n_records))
        The nearest first, equally near ones in random order.
    """
    if n == 1:
        return nearest(coded, targets, table, columns, rng=rng)[:, None]
    found = np.empty((len(targets), min(n, len(table))), dtype=np.int64)
    step = max(1, _BLOCK // len(table))
    for start in range(0, len(targets), step):
        block = slice(start, min(start + step, len(targets)))
        far = _distances(coded, targets, table, columns, block)
        order = np.lexsort((rng.random(far.shape), far), axis=1)
        found[block] = order[:, : found.shape[1]]
    return found


def two_nearest(
    coded: Coded, targets: CodedTable, table: CodedTable, spans: Sequence[float]
) -> tuple[FloatArray, FloatArray]:
    """The distances of each target from the nearest and from the second nearest record, over all columns.

    `spans` are the ranges of the numbers. A table of one record has it twice.
    """
    columns = range(len(coded.columns))
    first, second = np.empty(len(targets)), np.empty(len(targets))
    step = max(1, _BLOCK // len(table))
    for start in range(0, len(targets), step):
        block = slice(start, min(start + step, len(targets)))
        far = _distances(coded, targets, table, columns, block, spans)
        last = min(1, len(table) - 1)
        far.partition(last, axis=1)
        first[block], second[block] = far[:, 0], far[:, last]
    return first, second


def _distances(
    coded: Coded,
    targets: CodedTable,
    table: CodedTable,
    columns: Sequence[int],
    block: slice,
    spans: Sequence[float] | None = None,
) -> FloatArray:
    far = np.zeros((block.stop - block.start, len(table)))
    for i in columns:
        ours, theirs = targets.columns[i][block][:, None], table.columns[i]
        own = 0.0 if coded.n_levels[i] else float(theirs.max() - theirs.min())
        span = own if spans is None else spans[i]
        if span > 0:
            change = ours - theirs
            np.abs(change, out=change)
            change /= span
            far += change
        else:
            far += ours != theirs
    return far
