# SPDX-License-Identifier: Apache-2.0
"""The index of section 3.2 for the small tables of the paper, and what EUC1 and EUC2 answer by it."""

from __future__ import annotations

import math
from collections.abc import Iterable, Sequence
from dataclasses import dataclass

from scoring.examples import EXAMPLE_TABLES, SCHEMA

SHOWN = {"noise": "B (Table 2b)", "unified": "D (Table 3)"}
"""The anonymized tables that the paper indexes, by their names in `scoring.examples`."""
N_KEYS = len(SCHEMA.quasi_identifiers)


@dataclass(frozen=True, slots=True)
class Entry:
    """A vector of quasi-identifiers: the anonymized records that have it, and those of the original.

    Records are counted from 1. `euc1` and `euc2` are the answers for each anonymized record, `distances` those to each
    original record that is compared, in its order.
    """

    key: tuple[int, ...]
    rows: Sequence[int]
    matches: Sequence[int]
    distances: Sequence[Sequence[float]]
    euc1: Sequence[int]
    euc2: Sequence[int]


def index_of(name: str) -> list[Entry]:
    """The index F of one of the small tables, key by key, as the paper's algorithms EUC1 and EUC2 use it.

    Where no record of the original has the key, EUC1 answers with the record's own number, and EUC2 compares all.

    Examples
    --------
    >>> [(entry.key, entry.rows) for entry in index_of("unified")]
    [((2, 1, 1), [1, 2]), ((1, 1, 1), [3, 4])]
    >>> [entry.euc2 for entry in index_of("unified")]
    [[1, 2], [3, 4]]
    """
    original, anonymized = EXAMPLE_TABLES["original"], EXAMPLE_TABLES[name]
    everybody = range(1, len(original) + 1)
    found = []
    for key in dict.fromkeys(record[:N_KEYS] for record in anonymized):
        rows = _with_key(anonymized, key)
        matches = _with_key(original, key)
        compared = matches or everybody
        distances = [
            [_distance(anonymized[row - 1], original[other - 1]) for other in compared]
            for row in rows
        ]
        nearest = [compared[near.index(min(near))] for near in distances]
        found.append(Entry(key, rows, matches, distances, nearest if matches else rows, nearest))
    return found


def _with_key(table: Iterable[tuple[int, ...]], key: tuple[int, ...]) -> list[int]:
    return [number for number, record in enumerate(table, start=1) if record[:N_KEYS] == key]


def _distance(record: Sequence[int], other: Sequence[int]) -> float:
    return math.dist(record[N_KEYS:], other[N_KEYS:])
