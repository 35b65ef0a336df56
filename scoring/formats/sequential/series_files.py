# SPDX-License-Identifier: Apache-2.0
"""Reading what a contest of sequential release works on: archives of tables, and of the series made of them."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from functools import partial
from typing import Any, TypeVar

import numpy as np

from scoring.errors import Collector, Problem, ProblemsFound, shorten
from scoring.formats.sequential.bundles import Parts, unpack, unpacked
from scoring.formats.sequential.checking import check
from scoring.formats.sequential.files import most_lines, read_each, read_microdata
from scoring.formats.sequential.limits import NO_LIMITS, Counts, SeriesLimits, beyond, too_many_rows
from scoring.formats.sequential.loss import displaced_tuples
from scoring.formats.sequential.release_files import read_counterfeits, read_notice, read_release
from scoring.formats.sequential.risk import Definition, check_releases
from scoring.formats.sequential.series import (
    M_INVARIANCE,
    M_UNIQUE,
    Series,
    deletions_schema,
    in_order,
    without,
)
from scoring.formats.sequential.tables import Microdata, Release
from scoring.tables.equivalence import IntArray
from scoring.tables.reading import read_records
from scoring.tables.schema import Schema

T = TypeVar("T")


def read_tables(data: bytes, schema: Schema, *, file: str = "tables") -> Microdata:
    """The tables of an archive of T1.csv, T2.csv …

    Raises
    ------
    ProblemsFound
        Where the archive or a table cannot be used; see `read_microdata`.

    Examples
    --------
    >>> from scoring.formats.sequential.bundles import pack
    >>> from scoring.formats.sequential.examples import SCHEMA
    >>> data = pack({"T1.csv": b"name,age,zip,disease\\nBob,21,12000,flu\\n"})
    >>> read_tables(data, SCHEMA).ids
    ('Bob',)
    """
    return read_microdata(unpacked(data, "T", file=file), schema)


def read_series(
    data: bytes,
    microdata: Microdata,
    identifier: str,
    *,
    m: int,
    require: str = M_UNIQUE,
    limits: SeriesLimits = NO_LIMITS,
    file: str = "series",
) -> Series:
    """The releases of an archive of R1.csv …, C1.csv …, N1.csv … and D1.csv …, checked against their tables.

    Parameters
    ----------
    data : bytes
        There is an R for each table. C, the counterfeits of each group, is there for each or for none.
        N, a notice of tampering, and D, who is left out from then on, are there for some.
    microdata : Microdata
        The tables in full.
    identifier : str
        The column of D.
    m : int
    require : {"m-unique", "m-invariance"}
        A further condition; each published tuple must always have a row of its own.
    limits : SeriesLimits
        Limits of deletions, displaced records and counterfeits.
    file : str
        What problems call the archive.

    Raises
    ------
    ProblemsFound
        Where a file cannot be used, or something that is required does not hold. All problems of one stage are reported
        together: of the archive, of its files, of the number of rows, and of the check.

    Examples
    --------
    >>> from scoring.formats.sequential.bundles import pack
    >>> from scoring.formats.sequential.examples import SMALL
    >>> from scoring.formats.sequential.publishing import Options, publish
    >>> from scoring.formats.sequential.series import handed_in, of_publication
    >>> files = handed_in(of_publication(publish(SMALL, Options(m=2))), "name")
    >>> sorted(files)
    ['C1.csv', 'C2.csv', 'R1.csv', 'R2.csv']
    >>> read_series(pack(files), SMALL, "name", m=2).releases[1].counterfeits
    {1: 1, 2: 0}
    """
    n = len(microdata.snapshots)
    parts = unpack(data, "RCND", file=file, n=n)
    problems = Collector()
    deleted = _tried(lambda: _read_deleted(parts["D"], microdata, identifier), problems)
    read = _tried(lambda: read_releases(parts, microdata, file=file), problems)
    problems.raise_if_any()
    assert deleted is not None
    assert read is not None
    releases, tampered, knows_counterfeits = read
    kept = without(microdata, deleted)
    series = in_order(Series(kept, releases, tampered, deleted, knows_counterfeits))
    _refuse(too_many_rows(limits, _counts(microdata, series)))
    problems.extend(exceeded(limits, microdata, series, file=file))
    known = Definition.COUNTERFEIT_KNOWN if knows_counterfeits else Definition.WORLDS
    _tried(lambda: check_releases(kept, releases, known), problems)
    is_invariant = require == M_INVARIANCE
    found = _tried(
        lambda: check(kept, releases, m, tampered=tampered, invariance=is_invariant), problems
    )
    if found is not None:
        problems.extend(_in_full_tables(found.problems, microdata, kept), found.n_problems)
    problems.raise_if_any()
    return series


def read_releases(
    parts: Parts, microdata: Microdata, *, file: str
) -> tuple[tuple[Release, ...], tuple[IntArray, ...], bool]:
    """The releases with their counterfeits, the groups tampered with, and True if counterfeits are published.

    Raises
    ------
    ProblemsFound
        If a file cannot be used, or counterfeits are published for some releases only.
    """
    problems = Collector()
    texts = list(parts["R"].values())
    releases = read_each(texts, "R", lambda data, name, _: read_release(data, microdata, file=name))
    told = parts["C"]
    if told:
        for time in range(1, len(releases) + 1):
            if time not in told:
                problems.add("series.some_counterfeits", file=file, expected=f"C{time}.csv")
    counts = _each(told, "C", releases, read_counterfeits, problems)
    notices = _each(parts["N"], "N", releases, read_notice, problems)
    problems.raise_if_any()
    nothing: IntArray = np.zeros(0, dtype=np.int64)
    return (
        tuple(replace(r, counterfeits=counts.get(t, {})) for t, r in enumerate(releases, start=1)),
        tuple(notices.get(time, nothing) for time in range(1, len(releases) + 1)),
        bool(told),
    )


def exceeded(
    limits: SeriesLimits, microdata: Microdata, series: Series, *, file: str = "series"
) -> list[Problem]:
    """Check the deletions, displaced records and counterfeits of a series against its limits.

    Parameters
    ----------
    limits : SeriesLimits
    microdata : Microdata
        The tables in full.
    series : Series
    file : str
        What problems call the series.

    Examples
    --------
    >>> from scoring.formats.sequential.examples import SMALL, scored
    >>> [problem.code for problem in exceeded(SeriesLimits(max_counterfeits=0), SMALL, scored().series)]
    ['series.too_many_counterfeits']
    """
    n_displaced = 0 if limits.max_displaced is None else sum(displaced_tuples(series))
    return beyond(limits, _counts(microdata, series), n_displaced, file=file)


def _counts(microdata: Microdata, series: Series) -> Counts:
    return Counts(
        sum(len(snapshot.ids) for snapshot in microdata.snapshots),
        tuple(len(snapshot.ids) for snapshot in series.microdata.snapshots),
        tuple(len(release.group) for release in series.releases),
    )


def _refuse(problems: Sequence[Problem]) -> None:
    if problems:
        raise ProblemsFound(problems)


def _read_deleted(
    parts: Mapping[int, bytes], microdata: Microdata, identifier: str
) -> tuple[IntArray, ...]:
    """By time, the positions of the ids that are left out from then on."""
    schema = deletions_schema(identifier)
    position = {id_: i for i, id_ in enumerate(microdata.ids)}
    first: dict[str, str] = {}
    problems = Collector()
    deleted: list[IntArray] = []
    for time, snapshot in enumerate(microdata.snapshots, start=1):
        file, alive = f"D{time}", set(snapshot.ids.tolist())
        found: list[int] = []
        ids = _ids(parts.get(time), schema, file, len(microdata.ids), problems)
        for row, id_ in enumerate(ids, start=1):
            where: dict[str, Any] = {"file": file, "row": row, "column": identifier}
            where["got"] = shorten(id_)
            if id_ not in position:
                problems.add("series.unknown_id", **where)
            elif id_ in first:
                problems.add("series.deleted_twice", **where, first=first[id_])
            elif position[id_] not in alive:
                problems.add("series.not_alive", **where, expected=f"T{time}")
            else:
                found.append(position[id_])
            first.setdefault(id_, file)
        deleted.append(np.array(sorted(found), dtype=np.int64))
    problems.raise_if_any()
    return tuple(deleted)


def _ids(
    data: bytes | None, schema: Schema, file: str, n_people: int, problems: Collector
) -> list[str]:
    """The ids of a file, none where there is no file or it cannot be read."""
    if data is None:
        return []
    most = most_lines(n_people)
    table = _tried(
        lambda: read_records(data, schema, file=file, original=True, max_records=most), problems
    )
    if table is None:
        return []
    (name,) = table.names
    return [table.levels[name][code] for code in table.codes[name].tolist()]


def _each(
    texts: Mapping[int, bytes],
    letter: str,
    releases: Sequence[Release],
    read: Callable[..., T],
    problems: Collector,
) -> dict[int, T]:
    """The contents of the files other than releases, by time from 1."""
    found = {}
    for time, data in texts.items():
        release, file = releases[time - 1], f"{letter}{time}"
        said = _tried(partial(read, data, release, file=file), problems)
        if said is not None:
            found[time] = said
    return found


def _tried(read: Callable[[], T], problems: Collector) -> T | None:
    """The content that is read; None, with the problems noted, if it cannot be read."""
    try:
        return read()
    except ProblemsFound as error:
        problems.extend(error.problems, error.n_total)
        return None


def _in_full_tables(
    problems: Sequence[Problem], microdata: Microdata, kept: Microdata
) -> list[Problem]:
    """The same with the records of the tables that the team has, in which nobody is left out."""
    rows = {
        f"T{time}": np.flatnonzero(np.isin(full.ids, left.ids)) + 1
        for time, (full, left) in enumerate(
            zip(microdata.snapshots, kept.snapshots, strict=True), start=1
        )
    }
    return [
        replace(problem, row=int(rows[problem.file][problem.row - 1]))
        if problem.file in rows and problem.row
        else problem
        for problem in problems
    ]
