# SPDX-License-Identifier: Apache-2.0
"""The risks of a sequential release once more, in slow and obvious Python: every world is listed."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Sequence
from fractions import Fraction
from itertools import product

import numpy as np

from scoring.formats.sequential.tables import Microdata, Release

Row = tuple[int, int]
"""A time and a row of its release."""
Path = dict[int, Row]
"""The row of an entity at each time of its life."""


def rows_of(microdata: Microdata, release: Release, time: int, person: int) -> list[int]:
    """The rows whose region holds a person."""
    snapshot = microdata.snapshots[time]
    qi = snapshot.qi[snapshot.ids.tolist().index(person)]
    return np.flatnonzero(((release.low <= qi) & (qi <= release.high)).all(axis=1)).tolist()


def kind(release: Release, row: int, *, invariant: bool) -> tuple[int, frozenset[int]]:
    """What must not change: the value, and the signature if invariant."""
    own = release.sensitive[release.group == release.group[row]].tolist() if invariant else []
    return int(release.sensitive[row]), frozenset(own)


def fits_last(microdata: Microdata, releases: Sequence[Release], person: int, path: Path) -> bool:
    """True if a path is possible for somebody who reads the column `last`."""
    for time in sorted(path)[1:]:
        release, (_time, row) = releases[time], path[time]
        signature = kind(release, row, invariant=True)[1]
        if number := int(release.last[row]):
            before = releases[time - 1]
            told = set(before.sensitive[before.group == number].tolist())
            if kind(before, path[time - 1][1], invariant=True)[1] != told:
                return False
        elif any(
            release.group[other] != release.group[row] and release.sensitive[other] in signature
            for other in rows_of(microdata, release, time, person)
        ):
            return False
    return True


def paths(
    microdata: Microdata,
    releases: Sequence[Release],
    person: int,
    *,
    invariant: bool,
    reads_last: bool = False,
) -> list[Path]:
    """What a person may be through its life, on its own."""
    rows = [
        [
            (kind(release, row, invariant=invariant), (time, row))
            for row in rows_of(microdata, release, time, person)
        ]
        for time, release in enumerate(releases)
        if person in microdata.snapshots[time].ids
    ]
    found = [
        {time: (time, row) for _kind, (time, row) in choice}
        for choice in product(*rows)
        if len({kind for kind, _row in choice}) == 1
    ]
    return [p for p in found if not reads_last or fits_last(microdata, releases, person, p)]


def counterfeit_paths(
    microdata: Microdata, releases: Sequence[Release], *, known: bool
) -> list[list[Path]]:
    """What each counterfeit may be: a row of its release, of its group where that is known."""
    found = []
    for time, release in enumerate(releases):
        everywhere = [{time: (time, row)} for row in range(len(release.group))]
        if known:
            for group, n in release.counterfeits.items():
                inside = [path for path in everywhere if release.group[path[time][1]] == group]
                found += [inside] * n
        else:
            n = len(release.group) - len(microdata.snapshots[time].ids)
            found += [everywhere] * n
    return found


def worlds(
    microdata: Microdata,
    releases: Sequence[Release],
    *,
    known: bool = False,
    invariant: bool = False,
    reads_last: bool = False,
) -> Iterator[list[Path]]:
    """Every world: the path of each person, and then of each counterfeit, no row taken twice."""
    people = range(len(microdata.ids))
    knows = {"invariant": invariant, "reads_last": reads_last}
    choices = [paths(microdata, releases, person, **knows) for person in people]
    choices += counterfeit_paths(microdata, releases, known=known)

    def extended(world: list[Path], taken: frozenset[Row]) -> Iterator[list[Path]]:
        if len(world) == len(choices):
            yield world
            return
        for path in choices[len(world)]:
            if taken.isdisjoint(path.values()):
                yield from extended([*world, path], taken | set(path.values()))

    n_rows = sum(len(release.group) for release in releases)
    return (world for world in extended([], frozenset()) if sum(map(len, world)) == n_rows)


def true_values(microdata: Microdata) -> dict[int, int]:
    return {
        int(id_): int(value)
        for snapshot in microdata.snapshots
        for id_, value in zip(snapshot.ids, snapshot.sensitive, strict=True)
    }


def world_risks(
    microdata: Microdata,
    releases: Sequence[Release],
    *,
    known: bool = False,
    invariant: bool = False,
    reads_last: bool = False,
) -> tuple[int, list[Fraction]]:
    """The number of possible worlds, and the share of them in which each person has its true value."""
    n, hits, truth = 0, Counter[int](), true_values(microdata)
    knows = {"known": known, "invariant": invariant, "reads_last": reads_last}
    for world in worlds(microdata, releases, **knows):
        n += 1
        for person, value in truth.items():
            time, row = next(iter(world[person].values()))
            hits[person] += int(releases[time].sensitive[row]) == value
    return n, [Fraction(hits[person], n) for person in range(len(microdata.ids))] if n else []


def counting_risks(microdata: Microdata, releases: Sequence[Release]) -> list[Fraction | None]:
    """The share of each person's true value among the rows of its last release that are left."""
    risks: list[Fraction | None] = []
    for person, value in sorted(true_values(microdata).items()):
        possible = [
            release.sensitive[rows_of(microdata, release, time, person)].tolist()
            for time, release in enumerate(releases)
            if person in microdata.snapshots[time].ids
        ]
        kept = set.intersection(*map(set, possible))
        left = [found for found in possible[-1] if found in kept]
        risks.append(Fraction(left.count(value), len(left)) if left else None)
    return risks
