"""Whether releases are generalizations of their tables, m-unique, and as far as files can tell m-invariant.

A release file does not say whose its rows are. So definition 2 is checked as what it comes to: there is a matching
that gives every tuple a row with its value whose box holds it; the rows left over are counterfeits. For m-invariance a
tuple keeps those signatures that such rows have at all of its times, and there must be a matching at each time with
rows of kept signatures alone. Where more than one signature is kept, that is necessary but need not be sufficient.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace

import numpy as np
from numpy.typing import NDArray

from scoring.equivalence import IntArray
from scoring.errors import Collector, Problem, ProblemsFound, shorten
from scoring.kernels.matching import match
from scoring.sequential.boxes import Grid, Groups
from scoring.sequential.definitions import (
    Signature,
    repeated_values,
    signatures,
    small_groups,
)
from scoring.sequential.tables import Microdata, Release, Snapshot

_BLOCK = 4096  # tuples whose boxes are listed at a time


@dataclass(frozen=True, slots=True)
class Check:
    """What holds of the releases, and every reason why something does not."""

    is_generalization: bool
    is_m_unique: bool
    is_m_invariant: bool
    problems: tuple[Problem, ...]
    n_problems: int


@dataclass(frozen=True, slots=True)
class _Edges:
    """The rows that tuples of one time may be: pairs, by tuple, and the signature of each row's group as a number."""

    tuples: IntArray
    rows: IntArray
    signatures: IntArray

    def only(self, keep: NDArray[np.bool_]) -> _Edges:
        return _Edges(self.tuples[keep], self.rows[keep], self.signatures[keep])


def check(
    microdata: Microdata,
    releases: Sequence[Release],
    m: int,
    *,
    tampered: Sequence[IntArray] = (),
) -> Check:
    """Check releases that were read from files.

    Parameters
    ----------
    microdata : Microdata
    releases : sequence of Release
        One for each table.
    m : int
    tampered : sequence of int64 arrays, optional
        By time, the groups of which a notice says that their box may not hold their tuples.

    Raises
    ------
    ProblemsFound
        Where there is not one release for each table.

    Examples
    --------
    >>> from scoring.sequential.examples import SMALL
    >>> from scoring.sequential.publishing import Options, publish
    >>> check(SMALL, publish(SMALL, Options(m=2)).releases, 2).is_m_invariant
    True
    """
    check_number(len(microdata.snapshots), len(releases))
    opened = [
        _opened(release, groups)
        for release, groups in zip(
            releases, [*tampered, *[np.zeros(0, np.int64)] * len(releases)], strict=False
        )
    ]
    unique, general, invariant = Collector(), Collector(), Collector()
    numbers: dict[Signature, int] = {}
    kept = _Kept(len(microdata.ids))
    unmatched = []
    for time, (snapshot, release) in enumerate(zip(microdata.snapshots, opened, strict=True)):
        _check_m_unique(release, microdata, m, f"R{time + 1}", unique)
        edges = _edges(snapshot, release, numbers)
        unmatched.append(_unmatched(edges, len(snapshot.ids), len(release.group)))
        _tell(unmatched[-1], microdata, time, "release.no_row", general)
        kept.narrow(snapshot, edges)
    for time, (snapshot, release) in enumerate(zip(microdata.snapshots, opened, strict=True)):
        edges = _edges(snapshot, release, numbers)
        edges = edges.only(kept.allows(snapshot, edges))
        left = _unmatched(edges, len(snapshot.ids), len(release.group))
        _tell(np.setdiff1d(left, unmatched[time]), microdata, time, "release.signature", invariant)
    problems = Collector()
    for found in (unique, general, invariant):
        problems.extend(found.problems, found.n_total)
    return Check(
        is_generalization=not general,
        is_m_unique=not unique,
        is_m_invariant=not problems,
        problems=tuple(problems.problems),
        n_problems=problems.n_total,
    )


def check_number(n_tables: int, n_releases: int) -> None:
    """ProblemsFound where there is not one release for each table."""
    if n_tables != n_releases:
        params: dict[str, str | int | float] = {"expected": n_tables, "got": n_releases}
        raise ProblemsFound([Problem("sequential.missing_release", params)])


def _opened(release: Release, groups: IntArray) -> Release:
    """The release with boxes that hold everything for the groups tampered with."""
    is_open = np.isin(release.group, groups)[:, None]
    low, high = np.where(is_open, -np.inf, release.low), np.where(is_open, np.inf, release.high)
    return replace(release, low=low, high=high)


def _check_m_unique(
    release: Release, microdata: Microdata, m: int, file: str, problems: Collector
) -> None:
    for row in repeated_values(release).tolist():
        problems.add(
            "release.repeated_value",
            file=file,
            row=row + 1,
            column=microdata.sensitive_name,
            group=int(release.group[row]),
            got=shorten(microdata.sensitive_values[release.sensitive[row]]),
        )
    for group in small_groups(release, m).tolist():
        rows = np.flatnonzero(release.group == group)
        row, got = int(rows[0]) + 1, len(rows)
        problems.add("release.small_group", file=file, row=row, group=group, expected=m, got=got)


def _edges(snapshot: Snapshot, release: Release, numbers: dict[Signature, int]) -> _Edges:
    groups = Groups.of(release)
    of_group = np.array(
        [numbers.setdefault(signature, len(numbers)) for signature in signatures(release)],
        dtype=np.int64,
    )
    n_values = 1 + max(
        int(release.sensitive.max(initial=0)), int(snapshot.sensitive.max(initial=0))
    )
    key = groups.of_row * n_values + release.sensitive
    order = np.argsort(key, kind="stable")
    grid = Grid.of(groups.low, groups.high)
    starts = np.searchsorted(key[order], np.arange(len(groups.numbers) * n_values + 1))
    parts = list(_edges_by_block(snapshot, grid, starts, n_values))
    tuples = np.concatenate([part[0] for part in parts])
    rows = order[np.concatenate([part[1] for part in parts])]
    return _Edges(tuples, rows, of_group[groups.of_row[rows]])


def _edges_by_block(
    snapshot: Snapshot, grid: Grid, starts_of: IntArray, n_values: int
) -> Iterator[tuple[IntArray, IntArray]]:
    """Tuples, and positions of the rows with their value in boxes that hold them.

    Those of group g and value v are starts_of[g · n_values + v] to the start of the next.
    """
    for start in range(0, max(len(snapshot.ids), 1), _BLOCK):
        starts, boxes = grid.holding(snapshot.qi[start : start + _BLOCK])
        tuples = start + np.repeat(np.arange(len(starts) - 1), np.diff(starts))
        wanted = boxes * n_values + snapshot.sensitive[tuples]
        first = starts_of[wanted]
        n = starts_of[wanted + 1] - first
        within = np.arange(n.sum()) - np.repeat(np.cumsum(n) - n, n)
        yield np.repeat(tuples, n), np.repeat(first, n) + within


def _unmatched(edges: _Edges, n_tuples: int, n_rows: int) -> IntArray:
    """The tuples that a largest matching leaves without a row."""
    starts = np.searchsorted(edges.tuples, np.arange(n_tuples + 1))
    row_of, tuple_of = np.empty(n_tuples, dtype=np.int64), np.empty(n_rows, dtype=np.int64)
    match(starts, edges.rows, row_of, tuple_of)
    return np.flatnonzero(row_of < 0)


class _Kept:
    """The signatures that each id can have had at all times so far, as sorted numbers id · 2³² + signature."""

    def __init__(self, n_ids: int) -> None:
        self._is_known = np.zeros(n_ids, dtype=np.bool_)
        self._pairs = np.zeros(0, dtype=np.int64)

    def narrow(self, snapshot: Snapshot, edges: _Edges) -> None:
        """Take in the signatures of one more time."""
        now = np.unique(_pairs(snapshot, edges))
        is_here = np.zeros_like(self._is_known)
        is_here[snapshot.ids] = True
        stays = ~is_here[self._pairs >> 32] | np.isin(self._pairs, now)
        new = now[~self._is_known[now >> 32]]
        self._pairs = np.union1d(self._pairs[stays], new)
        self._is_known |= is_here

    def allows(self, snapshot: Snapshot, edges: _Edges) -> NDArray[np.bool_]:
        """Which edges lead to groups of a kept signature."""
        return np.isin(_pairs(snapshot, edges), self._pairs)


def _pairs(snapshot: Snapshot, edges: _Edges) -> IntArray:
    found: IntArray = (snapshot.ids[edges.tuples] << 32) + edges.signatures
    return found


def _tell(
    tuples: IntArray, microdata: Microdata, time: int, code: str, problems: Collector
) -> None:
    ids = microdata.snapshots[time].ids
    for row in tuples.tolist():
        name = shorten(microdata.ids[ids[row]])
        problems.add(code, file=f"T{time + 1}", row=row + 1, id=name)
