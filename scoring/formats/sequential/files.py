# SPDX-License-Identifier: Apache-2.0
"""Files of a sequential release: the tables T1, T2 …, and the background tables."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import replace
from typing import TYPE_CHECKING, Any, TypeVar

import numpy as np
from numpy.typing import NDArray

from scoring.errors import MAX_REPORTED, Collector, ProblemsFound, shorten
from scoring.formats.sequential.tables import Attribute, FloatArray, Microdata, Snapshot
from scoring.tables.equivalence import IntArray
from scoring.tables.frames import records_of_frame
from scoring.tables.reading import read_records
from scoring.tables.records import Records
from scoring.tables.schema import Column, Role, Schema
from scoring.tables.writing import written

if TYPE_CHECKING:
    import pandas as pd

T = TypeVar("T")
F = TypeVar("F")


def read_each(files: Sequence[F], name: str, read: Callable[[F, str, int], T]) -> list[T]:
    """Read several files, named by a letter and their number; all problems are reported together.

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


def first_of(places: IntArray, problems: Collector) -> list[Any]:
    """The places of the first problems, as many as are kept; the others are counted, and cost no more than that.

    Examples
    --------
    >>> problems = Collector()
    >>> len(first_of(np.arange(1_000_000), problems)) + problems.n_total
    1000000
    """
    problems.n_total += max(0, len(places) - MAX_REPORTED)
    found: list[Any] = places[:MAX_REPORTED].tolist()
    return found


def most_lines(n: int) -> int:
    """The number of lines to read of a file with n expected lines: all of a correct file, and enough of a wrong one.

    Examples
    --------
    >>> most_lines(6)
    1012
    """
    return 2 * n + 1_000


def read_microdata(files: Sequence[bytes | pd.DataFrame], schema: Schema) -> Microdata:
    """The tables of all times.

    The schema has one identifier, which links the same tuple at several times, at least one quasi-identifier, and one
    sensitive column. Categories among the quasi-identifiers have the order of their list of values.

    Parameters
    ----------
    files : sequence of bytes or DataFrame
        CSV files, or frames with these columns, called T1, T2 … in problems.
    schema : Schema

    Raises
    ------
    ProblemsFound
        Where the schema does not fit, a file cannot be read, an id occurs twice in a table or comes back after a
        table without it, or its sensitive value changes.

    Examples
    --------
    >>> from scoring.formats.sequential.examples import SCHEMA
    >>> header = b"name,age,zip,disease\\n"
    >>> files = [header + b"Bob,21,12000,flu\\n", header + b"Bob,22,12000,flu\\n"]
    >>> read_microdata(files, SCHEMA).snapshots[1].qi.tolist()
    [[22.0, 12000.0]]
    """
    _identifier, sensitive = _checked(schema)
    every = with_ids(schema)
    tables = read_each(files, "T", lambda data, file, _: _records(data, every, file))
    if sensitive.values is None:
        values, found = _coded([_texts(table, sensitive) for table in tables])
    else:
        values = sensitive.values
        found = [table.codes[sensitive.name].astype(np.int64) for table in tables]
    return _microdata(tables, found, schema, values)


def _records(data: bytes | pd.DataFrame, schema: Schema, file: str) -> Records:
    if isinstance(data, bytes):
        return read_records(data, schema, file=file, original=True)
    return records_of_frame(data, schema, file=file, original=True)


def background_schema(schema: Schema) -> Schema:
    """The columns of a background table: the identifier and the quasi-identifiers.

    Raises
    ------
    ProblemsFound
        Where the schema does not fit a sequential release.

    Examples
    --------
    >>> from scoring.formats.sequential.examples import SCHEMA
    >>> background_schema(SCHEMA).names
    ('name', 'age', 'zip')
    """
    _checked(schema)
    known = (Role.IDENTIFIER, Role.QUASI_IDENTIFIER)
    return Schema(tuple(column for column in schema.columns if column.role in known))


def identifier_of(schema: Schema) -> str:
    """The column that links people in the tables of several times.

    Raises
    ------
    ProblemsFound
        Where the schema does not fit a sequential release.

    Examples
    --------
    >>> from scoring.formats.sequential.examples import SCHEMA
    >>> identifier_of(SCHEMA)
    'name'
    """
    identifier, _sensitive = _checked(schema)
    return identifier.name


def with_ids(schema: Schema) -> Schema:
    """The schema for a file that must have the identifier, which others may leave out.

    Examples
    --------
    >>> from scoring.formats.sequential.examples import SCHEMA
    >>> with_ids(SCHEMA).public().names
    ('name', 'age', 'zip', 'disease')
    """
    identifier = next(column for column in schema.columns if column.role is Role.IDENTIFIER)
    return schema.replace_column(replace(identifier, role=Role.OTHER))


def read_people(files: Sequence[bytes], schema: Schema) -> Microdata:
    """The background tables of all times: who was there when, with all quasi-identifiers.

    Parameters
    ----------
    files : sequence of bytes
        CSV files, called B1, B2 … in problems.
    schema : Schema
        That of the tables.

    Returns
    -------
    Microdata
        Every sensitive value is -1, for it is not known. The list of values is that of the schema,
        or empty.

    Raises
    ------
    ProblemsFound
        Where the schema does not fit, a file cannot be read, or an id occurs twice in a table or comes back.

    Examples
    --------
    >>> from scoring.formats.sequential.examples import SCHEMA
    >>> read_people([b"name,age,zip\\nBob,21,12000\\n"], SCHEMA).snapshots[0].sensitive
    array([-1])
    """
    _identifier, sensitive = _checked(schema)
    known = with_ids(background_schema(schema))
    tables = read_each(
        files, "B", lambda data, file, _: read_records(data, known, file=file, original=True)
    )
    unknown = [np.full(len(table), -1, dtype=np.int64) for table in tables]
    return _microdata(tables, unknown, schema, sensitive.values or (), letter="B")


def _microdata(
    tables: Sequence[Records],
    sensitive: Sequence[IntArray],
    schema: Schema,
    values: tuple[str, ...],
    letter: str = "T",
) -> Microdata:
    """Tables that were read, with the codes of their sensitive values, as one history."""
    identifier, named = _checked(schema)
    ids, codes = _coded([_texts(table, identifier) for table in tables])
    attributes = tuple(
        Attribute(name, schema.column(name).values) for name in schema.quasi_identifiers
    )
    snapshots = tuple(
        Snapshot(of_id, points(table, attributes), value)
        for table, of_id, value in zip(tables, codes, sensitive, strict=True)
    )
    microdata = Microdata(attributes, named.name, values, ids, snapshots)
    _check_history(microdata, identifier.name, letter)
    return microdata


def _checked(schema: Schema) -> tuple[Column, Column]:
    """The identifier and the sensitive column of a schema that fits."""
    problems = Collector()

    def wrong(code: str, expected: str, got: str, column: str | None = None) -> None:
        problems.add(code, file="schema", column=column, expected=expected, got=got)

    roles: dict[Role, list[Column]] = {role: [] for role in Role}
    for column in schema.columns:
        roles[column.role].append(column)
    for role, code, noun in (
        (Role.IDENTIFIER, "sequential.identifiers", "identifier"),
        (Role.SENSITIVE, "sequential.sensitive_columns", "sensitive column"),
    ):
        if len(roles[role]) != 1:
            wrong(code, f"one {noun}", str(len(roles[role])))
    if not roles[Role.QUASI_IDENTIFIER]:
        wrong("sequential.no_quasi_identifier", "at least one quasi-identifier", "0")
    for column in roles[Role.QUASI_IDENTIFIER]:
        if not column.is_numeric and column.values is None:
            expected = "the values of a category in their order"
            wrong("sequential.no_order", expected, "no values", column.name)
    for column in roles[Role.SENSITIVE]:
        if column.is_numeric:
            wrong(
                "sequential.sensitive_kind", "a sensitive category", str(column.kind), column.name
            )
        if column.name in _of_releases(roles[Role.QUASI_IDENTIFIER]):
            expected = "a name that no other column of a release has"
            wrong("sequential.sensitive_name", expected, column.name, column.name)
    problems.raise_if_any()
    return roles[Role.IDENTIFIER][0], roles[Role.SENSITIVE][0]


def _of_releases(attributes: Sequence[Column]) -> set[str]:
    """The names of the columns of a release other than the sensitive one."""
    ends = {f"{attribute.name}_{end}" for attribute in attributes for end in ("low", "high")}
    return ends | {"group", "last"}


def _texts(table: Records, column: Column) -> NDArray[np.object_]:
    if column.is_numeric:
        return np.array(written(table.numbers[column.name], column), dtype=object)
    return np.array(table.levels[column.name], dtype=object)[table.codes[column.name]]


def _coded(texts: list[NDArray[np.object_]]) -> tuple[tuple[str, ...], list[IntArray]]:
    """All distinct texts in the order in which they first occur, and each file's as codes."""
    positions: dict[str, int] = {}
    codes = [
        np.fromiter((positions.setdefault(t, len(positions)) for t in text), np.int64, len(text))
        for text in (text.tolist() for text in texts)
    ]
    return tuple(positions), codes


def points(table: Records, attributes: Sequence[Attribute]) -> FloatArray:
    """The quasi-identifiers of a table, categories as codes; shape (n_records, d)."""
    columns = [
        table.numbers[a.name] if a.values is None else table.codes[a.name] for a in attributes
    ]
    return np.column_stack(columns).astype(np.float64)


def _check_history(microdata: Microdata, identifier: str, letter: str) -> None:
    """Each id once in a table, in tables one after the other, and with one sensitive value."""
    problems = Collector()
    last = np.full(len(microdata.ids), -1, dtype=np.int64)
    first_value = np.full(len(microdata.ids), -1, dtype=np.int64)
    first_time = np.zeros(len(microdata.ids), dtype=np.int64)
    for time, snapshot in enumerate(microdata.snapshots):
        ids, values = snapshot.ids, snapshot.sensitive
        rows, first_row = np.arange(len(ids)), np.empty(len(microdata.ids), dtype=np.int64)
        first_row[ids[::-1]] = rows[::-1]  # the first one is written last
        first_row = first_row[ids]
        again = first_row < rows
        returned = (last[ids] >= 0) & (last[ids] < time - 1) & ~again
        is_new = first_value[ids] < 0
        first_value[ids[is_new]], first_time[ids[is_new]] = values[is_new], time
        changed = (first_value[ids] != values) & ~again
        for row in np.flatnonzero(again | returned | changed).tolist():
            name = shorten(microdata.ids[ids[row]])
            where: dict[str, Any] = {"file": f"{letter}{time + 1}", "row": row + 1}
            if again[row]:
                first = int(first_row[row]) + 1
                problems.add(
                    "sequential.repeated_id", **where, column=identifier, first=first, got=name
                )
            if returned[row]:
                table = f"{letter}{last[ids[row]] + 1}"
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
