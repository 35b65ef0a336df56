# SPDX-License-Identifier: Apache-2.0
"""Answers of cheaters to attack rounds: without a look at the published table, or with another team's file."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field

import numpy as np
import pandas as pd

from scoring.attacks.replay import guess_replayed
from scoring.questions.asked import ATTRIBUTES, BITS, INTERVALS, LINKS, MEMBERSHIP, QuestionSpec
from scoring.questions.attackers import nearest_records
from scoring.questions.files import Answers
from scoring.tables.equivalence import FloatArray, IntArray
from scoring.tables.schema import Schema


@dataclass(frozen=True, slots=True)
class Target:
    """An attacked table, and what a cheater has of it.

    Attributes
    ----------
    known : DataFrame
        The original, or the candidates; of an attack by questions a table of no records.
    seen : DataFrame, n records
        As published.
    schema : Schema
    sheets : mapping of str to DataFrame
        All sheets of questions about the team that have been published, by a name; those of this round by the key of
        the question.
    places : int64 array, shape (n,)
        The line of each published record, from 0.
    file : DataFrame or None
        The file that the attacked team gave away, and
    original : DataFrame or None
        the original record that each of its lines was made from.
    """

    known: pd.DataFrame
    seen: pd.DataFrame
    schema: Schema
    sheets: Mapping[str, pd.DataFrame] = field(default_factory=dict)
    places: IntArray = field(default_factory=lambda: np.zeros(0, dtype=np.int64))
    file: pd.DataFrame | None = None
    original: pd.DataFrame | None = None


# Guesses of rows or candidates: int64 arrays, shape (n,), -1 for none


def constant_row(target: Target) -> IntArray:
    """The known record that most others equal, for every published record.

    Examples
    --------
    >>> from scoring.examples import SCHEMA, table
    >>> constant_row(Target(table("original"), table("noise"), SCHEMA)).tolist()
    [0, 0, 0, 0]
    """
    names = list(target.schema.public().names)
    groups = target.known.groupby(names, sort=False, dropna=False)
    row = int(groups[names[0]].transform("size").to_numpy().argmax())
    return np.full(len(target.seen), row, dtype=np.int64)


def replayed_rows(target: Target) -> IntArray:
    """The rows that a public anonymizer with a small seed declares; see `scoring.attacks.replay`."""
    nothing = np.random.default_rng(0)
    return guess_replayed(target.known, target.seen, target.schema, rng=nothing, seeds=10, work=2)


def given_rows(target: Target) -> IntArray | None:
    """The rows that a file says, which the attacked team gave away; None without one."""
    if target.file is None or target.original is None:
        return None
    lines = _found(target.seen, target.file, target.schema)
    rows = _found(target.original, target.known, target.schema)
    return np.where(lines >= 0, rows[lines], -1)


# Answers to questions


def constant_answers(question: QuestionSpec, target: Target) -> Answers:
    """The best single answer to all questions: the most frequent value, the densest interval, the first lines.

    Membership: all are members, with as many bits as must be; where confidences are stakes, a single one.
    """
    n, schema = len(target.sheets[question.key]), target.schema
    if question.asks == MEMBERSHIP:
        ones = n if question.ones is None else question.ones
        stakes = question.answers != BITS and question.result == "advantage"
        said = np.where(np.arange(n) < (1 if stakes else ones), 1.0, 0.5 if stakes else 0.0)
        return {question.columns(schema)[0]: said}
    if question.asks == LINKS:
        lines = [*target.places[: question.candidates], *([-1.0] * question.candidates)]
        named = question.columns(schema)
        return {name: np.full(n, float(line)) for name, line in zip(named, lines, strict=False)}
    return _valued(
        question,
        schema,
        {name: np.full(n, _usual(question, target, name)) for name in question.blanked(schema)},
    )


def answers_of_sheets(question: QuestionSpec, target: Target) -> Answers | None:
    """Answers from all published sheets about a team, without its table; None for lines and where no other sheet has
    what is asked.

    A member is who stands on the most sheets. A blanked value is read on another sheet on which the record stands.
    """
    sheet, schema = target.sheets[question.key], target.schema
    others = [other for name, other in target.sheets.items() if name != question.key]
    if not others or question.asks == LINKS:
        return None
    if question.asks == MEMBERSHIP:
        times = sum((_found(sheet, other, schema) >= 0).astype(float) for other in others)
        return _by_confidence(question, schema, np.asarray(times) / len(others))
    answers = {
        name: np.full(len(sheet), _usual(question, target, name))
        for name in question.blanked(schema)
    }
    for other in others:
        at = _found(sheet, other, schema)
        for name in set(answers) & set(other.columns):
            shown = other[name].to_numpy()[at]
            answers[name] = np.where((at >= 0) & pd.notna(shown), shown, answers[name])
    return _valued(question, schema, answers)


def given_answers(question: QuestionSpec, target: Target) -> Answers | None:
    """Answers from the original and the file that the attacked team gave away; None without them."""
    if target.file is None or target.original is None:
        return None
    sheet, original = target.sheets[question.key], target.original
    if question.asks == MEMBERSHIP:
        inside = (_found(sheet, original, target.schema) >= 0).astype(float)
        return _by_confidence(question, target.schema, inside)
    places = np.full(len(original), -1, dtype=np.int64)
    if question.asks == LINKS:
        lines = _found(target.file, target.seen, target.schema)
        places = np.where(lines >= 0, target.places[lines], -1)
    return nearest_records(question, sheet, original, target.schema, places)


def _by_confidence(question: QuestionSpec, schema: Schema, said: FloatArray) -> Answers:
    """Confidences, or bits for the highest ones."""
    if question.answers == BITS:
        n = len(said) // 2 if question.ones is None else question.ones
        bits = np.zeros(len(said))
        bits[np.argsort(-said, kind="stable")[:n]] = 1
        said = bits
    return {question.columns(schema)[0]: said}


def _usual(question: QuestionSpec, target: Target, name: str) -> float | str:
    """The value that is right about the most published records."""
    column = target.schema.column(name)
    values = np.sort(target.seen[name].to_numpy())
    if not column.is_numeric:
        found, times = np.unique(values.astype(str), return_counts=True)
        return str(found[times.argmax()])
    width = question.tolerance * (1 if question.answers == INTERVALS else 2)
    inside = np.searchsorted(values, values + width + 1e-9, "right") - np.arange(len(values))
    at = int(inside.argmax())
    return float((values[at] + values[at + inside[at] - 1]) / 2)


def _valued(question: QuestionSpec, schema: Schema, values: Answers) -> Answers:
    if question.asks == ATTRIBUTES and question.answers == INTERVALS:
        name, half = str(question.column), question.tolerance / 2
        middle = values[name].astype(float)
        return {f"{name}_low": middle - half, f"{name}_high": middle + half}
    return values


def _found(records: pd.DataFrame, among: pd.DataFrame, schema: Schema) -> IntArray:
    """The first of some records that each equals in all columns of both without a blank; -1 where there is none."""
    names = [n for n in schema.public().names if n in records.columns and n in among.columns]
    names = [n for n in names if records[n].notna().all() and among[n].notna().all()]
    if not names:
        return np.full(len(records), -1, dtype=np.int64)
    first = among[names].reset_index(drop=True).drop_duplicates()
    at = first.assign(**{"#": first.index.to_numpy()})
    both = records[names].merge(at, on=names, how="left")
    return both["#"].fillna(-1).to_numpy(dtype=np.int64)


Guesser = Callable[[Target], "IntArray | None"]
Answerer = Callable[[QuestionSpec, Target], "Answers | None"]
