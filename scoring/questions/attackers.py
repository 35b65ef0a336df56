# SPDX-License-Identifier: Apache-2.0
"""Simple attackers that answer sheets: everything they know is published."""

from __future__ import annotations

import io
from collections.abc import Callable, Mapping
from dataclasses import replace
from typing import NamedTuple

import numpy as np
import pandas as pd

from scoring.attacks.neighbours import candidates_with_distances
from scoring.questions.asked import (
    ASKED,
    ATTRIBUTES,
    BITS,
    INTERVALS,
    LINKS,
    MEMBERSHIP,
    QuestionSpec,
)
from scoring.questions.files import Answers, Array
from scoring.questions.sheets import ObjectArray
from scoring.tables.equivalence import FloatArray, IntArray
from scoring.tables.schema import Role, Schema


class AskedSheet(NamedTuple):
    """The known columns of a sheet, in the order of its questions, None or NaN for a cell that it does not show.

    `asked`, shape (n_questions, cells), are the columns that are asked of each record, where they are drawn for it.
    """

    known: pd.DataFrame
    asked: ObjectArray | None


def read_sheet(data: bytes, question: QuestionSpec, schema: Schema) -> AskedSheet:
    """A sheet as `scoring.questions.sheets.sheet_file` wrote it."""
    texts = pd.read_csv(io.BytesIO(data), dtype=object, keep_default_na=False)
    known = {name: texts[name].where(texts[name] != "", None) for name in question.shown(schema)}
    known = {n: pd.to_numeric(c) if schema.column(n).is_numeric else c for n, c in known.items()}
    asked = texts[[f"{ASKED}_{n}" for n in question.drawn]].to_numpy(dtype=object)
    return AskedSheet(pd.DataFrame(known, index=texts.index), asked if question.drawn else None)


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
    lines, distances = _nearest(sheet, published, schema, n)
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
    sheet: pd.DataFrame, published: pd.DataFrame, schema: Schema, n: int
) -> tuple[IntArray, FloatArray]:
    """The nearest records of each of the sheet, by the columns that it shows of it; -1 and 1 where there is none."""
    lines = np.full((len(sheet), max(n, 1)), -1, dtype=np.int64)
    distances = np.ones(lines.shape)
    is_shown = sheet.notna().to_numpy()
    for pattern in np.unique(is_shown, axis=0):
        shown = sheet.columns[pattern].tolist()
        columns = (replace(schema.column(name), role=Role.QUASI_IDENTIFIER) for name in shown)
        if shown and len(published):
            at = np.flatnonzero((is_shown == pattern).all(axis=1))
            asked = sheet[shown].iloc[at].infer_objects()
            lines[at], distances[at] = candidates_with_distances(
                published[shown], asked, Schema(tuple(columns)), n, distance="gower"
            )
    return lines, distances


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
