# SPDX-License-Identifier: Apache-2.0
"""Synthetic tables: any number of records of the schema, none of them made from a certain record of the original."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from scoring.errors import Collector
from scoring.tables.original_values import check_original_values
from scoring.tables.reading import read_records
from scoring.tables.records import CodeArray, Records

if TYPE_CHECKING:
    from scoring.tables.equivalence import Table
    from scoring.tables.schema import Schema

FILE = "synthetic"


def read_synthetic(
    data: bytes,
    schema: Schema,
    *,
    least: int = 1,
    most: int | None = None,
    original: Table | None = None,
    file: str = FILE,
) -> Records:
    """The records of a synthetic table, in canonical order.

    Parameters
    ----------
    data : bytes
        CSV with the columns of the schema but identifiers, and no row numbers.
    schema : Schema
    least, most : int
        The bounds of the number of records; see `record_bounds`. None for no upper bound.
    original : DataFrame or Records, optional
        Every value must occur in its column of this table.
    file : str
        What problems call the file.

    Returns
    -------
    Records
        See `in_canonical_order`: the order in the file has no effect on anything.

    Raises
    ------
    ProblemsFound
        All problems: values outside of a column's domain, too few or too many records.

    Examples
    --------
    >>> from scoring.examples import SCHEMA
    >>> data = b"QI1,QI2,QI3,SA1,SA2\\n2,1,1,100,5\\n1,1,1,7,5\\n2,1,1,30,5\\n"
    >>> read_synthetic(data, SCHEMA).numbers["SA1"].tolist()
    [7.0, 30.0, 100.0]
    """
    records = read_records(data, schema, file=file, max_records=most)
    problems = Collector()
    if len(records) < least:
        problems.add("file.too_few_records", file=file, expected=least, got=len(records))
    problems.raise_if_any()
    if original is not None:
        check_original_values(records, original, schema, file=file)
    return in_canonical_order(records, schema)


def in_canonical_order(records: Records, schema: Schema) -> Records:
    """The records in the one order that follows from their values.

    They are sorted by the columns in the schema's order, the first one first: numbers ascending, categories in the
    order of the schema's list, or by their characters where it has none. Records that are equal in every column
    cannot be distinguished, so that any permutation of a table becomes the same table. `Records.lines` keeps the order
    of the file for the analyses that rules compute in it.

    Examples
    --------
    >>> from scoring.examples import SCHEMA, table
    >>> first = in_canonical_order(Records.of(table("noise"), SCHEMA), SCHEMA)
    >>> shuffled = Records.of(table("noise").iloc[[2, 0, 3, 1]], SCHEMA)
    >>> first.to_frame().equals(in_canonical_order(shuffled, SCHEMA).to_frame())
    True
    """
    names = [column.name for column in schema.columns if column.name in records.names]
    coded = _recoded(records, schema)
    keys = [coded.numbers[name] if name in coded.numbers else coded.codes[name] for name in names]
    if not keys:
        return coded
    return coded.taken(np.lexsort(keys[::-1]).astype(np.int64))


def _recoded(records: Records, schema: Schema) -> Records:
    """The same records, the levels of each category in the schema's order, or sorted."""
    codes: dict[str, CodeArray] = {}
    levels: dict[str, tuple[str, ...]] = {}
    for name, own in records.levels.items():
        listed = schema.column(name).values
        met = {own[code] for code in np.unique(records.codes[name]).tolist()}
        ordered = tuple(sorted(met)) if listed is None else listed
        place = {value: code for code, value in enumerate(ordered)}
        table = np.array([place.get(value, -1) for value in own], dtype=np.int32)
        codes[name] = table[records.codes[name]]
        levels[name] = ordered
    lines = np.arange(len(records)) if records.lines is None else records.lines
    return Records(records.names, records.numbers, codes, levels, lines)
