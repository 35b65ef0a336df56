"""Attacks that start from the originals with a record's quasi-identifiers."""

from __future__ import annotations

import numpy as np

from scoring.attacks.candidates import Candidates
from scoring.attacks.nearest import ValueIndex
from scoring.comparison import Index, Released
from scoring.equivalence import FloatArray, IntArray


def same_class(classes: IntArray, index: Index) -> list[Candidates]:
    """All originals with the record's quasi-identifiers, in `classes`, equally likely."""
    records = np.flatnonzero(classes >= 0)
    group = classes[records]
    low, high = index.class_starts[group], index.class_starts[group + 1]
    return [Candidates.one_run(records, index.by_class, low, high)]


def nearest_value(
    values: FloatArray, classes: IntArray, in_classes: ValueIndex, anywhere: ValueIndex
) -> list[Candidates]:
    """The originals nearest in one column: of the record's class, or of all where it has none."""
    matched, unmatched = np.flatnonzero(classes >= 0), np.flatnonzero(classes < 0)
    return [
        *value_candidates(in_classes, values, matched, classes[matched]),
        *value_candidates(anywhere, values, unmatched, np.zeros_like(unmatched)),
    ]


def value_candidates(
    index: ValueIndex, values: FloatArray, records: IntArray, group: IntArray
) -> list[Candidates]:
    """The originals nearest in one column to some records, each within its group."""
    if not len(records):
        return []
    low, high = index.nearest(values[records], group)
    return [Candidates.one_run(records, index.order, low, high)]


def e1_candidates(released: Released) -> list[Candidates]:
    """E1: everyone with the record's quasi-identifiers."""
    return same_class(released.classes, released.prepared.index)


def e2_candidates(released: Released) -> list[Candidates] | None:
    """E2: the nearest in the schema's E2 column; None where it names none."""
    prepared, name = released.prepared, released.prepared.schema.e2_column
    if name is None or prepared.e2_in_classes is None or prepared.e2_values is None:
        return None
    values = released.column(name)
    return nearest_value(values, released.classes, prepared.e2_in_classes, prepared.e2_values)


def e4_candidates(released: Released) -> list[Candidates] | None:
    """E4: the nearest in the schema's E4 column over all originals; None where it names none."""
    prepared, name = released.prepared, released.prepared.schema.e4_column
    if name is None or prepared.e4_values is None:
        return None
    everyone = np.arange(released.n_records, dtype=np.int64)
    values = released.column(name)
    return value_candidates(prepared.e4_values, values, everyone, np.zeros_like(everyone))


def euc_candidates(released: Released, *, no_match: str) -> list[Candidates] | None:
    """EUC: the nearest by Euclidean distance of the record's class.

    `no_match` says what stands in where the record has no class: "miss", "own_row" or "all".
    None where no column is numeric and sensitive.
    """
    in_class = released.nearest_in_class
    if in_class is None:
        return None
    if no_match == "all":
        return [*in_class, *released.nearest_anywhere]
    return [*in_class, *_own_row(released)] if no_match == "own_row" else in_class


def _own_row(released: Released) -> list[Candidates]:
    n_original = released.prepared.n_records
    own = np.flatnonzero(released.classes < 0)
    own = own[own < n_original]
    return [Candidates.one_run(own, np.arange(n_original, dtype=np.int64), own, own + 1)]
