# SPDX-License-Identifier: Apache-2.0
"""Tables of counts from the chosen data: generated households, or the cells of a file."""

from __future__ import annotations

from collections.abc import Sequence
from functools import cache
from typing import TYPE_CHECKING, Any

from scoring.rulesets.loader import load_schema
from scoring.tables.schema import Column, Kind, Role, Schema
from scoring.tables.text import decode, read_header, records

if TYPE_CHECKING:
    from scoring.privacy.experiments.counts import Counts

TABLE_FILE = "table"
MAX_BYTES = 5 * 1024 * 1024
MAX_RECORDS = 100_000
MAX_CELLS = 2_000
MAX_VALUE = 40
"""The maximum number of characters of a value, for which figures have room."""


def header_of(data: bytes) -> list[str]:
    """The names of a file's columns.

    Raises
    ------
    ProblemsFound
        If it is not CSV, or has no valid header.
    """
    return read_header(records(decode(data, file=TABLE_FILE), file=TABLE_FILE), file=TABLE_FILE)


def of_counts(data: bytes) -> Counts:
    """The counts of a file with a column `count`; ProblemsFound lists all errors."""
    from scoring.privacy.experiments.counts import read_counts

    return read_counts(data, file=TABLE_FILE)


def of_records(data: bytes, header: Sequence[str], columns: Sequence[str]) -> Counts:
    """The counts of some columns of a file with one record per line; ProblemsFound lists all errors."""
    from scoring.privacy.experiments.counts import Counts
    from scoring.tables.reading import read_table  # imports pandas

    schema = Schema(tuple(Column(name, Role.OTHER, Kind.CATEGORY) for name in header))
    table = read_table(data, schema, file=TABLE_FILE, original=True, max_records=MAX_RECORDS)
    return Counts.of_records(table, columns)


def of_households(n_records: int, seed: int, columns: Sequence[str]) -> Counts:
    """The counts of some columns of generated households."""
    from scoring.datasets.households import households
    from scoring.privacy.experiments.counts import Counts

    return Counts.of_records(households(n_records, seed=seed), columns)


def published() -> Counts:
    """The counts of the paper."""
    from scoring.privacy.experiments.counts import published_counts

    return published_counts()


@cache
def household_columns() -> dict[str, int]:
    """The columns of generated households with a list of values, and their numbers of values."""
    schema = load_schema("households")
    return {column.name: len(column.values) for column in schema.columns if column.values}


def to_json(counts: Counts) -> dict[str, Any]:
    """Counts in their stored form."""
    return {
        "attributes": list(counts.attributes),
        "values": [list(own) for own in counts.values],
        "table": counts.table.tolist(),
        "n_records": counts.n_records,
    }


def from_json(kept: dict[str, Any]) -> Counts:
    """The inverse of `to_json`."""
    import numpy as np

    from scoring.privacy.experiments.counts import Counts

    table = np.array(kept["table"], dtype=np.int64)
    return Counts(tuple(kept["attributes"]), tuple(map(tuple, kept["values"])), table)
