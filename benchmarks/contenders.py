"""The same fourteen values, or some of them, computed in other ways.

Each contender gets the bytes of a submission and what it may prepare of the original once. None of the
others settles ties as the definitions say: of several nearest records they take any.
"""

from __future__ import annotations

import io
from collections.abc import Callable
from dataclasses import dataclass
from functools import partial
from typing import Any

import numpy as np
import pandas as pd

from benchmarks.cases import Case
from scoring.evaluate import Prepared, score
from scoring.reading import read_records
from scoring.validation import read_submitted_records

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


# pandas and scikit-learn, as somebody writes it who knows both


def pandas_and_sklearn(case: Case) -> Callable[[], Values]:
    from sklearn.neighbors import NearestNeighbors

    schema = case.schema
    qi, amounts = list(schema.quasi_identifiers), list(schema.sensitive_numeric)
    cross = list(schema.cross)
    x = pd.read_csv(io.BytesIO(case.original))
    points = x[amounts].to_numpy(dtype=float)
    everywhere = NearestNeighbors(n_neighbors=1).fit(points)
    in_e4 = NearestNeighbors(n_neighbors=1).fit(x[[schema.e4_column]].to_numpy(dtype=float))
    in_e2 = NearestNeighbors(n_neighbors=1).fit(x[[schema.e2_column]].to_numpy(dtype=float))
    x_cells = x.groupby(cross)[amounts].mean(), x.groupby(cross).size()
    x_order = np.argsort(x[amounts].sum(axis=1).to_numpy(), kind="stable")
    x_correlations = x[amounts].corr().fillna(0).to_numpy()
    e2_column = x[schema.e2_column].to_numpy(dtype=float)
    anonymized, rows = case.anonymized, case.rows

    def run() -> Values:
        y = pd.read_csv(io.BytesIO(anonymized))
        source = pd.read_csv(io.BytesIO(rows)).iloc[:, 0].to_numpy() - 1
        values = y[amounts].to_numpy(dtype=float)
        found = _utility(y, values, source)
        sizes = y.groupby(qi, sort=False).size()
        e1, e2, euc, is_matched = _in_classes(y, values, source)
        rest = np.flatnonzero(~is_matched)
        euc1 = float((euc == source).mean())
        if len(rest):
            near = in_e2.kneighbors(
                y.loc[rest, [schema.e2_column]].to_numpy(dtype=float), return_distance=False
            )
            e2[rest] = near[:, 0] == source[rest]
            euc[rest] = everywhere.kneighbors(values[rest], return_distance=False)[:, 0]
        e3 = np.empty(len(y), dtype=np.int64)
        e3[np.argsort(values.sum(axis=1), kind="stable")] = x_order[: len(y)]
        e4_values = y[[schema.e4_column]].to_numpy(dtype=float)
        e4 = in_e4.kneighbors(e4_values, return_distance=False)[:, 0]
        return found | {
            "S1": int(sizes.min()),
            "S2": len(y) / len(sizes),
            "E1": float(e1.mean()),
            "E2": float(e2.mean()),
            "E3": float((e3 == source).mean()),
            "E4": float((e4 == source).mean()),
            "EUC1": euc1,
            "EUC2": float((euc == source).mean()),
        }

    def _utility(y: pd.DataFrame, values: Any, source: Any) -> Values:
        means, counts = y.groupby(cross)[amounts].mean(), y.groupby(cross).size()
        x_means = x_cells[0].reindex(means.index, fill_value=0)
        x_counts = x_cells[1].reindex(counts.index, fill_value=0)
        pairs = np.triu_indices(len(amounts), k=1)
        y_correlations = y[amounts].corr().fillna(0).to_numpy()
        return {
            "U1": float((x[amounts].mean() - y[amounts].mean()).abs().mean()),
            "U2": float((x_means - means).abs().to_numpy().mean()),
            "U3": float((x_counts - counts).abs().mean()),
            "U4": float(np.abs(x_correlations - y_correlations)[pairs].mean()),
            "U5": float((np.abs(values - points[source]) / np.ptp(points, axis=0)).mean()),
            "U6": len(x) - len(y),
        }

    def _in_classes(y: pd.DataFrame, values: Any, source: Any) -> tuple[Any, Any, Any, Any]:
        """E1, E2 and the nearest by distance within the classes that both tables have."""
        both = pd.concat([x[qi], y[qi]], ignore_index=True)
        classes = both.groupby(qi, sort=False).ngroup().to_numpy()
        in_x, in_y = classes[: len(x)], classes[len(x) :]
        order = np.argsort(in_x, kind="stable")
        starts = np.searchsorted(in_x[order], np.arange(classes.max() + 2))
        e1, e2, euc = np.zeros(len(y)), np.zeros(len(y)), np.full(len(y), -1)
        e2_values = y[schema.e2_column].to_numpy(dtype=float)
        sizes = np.diff(starts)
        e1 = np.where(in_x[source] == in_y, 1 / np.maximum(sizes[in_y], 1), 0)
        by_class = np.argsort(in_y, kind="stable")
        bounds = np.flatnonzero(np.diff(in_y[by_class], prepend=-1))
        for records in np.split(by_class, bounds[1:]):
            members = order[starts[in_y[records[0]]] : starts[in_y[records[0]] + 1]]
            if not len(members):
                continue
            gaps = np.abs(e2_values[records, None] - e2_column[members])
            e2[records] = members[gaps.argmin(axis=1)] == source[records]
            if len(members) <= 200:
                differences = values[records, None, :] - points[members]
                near = (differences**2).sum(axis=2).argmin(axis=1)
            else:
                tree = NearestNeighbors(n_neighbors=1).fit(points[members])
                near = tree.kneighbors(values[records], return_distance=False)[:, 0]
            euc[records] = members[near]
        return e1, e2, euc, sizes[in_y] > 0

    return run


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
    from scoring.comparison import Options
    from scoring.reading import read_table
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
    Contender("scoring, 2 threads", "the same", partial(ours, threads=2)),
    Contender(
        "pandas + scikit-learn",
        "from the bytes to 14 values; ties as they fall",
        pandas_and_sklearn,
        largest=100_000,
    ),
    Contender("plain Python", "the tests' oracles", plain_python, largest=1_000),
)
EUC2 = (
    Contender(
        "scoring: EUC2", "the rate alone, tables in memory", partial(ours_in_memory, measure="EUC2")
    ),
    Contender("scipy cKDTree", "the nearest over all, tables in memory", ckdtree, largest=100_000),
)
S1 = (
    Contender(
        "scoring: S1", "the smallest class, table in memory", partial(ours_in_memory, measure="S1")
    ),
    Contender("pyCANON k_anonymity", "the same", None, largest=100_000),
)
