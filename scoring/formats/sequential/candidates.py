# SPDX-License-Identifier: Apache-2.0
"""The rows that tuples may have: rows of their sensitive value whose region contains them, by value.

Tuples of different values share no row, so what is found for some values at a time is found for all.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from scoring.errors import Problem, ProblemsFound
from scoring.formats.sequential.boxes import Grid
from scoring.formats.sequential.tables import Release, Snapshot
from scoring.kernels.matching import keep_lasting, match
from scoring.tables.equivalence import IntArray

MOST_PAIRS = 30_000_000
"""Pairs of a tuple and a row that are listed at a time; so many take about two gigabytes."""
_BATCH = 4_096  # tuples whose rows are listed at a time, or those of one value


@dataclass(frozen=True, slots=True)
class Candidates:
    """The rows that the tuples of some values may have, at all times.

    Attributes
    ----------
    ids : int64 array, shape (n_slots,)
        The positions of the tuples' ids, one time after the other.
    time : int64 array, shape (n_slots,)
    place : int64 array, shape (n_slots,)
        The place of each tuple in its snapshot.
    starts : int64 array, shape (n_slots + 1,)
    rows : int64 array
        Slot s may have rows[starts[s]:starts[s + 1]], numbers of rows through all releases.
    """

    ids: IntArray
    time: IntArray
    place: IntArray
    starts: IntArray
    rows: IntArray

    def unmatched(self) -> IntArray:
        """The slots that a largest matching leaves without a row."""
        return np.flatnonzero(self.matched() < 0)

    def matched(self) -> IntArray:
        """The row of each slot in a largest matching, -1 where there is none."""
        is_there = np.zeros(int(self.rows.max(initial=-1)) + 1, dtype=np.bool_)
        is_there[self.rows] = True
        number = np.cumsum(is_there) - 1
        row_of = np.empty(len(self.ids), dtype=np.int64)
        tuple_of = np.empty(int(is_there.sum()), dtype=np.int64)
        match(self.starts, number[self.rows], row_of, tuple_of)
        rows = np.append(np.flatnonzero(is_there), -1)
        found: IntArray = rows[row_of]
        return found

    def lasting(self, signature: IntArray) -> Candidates:
        """The same with only those rows whose signature, by row, the tuple's id may have at all of its times."""
        slots = np.lexsort((self.time, self.ids))
        first = np.flatnonzero(np.diff(self.ids[slots], prepend=-1, append=-1))
        keep: NDArray[np.bool_] = np.empty(len(self.rows), dtype=np.bool_)
        seen = np.zeros(int(signature.max(initial=-1)) + 1, dtype=np.int64)
        keep_lasting(first, slots, self.starts, self.rows, signature, seen, keep)
        starts = np.concatenate([[0], np.cumsum(keep)])[self.starts]
        return Candidates(self.ids, self.time, self.place, starts, self.rows[keep])


def candidates(snapshots: Sequence[Snapshot], releases: Sequence[Release]) -> Iterator[Candidates]:
    """The candidates of all tuples, those of some values at a time.

    Parameters
    ----------
    snapshots : sequence of Snapshot
    releases : sequence of Release
        One for each snapshot.

    Raises
    ------
    ProblemsFound
        Where some tuples may have so many rows that these do not fit into memory.

    Examples
    --------
    >>> from scoring.formats.sequential.examples import SMALL
    >>> box = np.array([[20.0, 12_000.0]] * 2)
    >>> release = Release(np.ones(2, int), box, box + 2, np.array([0, 1]), None, {}, None)
    >>> (found,) = candidates(SMALL.snapshots[:1], [release])
    >>> found.starts, found.rows
    (array([0, 1, 1, 1, 1]), array([0]))
    """
    values = [part.sensitive for parts in (snapshots, releases) for part in parts]
    n_values = 1 + max((int(found.max(initial=-1)) for found in values), default=-1)
    first_row = np.cumsum([0, *(len(release.group) for release in releases)])
    for is_chosen in _batches(snapshots, n_values):
        found: list[tuple[IntArray, IntArray, IntArray]] = []
        for time, (snapshot, release) in enumerate(zip(snapshots, releases, strict=True), start=1):
            n_before = sum(len(part[2]) for part in found)
            found.append(_at(snapshot, release, is_chosen, f"R{time}", n_before))
        place = [part[0] for part in found]
        n_rows = np.concatenate([part[1] for part in found])
        yield Candidates(
            np.concatenate([s.ids[p] for s, p in zip(snapshots, place, strict=True)]),
            np.repeat(np.arange(len(place)), [len(p) for p in place]),
            np.concatenate(place),
            np.concatenate([[0], np.cumsum(n_rows)]),
            np.concatenate([part[2] + row for part, row in zip(found, first_row, strict=False)]),
        )


def _batches(snapshots: Sequence[Snapshot], n_values: int) -> Iterator[NDArray[np.bool_]]:
    """Batches of values: few values of many tuples, or many of few."""
    sizes = np.zeros(n_values, dtype=np.int64)
    for snapshot in snapshots:
        sizes += np.bincount(snapshot.sensitive, minlength=n_values)
    ends = np.cumsum(sizes) // _BATCH
    for batch in np.unique(ends[sizes > 0]):
        yield (ends == batch) & (sizes > 0)


def _at(
    snapshot: Snapshot, release: Release, is_chosen: NDArray[np.bool_], file: str, n_before: int
) -> tuple[IntArray, IntArray, IntArray]:
    """The places of the tuples of some values at one time, and the number of rows and the rows of each.

    `n_before` pairs were listed for the same values at other times.
    """
    place = np.flatnonzero(is_chosen[snapshot.sensitive])
    rows = np.flatnonzero(is_chosen[release.sensitive])
    if not len(place) or not len(rows):
        return place, np.zeros(len(place), dtype=np.int64), np.zeros(0, dtype=np.int64)
    value = release.sensitive[rows, None]
    points = np.hstack([snapshot.qi[place], snapshot.sensitive[place, None]])
    grid = Grid.of(np.hstack([release.low[rows], value]), np.hstack([release.high[rows], value]))
    sizes = grid.sizes(points)
    n = int(sizes.sum())
    if n_before + n > MOST_PAIRS:
        params: dict[str, str | int | float] = {"expected": MOST_PAIRS, "got": n_before + n}
        raise ProblemsFound([Problem("release.too_many_pairs", params, file)])
    return place, sizes, rows[grid.listed(points, n)]
