# SPDX-License-Identifier: Apache-2.0
"""Attacks that start from the originals with a record's quasi-identifiers."""

from __future__ import annotations

import numpy as np

from scoring.attacks.candidates import Candidates
from scoring.scores.comparison import ColumnIndex, Released
from scoring.scores.nearest import PointIndex, ValueIndex
from scoring.tables.equivalence import FloatArray, IntArray

NO_GUESS = -1


def class_candidates(released: Released) -> Candidates:
    """E1: the originals with the record's quasi-identifiers, for records that have any."""
    index = released.prepared.index.in_classes
    records = np.flatnonzero(released.classes >= 0)
    group = released.classes[records]
    return Candidates(records, index.order, index.starts[group], index.starts[group + 1])


def lowest_of_class(released: Released) -> IntArray:
    """E1's definite guess: the lowest row with the record's quasi-identifiers."""
    lowest = released.prepared.index.first_row[released.classes]
    return np.where(released.classes >= 0, lowest, NO_GUESS).astype(np.int64)


def nearest_value_in_class(released: Released) -> IntArray | None:
    """E2's guess: the nearest in the schema's E2 column; None where it names none."""
    index = released.prepared.e2
    if index is None:
        return None
    guess = np.full(released.n_records, NO_GUESS, dtype=np.int64)
    values = released.column(index.name)
    classes = released.classes
    _guess_value(index.in_classes, values, np.flatnonzero(classes >= 0), classes, guess)
    _guess_value(index.anywhere, values, np.flatnonzero(classes < 0), classes * 0, guess)
    return guess


def nearest_value(released: Released) -> IntArray | None:
    """E4's guess: the nearest in the schema's E4 column of all; None where it names none."""
    index: ColumnIndex | None = released.prepared.e4
    if index is None:
        return None
    guess = np.full(released.n_records, NO_GUESS, dtype=np.int64)
    everyone = np.arange(released.n_records)
    _guess_value(index.anywhere, released.column(index.name), everyone, everyone * 0, guess)
    return guess


def nearest_point(released: Released, *, no_match: str) -> IntArray | None:
    """The EUC guess: the nearest by Euclidean distance of the record's class.

    `no_match` is used for a record without a class: "miss", "own_row" or "all".
    None where no column is numeric and sensitive.
    """
    index, classes = released.prepared.index, released.classes
    if index.anywhere is None:
        return None
    guess = np.full(released.n_records, NO_GUESS, dtype=np.int64)
    matched, unmatched = np.flatnonzero(classes >= 0), np.flatnonzero(classes < 0)
    matched = matched[np.argsort(classes[matched])]  # who searches the same points comes together
    _guess_point(index.in_classes, released.sensitive, matched, classes, guess)
    if no_match == "all":
        _guess_point(index.anywhere, released.sensitive, unmatched, classes * 0, guess)
    elif no_match == "own_row":
        own = unmatched[unmatched < released.prepared.n_records]
        guess[own] = own
    return guess


def _guess_value(
    index: ValueIndex, values: FloatArray, records: IntArray, group: IntArray, guess: IntArray
) -> None:
    if len(records):
        low, high = index.nearest(values[records], group[records])
        guess[records] = Candidates(records, index.order, low, high).first()


def _guess_point(
    index: PointIndex, rows: FloatArray, records: IntArray, group: IntArray, guess: IntArray
) -> None:
    index.nearest(rows, group.astype(np.int32), records.astype(np.int32), guess)
