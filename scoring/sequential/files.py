"""Files of a sequential release: tables T1, T2 …, releases R1 …, counterfeits C1 … and notices N1 …"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Any, TypeVar

import numpy as np
import pandas as pd
from numpy.typing import NDArray

from scoring.equivalence import IntArray
from scoring.errors import Collector, ProblemsFound, shorten
from scoring.reading import read_records
from scoring.records import Records
from scoring.schema import Column, Kind, Role, Schema
from scoring.sequential.tables import Attribute, FloatArray, Microdata, Release, Snapshot
from scoring.text import UTF8_BOM
from scoring.writing import write_table

T = TypeVar("T")

_GROUP = Column("group", Role.OTHER, Kind.INTEGER, min=1)
_LAST = Column("last", Role.OTHER, Kind.INTEGER, min=0)
COUNTERFEITS_SCHEMA = Schema((_GROUP, Column("count", Role.OTHER, Kind.INTEGER, min=0)))
NOTICE_SCHEMA = Schema((_GROUP,))


def read_each(files: Sequence[bytes], name: str, read: Callable[[bytes, str, int], T]) -> list[T]:
    """Read several files, which problems call by a letter and their number; all problems at once.

    Examples
    --------
    >>> read_each([b"a", b"bc"], "T", lambda data, file, time: (file, len(data)))
    [('T1', 1), ('T2', 2)]
    """
    problems = Collector()
    found = []
    for time, data in enumerate(files):
        try:
            found.append(read(data, f"{name}{time + 1}", time))
        except ProblemsFound as error:
            problems.extend(error.problems, error.n_total)
    problems.raise_if_any()
    return found


def read_microdata(files: Sequence[bytes], schema: Schema) -> Microdata:
    """The tables of all times.

    The schema has one identifier, which tells the same tuple at several times, at least one quasi-identifier, and one
    sensitive column. Categories among the quasi-identifiers have the order of their list of values.

    Parameters
    ----------
    files : sequence of bytes
        CSV files, called T1, T2 … in problems.
    schema : Schema

    Raises
    ------
    ProblemsFound
        Where the schema does not fit, a file cannot be read, an id occurs twice in a table or comes back after a
        table without it, or its sensitive value changes.

    Examples
    --------
    >>> from scoring.sequential.examples import SCHEMA
    >>> header = b"name,age,zip,disease\\n"
    >>> files = [header + b"Bob,21,12000,flu\\n", header + b"Bob,22,12000,flu\\n"]
    >>> read_microdata(files, SCHEMA).snapshots[1].qi.tolist()
    [[22.0, 12000.0]]
    """
    identifier, sensitive = _checked(schema)
    tables = read_each(
        files, "T", lambda data, file, _: read_records(data, schema, file=file, original=True)
    )
    ids, codes = _coded([_texts(table, identifier) for table in tables])
    if sensitive.values is None:
        values, found = _coded([_texts(table, sensitive) for table in tables])
    else:
        values = sensitive.values
        found = [table.codes[sensitive.name].astype(np.int64) for table in tables]
    attributes = tuple(
        Attribute(name, schema.column(name).values) for name in schema.quasi_identifiers
    )
    snapshots = tuple(
        Snapshot(of_id, _points(table, attributes), value)
        for table, of_id, value in zip(tables, codes, found, strict=True)
    )
    microdata = Microdata(attributes, sensitive.name, values, ids, snapshots)
    _check_history(microdata, identifier.name)
    return microdata


def _checked(schema: Schema) -> tuple[Column, Column]:
    """The identifier and the sensitive column of a schema that fits."""
    problems = Collector()

    def wrong(expected: str, got: str, column: str | None = None) -> None:
        problems.add("sequential.schema", file="schema", column=column, expected=expected, got=got)

    roles: dict[Role, list[Column]] = {role: [] for role in Role}
    for column in schema.columns:
        roles[column.role].append(column)
    for role, noun in ((Role.IDENTIFIER, "identifier"), (Role.SENSITIVE, "sensitive column")):
        if len(roles[role]) != 1:
            wrong(f"one {noun}", str(len(roles[role])))
    if not roles[Role.QUASI_IDENTIFIER]:
        wrong("at least one quasi-identifier", "0")
    for column in roles[Role.QUASI_IDENTIFIER]:
        if not column.is_numeric and column.values is None:
            wrong("the values of a category in their order", "no values", column.name)
    for column in roles[Role.SENSITIVE]:
        if column.is_numeric:
            wrong("a sensitive category", str(column.kind), column.name)
    problems.raise_if_any()
    return roles[Role.IDENTIFIER][0], roles[Role.SENSITIVE][0]


def _texts(table: Records, column: Column) -> NDArray[np.object_]:
    if column.is_numeric:
        return table.numbers[column.name].astype(str).astype(object)
    return np.array(table.levels[column.name], dtype=object)[table.codes[column.name]]


def _coded(texts: list[NDArray[np.object_]]) -> tuple[tuple[str, ...], list[IntArray]]:
    """All distinct texts in the order in which they first occur, and each file's as codes."""
    codes, levels = pd.factorize(np.concatenate(texts))
    ends = np.cumsum([len(text) for text in texts])
    return tuple(levels.tolist()), np.split(codes.astype(np.int64), ends[:-1])


def _points(table: Records, attributes: Sequence[Attribute]) -> FloatArray:
    columns = [
        table.numbers[a.name] if a.values is None else table.codes[a.name] for a in attributes
    ]
    return np.column_stack(columns).astype(np.float64)


def _check_history(microdata: Microdata, identifier: str) -> None:
    """Each id once in a table, in tables one after the other, and with one sensitive value."""
    problems = Collector()
    last = np.full(len(microdata.ids), -1, dtype=np.int64)
    first_value = np.full(len(microdata.ids), -1, dtype=np.int64)
    first_time = np.zeros(len(microdata.ids), dtype=np.int64)
    for time, snapshot in enumerate(microdata.snapshots):
        ids, values = snapshot.ids, snapshot.sensitive
        first_row = pd.Series(ids).groupby(ids).transform("idxmin").to_numpy()
        again = first_row < np.arange(len(ids))
        returned = (last[ids] >= 0) & (last[ids] < time - 1) & ~again
        is_new = first_value[ids] < 0
        first_value[ids[is_new]], first_time[ids[is_new]] = values[is_new], time
        changed = (first_value[ids] != values) & ~again
        for row in np.flatnonzero(again | returned | changed).tolist():
            name = shorten(microdata.ids[ids[row]])
            where: dict[str, Any] = {"file": f"T{time + 1}", "row": row + 1}
            if again[row]:
                first = int(first_row[row]) + 1
                problems.add(
                    "sequential.repeated_id", **where, column=identifier, first=first, got=name
                )
            if returned[row]:
                table = f"T{last[ids[row]] + 1}"
                problems.add(
                    "sequential.returned", **where, column=identifier, last=table, got=name
                )
            if changed[row]:
                problems.add(
                    "sequential.changed_value",
                    **where,
                    column=microdata.sensitive_name,
                    first=f"T{first_time[ids[row]] + 1}",
                    expected=shorten(microdata.sensitive_values[first_value[ids[row]]]),
                    got=shorten(microdata.sensitive_values[values[row]]),
                )
        last[ids] = time
    problems.raise_if_any()


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
    sensitive = Column(
        microdata.sensitive_name, Role.SENSITIVE, Kind.CATEGORY, values=microdata.sensitive_values
    )
    return Schema((_GROUP, *((_LAST,) if has_last else ()), *ends, sensitive))


def read_release(data: bytes, microdata: Microdata, *, file: str) -> Release:
    """A release file: `group`, perhaps `last`, `<attribute>_low` and `_high` for every one, and the sensitive value.

    Raises
    ------
    ProblemsFound
        Where the file cannot be read, a box is upside down, or rows of a group have different boxes or groups before.

    Examples
    --------
    >>> from scoring.sequential.examples import SMALL
    >>> data = b"group,age_low,age_high,zip_low,zip_high,disease\\n1,20,21,10000,12000,gastritis\\n"
    >>> read_release(data, SMALL, file="R1").high.tolist()
    [[21.0, 12000.0]]
    """
    first = data.removeprefix(UTF8_BOM).partition(b"\n")[0].rstrip(b"\r")
    has_last = b"last" in first.split(b",")
    schema = _release_schema(microdata, has_last=has_last)
    table = read_records(data, schema, file=file, original=True)
    sides = [
        _points(table, [Attribute(f"{a.name}_{end}", a.values) for a in microdata.attributes])
        for end in ("low", "high")
    ]
    last = table.numbers["last"].astype(np.int64) if has_last else None
    group = table.numbers["group"].astype(np.int64)
    sensitive = table.codes[microdata.sensitive_name].astype(np.int64)
    release = Release(group, sides[0], sides[1], sensitive, last, {}, None)
    _check_boxes(release, microdata, file)
    return release


def _check_boxes(release: Release, microdata: Microdata, file: str) -> None:
    problems = Collector()
    names = [attribute.name for attribute in microdata.attributes]
    for row, column in np.argwhere(release.low > release.high).tolist():
        low, high = (_cell(side[row, column], microdata, column) for side in _sides(release))
        problems.add(
            "release.box", file=file, row=row + 1, column=f"{names[column]}_low", low=low, high=high
        )
    _, first, of_row = np.unique(release.group, return_index=True, return_inverse=True)
    start = first[of_row]
    for end, side in zip(("low", "high"), _sides(release), strict=True):
        for row, column in np.argwhere(side != side[start]).tolist():
            problems.add(
                "release.other_box",
                file=file,
                row=row + 1,
                column=f"{names[column]}_{end}",
                expected=_cell(side[start[row], column], microdata, column),
                got=_cell(side[row, column], microdata, column),
            )
    if release.last is not None:
        for row in np.flatnonzero(release.last != release.last[start]).tolist():
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
    """The release file, without anything that only the publisher knows.

    Examples
    --------
    >>> from scoring.sequential.examples import SMALL
    >>> from scoring.sequential.publishing import Options, publish
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
    >>> from scoring.sequential.examples import SMALL
    >>> from scoring.sequential.publishing import Options, publish
    >>> release = publish(SMALL, Options(m=2)).releases[1]
    >>> read_counterfeits(b"group,count\\n1,1\\n2,0\\n", release, file="C2")
    {1: 1, 2: 0}
    """
    table = read_records(data, COUNTERFEITS_SCHEMA, file=file, original=True)
    groups = table.numbers["group"].astype(np.int64).tolist()
    counts = table.numbers["count"].astype(np.int64).tolist()
    problems = _check_groups(groups, release, file)
    sizes = np.bincount(release.group).tolist()
    for row, (group, count) in enumerate(zip(groups, counts, strict=True), start=1):
        if group < len(sizes) and count > sizes[group] > 0:
            params: dict[str, Any] = {"group": group, "expected": sizes[group], "got": count}
            problems.add(
                "release.too_many_counterfeits", file=file, row=row, column="count", **params
            )
    problems.raise_if_any()
    return dict(zip(groups, counts, strict=True))


def write_counterfeits(release: Release) -> bytes:
    """The side file: every group and how many of its rows are counterfeits.

    Examples
    --------
    >>> from scoring.sequential.examples import SMALL
    >>> from scoring.sequential.publishing import Options, publish
    >>> write_counterfeits(publish(SMALL, Options(m=2)).releases[1])
    b'group,count\\n1,1\\n2,0\\n'
    """
    groups = np.unique(release.group)
    counts = [release.counterfeits.get(group, 0) for group in groups.tolist()]
    numbers: Mapping[str, IntArray] = {"group": groups, "count": np.array(counts, dtype=np.int64)}
    return write_table(Records(("group", "count"), numbers, {}, {}), COUNTERFEITS_SCHEMA)


def read_notice(data: bytes, release: Release, *, file: str) -> IntArray:
    """The groups whose boxes a notice says to be tampered with.

    Raises
    ------
    ProblemsFound
        Where the file cannot be read, or names a group twice or one that the release does not have.

    Examples
    --------
    >>> from scoring.sequential.examples import SMALL
    >>> from scoring.sequential.publishing import Options, publish
    >>> read_notice(b"group\\n2\\n", publish(SMALL, Options(m=2)).releases[1], file="N2")
    array([2])
    """
    table = read_records(data, NOTICE_SCHEMA, file=file, original=True)
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
