# SPDX-License-Identifier: Apache-2.0
"""Files of a sequential release: the releases R1, R2 …, counterfeits C1 … and notices of tampering N1 …"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import Any

import numpy as np

from scoring.errors import Collector, shorten
from scoring.formats.sequential.files import first_of, most_lines, points
from scoring.formats.sequential.tables import Attribute, FloatArray, Microdata, Release
from scoring.tables.equivalence import IntArray
from scoring.tables.reading import read_records
from scoring.tables.records import Records
from scoring.tables.schema import Column, Kind, Role, Schema
from scoring.tables.text import first_names
from scoring.tables.writing import write_table

_GROUP = Column("group", Role.OTHER, Kind.INTEGER, min=1)
_LAST = Column("last", Role.OTHER, Kind.INTEGER, min=0)
COUNTERFEITS_SCHEMA = Schema((_GROUP, Column("count", Role.OTHER, Kind.INTEGER, min=0)))
NOTICE_SCHEMA = Schema((_GROUP,))


def _release_schema(microdata: Microdata, *, has_last: bool) -> Schema:
    """The columns of a release file."""
    ends = tuple(
        Column(
            f"{attribute.name}_{end}",
            Role.QUASI_IDENTIFIER,
            Kind.NUMBER if attribute.values is None else Kind.CATEGORY,
            values=attribute.values,
        )
        for attribute in microdata.attributes
        for end in ("low", "high")
    )
    values = microdata.sensitive_values or None
    sensitive = Column(microdata.sensitive_name, Role.SENSITIVE, Kind.CATEGORY, values=values)
    return Schema((_GROUP, *((_LAST,) if has_last else ()), *ends, sensitive))


def read_release(data: bytes, microdata: Microdata, *, file: str) -> Release:
    """A release file: `group`, perhaps `last`, `<attribute>_low` and `_high` for every one, and the sensitive value.

    Raises
    ------
    ProblemsFound
        Where the file cannot be read, a region is upside down, or rows of a group have different regions or groups
        before.

    Examples
    --------
    >>> from scoring.formats.sequential.examples import SMALL
    >>> data = b"group,age_low,age_high,zip_low,zip_high,disease\\n1,20,21,10000,12000,gastritis\\n"
    >>> read_release(data, SMALL, file="R1").high.tolist()
    [[21.0, 12000.0]]
    """
    table = _rows(data, microdata, file)
    sides = [
        points(table, [Attribute(f"{a.name}_{end}", a.values) for a in microdata.attributes])
        for end in ("low", "high")
    ]
    last = table.numbers["last"].astype(np.int64) if "last" in table.names else None
    group = table.numbers["group"].astype(np.int64)
    sensitive = table.codes[microdata.sensitive_name].astype(np.int64)
    release = Release(group, sides[0], sides[1], sensitive, last, {}, None)
    _check_boxes(release, microdata, file)
    return release


def release_values(data: bytes, microdata: Microdata, *, file: str) -> tuple[str, ...]:
    """The sensitive values of a release file, whatever they are.

    Raises
    ------
    ProblemsFound
        Where the file cannot be read.

    Examples
    --------
    >>> from scoring.formats.sequential.examples import SMALL
    >>> data = b"group,age_low,age_high,zip_low,zip_high,disease\\n1,20,21,10000,12000,angina\\n"
    >>> release_values(data, SMALL, file="R1")
    ('angina',)
    """
    table = _rows(data, replace(microdata, sensitive_values=()), file)
    return table.levels[microdata.sensitive_name]


def _rows(data: bytes, microdata: Microdata, file: str) -> Records:
    schema = _release_schema(microdata, has_last="last" in first_names(data))
    return read_records(data, schema, file=file, original=True)


def _check_boxes(release: Release, microdata: Microdata, file: str) -> None:
    problems = Collector()
    names = [attribute.name for attribute in microdata.attributes]
    for row, column in first_of(np.argwhere(release.low > release.high), problems):
        low, high = (_cell(side[row, column], microdata, column) for side in _sides(release))
        problems.add(
            "release.box", file=file, row=row + 1, column=f"{names[column]}_low", low=low, high=high
        )
    _, first, of_row = np.unique(release.group, return_index=True, return_inverse=True)
    start = first[of_row]
    for end, side in zip(("low", "high"), _sides(release), strict=True):
        for row, column in first_of(np.argwhere(side != side[start]), problems):
            problems.add(
                "release.other_box",
                file=file,
                row=row + 1,
                column=f"{names[column]}_{end}",
                expected=_cell(side[start[row], column], microdata, column),
                got=_cell(side[row, column], microdata, column),
            )
    if release.last is not None:
        for row in first_of(np.flatnonzero(release.last != release.last[start]), problems):
            expected, got = int(release.last[start[row]]), int(release.last[row])
            where: dict[str, Any] = {"file": file, "row": row + 1}
            problems.add("release.other_last", **where, column="last", expected=expected, got=got)
    problems.raise_if_any()


def _sides(release: Release) -> tuple[FloatArray, FloatArray]:
    return release.low, release.high


def _cell(number: float, microdata: Microdata, column: int) -> str:
    values = microdata.attributes[column].values
    return f"{number:g}" if values is None else shorten(values[int(number)])


def write_release(release: Release, microdata: Microdata) -> bytes:
    """The release file, without information that only the publisher has.

    Examples
    --------
    >>> from scoring.formats.sequential.examples import SMALL
    >>> from scoring.formats.sequential.publishing import Options, publish
    >>> write_release(publish(SMALL, Options(m=2)).releases[0], SMALL).splitlines()[1]
    b'1,21,22,12000,14000,dyspepsia'
    """
    schema = _release_schema(microdata, has_last=release.last is not None)
    numbers = {"group": release.group}
    codes = {microdata.sensitive_name: release.sensitive.astype(np.int32)}
    levels = {microdata.sensitive_name: microdata.sensitive_values}
    if release.last is not None:
        numbers["last"] = release.last
    for column, attribute in enumerate(microdata.attributes):
        for end, side in zip(("low", "high"), _sides(release), strict=True):
            name = f"{attribute.name}_{end}"
            if attribute.values is None:
                numbers[name] = np.ascontiguousarray(side[:, column])
            else:
                codes[name] = side[:, column].astype(np.int32)
                levels[name] = attribute.values
    return write_table(Records(schema.names, numbers, codes, levels), schema)


def read_counterfeits(data: bytes, release: Release, *, file: str) -> dict[int, int]:
    """The counterfeits of each group that the side file names.

    Raises
    ------
    ProblemsFound
        Where the file cannot be read, or names a group twice, one that the release does not have, or more
        counterfeits than it has rows.

    Examples
    --------
    >>> from scoring.formats.sequential.examples import SMALL
    >>> from scoring.formats.sequential.publishing import Options, publish
    >>> release = publish(SMALL, Options(m=2)).releases[1]
    >>> read_counterfeits(b"group,count\\n1,1\\n2,0\\n", release, file="C2")
    {1: 1, 2: 0}
    """
    numbers, sizes = np.unique(release.group, return_counts=True)
    most = most_lines(len(numbers))
    table = read_records(data, COUNTERFEITS_SCHEMA, file=file, original=True, max_records=most)
    groups = table.numbers["group"].astype(np.int64).tolist()
    counts = table.numbers["count"].astype(np.int64).tolist()
    problems = _check_groups(groups, release, file)
    size_of = dict(zip(numbers.tolist(), sizes.tolist(), strict=True))
    for row, (group, count) in enumerate(zip(groups, counts, strict=True), start=1):
        if count > (size := size_of.get(group, count)):
            params: dict[str, Any] = {"group": group, "expected": size, "got": count}
            problems.add(
                "release.too_many_counterfeits", file=file, row=row, column="count", **params
            )
    problems.raise_if_any()
    return dict(zip(groups, counts, strict=True))


def write_counterfeits(release: Release) -> bytes:
    """The side file: every group and how many of its rows are counterfeits.

    Examples
    --------
    >>> from scoring.formats.sequential.examples import SMALL
    >>> from scoring.formats.sequential.publishing import Options, publish
    >>> write_counterfeits(publish(SMALL, Options(m=2)).releases[1])
    b'group,count\\n1,1\\n2,0\\n'
    """
    groups = np.unique(release.group)
    numbers: Mapping[str, IntArray] = {"group": groups, "count": release.told(groups)}
    return write_table(Records(("group", "count"), numbers, {}, {}), COUNTERFEITS_SCHEMA)


def read_notice(data: bytes, release: Release, *, file: str) -> IntArray:
    """The groups whose regions a notice says to be tampered with.

    Raises
    ------
    ProblemsFound
        Where the file cannot be read, or names a group twice or one that the release does not have.

    Examples
    --------
    >>> from scoring.formats.sequential.examples import SMALL
    >>> from scoring.formats.sequential.publishing import Options, publish
    >>> read_notice(b"group\\n2\\n", publish(SMALL, Options(m=2)).releases[1], file="N2")
    array([2])
    """
    most = most_lines(len(np.unique(release.group)))
    table = read_records(data, NOTICE_SCHEMA, file=file, original=True, max_records=most)
    groups = table.numbers["group"].astype(np.int64)
    _check_groups(groups.tolist(), release, file).raise_if_any()
    return groups


def write_notice(groups: IntArray) -> bytes:
    """The notice of tampering.

    Examples
    --------
    >>> write_notice(np.array([3, 8]))
    b'group\\n3\\n8\\n'
    """
    return write_table(Records(("group",), {"group": groups}, {}, {}), NOTICE_SCHEMA)


def _check_groups(groups: Sequence[int], release: Release, file: str) -> Collector:
    problems = Collector()
    known = set(release.group.tolist())
    seen: set[int] = set()
    for row, group in enumerate(groups, start=1):
        where: dict[str, Any] = {"file": file, "row": row, "column": "group", "got": group}
        if group not in known:
            problems.add("release.unknown_group", **where, expected=max(known, default=0))
        elif group in seen:
            problems.add("release.repeated_group", **where)
        seen.add(group)
    return problems
