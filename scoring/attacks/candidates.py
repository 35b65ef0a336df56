"""The originals that an attacker holds equally likely, and what follows: a score or a guess."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from scoring.equivalence import FloatArray, IntArray


@dataclass(frozen=True, slots=True)
class Candidates:
    """For some anonymized records, the equally good rows of the original table.

    Row sets are runs of an ordering, `order[low:high]`, so that a class of any size is one run.

    Attributes
    ----------
    records : int64 array, shape (m,)
        The anonymized records spoken of, each once.
    order : int64 array, shape (n_original,)
        The rows of the original table in some order.
    run_starts : int64 array, shape (m + 1,)
        The runs of `records[i]` are those from `run_starts[i]` to `run_starts[i + 1]`, at least one.
    low, high : int64 arrays
        The runs, none of them empty, those of one record disjoint.
    """

    records: IntArray
    order: IntArray
    run_starts: IntArray
    low: IntArray
    high: IntArray

    @classmethod
    def one_run(
        cls, records: IntArray, order: IntArray, low: IntArray, high: IntArray
    ) -> Candidates:
        """One run for each record."""
        return cls(records, order, np.arange(len(records) + 1, dtype=np.int64), low, high)

    def counts(self) -> IntArray:
        """How many originals are equally good, for each record."""
        return self._per_record(np.add, self.high - self.low)

    def contain(self, source: IntArray) -> IntArray:
        """1 where the declared source is among the candidates, else 0; `source` is per record."""
        rank = np.empty(len(self.order), dtype=np.int64)
        rank[self.order] = np.arange(len(self.order))
        declared = np.repeat(rank[source], np.diff(self.run_starts))
        inside = (self.low <= declared) & (declared < self.high)
        return self._per_record(np.maximum, inside.astype(np.int64))

    def first(self) -> IntArray:
        """The lowest original row among the candidates, for each record."""
        if not len(self.records):
            return np.empty(0, dtype=np.int64)
        runs, which = np.unique(
            self.low * (len(self.order) + 1) + self.high, return_inverse=True
        )  # many records share a run as long as the table, such as the zeros of a column
        low, high = np.divmod(runs, len(self.order) + 1)
        padded = np.append(self.order, np.iinfo(np.int64).max)
        lowest = np.minimum.reduceat(padded, np.column_stack([low, high]).ravel())[::2]
        return self._per_record(np.minimum, lowest[which])

    def _per_record(self, reduce: np.ufunc, values: IntArray) -> IntArray:
        if not len(self.records):
            return np.empty(0, dtype=np.int64)
        reduced: IntArray = reduce.reduceat(values, self.run_starts[:-1])
        return reduced


def hit_probabilities(
    parts: Sequence[Candidates], source: IntArray, *, ties: str = "expected"
) -> FloatArray:
    """How likely each anonymized record is linked to its declared source.

    Parameters
    ----------
    parts : sequence of Candidates
        Speaking of different records; a record that none speaks of is a miss.
    source : int64 array, shape (n_anonymized,)
        The declared rows.
    ties : {"expected", "strict", "first"}
        A tie of t counts 1/t, or nothing, or is decided by the lowest row number.
    """
    probabilities = np.zeros(len(source))
    for part in parts:
        declared = source[part.records]
        if ties == "first":
            hits = (part.first() == declared).astype(np.float64)
        else:
            counts, inside = part.counts(), part.contain(declared)
            hits = inside * (counts == 1) if ties == "strict" else inside / counts
        probabilities[part.records] = hits
    return probabilities


def lowest_guess(parts: Sequence[Candidates], n_records: int) -> IntArray:
    """One definite guess for each record: the lowest candidate row, -1 where there is none."""
    guess = np.full(n_records, -1, dtype=np.int64)
    for part in parts:
        guess[part.records] = part.first()
    return guess
