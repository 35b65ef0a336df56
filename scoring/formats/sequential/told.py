# SPDX-License-Identifier: Apache-2.0
"""Check of published counterfeits: can they be the rows that the records leave over in each group."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from functools import partial
from itertools import chain

import numpy as np

from scoring.errors import ProblemsFound
from scoring.formats.sequential.boxes import Groups
from scoring.formats.sequential.candidates import candidates
from scoring.formats.sequential.tables import Release, Snapshot
from scoring.formats.sequential.worlds import ranges
from scoring.kernels.matching import match
from scoring.tables.equivalence import IntArray

MOST_PAIRS = 10_000_000
"""Pairs of a record and a row that it may have; of more, nothing is looked at: no possible worlds are, either."""


def n_left_over(snapshot: Snapshot, release: Release) -> int | None:
    """The number of published counterfeits with a row of their group, when as many records as possible have one.

    Records and published counterfeits are matched to rows together: a record to one of its value whose region contains
    it, a counterfeit to any of its group. The published numbers are possible if all of both find a row.

    Parameters
    ----------
    snapshot : Snapshot
    release : Release
        With counterfeits by group; regions that a notice names contain everyone.

    Returns
    -------
    int or None
        The size of a largest matching less the number of records; None where pairs are too many.

    Examples
    --------
    >>> from dataclasses import replace
    >>> from scoring.formats.sequential.examples import SMALL
    >>> from scoring.formats.sequential.publishing import Options, publish
    >>> release = publish(SMALL, Options(m=2)).releases[1]
    >>> release.counterfeits
    {1: 1}
    >>> table = SMALL.snapshots[1]
    >>> [n_left_over(table, replace(release, counterfeits=told)) for told in ({1: 1}, {2: 1})]
    [1, 0]
    """
    n_rows, rows, n_pairs = [], [], 0
    try:
        for sizes, found in chain(_of_tuples(snapshot, release), [_of_counterfeits(release)]):
            n_pairs += int(sizes.sum())
            if n_pairs > MOST_PAIRS:
                return None
            n_rows.append(sizes)
            rows.append(found())
    except ProblemsFound:  # more than `candidates` lists at a time
        return None
    starts = np.concatenate([[0], np.cumsum(np.concatenate(n_rows))])
    row_of = np.empty(len(starts) - 1, dtype=np.int64)
    tuple_of = np.empty(len(release.group), dtype=np.int64)
    match(starts, np.concatenate(rows), row_of, tuple_of)
    return int((row_of >= 0).sum()) - len(snapshot.ids)


Pairs = tuple[IntArray, Callable[[], IntArray]]
"""The number of rows that each may have, and these rows."""


def _of_tuples(snapshot: Snapshot, release: Release) -> Iterator[Pairs]:
    """Of the tuples, those of some values at a time, in an order that does not matter."""
    for some in candidates([snapshot], [release]):
        yield np.diff(some.starts), partial(np.asarray, some.rows)


def _of_counterfeits(release: Release) -> Pairs:
    """Candidates of the published counterfeits: all rows of their group."""
    groups = Groups.of(release)
    told = release.told(groups.numbers)
    owner = np.repeat(np.arange(len(told)), told)
    sizes = np.diff(groups.starts)[owner]

    def rows() -> IntArray:
        found: IntArray = groups.rows[ranges(groups.starts[owner], sizes)]
        return found

    return sizes, rows
