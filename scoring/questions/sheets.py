# SPDX-License-Identifier: Apache-2.0
"""Drawing sheets: records of a team and records that were never in its table, some cells blanked."""

from __future__ import annotations

import base64
import csv
import io
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from fractions import Fraction
from itertools import accumulate
from typing import TYPE_CHECKING, Any

import numpy as np
import numpy.typing as npt

from scoring.questions.asked import ASKED, ASKS, LINKS, NUMBER, QuestionSpec
from scoring.questions.bitmaps import BoolArray, packed, unpacked
from scoring.scores.options import DECLARED
from scoring.tables.equivalence import FloatArray, IntArray
from scoring.tables.records import Records
from scoring.tables.schema import Column, Kind, Role, Schema
from scoring.tables.writing import write_table, written

if TYPE_CHECKING:
    from scoring.scores.content import Contents

ObjectArray = npt.NDArray[np.object_]
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
    hidden : mapping of str to bool array, shape (n_questions,)
        By column, the records of which the sheet does not show this cell, although it shows the column.
    asked : array of str, shape (n_questions, cells), or None
        The columns that are asked of each record, in the schema's order, where they are drawn for it.
    """

    rows: IntArray
    inside: BoolArray
    hidden: Mapping[str, BoolArray] = field(default_factory=dict)
    asked: ObjectArray | None = None

    def __len__(self) -> int:
        return len(self.rows)


def draw_sheets(
    questions: Sequence[QuestionSpec],
    inside: IntArray,
    outside: IntArray,
    schema: Schema,
    *,
    rng: np.random.Generator,
    cells: np.random.Generator | None = None,
) -> list[Sheet]:
    """The sheets of all questions that are ever asked about one table, of all rounds and stages.

    Parameters
    ----------
    questions : sequence of QuestionSpec
        Those of the same key ask the same people, as many as each wants.
    inside, outside : int64 arrays
        0-based rows of the organizer's table: the team's records, and those that were never in its table. Their order
        changes nothing.
    rng : numpy.random.Generator
        With the same seed, the same people are asked again.
    cells : numpy.random.Generator or None
        Draws the asked cells of records, the same for all tables if it has the same seed; None for `rng`.

    Returns
    -------
    list of Sheet
        For each question its sheet in random order. All records there are where fewer than asked for.

    Notes
    -----
    The sheets on which a record stands say nothing about membership: targets and controls, both in random order, lie at
    equal distances on a circle, and each sheet takes an arc of it that begins and ends at a target. All have one
    proportion of controls to targets, the largest that a question states. What is seen of a record is the same on all
    of them, so that no sheet answers another. The argument is in docs/reference/questions.md, “One draw”.

    Examples
    --------
    Two questions with the list of three targets and three controls:

    >>> from scoring.examples import SCHEMA
    >>> asked = [QuestionSpec(key, "membership", "bits", "hits", targets=2, controls=2) for key in "ab"]
    >>> rows, others = np.arange(3), np.arange(3, 9)
    >>> first, second = draw_sheets(asked, rows, others, SCHEMA, rng=np.random.default_rng(7))
    >>> first.inside.sum(), second.inside.sum(), len({*first.rows.tolist(), *second.rows.tolist()})
    (np.int64(2), np.int64(2), 6)
    """
    n_rows = 1 + int(max(inside.max(initial=-1), outside.max(initial=-1)))
    rank, first = rng.random(n_rows), rng.random()
    members, others = np.unique(inside), np.setdiff1d(outside, inside)
    members, others = (some[np.argsort(rank[some])] for some in (members, others))
    counts = [_counts(question, len(members), len(others)) for question in questions]
    most: dict[str, int] = {}
    for question, (n_targets, _) in zip(questions, counts, strict=True):
        most[question.key] = max(most.get(question.key, 0), n_targets)
    starts = dict(zip(most, accumulate(most.values(), initial=0), strict=False))
    length = min(max(len(members), 1), sum(most.values()))
    n_targets, n_controls = max(counts, key=lambda n: Fraction(n[1], n[0]))
    members, others = members[:length], others[: -(-length * n_controls // n_targets)]
    place = np.arange(len(members)).astype(np.float64)
    place = np.append(place, (np.arange(len(others)) + first) * length / max(len(others), 1))
    on = [
        np.flatnonzero((place - starts[question.key] % length) % length < n)
        for question, (n, _) in zip(questions, counts, strict=True)
    ]
    rows = np.concatenate([members, others]).astype(np.int64)
    names = schema.public().names
    ranks = (
        (cells or rng).random((n_rows, len(names)))[rows]
        if any(q.cells for q in questions)
        else None
    )
    asked = [_drawn(question, names, ranks, schema) for question in questions]
    shown = np.ones((len(rows), len(names)), dtype=bool)
    for question, places, drawn in zip(questions, on, asked, strict=True):
        shown[places] &= np.isin(names, question.shown(schema))
        if drawn is not None:
            shown[places] &= ~(drawn[places, :, None] == np.arange(len(names))).any(axis=1)
    sheets = []
    for question, places, drawn in zip(questions, on, asked, strict=True):
        places = rng.permutation(places)
        hidden = {
            n: ~shown[places, at] for at, n in enumerate(names) if n in question.shown(schema)
        }
        sheets.append(
            Sheet(
                rows[places],
                places < len(members),
                {name: cells for name, cells in hidden.items() if cells.any()},
                None if drawn is None else np.array(names, dtype=object)[drawn[places]],
            )
        )
    return sheets


def _counts(question: QuestionSpec, n_members: int, n_others: int) -> tuple[int, int]:
    """The numbers of targets and controls that a question asks for, of those that there are."""
    n_controls = question.controls
    if n_controls is None:
        n_controls = n_others if ASKS[question.asks].asks_controls else 0
    n_targets = n_members if question.targets is None else min(question.targets, n_members)
    return max(n_targets, 1), min(n_controls, n_others)


def _drawn(
    question: QuestionSpec, names: Sequence[str], ranks: FloatArray | None, schema: Schema
) -> IntArray | None:
    """The 0-based columns that are asked of each record, ascending; None where all are asked the same."""
    if question.cells is None or ranks is None:
        return None
    open_ = np.flatnonzero(np.isin(names, question.blanked(schema)))
    return np.sort(open_[np.argsort(ranks[:, open_], axis=1)[:, : question.cells]], axis=1)


def sheet_file(question: QuestionSpec, sheet: Sheet, table: Records, schema: Schema) -> bytes:
    """The sheet for attackers: the number of each question from 1, the columns that are asked where they are drawn for
    each record, and the columns that are known. Cells that are asked, here or on another sheet, are empty.

    `table` is the organizer's, whose rows the sheet names.

    Examples
    --------
    >>> from scoring.examples import SCHEMA, table
    >>> question = QuestionSpec("a", "attributes", "values", "share", known=("QI1",), column="SA1")
    >>> sheet = Sheet(np.array([2, 0]), np.array([True, True]))
    >>> sheet_file(question, sheet, Records.of(table("original"), SCHEMA), SCHEMA)
    b'question,QI1\\n1,1\\n2,2\\n'
    """
    shown = tuple(schema.column(name) for name in question.shown(schema))
    asked = table.taken(sheet.rows)
    numbers = {NUMBER: np.arange(1, len(sheet) + 1, dtype=np.int64)}
    if sheet.asked is None and not sheet.hidden:
        names = [column.name for column in shown]
        records = Records(
            (NUMBER, *names),
            numbers | {name: asked.numbers[name] for name in names if name in asked.numbers},
            {name: asked.codes[name] for name in names if name in asked.codes},
            asked.levels,
        )
        return write_table(records, Schema((_NUMBER, *shown)))
    cells = {NUMBER: written(numbers[NUMBER], _NUMBER)}
    if sheet.asked is not None:
        cells |= {f"{ASKED}_{n}": sheet.asked[:, n - 1].tolist() for n in question.drawn}
    for column in shown:
        values = written(asked.values(column.name), column)
        hidden = sheet.hidden.get(column.name, np.zeros(len(sheet), dtype=bool))
        cells[column.name] = np.where(hidden, "", np.array(values, dtype=object)).tolist()
    text = io.StringIO()
    csv.writer(text, lineterminator="\n").writerows(
        [list(cells), *zip(*cells.values(), strict=True)]
    )
    return text.getvalue().encode()


@dataclass(frozen=True, slots=True)
class Key:
    """The sealed answers of a sheet.

    Attributes
    ----------
    inside : bool array, shape (n_questions,)
        As in the sheet.
    values : mapping of str to array, shape (n_questions,)
        The true values of each blanked column: numbers, or texts.
    asked : array of str, shape (n_questions, cells), or None
        As in the sheet: the columns that are asked of each record; None: all of `values`.
    lines : int64 array, shape (n_questions,), or None
        The 0-based line of the published table that each record became, -1 for none.
    units : int64 array, shape (n_questions,)
        The name of each record in what others say about this table.
    shown : sequence of sequence of int, or none
        The lines that show each record by their content, where such answers count.
    truth : str
        One of `scoring.scores.options.TRUTHS`: what the right line of a record is.
    strata : int64 array, shape (n_questions,), or None
        The stratum of each record, where controls were drawn in strata.
    """

    inside: BoolArray
    values: Mapping[str, np.ndarray]
    lines: IntArray | None
    units: IntArray
    asked: ObjectArray | None = None
    shown: Sequence[Sequence[int]] = ()
    truth: str = DECLARED
    strata: IntArray | None = None

    def is_asked(self, column: str) -> BoolArray:
        """The records of which a blanked column is asked."""
        if self.asked is None:
            return np.ones(len(self.inside), dtype=bool)
        return np.asarray((self.asked == column).any(axis=1), dtype=bool)

    def with_contents(self, contents: Contents, truth: str) -> Key:
        """The key of a question about links by another truth than the declared lines.

        A record that a line shows is in the table, whatever was declared; `units` are those of `contents`.

        Examples
        --------
        >>> from scoring.scores.content import Contents
        >>> key = Key(np.array([True, False]), {}, np.array([1, -1]), np.array([0, 1]))
        >>> found = key.with_contents(Contents(np.array([1, 1, -1]), np.arange(2)), "either")
        >>> found.inside.tolist(), found.shown
        ([True, True], [[], [0, 1]])
        """
        if self.lines is None or truth == DECLARED:
            return self
        shown = contents.lines(self.units)
        is_shown = np.array([bool(lines) for lines in shown], dtype=np.bool_)
        return replace(self, shown=shown, truth=truth, inside=self.inside | is_shown)

    def to_dict(self) -> dict[str, Any]:
        """As plain values, to be sealed."""
        return {
            "inside": base64.b64encode(packed(self.inside)).decode(),
            "values": {name: values.tolist() for name, values in self.values.items()},
            "lines": None if self.lines is None else self.lines.tolist(),
            "units": self.units.tolist(),
            **({} if self.asked is None else {"asked": self.asked.tolist()}),
            **({} if self.strata is None else {"strata": self.strata.tolist()}),
        }

    @classmethod
    def from_dict(cls, data: Mapping[str, Any]) -> Key:
        """As `to_dict` wrote it."""
        return cls(
            unpacked(base64.b64decode(data["inside"])),
            {name: _column(values) for name, values in data["values"].items()},
            None if data["lines"] is None else np.asarray(data["lines"], dtype=np.int64),
            np.asarray(data["units"], dtype=np.int64),
            np.array(data["asked"], dtype=object) if "asked" in data else None,
            strata=np.asarray(data["strata"], dtype=np.int64) if "strata" in data else None,
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
    strata: Sequence[str] = (),
) -> Key:
    """The key of a sheet.

    Parameters
    ----------
    source : int64 array, shape (n_lines,), or None
        Of a question about links: the 0-based row of the organizer's table that each published line was made from, -1
        for none.
    units : mapping of int to int, or None
        Other names of these rows; itself where a row has none.
    strata : sequence of str
        The columns by which controls were drawn.

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
        sheet.asked,
        strata=_strata(asked, strata),
    )


def _strata(asked: Records, columns: Sequence[str]) -> IntArray | None:
    if not columns:
        return None
    codes = [np.unique(asked.values(name), return_inverse=True)[1] for name in columns]
    found: IntArray = np.unique(np.column_stack(codes), axis=0, return_inverse=True)[1].ravel()
    return found
