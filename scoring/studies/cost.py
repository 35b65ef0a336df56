# SPDX-License-Identifier: Apache-2.0
"""Cost and rate of EUC1 with fewer columns and more records: Figures 2 to 6."""

from __future__ import annotations

import dataclasses
from collections.abc import Callable, Hashable, Iterator, Sequence
from dataclasses import dataclass

import numpy as np
import pandas as pd

from scoring.anonymizers import anonymize
from scoring.datasets.households import HOUSEHOLDS_SCHEMA, households
from scoring.evaluate import score
from scoring.registry import ATTACKS
from scoring.tables.equivalence import FloatArray, IntArray
from scoring.tables.schema import Schema

Clock = Callable[[], float]
Step = Callable[[str], None]

NOISE_SCALE = 0.5
"""Noise of half a standard deviation: with less, even one quasi-identifier finds nearly everybody
among 100 records, and the curves have nothing to show."""
_FEW = 1000


@dataclass(frozen=True, slots=True)
class CostPoint:
    """One run of EUC1 with the first columns of either kind.

    `n_distances` is the number of pairs that the definition compares, `seconds_plain` the time of the
    paper's algorithm record by record (None where that was not run), `seconds_library` the time of
    the library's attack, from two tables to a guess.
    """

    series: str
    n_records: int
    n_quasi_identifiers: int
    n_sensitive: int
    n_distances: int
    rate: float
    seconds_plain: float | None
    seconds_library: float


@dataclass(frozen=True, slots=True)
class Sizes:
    """The sizes of the series: the numbers of records of Figure 6, the largest table that the plain
    algorithm runs on, and how often the shortest runs are repeated."""

    growing: tuple[int, ...]
    plain_up_to: int
    repeats: int = 9


@dataclass(frozen=True, slots=True)
class Noisy:
    """A table and the same records with noise on their amounts."""

    original: pd.DataFrame
    anonymized: pd.DataFrame

    @classmethod
    def of(cls, table: pd.DataFrame, rng: np.random.Generator) -> Noisy:
        steps = [("sa-noise", {"scale": NOISE_SCALE})]
        return cls(table, anonymize(table, HOUSEHOLDS_SCHEMA, steps, rng=rng).table)

    def first(self, n_records: int) -> Noisy:
        return Noisy(self.original.iloc[:n_records], self.anonymized.iloc[:n_records])


def cost_points(
    sample: pd.DataFrame,
    table: pd.DataFrame,
    sizes: Sizes,
    *,
    seed: int,
    clock: Clock,
    step: Step,
) -> list[CostPoint]:
    """All points: by columns on both tables, by records on growing tables."""
    points: list[CostPoint] = []
    rng = np.random.default_rng((seed, 9))
    schema = HOUSEHOLDS_SCHEMA
    all_q, all_s = len(schema.quasi_identifiers), len(schema.sensitive_numeric)
    for original in (sample, table):
        noisy = Noisy.of(original, rng)
        _measure(noisy.first(min(len(original), 50)), "", all_q, all_s, sizes, clock)  # warms up
        for series, q, s in _by_columns(all_q, all_s):
            step(f"EUC1 on {len(original)} records with {q} quasi-identifiers and {s} amounts")
            points.append(_measure(noisy, series, q, s, sizes, clock))
    largest = Noisy.of(households(max(sizes.growing), seed=seed), rng)
    for n_records in sizes.growing:
        step(f"EUC1 on {n_records} records with one quasi-identifier")
        noisy = largest.first(n_records)
        points.append(_measure(noisy, "records", 1, all_s, sizes, clock))
    return points


def _by_columns(all_q: int, all_s: int) -> Iterator[tuple[str, int, int]]:
    for q in range(1, all_q + 1):
        yield "quasi_identifiers", q, all_s
    for q in (all_q, 6):
        for s in range(1, all_s + 1):
            yield "sensitive", q, s


def _measure(noisy: Noisy, series: str, q: int, s: int, sizes: Sizes, clock: Clock) -> CostPoint:
    schema = narrowed(HOUSEHOLDS_SCHEMA, q, s)
    original, anonymized = (t[list(schema.names)] for t in (noisy.original, noisy.anonymized))
    n_records = len(original)
    repeats = min(sizes.repeats, 9 if n_records <= _FEW else 5 if q > 2 else 1)
    euc1 = ATTACKS["EUC1"]

    def library() -> IntArray:
        return euc1(original, anonymized, schema, rng=np.random.default_rng(0))

    def plain() -> IntArray:
        return plain_euc1(original, anonymized, schema)

    own = np.arange(n_records, dtype=np.int64)
    values = score(original, anonymized, own, schema, measures=["EUC1"])
    return CostPoint(
        series=series,
        n_records=n_records,
        n_quasi_identifiers=q,
        n_sensitive=s,
        n_distances=count_distances(original, anonymized, schema.quasi_identifiers),
        rate=float(values["EUC1"] or 0),
        seconds_plain=(_seconds(plain, repeats, clock) if n_records <= sizes.plain_up_to else None),
        seconds_library=_seconds(library, repeats, clock),
    )


def _seconds(run: Callable[[], object], repeats: int, clock: Clock) -> float:
    """The shortest of several runs: what else the machine does can only make them longer."""
    taken = []
    for _ in range(repeats):
        began = clock()
        run()
        taken.append(clock() - began)
    return min(taken)


def narrowed(schema: Schema, n_quasi_identifiers: int, n_sensitive: int) -> Schema:
    """The schema's first columns of either kind, and nothing that only other measures use."""
    kept = {
        *schema.quasi_identifiers[:n_quasi_identifiers],
        *schema.sensitive_numeric[:n_sensitive],
    }
    columns = (dataclasses.replace(c, cross=False) for c in schema.columns if c.name in kept)
    return Schema(tuple(columns))


def count_distances(
    original: pd.DataFrame, anonymized: pd.DataFrame, quasi_identifiers: Sequence[str]
) -> int:
    """The number of pairs with equal quasi-identifiers: the distances that EUC1's definition names."""
    of_original, of_anonymized = (
        pd.Series(list(_vectors(table, quasi_identifiers))).value_counts()
        for table in (original, anonymized)
    )
    return int((of_original * of_anonymized).sum())


def plain_euc1(original: pd.DataFrame, anonymized: pd.DataFrame, schema: Schema) -> IntArray:
    """EUC1 as the paper writes it down (section 3.2): an index of vectors, then record by record.

    Returns the lowest row of the nearest originals, -1 where no original has the vector.
    """
    rows_of: dict[Hashable, list[int]] = {}
    for row, vector in enumerate(_vectors(original, schema.quasi_identifiers)):
        rows_of.setdefault(vector, []).append(row)
    amounts, released = (_amounts(t, schema) for t in (original, anonymized))
    guess = np.full(len(anonymized), -1, dtype=np.int64)
    for record, vector in enumerate(_vectors(anonymized, schema.quasi_identifiers)):
        rows = rows_of.get(vector)
        if rows is not None:
            distances = np.square(amounts[rows] - released[record]).sum(axis=1)
            guess[record] = rows[int(distances.argmin())]
    return guess


def _vectors(table: pd.DataFrame, quasi_identifiers: Sequence[str]) -> Iterator[Hashable]:
    return zip(*(table[name].tolist() for name in quasi_identifiers), strict=True)


def _amounts(table: pd.DataFrame, schema: Schema) -> FloatArray:
    amounts: FloatArray = table[list(schema.sensitive_numeric)].to_numpy(dtype=np.float64)
    return amounts
