"""The risks of a sequential release once more, in slow and obvious Python: every world is listed."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Sequence
from fractions import Fraction
from itertools import product

from scoring.sequential.tables import Microdata, Release

Row = tuple[int, int]
"""A time and a row of its release."""
Path = dict[int, Row]
"""The row of an entity at each time of its life."""


def fits(microdata: Microdata, release: Release, time: int, person: int, row: int) -> bool:
    snapshot = microdata.snapshots[time]
    qi = snapshot.qi[snapshot.ids.tolist().index(person)]
    return all(release.low[row] <= qi) and all(qi <= release.high[row])


def signature(release: Release, row: int) -> frozenset[int]:
    own = release.group == release.group[row]
    return frozenset(release.sensitive[own].tolist())


def paths(
    microdata: Microdata, releases: Sequence[Release], person: int, *, invariant: bool
) -> list[Path]:
    """What a person may be through its life, on its own: one value, and one signature if invariant."""
    times = [t for t, s in enumerate(microdata.snapshots) if person in s.ids.tolist()]
    rows = [
        [
            (t, r)
            for r in range(len(releases[t].group))
            if fits(microdata, releases[t], t, person, r)
        ]
        for t in times
    ]
    found = []
    for choice in product(*rows):
        values = {int(releases[t].sensitive[r]) for t, r in choice}
        signatures = {signature(releases[t], r) for t, r in choice}
        if len(values) == 1 and (len(signatures) == 1 or not invariant):
            found.append(dict(choice_of(choice)))
    return found


def choice_of(choice: Sequence[Row]) -> Iterator[tuple[int, Row]]:
    return ((time, (time, row)) for time, row in choice)


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
) -> Iterator[list[Path]]:
    """Every world: the path of each person, and then of each counterfeit, no row taken twice."""
    people = range(len(microdata.ids))
    choices = [paths(microdata, releases, person, invariant=invariant) for person in people]
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
) -> tuple[int, list[Fraction]]:
    """The number of worlds, and the share of them in which each person has its true value."""
    n, hits, truth = 0, Counter[int](), true_values(microdata)
    for world in worlds(microdata, releases, known=known, invariant=invariant):
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
            [
                int(release.sensitive[row])
                for row in range(len(release.group))
                if fits(microdata, release, time, person, row)
            ]
            for time, release in enumerate(releases)
            if person in microdata.snapshots[time].ids.tolist()
        ]
        kept = set.intersection(*map(set, possible))
        left = [found for found in possible[-1] if found in kept]
        risks.append(Fraction(left.count(value), len(left)) if left else None)
    return risks
