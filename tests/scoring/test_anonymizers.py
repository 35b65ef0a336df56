# SPDX-License-Identifier: Apache-2.0
"""What each anonymizer must do to the measures (Ito & Kikuchi, PWSCup 2015 evaluation, Table 10),
on random tables and on pseudo households."""

from __future__ import annotations

from functools import cache

import numpy as np
import pandas as pd
import pytest

from scoring.anonymizers import ANONYMIZERS, anonymize
from scoring.datasets.households import HOUSEHOLDS_SCHEMA, households
from scoring.evaluate import score
from scoring.tables.equivalence import Classes
from scoring.tables.schema import Column, Kind, Role, Schema

QI, SA = Role.QUASI_IDENTIFIER, Role.SENSITIVE
UNUSED = "value that no record has"
NEEDED = {"pseudonymize": {"columns": ("job",)}}
"""Options that a method cannot do without."""

RANDOM_SCHEMA = Schema(
    (
        Column("id", Role.IDENTIFIER, Kind.CATEGORY),
        Column("city", QI, Kind.CATEGORY, cross=True, values=("c", "a", "b", UNUSED)),
        Column("age", QI, Kind.INTEGER, cross=True, min=0, max=120),
        Column("job", QI, Kind.CATEGORY),
        Column("sex", QI, Kind.CATEGORY, values=("f", "m", UNUSED)),
        Column("salary", SA, Kind.INTEGER, min=0, max=5_000_000),
        Column("weight", SA, Kind.NUMBER, min=-100, max=500),
        Column("debt", SA, Kind.NUMBER),
        Column("illness", SA, Kind.CATEGORY),
        Column("note", Role.OTHER, Kind.CATEGORY, values=("", "=1+1")),
    ),
    e2_column="salary",
    e4_column="weight",
)


def random_table(seed, n=150):
    """Classes of one record and of many, zeros, four decimals, distinct values in E2 and E4."""
    rng = np.random.default_rng(seed)
    return pd.DataFrame(
        {
            "id": [f"person {i}" for i in range(n)],
            "city": rng.choice(["a", "b", "c"], n, p=[0.7, 0.2, 0.1]),
            "age": rng.choice([20, 35, 36, 90], n),
            "job": rng.choice(["x", "y", "z"], n, p=[0.8, 0.1, 0.1]),
            "sex": rng.choice(["f", "m"], n),
            "salary": rng.permutation(np.arange(n) * 1000 + rng.integers(0, 999, n)),
            "weight": rng.permutation(np.arange(n) / 7).round(4),
            "debt": rng.choice([0, 1], n) * rng.lognormal(5, 2, n).round(4),
            "illness": rng.choice(["flu", "none"], n),
            "note": rng.choice(["", "=1+1"], n),
        }
    ).astype(dict.fromkeys(("id", "city", "job", "sex", "illness", "note"), "str"))


@cache
def case(name):
    if name == "households":
        return households(2000, seed=11), HOUSEHOLDS_SCHEMA
    return random_table(int(name.removeprefix("random "))), RANDOM_SCHEMA


CASES = ("random 0", "random 1", "random 2", "households")


@pytest.fixture(params=CASES)
def table_and_schema(request):
    return case(request.param)


def run(table, schema, *methods, seed=5):
    steps = [m if isinstance(m, tuple) else (m, NEEDED.get(m, {})) for m in methods]
    return anonymize(table, schema, steps, rng=np.random.default_rng(seed))


def before_and_after(table, schema, *methods):
    done = run(table, schema, *methods)
    public = table[list(schema.public().names)]
    unchanged = np.arange(len(table))
    return (
        score(public, public, unchanged, schema.public()),
        score(public, done.table, done.source, schema.public()),
    )


def kept(before, after, *measures):
    assert {m: after[m] for m in measures} == {m: before[m] for m in measures}


def zero(after, *measures):
    assert {m: after[m] for m in measures} == dict.fromkeys(measures, 0)


def positive(after, *measures):
    assert {m for m in measures if not after[m] > 0} == set()


def test_noise(table_and_schema):
    before, after = before_and_after(*table_and_schema, "sa-noise")
    positive(after, "U1", "U2", "U4", "U5")
    zero(after, "U3", "U6")
    kept(before, after, "S1", "S2", "E1")


def test_unification_outside_the_cross_columns(table_and_schema):
    before, after = before_and_after(*table_and_schema, "qi-unification")
    zero(after, "U1", "U2", "U3", "U4", "U5", "U6")
    assert after["S2"] > before["S2"]
    assert after["E1"] < before["E1"]


def test_unification_to_a_value_that_does_not_occur():
    options = {"columns": ("sex",), "value": UNUSED}
    _, after = before_and_after(*case("random 0"), ("qi-unification", options))
    zero(after, "U1", "U2", "U3", "U4", "U5", "U6", "E1")
    assert (after["E2"], after["EUC2"], after["EUC1"]) == (1, 1, 0)


def test_unification_inside_the_cross_columns(table_and_schema):
    table, schema = table_and_schema
    options = {"columns": (schema.cross[0],)}
    before, after = before_and_after(table, schema, ("qi-unification", options))
    positive(after, "U2", "U3")
    zero(after, "U1", "U4", "U5", "U6")
    assert after["S2"] > before["S2"]


def test_averaging(table_and_schema):
    before, after = before_and_after(*table_and_schema, "class-average")
    zero(after, "U1", "U2", "U3", "U6")
    positive(after, "U4", "U5")
    kept(before, after, "S1", "S2", "E1")


def test_swapping(table_and_schema):
    before, after = before_and_after(*table_and_schema, "class-swap")
    zero(after, "U1", "U2", "U3", "U6")
    positive(after, "U4", "U5")
    kept(before, after, "S1", "S2", "E1")


@pytest.mark.parametrize("n_deleted", [1, 15])
def test_deletion(table_and_schema, n_deleted):
    before, after = before_and_after(*table_and_schema, ("record-deletion", {"count": n_deleted}))
    assert after["U6"] == n_deleted
    assert after["U5"] == 0
    assert after["E3"] < before["E3"]


@pytest.mark.parametrize("spread", [0, 2, 10])
def test_yamaoka(table_and_schema, spread):
    before, after = before_and_after(*table_and_schema, ("yamaoka", {"spread": spread}))
    zero(after, "U1", "U2", "U3", "U4", "U6")
    kept(before, after, "S1", "S2")
    positive(after, "U5")


@pytest.mark.parametrize("spread", [0, 2, 10])
@pytest.mark.parametrize("name", ["random 0", "random 1"])
def test_yamaoka_defeats_every_attack_on_distinct_values(name, spread):
    _, after = before_and_after(*case(name), ("yamaoka", {"spread": spread}))
    zero(after, "E2", "E3", "E4", "EUC1", "EUC2")


@pytest.mark.parametrize("k", [1, 2, 3, 10, 75])
def test_mondrian(table_and_schema, k):
    table, schema = table_and_schema
    before, after = before_and_after(table, schema, ("mondrian", {"k": k}))
    assert after["S1"] >= k
    zero(after, "U1", "U4", "U5", "U6")
    if k > 1:
        assert after["E1"] < before["E1"]


CHAINS = [
    ("mondrian", "class-average"),
    ("record-deletion", "yamaoka"),
    ("yamaoka", "record-deletion", "class-swap"),
    ("record-deletion", "qi-unification", "mondrian", "class-average", "yamaoka"),
]


@pytest.mark.parametrize("methods", CHAINS)
def test_a_chain_declares_rows_of_the_original(table_and_schema, methods):
    table, schema = table_and_schema
    done = run(table, schema, *methods)
    assert len(done.table) == len(done.source)
    assert done.source.dtype == np.int64
    assert len(np.unique(done.source)) == len(done.source)
    assert set(done.source) <= set(range(len(table)))


def test_a_chain_composes_its_row_numbers():
    table, schema = case("random 0")
    chained = run(table, schema, ("record-deletion", {"count": 30}), "yamaoka")
    row_of_salary = {salary: row for row, salary in enumerate(table["salary"])}
    rows = np.array([row_of_salary[salary] for salary in chained.table["salary"]])
    assert (rows != chained.source).all()
    assert set(rows) == set(chained.source)


def test_averaging_after_mondrian_works_on_the_classes_that_mondrian_made():
    table, schema = case("random 0")
    chained = run(table, schema, ("mondrian", {"k": 5}), "class-average")
    classes = chained.table.groupby(list(schema.quasi_identifiers))
    assert classes.size().min() >= 5
    # The remainder of a rounded mean is handed back in steps of 0.0001.
    assert (classes[["salary", "weight", "debt"]].agg(np.ptp) < 0.00011).all(axis=None)


def test_deletion_before_mondrian_keeps_its_promise():
    table, schema = case("random 1")
    done = run(table, schema, ("record-deletion", {"fraction": 0.5}), ("mondrian", {"k": 7}))
    assert Classes.of(done.table, schema.quasi_identifiers).sizes().min() >= 7


def test_no_method_at_all_is_the_table_without_identifiers():
    table, schema = case("random 0")
    done = run(table, schema)
    pd.testing.assert_frame_equal(done.table, table.drop(columns="id"))
    assert list(done.source) == list(range(len(table)))


@pytest.mark.parametrize("method", ANONYMIZERS)
def test_columns_outside_the_method_stay(method):
    table, schema = case("random 0")
    done = run(table, schema, method)
    assert tuple(done.table.columns) == schema.public().names
    assert list(done.table.index) == list(range(len(done.table)))
    # Yamaoka exchanges the declared rows and leaves the records in their places.
    rows = np.arange(len(table)) if method == "yamaoka" else done.source
    assert list(done.table["note"]) == list(table["note"].iloc[rows])


@pytest.mark.parametrize("method", ANONYMIZERS)
def test_the_same_seed_gives_the_same_table_and_does_not_change_the_original(method):
    table, schema = case("random 0")
    copy = table.copy(deep=True)
    first, again = (run(table, schema, method, seed=9) for _ in range(2))
    pd.testing.assert_frame_equal(table, copy)
    pd.testing.assert_frame_equal(first.table, again.table)
    assert (first.source == again.source).all()


@pytest.mark.parametrize("method", ANONYMIZERS)
def test_positions_count_and_labels_do_not(method):
    table, schema = case("random 0")
    relabelled = table.set_axis(np.arange(len(table))[::-1] * 7, axis=0)
    plain, other = run(table, schema, method), run(relabelled, schema, method)
    pd.testing.assert_frame_equal(plain.table, other.table)
    assert (plain.source == other.source).all()


@pytest.mark.parametrize("method", ANONYMIZERS)
def test_every_method_is_described(method):
    anonymizer = ANONYMIZERS[method]
    assert anonymizer.id == method
    assert anonymizer.title
    assert anonymizer.description.strip()
    for option in anonymizer.options:
        assert option.doc
        assert option.accepts(option.default)
