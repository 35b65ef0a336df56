# SPDX-License-Identifier: Apache-2.0
"""Several aligned tables that are submitted together, each with some columns of one original."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING

import numpy as np

from scoring.errors import Collector, ProblemsFound
from scoring.scores.options import DECIMALS, WORST
from scoring.tables.aligned import read_aligned, read_release
from scoring.tables.equivalence import IntArray, Table
from scoring.tables.records import Records

if TYPE_CHECKING:
    from scoring.measures.catalog import Measure
    from scoring.tables.schema import Schema

Values = dict[str, float | int | None]
Columns = Mapping[str, tuple[str, ...]]
"""The columns of each table by its key."""


def read_parts(
    files: Mapping[str, bytes],
    columns: Columns,
    *,
    original: Table,
    schema: Schema,
    original_values_only: bool,
    blank_records: bool = True,
) -> tuple[dict[str, Records], IntArray]:
    """The kept records of each table, and the record of the original that each was made from, the same in all.

    Raises
    ------
    ProblemsFound
        All problems of all files; so is a record that is deleted in one table and not in the first.
    """
    problems, tables, sources = Collector(), dict[str, Records](), dict[str, IntArray]()
    for key, data in files.items():
        try:
            tables[key], sources[key] = read_aligned(
                data,
                original=original,
                schema=schema.only(columns[key]),
                original_values_only=original_values_only,
                blank_records=blank_records,
                file=key,
            )
        except ProblemsFound as found:
            problems.extend(found.problems, found.n_total)
    problems.raise_if_any()
    first, *others = files
    for key in others:
        for row in np.setxor1d(sources[key], sources[first]).tolist():
            problems.add("aligned.parts_differ", file=key, row=row + 1, expected=first)
    problems.raise_if_any()
    return tables, sources[first]


def read_published(
    files: Mapping[str, bytes], columns: Columns, schema: Schema
) -> tuple[Records, IntArray, int]:
    """A release of several tables as one, for attackers: see `joined` and `read_release`."""
    read = {
        key: read_release(data, schema=schema.only(columns[key]), file=key)
        for key, data in files.items()
    }
    _records, lines, n_lines = next(iter(read.values()))
    return joined({key: records for key, (records, _, _) in read.items()}, schema), lines, n_lines


def joined(tables: Mapping[str, Records], schema: Schema) -> Records:
    """One table of the same records: each column as the first table has it that has it.

    Examples
    --------
    >>> from scoring.examples import SCHEMA, table
    >>> whole, other = (Records.of(table(name), SCHEMA) for name in ("original", "noise"))
    >>> found = joined({"a": whole.without("SA1"), "b": other}, SCHEMA)
    >>> found.names == whole.names, list(found.numbers["SA1"]) == list(other.numbers["SA1"])
    (True, True)
    """
    holder = {name: records for records in reversed([*tables.values()]) for name in records.names}
    names = tuple(name for name in schema.public().names if name in holder)
    return Records(
        names,
        {name: holder[name].numbers[name] for name in names if name in holder[name].numbers},
        {name: holder[name].codes[name] for name in names if name in holder[name].codes},
        {name: holder[name].levels[name] for name in names if name in holder[name].levels},
    )


def combined(found: Mapping[str, Values], measures: Sequence[Measure], how: str) -> Values:
    """The values of a submission of several tables: one for each measure, and under `measure.key` those of each table.

    A table on which a measure has no value is left out; without any the value is None.

    Examples
    --------
    >>> from scoring.registry import MEASURES
    >>> found = {"a": {"n_original": 4, "U1": 1.0}, "b": {"n_original": 4, "U1": 2.0}}
    >>> combined(found, [MEASURES["U1"]], "worst")
    {'n_original': 4, 'U1': 2.0, 'U1.a': 1.0, 'U1.b': 2.0}
    """
    values = {name: n for name, n in next(iter(found.values())).items() if name.startswith("n_")}
    for measure in measures:
        each = {key: of_table[measure.id] for key, of_table in found.items()}
        known = [value for value in each.values() if value is not None]
        worst = max if measure.direction == "lower" else min
        if not known:
            values[measure.id] = None
        elif how == WORST:
            values[measure.id] = worst(known)
        else:
            values[measure.id] = round(math.fsum(known) / len(known), DECIMALS)
        values |= {f"{measure.id}.{key}": value for key, value in each.items()}
    return values
