# SPDX-License-Identifier: Apache-2.0
"""The tables that are scored: every vector matches on 13 or on 6 quasi-identifiers, or none does."""

from __future__ import annotations

from dataclasses import dataclass, replace
from pathlib import Path

import numpy as np

from scoring.anonymizers import anonymize
from scoring.datasets.households import HOUSEHOLDS_SCHEMA, households
from scoring.tables.reading import write_rows, write_table
from scoring.tables.schema import Role, Schema

UNMATCHED_COLUMN = "sex"
TITLES = {
    "13": "13 quasi-identifiers, every vector matches",
    "6": "6 quasi-identifiers, every vector matches",
    "none": "13 quasi-identifiers, none matches",
}


@dataclass(frozen=True)
class Case:
    """Files as a team submits them and as an organizer uploads them, in a folder."""

    id: str
    n_records: int
    schema: Schema
    folder: Path

    @property
    def original(self) -> bytes:
        return self._read("original")

    @property
    def anonymized(self) -> bytes:
        return self._read("anonymized")

    @property
    def rows(self) -> bytes:
        return self._read("rows")

    def _read(self, name: str) -> bytes:
        return (self.folder / f"{name}.csv").read_bytes()


def case(id_: str, n_records: int, folder: Path, *, seed: int = 1) -> Case:
    """Draw a case: amounts with a little noise, records in random order."""
    schema = narrowed() if id_ == "6" else HOUSEHOLDS_SCHEMA
    original = households(n_records, seed=seed)
    rng = np.random.default_rng(seed)
    made = anonymize(original, schema, [("sa-noise", {"scale": 0.05})], rng=rng)
    table, source = made.table, made.source
    if id_ == "none":
        values = HOUSEHOLDS_SCHEMA.column(UNMATCHED_COLUMN).values
        assert values is not None
        original[UNMATCHED_COLUMN] = values[0]
        table[UNMATCHED_COLUMN] = values[1]
    order = rng.permutation(n_records)
    shuffled = table.iloc[order].reset_index(drop=True)
    files = {
        "original": write_table(original, schema.public()),
        "anonymized": write_table(shuffled, schema.public()),
        "rows": write_rows(source[order]),
    }
    for name, data in files.items():
        (folder / f"{name}.csv").write_bytes(data)
    return Case(id_, n_records, schema.public(), folder)


def narrowed() -> Schema:
    """The households with the six cross columns as their only quasi-identifiers."""
    columns = tuple(
        replace(column, role=Role.OTHER)
        if column.role is Role.QUASI_IDENTIFIER and not column.cross
        else column
        for column in HOUSEHOLDS_SCHEMA.columns
    )
    return replace(HOUSEHOLDS_SCHEMA, columns=columns)
