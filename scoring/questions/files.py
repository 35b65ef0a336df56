# SPDX-License-Identifier: Apache-2.0
"""Answer files: one line for each question of a sheet, in any order; all problems together."""

from __future__ import annotations

import csv
import io
import math
import re
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
import numpy.typing as npt

from scoring.errors import Collector, shorten
from scoring.questions.asked import BITS, CONFIDENCES, INTERVALS, LINES, NUMBER, QuestionSpec
from scoring.tables.cells import check_categories
from scoring.tables.published_rules import Rules, column_rules
from scoring.tables.reading import check_header
from scoring.tables.schema import Column, Schema
from scoring.tables.text import decode, numbered_lines, plain_number, read_header, records

Array = npt.NDArray[Any]
Answers = Mapping[str, Array]
"""By column of the file, in the order of the questions: numbers with NaN for no answer, or texts with ""."""
Asked = npt.NDArray[np.object_] | None
Wrong = tuple[str, dict[str, str | int | float]]

_WHOLE = re.compile(r"[0-9]{1,9}")
_LINE = re.compile(r"-?[0-9]{1,9}")
_BIT = re.compile(r"[01]")
_NUMBER = re.compile(r"-?(?:[0-9]{1,15}(?:\.[0-9]{0,30})?|\.[0-9]{1,30})(?:[eE][+-]?[0-9]{1,2})?")
_QUICK = {
    BITS: re.compile(rb"(?:[0-9]{1,9},[01]\n)*+"),
    CONFIDENCES: re.compile(
        rb"(?:[0-9]{1,9},(?:0|1|[01]?\.[0-9]{1,30}|[0-9]\.?[0-9]{0,30}e-[0-9]{2})\n)*+"
    ),
}
"""The lines of files without any problem of form."""
_MAX_SHOWN = 5
"""Questions without a line that a problem names."""


@dataclass(frozen=True, slots=True)
class _Cell:
    """A kind of cell: its form, its bounds, and the problem of another; `empty` where it may be no answer."""

    form: re.Pattern[str]
    low: float
    high: float
    problem: Callable[[str], Wrong]
    empty: bool = False

    def read(self, cells: Sequence[str]) -> tuple[Array, list[int]]:
        """The numbers, NaN for no answer, and the positions of wrong cells."""
        if all(map(self.form.fullmatch, cells)):
            values = np.array(list(map(float, cells)), dtype=np.float64)
            inside = (values >= self.low) & (values <= self.high)
            return values, np.flatnonzero(~inside).tolist()
        values, wrong = np.full(len(cells), np.nan), []
        for position, cell in enumerate(cells):
            if not cell and self.empty:
                continue
            if self.form.fullmatch(cell) and self.low <= float(cell) <= self.high:
                values[position] = float(cell)
            else:
                wrong.append(position)
        return values, wrong


def read_answers(
    data: bytes,
    question: QuestionSpec,
    n_questions: int,
    schema: Schema,
    *,
    n_lines: int = 0,
    asked: Asked = None,
    file: str = "answers",
) -> Answers:
    """The answers to all questions of a sheet.

    Parameters
    ----------
    data : bytes
        CSV with the column `question`, and those of `QuestionSpec.columns`. Lines may be in any order. A value may be
        left empty, which is no answer; a bit, a confidence and a first line may not.
    n_lines : int
        How many lines the published table has, of a question about links.
    asked : array of str, shape (n_questions, cells), or None
        The columns that are asked of each record, where they are drawn for it; see `scoring.questions.sheets.Sheet`.

    Returns
    -------
    mapping
        By column of the file, in the order of the questions. Lines are 0-based, -1 for none. Where cells are drawn, by
        column of the table, and no answer where a column is not asked.

    Raises
    ------
    ProblemsFound
        All problems: questions that the sheet does not have, or that have no line or two; what is no bit, no confidence
        from 0 to 1, no value of the column or no line; another number of ones; intervals that end before they
        begin, or are too wide; candidates after -1, or named twice.

    Examples
    --------
    >>> from scoring.examples import SCHEMA
    >>> question = QuestionSpec("m", "membership", "bits", "hits", ones=1)
    >>> read_answers(b"question,member\\n2,1\\n1,0\\n", question, 2, SCHEMA)["member"].tolist()
    [0.0, 1.0]
    """
    names = question.columns(schema)
    if (quick := _quick(data, question, names, n_questions)) is not None:
        return quick
    problems = Collector()
    rows = records(decode(data, file=file), file=file)
    check_header(read_header(rows, file=file), (NUMBER, *names), file)
    lines = list(numbered_lines(rows, 1 + len(names), file, problems))
    place, taken = _places(lines, n_questions, file, problems)
    _note_missing(place, n_questions, file, problems)
    numbers, texts = [row for row, _ in taken], [cells for _, cells in taken]
    answers: dict[str, Array] = {}
    for at, name in enumerate(names, start=1):
        cells = np.array([_plain(line[at], name, file) for line in texts], dtype=object)
        for read in (name,) if asked is None else question.blanked(schema):
            lines_of = np.arange(len(cells))
            if asked is not None:
                lines_of = np.flatnonzero(asked[place, at - 1] == read)
            column = schema.column(read) if read in schema.names else None
            given, rows_of = cells[lines_of].tolist(), [numbers[line] for line in lines_of.tolist()]
            if column is not None and not column.is_numeric:
                found = _categories(given, column, rows_of, file, problems)
            else:
                kind = _cell(question, at, n_lines)
                found = _numbers(given, kind, rows_of, read, file, problems)
            if read not in answers:
                empty = "" if found.dtype == object else np.nan
                answers[read] = np.full(n_questions, empty, dtype=found.dtype)
            answers[read][place[lines_of]] = found
    _check(question, answers, place, numbers, file, problems)
    problems.raise_if_any()
    return answers


def _quick(
    data: bytes, question: QuestionSpec, names: Sequence[str], n_questions: int
) -> Answers | None:
    """The answers of a large file that has nothing unusual; None for the careful reader, which names problems."""
    header, _, body = data.partition(b"\n")
    form = _QUICK.get(question.answers)
    if form is None or header != f"{NUMBER},{names[0]}".encode() or not form.fullmatch(body):
        return None
    if body.count(b"\n") != n_questions or not n_questions:
        return None
    numbers = np.fromstring(body.replace(b"\n", b",")[:-1].decode(), sep=",").reshape(-1, 2)
    place, values = numbers[:, 0].astype(np.int64) - 1, numbers[:, 1]
    is_asked = place.min() >= 0 and place.max() < n_questions and values.max() <= 1
    if not is_asked or len(np.unique(place)) != n_questions:
        return None
    if question.ones is not None and int(values.sum()) != question.ones:
        return None
    ordered = np.empty(n_questions)
    ordered[place] = values
    return {names[0]: ordered}


def _plain(cell: str, column: str, file: str) -> str:
    return cell if cell.isascii() else plain_number(cell, _NUMBER, file=file, column=column)


def _places(
    lines: Sequence[tuple[int, list[str]]], n_questions: int, file: str, problems: Collector
) -> tuple[npt.NDArray[np.int64], list[tuple[int, list[str]]]]:
    """The 0-based questions of the usable lines, each once, and those lines."""
    first: dict[int, int] = {}
    taken = []
    for row, cells in lines:
        cell = _plain(cells[0], NUMBER, file)
        number = int(cell) if _WHOLE.fullmatch(cell) else 0
        if not 1 <= number <= n_questions:
            got = shorten(cells[0])
            problems.add("answer.not_asked", file=file, row=row, expected=n_questions, got=got)
        elif number in first:
            problems.add("answer.repeated", file=file, row=row, got=number, first=first[number])
        else:
            first[number] = row
            taken.append((row, cells))
    return np.fromiter(first, dtype=np.int64, count=len(first)) - 1, taken


def _note_missing(
    place: npt.NDArray[np.int64], n_questions: int, file: str, problems: Collector
) -> None:
    if len(place) == n_questions:
        return
    missing = (np.setdiff1d(np.arange(n_questions), place) + 1).tolist()
    shown = ", ".join(map(str, missing[:_MAX_SHOWN])) + (", …" if len(missing) > _MAX_SHOWN else "")
    problems.add("answer.missing", file=file, n=len(missing), expected=n_questions, got=shown)


def _cell(question: QuestionSpec, at: int, n_lines: int) -> _Cell:
    """The kind of cell of the `at`-th column of numbers."""
    if question.answers == BITS:
        return _Cell(_BIT, 0, 1, lambda cell: ("answer.bit", {"got": cell}))
    if question.answers == CONFIDENCES:
        return _Cell(_NUMBER, 0, 1, lambda cell: ("answer.confidence", {"got": cell}))
    if question.answers == LINES:
        wrong = {"expected": n_lines}
        return _Cell(
            _LINE, -1, n_lines, lambda cell: ("answer.line", {**wrong, "got": cell}), empty=at > 1
        )
    return _Cell(
        _NUMBER, -np.inf, np.inf, lambda cell: ("cell.not_a_number", {"got": cell}), empty=True
    )


def _numbers(
    cells: Sequence[str],
    kind: _Cell,
    rows: Sequence[int],
    name: str,
    file: str,
    problems: Collector,
) -> Array:
    values, wrong = kind.read(cells)
    for position in wrong:
        code, params = kind.problem(shorten(cells[position]))
        problems.add(code, file=file, row=rows[position], column=name, **params)
    return values


def _categories(
    cells: Sequence[str], column: Column, rows: Sequence[int], file: str, problems: Collector
) -> Array:
    given = [position for position, cell in enumerate(cells) if cell]
    wrong = check_categories([cells[position] for position in given], column, file=file)
    if wrong is not None:
        for position, problem in wrong.first:
            problems.extend([replace(problem, row=rows[given[position]])])
    return np.array(cells, dtype=object)


def _check(
    question: QuestionSpec,
    answers: dict[str, Array],
    place: npt.NDArray[np.int64],
    rows: Sequence[int],
    file: str,
    problems: Collector,
) -> None:
    """Note problems that no single cell has: the number of ones, the ends of intervals, the order of candidates."""
    if problems:
        return  # of cells: what follows would name them again
    row_of = dict(zip(place.tolist(), rows, strict=True))
    if question.answers == BITS and question.ones is not None:
        n_ones = int(answers["member"].sum())
        if n_ones != question.ones:
            problems.add("answer.ones", file=file, expected=question.ones, got=n_ones)
    elif question.answers == INTERVALS:
        low, high = answers.values()
        for at, code in _wrong_intervals(low, high, question.tolerance):
            problems.add(
                code,
                file=file,
                row=row_of[at],
                expected=question.tolerance,
                got=float(high[at] - low[at]),
            )
    elif question.answers == LINES:
        lines = np.column_stack(list(answers.values())).astype(np.float64)
        for at, code in _wrong_lines(lines):
            problems.add(code, file=file, row=row_of[at])
        for name, values in answers.items():
            given = np.nan_to_num(values.astype(np.float64), nan=-1)
            answers[name] = np.where(given > 0, given - 1, -1)


def _wrong_intervals(low: Array, high: Array, width: float) -> Iterator[tuple[int, str]]:
    for at in np.flatnonzero(np.isnan(low) != np.isnan(high)).tolist():
        yield at, "answer.half_interval"
    with np.errstate(invalid="ignore"):
        for at in np.flatnonzero(low > high).tolist():
            yield at, "answer.interval"
        for at in np.flatnonzero(high - low > width).tolist():
            yield at, "answer.wide_interval"


def _wrong_lines(lines: npt.NDArray[np.float64]) -> Iterator[tuple[int, str]]:
    """Lines of the file in which a candidate follows none, is named twice, or is no line."""
    for at, named in enumerate(lines):
        said = [number for number in named.tolist() if number == number]
        candidates = [number for number in said if number > 0]
        if 0 in said:
            yield at, "answer.line_zero"
        elif candidates != named[: len(candidates)].tolist():
            yield at, "answer.after_none"
        elif len(set(candidates)) < len(candidates):
            yield at, "answer.candidate_twice"


def write_answers(
    answers: Answers, question: QuestionSpec, schema: Schema, *, asked: Asked = None
) -> bytes:
    """The answer file of answers as `read_answers` returns them; `asked` as there.

    Examples
    --------
    >>> from scoring.examples import SCHEMA
    >>> question = QuestionSpec("m", "membership", "bits", "hits")
    >>> write_answers({"member": np.array([0.0, 1.0])}, question, SCHEMA)
    b'question,member\\n1,0\\n2,1\\n'
    """
    names = question.columns(schema)
    columns = []
    for at, name in enumerate(names):
        values = (
            np.array([answers[n][q] for q, n in enumerate(asked[:, at])])
            if asked is not None
            else answers[name]
        )
        if question.answers == LINES:
            values = np.where(values < 0, -1, values + 1)
        columns.append([_written(value) for value in values.tolist()])
    text = io.StringIO()
    writer = csv.writer(text, lineterminator="\n")
    writer.writerow((NUMBER, *names))
    writer.writerows(zip(range(1, 1 + len(columns[0])), *columns, strict=True))
    return text.getvalue().encode()


def _written(value: float | str) -> str:
    if isinstance(value, str):
        return value
    if value != value:
        return ""
    return str(int(value)) if float(value).is_integer() else repr(float(value))


def answer_rules(
    question: QuestionSpec,
    n_questions: int,
    schema: Schema,
    *,
    n_lines: int = 0,
    asked: Sequence[Sequence[str]] = (),
) -> Rules:
    """The rules of an answer file as JSON; see `read_answers` and `scoring.tables.published_rules`.

    Where cells are drawn for each record, `of` has the rules of the columns of the table, and each column of the file
    has in `asked`, for each question, the one among them that its cell is of.

    Examples
    --------
    >>> from scoring.examples import SCHEMA
    >>> question = QuestionSpec("m", "membership", "bits", "hits", ones=1)
    >>> answer_rules(question, 2, SCHEMA)["columns"]
    [{'name': 'member', 'form': '[01]', 'code': 'answer.bit', 'low': 0, 'high': 1}]
    """
    public = schema.public()

    def rules_of(at: int, name: str) -> Rules:
        column = public.column(name) if name in public.names else None
        if column is not None and not column.is_numeric:
            return column_rules(column) | {"empty": True}
        cell = _cell(question, at, n_lines)
        code, params = cell.problem("")
        rules: Rules = {"name": name, "form": cell.form.pattern, "code": code}
        bounds = {"low": cell.low, "high": cell.high}
        rules |= {key: bound for key, bound in bounds.items() if math.isfinite(bound)}
        rules |= {"empty": True} if cell.empty else {}
        return rules | ({"expected": params["expected"]} if "expected" in params else {})

    names = question.columns(public)
    columns = [rules_of(at, name) for at, name in enumerate(names, start=1)]
    drawn: Rules = {}
    if question.cells is not None:
        of = question.blanked(public)
        drawn["of"] = [rules_of(1, name) for name in of]
        columns = [
            {"name": name, "asked": [of.index(cells[at]) for cells in asked]}
            for at, name in enumerate(names)
        ]
    return {
        "kind": "answers",
        "n_questions": n_questions,
        "shown": _MAX_SHOWN,
        "answers": question.answers,
        "ones": question.ones,
        "tolerance": str(question.tolerance),
        "number": NUMBER,
        "whole": _WHOLE.pattern,
        "plain": _NUMBER.pattern,
        "columns": columns,
        **drawn,
    }
