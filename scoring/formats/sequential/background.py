# SPDX-License-Identifier: Apache-2.0
"""Background knowledge of an attacker: the releases, and who was in the tables when, with all quasi-identifiers."""

from __future__ import annotations

from dataclasses import dataclass, replace

from scoring.formats.sequential.bundles import Parts, numbered, unpack, unpacked
from scoring.formats.sequential.files import (
    background_schema,
    identifier_of,
    read_each,
    read_people,
    with_ids,
)
from scoring.formats.sequential.release_files import release_values
from scoring.formats.sequential.series_files import read_releases
from scoring.formats.sequential.tables import Microdata, Release
from scoring.tables.equivalence import IntArray
from scoring.tables.reading import read_table
from scoring.tables.schema import Schema
from scoring.tables.writing import write_table


@dataclass(frozen=True, slots=True)
class Published:
    """The knowledge of an attacker.

    Attributes
    ----------
    people : Microdata
        The background table; every sensitive value in it is -1. Its list of values is the schema's,
        else that of all values in the releases, in the order of their texts.
    releases : tuple of Release
    tampered : tuple of int64 arrays
        By time, the groups that a notice names.
    knows_counterfeits : bool
        True if the numbers of counterfeits of each group are published.
    """

    people: Microdata
    releases: tuple[Release, ...]
    tampered: tuple[IntArray, ...]
    knows_counterfeits: bool


def background(data: bytes, schema: Schema, *, file: str = "tables") -> dict[str, bytes]:
    """The background tables B1.csv … of an archive of tables: their identifiers and quasi-identifiers only.

    Records are in the order of their ids, so that their order discloses nothing.

    Raises
    ------
    ProblemsFound
        Where the archive or a table cannot be read.

    Examples
    --------
    >>> from scoring.formats.sequential.bundles import pack
    >>> from scoring.formats.sequential.examples import SCHEMA
    >>> table = b"name,age,zip,disease\\nBob,21,12000,flu\\nAlice,22,14000,flu\\n"
    >>> background(pack({"T1.csv": table}), SCHEMA)["B1.csv"]
    b'name,age,zip\\nAlice,22,14000\\nBob,21,12000\\n'
    """
    known = background_schema(schema)
    identifier = identifier_of(schema)
    every = with_ids(schema)
    tables = read_each(
        unpacked(data, "T", file=file),
        "T",
        lambda table, name, _: read_table(table, every, file=name, original=True),
    )
    sorted_by_id = [table.sort_values(identifier, kind="stable") for table in tables]
    return numbered("B", [write_table(table, known) for table in sorted_by_id])


def read_background(data: bytes, schema: Schema, *, file: str = "people") -> Microdata:
    """The people of an archive of B1.csv, B2.csv …, as `background` writes them.

    Parameters
    ----------
    data : bytes
    schema : Schema
        That of the tables.
    file : str
        The name of the archive in problems.

    Returns
    -------
    Microdata
        Every sensitive value is -1.

    Raises
    ------
    ProblemsFound
        Where the archive or a table cannot be used.
    """
    return read_people(unpacked(data, "B", file=file), schema)


def read_published(data: bytes, people: Microdata, *, file: str = "series") -> Published:
    """The releases of an archive of R1.csv …, C1.csv … and N1.csv …; D1.csv …, not published, is passed over.

    Parameters
    ----------
    data : bytes
    people : Microdata
        Of `read_background`.
    file : str
        The name of the archive in problems.

    Raises
    ------
    ProblemsFound
        Where the archive or a file cannot be used, or there is not one release for each table.
    """
    parts = unpack(data, "RCND", file=file, n=len(people.snapshots))
    if not people.sensitive_values:
        people = replace(people, sensitive_values=_values(parts, people))
    releases, tampered, knows_counterfeits = read_releases(parts, people, file=file)
    return Published(people, releases, tampered, knows_counterfeits)


def _values(parts: Parts, people: Microdata) -> tuple[str, ...]:
    """All sensitive values of the releases, in the order of their texts."""
    found = read_each(
        list(parts["R"].values()),
        "R",
        lambda data, name, _: release_values(data, people, file=name),
    )
    return tuple(sorted(set().union(*found)))
