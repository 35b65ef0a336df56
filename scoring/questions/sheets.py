# SPDX-License-Identifier: Apache-2.0
"""Drawing a sheet: records of a team and records that were never in its table, some columns blanked."""

from __future__ import annotations

import base64
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np

from scoring.questions.asked import ASKS, LINKS, NUMBER, QuestionSpec
from scoring.questions.bitmaps import BoolArray, packed, unpacked
from scoring.tables.equivalence import IntArray
from scoring.tables.records import Records
from scoring.tables.schema import Column, Kind, Role, Schema
from scoring.tables.writing import write_table

_NUMBER = Column(NUMBER, Role.OTHER, Kind.INTEGER)


@dataclass(frozen=True, slots=True)
class Sheet:
    """The records that are asked, in the order of the questions.

    Attributes
    ----------
    rows : int64 array, shape (n_questions,)
        0-based rows of the organizer's table, each once.
    inside : bool array, shape (n_questions,)
        The record was in the team's table; the others are controls.
    """

    rows: IntArray
    inside: BoolArray

    def __len__(self) -> int:
        return len(self.rows)


def draw_sheet(
    question: QuestionSpec, inside: IntArray, outside: IntArray, *, rng: np.random.Generator
) -> Sheet:
    """The records of a sheet in random order; all there are where fewer than asked for.

    Parameters
    ----------
    inside, outside : int64 arrays
        0-based rows of the organizer's table: the team's records, and those that were never in its table. Their order
        changes nothing.

    Examples
    --------
    >>> question = QuestionSpec("m", "membership", "bits", "hits", targets=2, controls=1)
    >>> rng = np.random.default_rng(7)
    >>> sheet = draw_sheet(question, np.array([4, 5, 6]), np.array([1, 2]), rng=rng)
    >>> sheet.rows.tolist(), sheet.inside.tolist()
    ([5, 6, 2], [True, True, False])
    """
    members = _some(np.unique(inside), question.targets, rng)
    others = np.setdiff1d(outside, inside)
    n_controls = question.controls
    if n_controls is None and not ASKS[question.asks].asks_controls:
        n_controls = 0
    controls = _some(others, n_controls, rng)
    rows = np.concatenate([members, controls]).astype(np.int64)
    order = rng.permutation(len(rows))
    return Sheet(rows[order], (order < len(members)))


def _some(rows: IntArray, n: int | None, rng: np.random.Generator) -> IntArray:
    if n is None or n >= len(rows):
        return rows
    return rng.choice(rows, n, replace=False)


def sheet_file(question: QuestionSpec, sheet: Sheet, table: Records, schema: Schema) -> bytes:
    """The sheet for attackers: the number of each question from 1, and the columns that are known.

    `table` is the organizer's, whose rows the sheet names.

    Examples
    --------
    >>> from scoring.examples import SCHEMA, table
    >>> question = QuestionSpec("a", "attributes", "values", "share", known=("QI1",), column="SA1")
    >>> sheet = Sheet(np.array([2, 0]), np.array([True, True]))
    >>> sheet_file(question, sheet, Records.of(table("original"), SCHEMA), SCHEMA)
    b'question,QI1\\n1,1\\n2,2\\n'
    """
    shown = question.shown(schema)
    asked = table.taken(sheet.rows)
    numbers = {NUMBER: np.arange(1, len(sheet) + 1, dtype=np.int64)}
    records = Records(
        (NUMBER, *shown),
        numbers | {name: asked.numbers[name] for name in shown if name in asked.numbers},
        {name: asked.codes[name] for name in shown if name in asked.codes},
        asked.levels,
    )
    columns = (_NUMBER, *(schema.column(name) for name in shown))
    return write_table(records, Schema(columns))


@dataclass(frozen=True, slots=True)
class Key:
    """The sealed answers of a sheet.

    Attributes
    ----------
    inside : bool array, shape (n_questions,)
        As in the sheet.
    values : mapping of str to array, shape (n_questions,)
        The true values of each blanked column: numbers, or texts.
    lines : int64 array, shape (n_questions,), or None
        The 0-based line of the published table that each record became, -1 for none.
    units : int64 array, shape (n_questions,)
        The name of each record in what others say about this table.
    """

    inside: BoolArray
    values: Mapping[str, np.ndarray]
    lines: IntArray | None
    units: IntArray

    def to_dict(self) -> dict[str, Any]:
        """As plain values, to be sealed."""
        return {
            "inside": base64.b64encode(packed(self.inside)).decode(),
            "values": {name: values.tolist() for name, values in self.values.items()},
            "lines": None if self.lines is None else self.lines.tolist(),
            "units": self.units.tolist(),
        }

    @classmethod
    def from_dict(cls, data: Mapping[str, Any]) -> Key:
        """As `to_dict` wrote it."""
        return cls(
            unpacked(base64.b64decode(data["inside"])),
            {name: _column(values) for name, values in data["values"].items()},
            None if data["lines"] is None else np.asarray(data["lines"], dtype=np.int64),
            np.asarray(data["units"], dtype=np.int64),
        )


def _column(values: list[Any]) -> np.ndarray:
    is_text = bool(values) and isinstance(values[0], str)
    return np.array(values, dtype=object if is_text else np.float64)


def true_answers(
    question: QuestionSpec,
    sheet: Sheet,
    table: Records,
    schema: Schema,
    *,
    source: IntArray | None = None,
    units: Mapping[int, int] | None = None,
) -> Key:
    """The key of a sheet.

    Parameters
    ----------
    source : int64 array, shape (n_lines,), or None
        Of a question about links: the 0-based row of the organizer's table that each published line was made from, -1
        for none.
    units : mapping of int to int, or None
        Other names of these rows; itself where a row has none.

    Raises
    ------
    ValueError
        Where links are asked without `source`, as published lines were made from no record.
    """
    asked = table.taken(sheet.rows)
    lines = None
    if question.asks == LINKS:
        if source is None:
            raise ValueError("links are asked about lines that were made from no record")
        line_of = {int(row): line for line, row in enumerate(source.tolist()) if row >= 0}
        lines = np.array([line_of.get(int(row), -1) for row in sheet.rows], dtype=np.int64)
    names = units or {}
    return Key(
        sheet.inside if lines is None else lines >= 0,
        {name: asked.values(name) for name in question.blanked(schema)},
        lines,
        np.array([names.get(int(row), int(row)) for row in sheet.rows], dtype=np.int64),
    )
