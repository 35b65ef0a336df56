# SPDX-License-Identifier: Apache-2.0
"""Simple attackers that answer sheets: everything they know is published."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import replace

import numpy as np
import pandas as pd

from scoring.attacks.neighbours import candidates_with_distances
from scoring.questions.asked import (
    ATTRIBUTES,
    BITS,
    INTERVALS,
    LINKS,
    MEMBERSHIP,
    NUMBER,
    QuestionSpec,
)
from scoring.questions.files import Answers, Array
from scoring.tables.equivalence import FloatArray, IntArray
from scoring.tables.reading import read_table
from scoring.tables.schema import Column, Kind, Role, Schema


def read_sheet(data: bytes, question: QuestionSpec, schema: Schema) -> pd.DataFrame:
    """The known columns of a sheet, in the order of its questions."""
    columns = tuple(schema.column(name) for name in question.shown(schema))
    number = Column(NUMBER, Role.OTHER, Kind.INTEGER)
    table = read_table(data, Schema((number, *columns)), file="questions", original=True)
    return table.drop(columns=NUMBER)


def nearest_records(
    question: QuestionSpec,
    sheet: pd.DataFrame,
    published: pd.DataFrame,
    schema: Schema,
    places: IntArray,
) -> Answers:
    """Answers from the nearest published records by Gower's distance over the known columns.

    Membership: the confidence is 1 less the distance as a share of the largest one, and the records with the smallest
    distances have bit 1: as many as must be, or half of them. Values are those of the nearest record, an interval is
    centred on them, and lines are those of the nearest records in order. `places` has the 0-based line of each
    published record.
    """
    n = min(question.candidates if question.asks == LINKS else 1, len(published))
    lines, distances = _nearest(question, sheet, published, schema, n)
    nearest = distances[:, 0]
    if question.asks == MEMBERSHIP:
        if question.answers == BITS:
            return {"member": _lowest(nearest, question.ones)}
        scaled = 1 - np.minimum(nearest / max(float(nearest.max(initial=0)), 1e-9), 1)
        return {"confidence": np.round(scaled, 9)}
    if question.asks == LINKS:
        named = np.full((len(sheet), question.candidates), -1.0)
        named[:, :n] = np.where(lines >= 0, places[lines], -1) if len(places) else -1
        return {name: named[:, at] for at, name in enumerate(question.columns(schema))}
    return _values(question, schema, lambda name: published[name].to_numpy()[lines[:, 0]])


def most_frequent(
    question: QuestionSpec,
    sheet: pd.DataFrame,
    published: pd.DataFrame,
    schema: Schema,
    places: IntArray,
) -> Answers:
    """Answers that do not look at the question: the most frequent value, or the median, of each published column.

    Membership and lines are answered as by `nearest_records`.
    """
    if question.asks in (MEMBERSHIP, LINKS):
        return nearest_records(question, sheet, published, schema, places)

    def value(name: str) -> Array:
        column = published[name]
        usual = column.median() if schema.column(name).is_numeric else column.mode().iloc[0]
        return np.full(len(sheet), usual, dtype=float if schema.column(name).is_numeric else object)

    return _values(question, schema, value)


Attacker = Callable[[QuestionSpec, pd.DataFrame, pd.DataFrame, Schema, IntArray], Answers]
ATTACKERS: Mapping[str, Attacker] = {
    "nearest": nearest_records,
    "frequent": most_frequent,
}


def _nearest(
    question: QuestionSpec, sheet: pd.DataFrame, published: pd.DataFrame, schema: Schema, n: int
) -> tuple[IntArray, FloatArray]:
    shown = question.shown(schema)
    columns = tuple(replace(schema.column(name), role=Role.QUASI_IDENTIFIER) for name in shown)
    if not len(published):
        empty = np.full((len(sheet), max(n, 1)), -1, dtype=np.int64)
        return empty, np.ones(empty.shape)
    return candidates_with_distances(
        published[list(shown)], sheet, Schema(columns), n, distance="gower"
    )


def _lowest(distances: FloatArray, ones: int | None) -> FloatArray:
    """1 for the smallest distances, the first ones of equal ones."""
    n = len(distances) // 2 if ones is None else min(ones, len(distances))
    bits = np.zeros(len(distances))
    bits[np.argsort(distances, kind="stable")[:n]] = 1
    return bits


def _values(question: QuestionSpec, schema: Schema, value: Callable[[str], Array]) -> Answers:
    if question.asks == ATTRIBUTES and question.answers == INTERVALS:
        name, half = str(question.column), question.tolerance / 2
        middle = value(name).astype(float)
        return {f"{name}_low": middle - half, f"{name}_high": middle + half}
    return {name: value(name) for name in question.blanked(schema)}
