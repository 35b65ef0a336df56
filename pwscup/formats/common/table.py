# SPDX-License-Identifier: Apache-2.0
"""An organizer's CSV: a description, the public part, a sample, unmeasured measures."""

from __future__ import annotations

import csv
import dataclasses
import io
import math
import secrets
from collections.abc import Iterable
from typing import Any

import numpy as np
import pandas as pd

from pwscup.core.files.headers import refuse_wide
from pwscup.formats.common.setup import generated_name
from pwscup.formats.spec import Described, Parts
from scoring.anonymizers import anonymize
from scoring.audits.foreign import value_of
from scoring.datasets import catalog
from scoring.errors import Problem, ProblemsFound, shorten
from scoring.formats.cohort.draw import is_value
from scoring.rulesets import Ruleset
from scoring.rulesets.loader import load_schema
from scoring.scores.comparison import Comparison
from scoring.tables.reading import read_records, read_table, write_rows, write_table
from scoring.tables.schema import Column, Kind, Role, Schema
from scoring.tables.suggestion import suggest_schema
from scoring.tables.text import decode, records

FILE = "original"
N_EXAMPLES = 3
SAMPLE_SEED = 2015
N_MANY = 300


def describe(data: bytes) -> Described:
    """Read a table for the first time.

    Raises
    ------
    ProblemsFound
    TooManyColumns
        Before anything but the header is read.
    """
    refuse_wide(data)
    suggested = editable(suggest_schema(data))
    table = read_table(data, suggested, file=FILE, original=True)
    return Described(suggested, described_columns(table, suggested.names), len(table))


def generated(ruleset: Ruleset, n_records: int) -> tuple[str, bytes, Described]:
    """A new table every time, and its columns: those of the rules, or pseudo households."""
    name = generated_name(ruleset)
    schema = load_schema(name)
    table = catalog.generated(name, n_records, seed=secrets.randbits(63))
    described = Described(schema, described_columns(table, schema.names), len(table))
    return f"{name}-{n_records}.csv", write_table(table, schema), described


def editable(schema: Schema) -> Schema:
    """A form lists one value per line, so a list with line breaks inside its values is omitted."""
    for column in schema.columns:
        if any(set(value) & {"\n", "\r"} for value in column.values or ()):
            schema = schema.replace_column(dataclasses.replace(column, values=None))
    return schema


def described_columns(table: pd.DataFrame, names: Iterable[str]) -> list[dict[str, Any]]:
    """The statistics of each column for the organizer."""
    return [_described(table[name]) for name in names]


def _described(column: pd.Series) -> dict[str, Any]:
    counts = column.value_counts()
    described: dict[str, Any] = {
        "n_distinct": len(counts),
        "examples": [shorten(value, 30) for value in counts.index[:N_EXAMPLES]],
    }
    if pd.api.types.is_numeric_dtype(column):
        described |= {"low": column.min().item(), "high": column.max().item()}
    return described


def check(data: bytes, schema: Schema) -> None:
    """Read the table with its schema without storing anything.

    Raises
    ------
    ProblemsFound
        Every cell that does not fit its column, or the schema itself where it shows participants nothing.
    """
    schema.public()
    read_table(data, schema, file=FILE, original=True)


def check_draw(data: bytes, schema: Schema, ruleset: Ruleset) -> None:
    """Refuse a table with too few rare records, or with too few others.

    Raises
    ------
    ProblemsFound
        With the numbers that the rules need.
    """
    spec = ruleset.data
    if spec.rare is None or spec.rare.column not in schema.public().names:
        return
    table = read_records(data, schema, file=FILE, original=True)
    is_rare = is_value(table, spec.rare.column, spec.rare.value)
    n_rare, n_needed = int(is_rare.sum()), spec.n_own + (spec.decoys or 0) - spec.rare.records
    problems = [
        Problem(
            "file.too_few_of_value",
            {"got": got, "expected": expected, "value": f"{sign} {spec.rare.value}"},
            FILE,
            column=spec.rare.column,
        )
        for sign, got, expected in (
            ("=", n_rare, spec.rare.records),
            ("≠", len(is_rare) - n_rare, n_needed),
        )
        if got < expected
    ]
    if problems:
        raise ProblemsFound(problems)


def prepare(data: bytes, schema: Schema) -> Parts:
    """Read the table with its schema and create the part for participants.

    Raises
    ------
    ProblemsFound
        Every cell that does not fit its column.
    """
    public = schema.public()
    table = read_table(data, schema, file=FILE, original=True)
    return Parts(
        whole=data,
        public=_without(data, hidden=set(schema.names) - set(public.names)),
        samples=_samples(table[list(public.names)], public),
        n_records=len(table),
    )


def _without(data: bytes, *, hidden: set[str]) -> bytes:
    """The CSV in UTF-8 without the hidden columns; all other cells are unchanged."""
    header, *lines = records(decode(data, file=FILE), file=FILE)
    kept = [position for position, name in enumerate(header) if name not in hidden]
    out = io.StringIO()
    writer = csv.writer(out, lineterminator="\n")
    writer.writerows([line[position] for position in kept] for line in [header, *lines])
    return out.getvalue().encode()


def _samples(table: pd.DataFrame, schema: Schema) -> dict[str, bytes]:
    """A valid submission: the simplest method that the columns allow."""
    made = anonymize(table, schema, sample_method(schema), rng=np.random.default_rng(SAMPLE_SEED))
    return {"anonymized": write_table(made.table, schema), "rows": write_rows(made.source)}


def sample_method(schema: Schema) -> list[tuple[str, dict[str, Any]]]:
    """Noise if there are amounts, otherwise deleted records, which suit any table."""
    return [("sa-noise", {})] if schema.sensitive_numeric else [("record-deletion", {})]


def tick_notes(_data: bytes, _schema: Schema, _ruleset: Ruleset) -> list[str]:
    """Nothing."""
    return []


def unmeasured(schema: Schema, ruleset: Ruleset) -> tuple[str, ...]:
    """The ruleset's measures without a value under this schema, according to the library.

    Those that read a further file of the submission are not among them: which columns a model uses is checked
    with it.
    """
    if has_identifiers_alone(schema):
        return ruleset.measures
    public = schema.public()
    options = ruleset.options
    if options.problems(public):  # reported when the table is checked
        options = dataclasses.replace(options, table_columns=(), weight_column="", hierarchies=None)
    missing = [measure for measure in map(ruleset.measure, ruleset.computed) if not measure.files]
    for table in (_few(public), _many(public)):  # a regression needs more than a few records
        if missing:
            comparison = Comparison.of(table, table, np.arange(len(table)), public)
            missing = [m for m in missing if value_of(m, comparison, options) is None]
    return tuple(measure.id for measure in missing)


def has_identifiers_alone(schema: Schema) -> bool:
    return all(column.role is Role.IDENTIFIER for column in schema.columns)


def _few(schema: Schema) -> pd.DataFrame:
    """Three values in each column, the last twice: enough for comparisons and frequencies."""
    return pd.DataFrame({column.name: _cells(column, [0, 1, 2, 2]) for column in schema.columns})


def _many(schema: Schema) -> pd.DataFrame:
    """Ten values in each column, in many records that depend on nothing."""
    rng = np.random.default_rng(0)
    return pd.DataFrame(
        {column.name: _cells(column, rng.integers(0, 10, N_MANY)) for column in schema.columns}
    )


def _cells(column: Column, codes: Iterable[int]) -> list[float] | list[str]:
    """The cells of these numbers: values of the column, from the first or the least one on."""
    values = column.values or tuple("abcdefghij")
    if column.kind is Kind.CATEGORY:
        return [values[code % len(values)] for code in codes]
    most = math.inf if column.max is None else column.max
    least = min(0, most - 2) if column.min is None else column.min
    return [min(least + int(code), most) for code in codes]
