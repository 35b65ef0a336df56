# SPDX-License-Identifier: Apache-2.0
"""The check of releases next to a plain one: every pair of a tuple and a row is listed, and SciPy matches them."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest
from scipy.sparse import csr_array
from scipy.sparse.csgraph import maximum_bipartite_matching

from scoring.datasets.hospital import HOSPITAL_SCHEMA, hospital
from scoring.errors import ProblemsFound
from scoring.formats.sequential import candidates
from scoring.formats.sequential.checking import check, unmatched
from scoring.formats.sequential.files import read_microdata
from scoring.formats.sequential.publishing import Options, publish
from scoring.formats.sequential.told import n_left_over
from scoring.kernels.matching import match
from scoring.tables.reading import write_table
from tests.every import every


def allowed(snapshot, release) -> np.ndarray:
    """Which row each tuple may have, as a table of pairs."""
    inside = (release.low <= snapshot.qi[:, None]) & (snapshot.qi[:, None] <= release.high)
    return inside.all(axis=2) & (snapshot.sensitive[:, None] == release.sensitive)


def n_unmatched(pairs: np.ndarray) -> int:
    return int((maximum_bipartite_matching(csr_array(pairs), perm_type="column") < 0).sum())


def signatures(release) -> list[frozenset[int]]:
    return [frozenset(release.sensitive[release.group == g].tolist()) for g in release.group]


def plain_check(microdata, releases) -> tuple[int, int]:
    """How many tuples have no row, and how many have none of a signature that lasts."""
    kept: dict[int, set[frozenset[int]]] = {}
    for snapshot, release in zip(microdata.snapshots, releases, strict=True):
        pairs, names = allowed(snapshot, release), signatures(release)
        for id_, line in zip(snapshot.ids.tolist(), pairs, strict=True):
            now = {names[row] for row in np.flatnonzero(line)}
            kept[id_] = kept.get(id_, now) & now
    rowless = changing = 0
    for snapshot, release in zip(microdata.snapshots, releases, strict=True):
        pairs, names = allowed(snapshot, release), signatures(release)
        lasting = np.array([[name in kept[i] for name in names] for i in snapshot.ids.tolist()])
        rowless += n_unmatched(pairs)
        changing += n_unmatched(pairs & lasting)
    return rowless, changing


@pytest.fixture(scope="module")
def windows():
    tables = [write_table(table, HOSPITAL_SCHEMA) for table in hospital(50, 3, seed=6)]
    return read_microdata(tables, HOSPITAL_SCHEMA)


def spoilt(release, rng):
    """The release with some regions moved, some values exchanged, and some rows in other groups."""
    n = len(release.group)
    low, high, sensitive = release.low.copy(), release.high.copy(), release.sensitive.copy()
    for group in rng.choice(np.unique(release.group), 2):
        low[release.group == group] += rng.integers(0, 4)
        high[release.group == group] -= rng.integers(0, 2)
    rows = rng.integers(n, size=2)
    sensitive[rows] = sensitive[rows[::-1]]
    return replace(release, low=np.minimum(low, high), high=high, sensitive=sensitive)


@pytest.mark.parametrize("seed", range(12))
@pytest.mark.parametrize("batch", [1, 4_096])
def test_as_many_are_found_as_by_the_plain_check(windows, seed, batch, monkeypatch):
    monkeypatch.setattr(candidates, "_BATCH", batch)
    rng = np.random.default_rng(seed)
    releases = [spoilt(r, rng) for r in publish(windows, Options(m=2)).releases]
    rowless, changing = plain_check(windows, releases)
    found = check(windows, releases, 2)
    codes = [problem.code for problem in found.problems]
    assert codes.count("release.no_row") == rowless > 0
    # A largest matching of lasting rows leaves other tuples over than one of all rows may.
    assert changing - rowless <= codes.count("release.signature") <= changing
    alone = [unmatched(s, r) for s, r in zip(windows.snapshots, releases, strict=True)]
    assert sum(map(len, alone)) == rowless


def test_a_published_series_has_no_problem_in_either(windows):
    releases = publish(windows, Options(m=3)).releases
    assert plain_check(windows, releases) == (0, 0)
    assert check(windows, releases, 3).is_m_invariant


def wide(release, n: int):
    """The release n times over, with regions that hold everybody."""
    rows = np.tile(np.arange(len(release.group)), n)
    times = np.repeat(np.arange(n), len(release.group))
    return replace(
        release,
        group=release.group[rows] + times * release.group.max(),
        low=np.full((len(rows), 2), -1e6),
        high=np.full((len(rows), 2), 1e6),
        sensitive=release.sensitive[rows],
        counterfeits={},
        owner=None,
    )


def test_what_does_not_fit_into_memory_is_refused_before_it_is_listed(windows, monkeypatch):
    releases = [wide(release, 20) for release in publish(windows, Options(m=3)).releases]
    n_pairs = sum(len(found.rows) for found in candidates.candidates(windows.snapshots, releases))
    monkeypatch.setattr(candidates, "MOST_PAIRS", n_pairs)
    assert check(windows, releases, 3).is_generalization
    monkeypatch.setattr(candidates, "MOST_PAIRS", n_pairs - 1)
    with pytest.raises(ProblemsFound) as refused:
        check(windows, releases, 3)
    [problem] = refused.value.problems
    assert (problem.code, problem.file) == ("release.too_many_pairs", "R3")
    assert problem.params == {"expected": n_pairs - 1, "got": n_pairs}


def test_counterfeits_in_too_many_places_are_not_looked_at(windows, monkeypatch):
    release = replace(wide(publish(windows, Options(m=3)).releases[0], 20), counterfeits={1: 3})
    assert n_left_over(windows.snapshots[0], release) is not None
    monkeypatch.setattr(candidates, "MOST_PAIRS", 100)
    assert n_left_over(windows.snapshots[0], release) is None


@every(seed=range(8))
def test_tuples_with_many_rows_are_matched_as_by_scipy(seed):
    rng = np.random.default_rng(seed)
    n, width = 400, rng.integers(40, 90)
    at = rng.permutation(n)
    near = np.abs(at[:, None] - np.arange(n)) < width * rng.random(n)
    graph = csr_array(near & (rng.random((n, n)) < 0.9))
    row_of, tuple_of = np.empty(n, np.int64), np.empty(n, np.int64)
    match(graph.indptr.astype(np.int64), graph.indices.astype(np.int64), row_of, tuple_of)
    matched = np.flatnonzero(row_of >= 0)
    assert n - len(matched) == n_unmatched(graph.toarray())
    assert graph.toarray()[matched, row_of[matched]].all()
    assert tuple_of[row_of[matched]].tolist() == matched.tolist()
