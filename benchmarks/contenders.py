# SPDX-License-Identifier: Apache-2.0
"""The same fourteen values, or some of them, computed in other ways.

Each contender gets the bytes of a submission and what it may prepare of the original once. Those of all
fourteen values give the same ones, which every run checks; only cKDTree takes any of several nearest records.
"""

from __future__ import annotations

import io
from collections.abc import Callable
from dataclasses import dataclass
from functools import partial
from typing import Any

import pandas as pd

from benchmarks.cases import Case
from scoring.evaluate import Prepared, score
from scoring.tables.reading import read_records
from scoring.tables.validation import read_submitted_records

Values = dict[str, Any]


@dataclass(frozen=True)
class Contender:
    """A way to score: prepared once for an original, then run for each submission.

    `largest` is the number of records up to which a run ends within the patience of a reader;
    `prepare` is None for what runs in an environment of its own (`benchmarks.elsewhere`).
    """

    name: str
    what: str
    prepare: Callable[[Case], Callable[[], Values]] | None
    largest: int = 1_000_000
    threads: int = 1


def ours(case: Case, threads: int = 1) -> Callable[[], Values]:
    original = read_records(case.original, case.schema, file="original", original=True)
    prepared = Prepared.of(original, case.schema)
    anonymized, rows = case.anonymized, case.rows

    def run() -> Values:
        records, source = read_submitted_records(
            anonymized, rows, n_original=case.n_records, schema=case.schema
        )
        return score(prepared, records, source, case.schema, threads=threads)

    return run


# pandas, NumPy and SciPy, used well: see benchmarks/pandas_and_scipy.py


def pandas_and_scipy(case: Case) -> Callable[[], Values]:
    from benchmarks.pandas_and_scipy import Original

    original = Original(case.original, case.schema)
    anonymized, rows = case.anonymized, case.rows
    return lambda: original.score(anonymized, rows)


# One part of it by other libraries


def ckdtree(case: Case) -> Callable[[], Values]:
    from scipy.spatial import cKDTree

    amounts = list(case.schema.sensitive_numeric)
    x = pd.read_csv(io.BytesIO(case.original))
    tree = cKDTree(x[amounts].to_numpy(dtype=float))
    y = pd.read_csv(io.BytesIO(case.anonymized))[amounts].to_numpy(dtype=float)
    source = pd.read_csv(io.BytesIO(case.rows)).iloc[:, 0].to_numpy() - 1

    def run() -> Values:
        _, near = tree.query(y)
        return {"EUC2": float((near == source).mean())}

    return run


def ours_in_memory(case: Case, measure: str) -> Callable[[], Values]:
    """One measure, of tables that are read already."""
    original = read_records(case.original, case.schema, file="original", original=True)
    prepared = Prepared.of(original, case.schema)
    records, source = read_submitted_records(
        case.anonymized, case.rows, n_original=case.n_records, schema=case.schema
    )
    return lambda: score(prepared, records, source, case.schema, measures=[measure])


def plain_python(case: Case) -> Callable[[], Values]:
    """The tests' oracles: loops over records and columns."""
    from scoring.scores.comparison import Options
    from scoring.tables.reading import read_table
    from tests.scoring import oracles

    original = read_table(case.original, case.schema, file="original", original=True)
    anonymized, rows = case.anonymized, case.rows

    def run() -> Values:
        records, source = read_submitted_records(
            anonymized, rows, n_original=case.n_records, schema=case.schema
        )
        found: Values = oracles.score(original, records.to_frame(), source, case.schema, Options())
        return found

    return run


WHOLE = (
    Contender("scoring", "from the bytes of both files to 14 values, one thread", ours),
    Contender("scoring, 2 threads", "the same", partial(ours, threads=2), threads=2),
    Contender(
        "pandas + SciPy",
        "from the bytes to 14 values: the same ones",
        pandas_and_scipy,
        largest=100_000,
    ),
    Contender("plain Python", "the tests' oracles", plain_python, largest=1_000),
)
EUC2 = (
    Contender(
        "scoring: EUC2", "the rate only, tables in memory", partial(ours_in_memory, measure="EUC2")
    ),
    Contender("scipy cKDTree", "the nearest over all, tables in memory", ckdtree, largest=100_000),
)
S1 = (
    Contender(
        "scoring: S1", "the smallest class, table in memory", partial(ours_in_memory, measure="S1")
    ),
    Contender("pyCANON k_anonymity", "the same", None, largest=100_000),
)
