# SPDX-License-Identifier: Apache-2.0
"""Checks of releases: generalizations of their tables, m-unique, and as far as files show m-invariant.

A release file does not contain the owners of its rows. So definition 2 is checked in an equivalent form: there is a
matching that gives every tuple a row with its value whose region contains it; the rows left over are counterfeits. For
m-invariance a tuple keeps those signatures that such rows have at all of its times, and there must be a matching at
each time with rows of kept signatures only. Where more than one signature is kept, that is necessary but need not be
sufficient.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from scoring.errors import Collector, Problem, ProblemsFound, shorten
from scoring.formats.sequential.boxes import Groups, opened
from scoring.formats.sequential.candidates import Candidates, candidates
from scoring.formats.sequential.definitions import (
    Signature,
    repeated_values,
    signatures,
    small_groups,
)
from scoring.formats.sequential.files import first_of
from scoring.formats.sequential.tables import Microdata, Release, Snapshot
from scoring.formats.sequential.told import n_left_over
from scoring.tables.equivalence import IntArray


@dataclass(frozen=True, slots=True)
class Check:
    """The properties of the releases, and every reason why one does not hold.

    `is_m_invariant` is None where that was not asked.
    """

    is_generalization: bool
    is_m_unique: bool
    is_m_invariant: bool | None
    problems: tuple[Problem, ...]
    n_problems: int


def check(
    microdata: Microdata,
    releases: Sequence[Release],
    m: int,
    *,
    tampered: Sequence[IntArray] = (),
    invariance: bool = True,
) -> Check:
    """Check releases that were read from files.

    Parameters
    ----------
    microdata : Microdata
    releases : sequence of Release
        One for each table.
    m : int
    tampered : sequence of int64 arrays, optional
        By time, the groups of which a notice says that their region may not contain their tuples.
    invariance : bool
        Whether to ask for m-invariance, too.

    Raises
    ------
    ProblemsFound
        Where there is not one release for each table, or tuples may have more rows than fit into memory.

    Examples
    --------
    >>> from scoring.formats.sequential.examples import SMALL
    >>> from scoring.formats.sequential.publishing import Options, publish
    >>> check(SMALL, publish(SMALL, Options(m=2)).releases, 2).is_m_invariant
    True
    """
    check_number(len(microdata.snapshots), len(releases))
    releases = [
        opened(release, groups)
        for release, groups in zip(
            releases, [*tampered, *[np.zeros(0, np.int64)] * len(releases)], strict=False
        )
    ]
    unique, general, invariant = Collector(), Collector(), Collector()
    for time, release in enumerate(releases, start=1):
        _check_m_unique(release, microdata, m, f"R{time}", unique)
    signature = signatures_of_rows(releases) if invariance else None
    rowless, changing = _unmatched(microdata.snapshots, releases, signature)
    for time in range(len(releases)):
        _tell(rowless[time], microdata, time, "release.no_row", general)
        _tell(changing[time], microdata, time, "release.signature", invariant)
        if not len(rowless[time]):
            _check_told(microdata.snapshots[time], releases[time], f"C{time + 1}", general)
    problems = Collector()
    for found in (unique, general, invariant):
        problems.extend(found.problems, found.n_total)
    return Check(
        is_generalization=not general,
        is_m_unique=not unique,
        is_m_invariant=not problems if invariance else None,
        problems=tuple(problems.problems),
        n_problems=problems.n_total,
    )


def check_number(n_tables: int, n_releases: int) -> None:
    """ProblemsFound where there is not one release for each table."""
    if n_tables != n_releases:
        params: dict[str, str | int | float] = {"expected": n_tables, "got": n_releases}
        raise ProblemsFound([Problem("sequential.missing_release", params)])


def unmatched(snapshot: Snapshot, release: Release) -> IntArray:
    """The tuples that a largest matching leaves without a row of their value whose region contains them.

    Their number does not depend on the matching; their choice may.

    Examples
    --------
    >>> from scoring.formats.sequential.examples import SMALL
    >>> box = np.array([[20.0, 12_000.0]] * 2)
    >>> release = Release(np.ones(2, int), box, box + 2, np.array([0, 1]), None, {}, None)
    >>> unmatched(SMALL.snapshots[0], release)
    array([1, 2, 3])
    """
    (found,), _changing = _unmatched([snapshot], [release], None)
    return found


def _check_m_unique(
    release: Release, microdata: Microdata, m: int, file: str, problems: Collector
) -> None:
    for row in first_of(repeated_values(release), problems):
        problems.add(
            "release.repeated_value",
            file=file,
            row=row + 1,
            column=microdata.sensitive_name,
            group=int(release.group[row]),
            got=shorten(microdata.sensitive_values[release.sensitive[row]]),
        )
    for group, row, got in first_of(small_groups(release, m), problems):
        problems.add(
            "release.small_group", file=file, row=row + 1, group=group, expected=m, got=got
        )


def _check_told(snapshot: Snapshot, release: Release, file: str, problems: Collector) -> None:
    """Published counterfeits must be left over in their groups; their total is checked elsewhere."""
    told = sum(release.counterfeits.values())
    if not told or told != len(release.group) - len(snapshot.ids):
        return
    found = n_left_over(snapshot, release)
    if found is not None and found < told:
        problems.add("release.counterfeits", file=file, expected=told, got=found)


def signatures_of_rows(releases: Sequence[Release]) -> IntArray:
    """By row of all releases, a number for the signature of its group."""
    numbers: dict[Signature, int] = {}
    found = []
    for release in releases:
        of_group = [
            numbers.setdefault(signature, len(numbers)) for signature in signatures(release)
        ]
        found.append(np.array(of_group, dtype=np.int64)[Groups.of(release).of_row])
    return np.concatenate(found)


def _unmatched(
    snapshots: Sequence[Snapshot], releases: Sequence[Release], signature: IntArray | None
) -> tuple[list[IntArray], list[IntArray]]:
    """By time the places of tuples without a row, and of others without one of a signature that lasts."""
    rowless: list[list[IntArray]] = [[] for _ in releases]
    changing: list[list[IntArray]] = [[] for _ in releases]
    for some in candidates(snapshots, releases):
        without = some.unmatched()
        _sort_in(some, without, rowless)
        if signature is not None:
            _sort_in(some, np.setdiff1d(some.lasting(signature).unmatched(), without), changing)
    return [_joined(parts) for parts in rowless], [_joined(parts) for parts in changing]


def _sort_in(some: Candidates, slots: IntArray, places: list[list[IntArray]]) -> None:
    """Add the places of some slots to those of their times."""
    for time, found in enumerate(places):
        found.append(some.place[slots[some.time[slots] == time]])


def _joined(parts: Sequence[IntArray]) -> IntArray:
    found: IntArray = np.sort(np.concatenate([np.zeros(0, dtype=np.int64), *parts]))
    return found


def _tell(
    tuples: IntArray, microdata: Microdata, time: int, code: str, problems: Collector
) -> None:
    ids = microdata.snapshots[time].ids
    for row in first_of(tuples, problems):
        name = shorten(microdata.ids[ids[row]])
        problems.add(code, file=f"T{time + 1}", row=row + 1, id=name)
