# SPDX-License-Identifier: Apache-2.0
"""Minimal sample uniques and SUDA scores: a published table, and all subsets tried on random ones."""

from __future__ import annotations

from itertools import combinations

import numpy as np
import pandas as pd
import pytest

from scoring.evaluate import score
from scoring.measures import suda
from scoring.measures.suda import Suda, dis_scores, minimal_sample_uniques
from scoring.tables.schema import Column, Kind, Role, Schema
from tests.every import every

# Benschop, Machingauta & Welch, "Statistical Disclosure Control: A Practice Guide", section
# "Calculating SUDA scores", whose table gives the scores for M = 3: the values by first letters,
# Secondary and Primary incomplete in small ones.
PUBLISHED = {
    "residence": "UUUURUUUUU",
    "gender": "FFFMFMFMFF",
    "education": "sspSSSPTss",
    "labor": "EENEUENUNN",
}
PUBLISHED_SCORES = [0, 0, 6, 0, 12, 0, 6, 10, 0, 0]


def published() -> pd.DataFrame:
    return pd.DataFrame({name: list(letters) for name, letters in PUBLISHED.items()})


def test_the_scores_of_the_practice_guide():
    table = published()
    assert Suda.of(table, list(table), max_size=3).scores().tolist() == PUBLISHED_SCORES


def test_the_sets_of_the_practice_guide():
    """Record 5: Rural only, and three pairs."""
    table = published()
    found = [set(sets) for sets, rows in minimal_sample_uniques(table, list(table)) if 4 in rows]
    assert len(found) == 4
    for expected in (
        {"residence"},
        {"education", "labor"},
        {"gender", "labor"},
        {"gender", "education"},
    ):
        assert expected in found


def brute_force(table: pd.DataFrame, max_size: int) -> dict[tuple[str, ...], list[int]]:
    """Every subset of every record, compared with every record."""
    records = table.to_dict("records")

    def is_unique(record: dict, names: tuple[str, ...]) -> bool:
        return sum(all(record[n] == other[n] for n in names) for other in records) == 1

    found: dict[tuple[str, ...], list[int]] = {}
    for size in range(1, max_size + 1):
        for names in combinations(table.columns, size):
            for row, record in enumerate(records):
                smaller = combinations(names, size - 1)
                if is_unique(record, names) and not any(is_unique(record, s) for s in smaller):
                    found.setdefault(names, []).append(row)
    return found


def random_table(seed: int) -> pd.DataFrame:
    rng = np.random.default_rng(seed)
    n, n_columns = int(rng.integers(1, 14)), int(rng.integers(1, 6))
    data: dict[str, object] = {}
    for i in range(n_columns):
        values = rng.integers(0, rng.integers(1, 6), n)
        data[f"q{i}"] = values.astype(float) / 3 if i % 2 else [f"v{value}" for value in values]
    if n_columns > 2 and seed % 3 == 0:
        data["twin"] = data["q0"]
    return pd.DataFrame(data)


@every(max_size=[1, 2, 3, 6], seed=range(20))
def test_all_minimal_sets_are_found_and_no_others(seed, max_size):
    table = random_table(seed)
    found = minimal_sample_uniques(table, list(table), max_size=max_size)
    assert {names: rows.tolist() for names, rows in found} == brute_force(table, max_size)


@pytest.mark.long
def test_values_that_many_records_share_and_values_that_none_does():
    """Keys are counted where they are few and sorted where they are many: both ways agree."""
    rng = np.random.default_rng(3)
    table = pd.DataFrame({"a": rng.integers(0, 400, 500), "b": rng.integers(0, 400, 500)})
    assert {s: r.tolist() for s, r in minimal_sample_uniques(table, ["a", "b"])} == brute_force(
        table, 2
    )


def test_every_set_of_columns_is_looked_together(monkeypatch):
    """The cost: at most one comparison of records for each set of up to the size looked for."""
    numbered, looked_at = suda.numbered, []
    monkeypatch.setattr(suda, "numbered", lambda *a: looked_at.append(len(a[0])) or numbered(*a))
    rng = np.random.default_rng(4)
    table = pd.DataFrame({f"q{i}": rng.integers(0, 2, 600) for i in range(8)})
    Suda.of(table, list(table), max_size=3)
    assert len(looked_at) == 8 + 28 + 56
    looked_at.clear()
    distinct = pd.DataFrame({"id": np.arange(600)} | {n: table[n] for n in table})
    Suda.of(distinct, list(distinct), max_size=9)
    assert looked_at[0] == 600
    assert len(looked_at) <= 2**8  # nothing is looked for next to a column that tells all apart


@pytest.mark.parametrize(("n_columns", "max_size"), [(1, 3), (2, 3), (3, 3), (2, 2), (5, 2)])
def test_scores_by_size_of_set(n_columns, max_size):
    """Each set of k columns counts (ATT - k) … (ATT - M); M stays below ATT."""
    counts = np.eye(min(n_columns, max_size), dtype=np.int64)
    weights = {
        (1, 3): [1],
        (2, 3): [1, 1],
        (3, 3): [2, 1, 1],
        (2, 2): [1, 1],
        (5, 2): [12, 3],
    }[n_columns, max_size]
    assert Suda(n_columns, counts).scores().tolist() == weights


def test_the_dis_scores_of_the_practice_guide():
    """Its SUDA scores are sdcMicro's former ones: 1.75, 0.5 and 0.25 for a set of one, two and three columns."""
    table = published()
    former = Suda.of(table, list(table)).counts[:, :3] @ np.array([1.75, 0.5, 0.25])
    assert former.tolist() == [0, 0, 1.75, 0, 3.25, 0, 1.75, 2.75, 0, 0]
    sizes = np.array([1, 1, 1, 1, 2, 2, 2])
    found = dis_scores(former, sizes, 0.01, 4).round(4).tolist()
    assert found == [0, 0, 0.0051, 0, 0.0107, 0, 0.0051, 0.0088, 0, 0]


def test_the_dis_scores_computed_manually():
    # Two records with the scores 1 and 4 of 8 columns, so that q = 1: Σ 1/s = 5/4. One pair, π = 1/2.
    # 1 / (1 + 2 / (1 · 5/4)) = 5/13 and 1 / (1 + 2 / (4 · 5/4)) = 5/7.
    shared = dis_scores(np.array([1.0, 4, 0, 0]), np.array([1, 1, 2]), 0.5, 8)
    assert shared == pytest.approx([5 / 13, 5 / 7, 0, 0])


def test_equal_scores_share_the_risk_of_the_file():
    sizes = np.array([1, 1, 1, 2, 2])
    of_file = 0.03 / (0.03 + 2 * 2 * 0.99)
    assert dis_scores(np.array([6.0, 6, 6, 0, 0, 0, 0]), sizes, 0.01, 4)[:3] == pytest.approx(
        [of_file] * 3
    )


def test_the_ends_of_the_dis_scores():
    assert dis_scores(np.array([9.0, 1.0]), np.array([1, 1]), 0.5, 3).tolist() == [1, 1]  # no pair
    assert dis_scores(np.array([9.0, 1.0, 0, 0]), np.array([1, 1, 2]), 1, 3).tolist() == [
        1,
        1,
        0,
        0,
    ]
    assert dis_scores(np.zeros(2), np.array([2]), 0.5, 3).tolist() == [0, 0]
    huge = dis_scores(np.array([1e300, 1e290, 0, 0]), np.array([1, 1, 2]), 0.5, 3)
    assert 0 < huge[1] < huge[0] < 1
    with pytest.raises(ValueError, match="fraction"):
        dis_scores(np.ones(1), np.array([1]), 0, 3)


def test_the_measures_are_mean_and_maximum():
    table = published()
    schema = Schema(tuple(Column(n, Role.QUASI_IDENTIFIER, Kind.CATEGORY) for n in table.columns))
    values = score(table, table, np.arange(10), schema, measures=["suda-mean", "suda-max"])
    sizes = np.array([1, 1, 1, 1, 2, 2, 2])
    scores = dis_scores(np.array(PUBLISHED_SCORES, dtype=float), sizes, 0.01, 4)
    assert values["suda-mean"] == pytest.approx(scores.mean(), abs=1e-9)
    assert values["suda-max"] == pytest.approx(scores.max(), abs=1e-9)


def test_sets_of_all_sizes_are_looked_for():
    """Three columns of which only all together are unique."""
    rows = [(a, b, c) for a in "xy" for b in "xy" for c in "xy"]
    table = pd.DataFrame(rows + rows[1:], columns=["a", "b", "c"]).assign(d="x")
    found = Suda.of(table, list("abcd"))
    assert found.counts.shape == (15, 4)
    assert found.counts[0].tolist() == [0, 0, 1, 0]
    assert not found.counts[1:].any()


@pytest.mark.parametrize(("n_columns", "size"), [(1, 1), (16, 16), (17, 8), (25, 4), (70000, 1)])
def test_there_are_at_most_so_many_sets(n_columns, size):
    assert suda.largest_size(n_columns) == size


def test_without_quasi_identifiers_there_is_no_value():
    schema = Schema((Column("note", Role.OTHER, Kind.CATEGORY),))
    table = pd.DataFrame({"note": ["a", "b"]})
    values = score(table, table, np.arange(2), schema, measures=["suda-mean", "suda-max"])
    assert values["suda-mean"] is values["suda-max"] is None


@pytest.mark.parametrize(("n", "columns", "max_size"), [(0, ["a"], 3), (2, [], 3), (2, ["a"], 0)])
def test_nothing_to_combine_is_refused(n, columns, max_size):
    table = pd.DataFrame({"a": ["x"] * n})
    with pytest.raises(ValueError, match="a record, a column and a size"):
        Suda.of(table, columns, max_size=max_size)
