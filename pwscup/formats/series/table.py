# SPDX-License-Identifier: Apache-2.0
"""An organizer's archive of the tables of several times."""

from __future__ import annotations

import csv
import dataclasses
import io
import secrets
from typing import TYPE_CHECKING, Any

from pwscup.core.files.headers import refuse_wide
from pwscup.formats.common.table import (
    FILE,
    described_columns,
    editable,
    has_identifiers_alone,
)
from pwscup.formats.common.table import check_draw as check_draw
from pwscup.formats.common.table import tick_notes as tick_notes
from pwscup.formats.spec import Described, Parts
from scoring.datasets.hospital import HOSPITAL_SCHEMA, hospital
from scoring.errors import Collector, shorten
from scoring.formats.sequential.bundles import numbered, pack, unpacked
from scoring.formats.sequential.files import read_each, read_microdata
from scoring.tables.reading import read_records, read_table, write_table
from scoring.tables.schema import Column, Kind, Role, Schema
from scoring.tables.suggestion import suggest_schema
from scoring.tables.text import MAX_UNUSABLE, decode, note_length, read_header, records

if TYPE_CHECKING:
    import pandas as pd

    from scoring.rulesets import Ruleset

LETTER = "T"


def files_of(data: bytes) -> list[bytes]:
    """The tables of an archive, T1.csv first.

    Raises
    ------
    ProblemsFound
        Where the bytes are no such archive.
    """
    return unpacked(data, LETTER, file=FILE)


def packed(files: list[bytes]) -> bytes:
    """The archive of these tables."""
    return pack(numbered(LETTER, files))


def describe(data: bytes) -> Described:
    """Read tables for the first time.

    Raises
    ------
    ProblemsFound
        Where the bytes are no archive of usable tables, or those of later times have other columns.
    TooManyColumns
        Before anything but the headers is read.
    """
    files = files_of(data)
    for file in files:
        refuse_wide(file)
    suggested = editable(_suggested(files, read_each(files, LETTER, _lines)))
    tables = read_each(files, LETTER, lambda d, name, _: _read(d, suggested, name))
    return _described(tables, suggested)


def generated(_ruleset: Ruleset, n_records: int, n_tables: int) -> tuple[str, bytes, Described]:
    """The tables of a synthetic hospital, new ones every time, and their columns."""
    tables = hospital(n_records, n_tables, seed=secrets.randbits(63))
    data = packed([write_table(table, HOSPITAL_SCHEMA) for table in tables])
    return f"hospital-{n_records}x{n_tables}.zip", data, _described(tables, HOSPITAL_SCHEMA)


def check(data: bytes, schema: Schema) -> None:
    """Read the tables with their schema without storing anything.

    Raises
    ------
    ProblemsFound
        As `prepare`.
    """
    read_microdata(files_of(data), schema)


def prepare(data: bytes, schema: Schema) -> Parts:
    """Read the tables with their schema, and write them in the library's format.

    Raises
    ------
    ProblemsFound
        Every cell that does not fit its column, a schema that does not fit a series, a person twice in a
        table, back after having left, or with another sensitive value.
    """
    files = files_of(data)
    microdata = read_microdata(files, schema)
    files = [_canonical(data, schema, f"{LETTER}{n}") for n, data in enumerate(files, start=1)]
    whole = packed(files)
    return Parts(
        whole=whole,
        public=whole,  # each team gets the part of its individuals
        n_records=sum(len(table.ids) for table in microdata.snapshots),
        n_tables=len(files),
        n_people=len(microdata.ids),
    )


def unmeasured(schema: Schema, ruleset: Ruleset) -> tuple[str, ...]:
    """None: the measures are those of a series, not of a table."""
    return ruleset.measures if has_identifiers_alone(schema) else ()


def _canonical(data: bytes, schema: Schema, name: str) -> bytes:
    """The table in the library's format: an id has one spelling at all times."""
    return write_table(read_records(data, schema, file=name, original=True), schema)


def _read(data: bytes, schema: Schema, name: str) -> pd.DataFrame:
    return read_table(data, schema, file=name, original=True)


def _described(tables: list[pd.DataFrame], schema: Schema) -> Described:
    import pandas as pd

    stacked = pd.concat(tables, ignore_index=True)
    columns = described_columns(stacked, schema.names)
    for name, described in zip(schema.names, columns, strict=True):
        if "low" not in described:
            described["most_frequent"] = _most_frequent([table[name] for table in tables])
    return Described(schema, columns, len(stacked))


def _most_frequent(columns: list[pd.Series]) -> dict[str, Any]:
    """The value with the largest share of a table at any time: its count, the number of records, and the time."""
    found: dict[str, Any] = {"value": "", "n": 0, "of": 0, "table": 1}
    for number, column in enumerate(columns, start=1):
        counts = column.value_counts()
        n = int(counts.iloc[0]) if len(counts) else 0
        if n * found["of"] > found["n"] * len(column) or not found["of"]:
            value = shorten(counts.index[0], 30) if n else ""
            found = {"value": value, "n": n, "of": len(column), "table": number}
    return found


def _suggested(files: list[bytes], tables: list[tuple[list[str], str]]) -> Schema:
    """Roles from the first table, kinds and values from all with its columns."""
    first, everything = suggest_schema(files[0]), suggest_schema(_stacked(tables))
    found = {column.name: column for column in everything.columns}
    categories = [
        c.name for c in first.columns if _is_attribute(c) and not found[c.name].is_numeric
    ]
    columns = tuple(_proposed(c, found[c.name], categories[-1:]) for c in first.columns)
    return Schema(columns)


def _is_attribute(column: Column) -> bool:
    return column.role is not Role.IDENTIFIER


def _proposed(first: Column, found: Column, sensitive: list[str]) -> Column:
    """The last category is suggested as the sensitive value, all other columns as quasi-identifiers."""
    if not _is_attribute(first):
        kind = first.kind if first.is_numeric == found.is_numeric else Kind.CATEGORY
        return Column(first.name, Role.IDENTIFIER, kind)
    role = Role.SENSITIVE if first.name in sensitive else Role.QUASI_IDENTIFIER
    return dataclasses.replace(found, role=role, cross=False)


def _stacked(tables: list[tuple[list[str], str]]) -> bytes:
    """The records of all tables with the header of the first one, appended to it."""
    header = tables[0][0]
    out = io.StringIO()
    csv.writer(out, lineterminator="\n").writerow(header)
    return "".join([out.getvalue(), *(text for own, text in tables if own == header)]).encode()


def _lines(data: bytes, name: str, _number: int) -> tuple[list[str], str]:
    """The header of a table, and its records in the library's spelling of CSV.

    Raises
    ------
    ProblemsFound
        If it is not a CSV with a header and records of one length: reported for this table.
    """
    rows = records(decode(data, file=name), file=name)
    header = read_header(rows, file=name)
    out = io.StringIO()
    writer = csv.writer(out, lineterminator="\n")
    problems = Collector()
    for number, cells in enumerate(rows, start=1):
        writer.writerow(cells)
        if len(cells) != len(header):
            note_length(cells, len(header), problems, file=name, row=number)
            if problems.n_total > MAX_UNUSABLE:
                break
    if not out.tell():
        problems.add("file.header_only", file=name)
    problems.raise_if_any()
    return header, out.getvalue()
