"""The tables that are scored: every vector matches on 13 or on 6 quasi-identifiers, or none does."""

from __future__ import annotations

from dataclasses import dataclass, replace

import numpy as np

from scoring.anonymizers import anonymize
from scoring.datasets.households import HOUSEHOLDS_SCHEMA, households
from scoring.reading import write_rows, write_table
from scoring.schema import Role, Schema

UNMATCHED_COLUMN = "sex"
TITLES = {
    "13": "13 quasi-identifiers, every vector matches",
    "6": "6 quasi-identifiers, every vector matches",
    "none": "13 quasi-identifiers, none matches",
}


@dataclass(frozen=True)
class Case:
    """Files as a team hands them in, and the original as a worker keeps it."""

    id: str
    schema: Schema
    original: bytes
    anonymized: bytes
    rows: bytes
    n_records: int

    @property
    def title(self) -> str:
        return TITLES[self.id]


def case(id_: str, n_records: int, *, seed: int = 1) -> Case:
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
    return Case(
        id_,
        schema.public(),
        write_table(original, schema.public()),
        write_table(table.iloc[order].reset_index(drop=True), schema.public()),
        write_rows(source[order]),
        n_records,
    )


def narrowed() -> Schema:
    """The households with the six cross columns as their only quasi-identifiers."""
    columns = tuple(
        replace(column, role=Role.OTHER)
        if column.role is Role.QUASI_IDENTIFIER and not column.cross
        else column
        for column in HOUSEHOLDS_SCHEMA.columns
    )
    return replace(HOUSEHOLDS_SCHEMA, columns=columns)
