# SPDX-License-Identifier: Apache-2.0
"""Suppression, sampling and back-mapping on tables small enough to check manually."""

from __future__ import annotations

import numpy as np
import pandas as pd
import pytest

from scoring.anonymizers import anonymize
from scoring.errors import ProblemsFound
from scoring.tables.schema import Column, Kind, Role, Schema

QI, SA = Role.QUASI_IDENTIFIER, Role.SENSITIVE
SCHEMA = Schema(
    (
        Column("age", QI, Kind.INTEGER),
        Column("city", QI, Kind.CATEGORY),
        Column("sex", QI, Kind.CATEGORY, values=("f", "m")),
        Column("pay", SA, Kind.NUMBER),
    )
)
TABLE = pd.DataFrame(
    {
        "age": [20, 20, 30, 30, 30, 40],
        "city": ["a", "a", "b", "b", "b", "b"],
        "sex": ["f", "f", "m", "m", "f", "f"],
        "pay": [1.0, 2.0, 3.0, 4.0, 5.0, 6.0],
    }
)


def run(method, original=TABLE, schema=SCHEMA, seed=1, **options):
    return anonymize(original, schema, [(method, options)], rng=np.random.default_rng(seed))


def problem(method, **options):
    with pytest.raises(ProblemsFound) as found:
        run(method, **options)
    (only,) = found.value.problems
    assert only.params["method"] == method
    return only


# --- records ---


def test_records_in_small_classes_go():
    done = run("record-suppression", k=2)
    assert done.source.tolist() == [0, 1, 2, 3]
    pd.testing.assert_frame_equal(done.table, TABLE.iloc[:4])
    by_age = run("record-suppression", k=3, columns=("age",))
    assert by_age.source.tolist() == [2, 3, 4]


def test_nobody_goes_where_all_are_alike():
    assert len(run("record-suppression", k=2, columns=("city",), fraction=0.0).table) == 6


@pytest.mark.parametrize(
    ("options", "option", "expected"),
    [
        ({"k": 7}, "k", "the table's 6 records"),
        ({"k": 3}, "k", "one record or more must be left"),
        ({"k": 2, "fraction": 0.3}, "fraction", "at least 0.3333, for 2 of 6 records"),
        ({"columns": ("x",)}, "columns", "age, city, sex, pay"),
        ({"fraction": 1.1}, "fraction", "from 0 to 1"),
    ],
)
def test_record_suppression_refuses(options, option, expected):
    found = problem("record-suppression", **options)
    assert found.params["option"] == option
    assert expected in found.message


# --- attributes ---


def test_named_attributes_become_one_value():
    done = run("attribute-suppression", columns=("age", "sex", "pay")).table
    assert done["age"].tolist() == [30] * 6
    assert done["sex"].tolist() == ["f"] * 6
    assert done["pay"].tolist() == [3.0] * 6  # the lower median
    assert done["city"].tolist() == TABLE["city"].tolist()


def test_a_label_where_the_schema_allows_it():
    done = run("attribute-suppression", columns=("city", "age"), write="label").table
    assert done["city"].tolist() == ["*"] * 6
    assert done["age"].tolist() == [30] * 6


def test_as_many_attributes_as_k_needs():
    # (30, b, f) and (40, b, f) are only: 2 records. Without age 0 are, without city 2, without
    # sex 1.
    done = run("attribute-suppression", k=2).table
    assert done["age"].tolist() == [30] * 6
    assert (done[["city", "sex"]] == TABLE[["city", "sex"]]).all(axis=None)
    # For k = 3 sex goes first (3 records instead of 6), then age (2: those in a), then the city.
    assert (
        len(run("attribute-suppression", k=3).table[["age", "city", "sex"]].drop_duplicates()) == 1
    )


def test_nothing_goes_where_k_is_kept():
    pd.testing.assert_frame_equal(run("attribute-suppression", k=1).table, TABLE)


@pytest.mark.parametrize(
    ("options", "option"),
    [
        ({"k": 7}, "k"),
        ({"columns": ("x",)}, "columns"),
        ({"columns": ("sex", "sex")}, "columns"),
        ({"columns": ("sex",), "write": "label"}, "write"),
    ],
)
def test_attribute_suppression_refuses(options, option):
    assert problem("attribute-suppression", **options).params["option"] == option


# --- sampling ---


def test_a_sample_keeps_values_and_order():
    done = run("sampling", count=4)
    assert len(set(done.source.tolist())) == 4
    assert (np.diff(done.source) > 0).all()
    pd.testing.assert_frame_equal(done.table, TABLE.iloc[done.source].reset_index(drop=True))
    assert len(run("sampling", fraction=0.25).table) == 2  # 1.5 is rounded up
    assert len(run("sampling", fraction=1).table) == 6


def test_every_record_is_equally_likely():
    drawn = np.concatenate([run("sampling", seed=s, count=2).source for s in range(600)])
    counts = np.bincount(drawn, minlength=6)
    # 1200 draws, 200 each, standard deviation 600 · 1/3 · 2/3 → 11.5
    assert np.abs(counts - 200).max() < 60


@pytest.mark.parametrize(
    ("options", "option"),
    [({"count": 7}, "count"), ({"fraction": 0.0}, "fraction"), ({"fraction": 2}, "fraction")],
)
def test_sampling_refuses(options, option):
    assert problem("sampling", **options).params["option"] == option


# --- back-mapping ---


def chain(*methods, original=TABLE, schema=SCHEMA):
    return anonymize(original, schema, methods, rng=np.random.default_rng(1))


def test_labels_become_the_most_frequent_value_of_their_group():
    schema = Schema((Column("city", QI, Kind.CATEGORY), Column("x", SA, Kind.INTEGER)))
    original = pd.DataFrame({"city": ["a", "b", "b", "c", "d"], "x": [1, 2, 3, 4, 5]})
    recoding = ("global-recoding", {"columns": ("city",), "levels": (1,), "write": "label"})
    labelled = chain(recoding, original=original, schema=schema).table
    assert labelled["city"].tolist() == ["a..b"] * 3 + ["c..d"] * 2
    mapped = chain(recoding, ("back-mapping", {}), original=original, schema=schema).table
    assert mapped["city"].tolist() == ["b", "b", "b", "c", "c"]


def test_labels_become_values_drawn_from_their_group():
    """In proportion to their frequency there; b is drawn for three quarters of the group."""
    schema = Schema((Column("city", QI, Kind.CATEGORY), Column("x", SA, Kind.INTEGER)))
    original = pd.DataFrame({"city": (["a"] + ["b"] * 3 + ["c", "d"]) * 200, "x": range(1200)})
    recoding = ("global-recoding", {"columns": ("city",), "levels": (1,), "write": "label"})
    drawn = chain(
        recoding, ("back-mapping", {"labels": "random"}), original=original, schema=schema
    )
    first = original["city"].isin(["a", "b"])
    shares = drawn.table["city"][first].value_counts(normalize=True)
    assert set(shares.index) == {"a", "b"}
    assert shares["b"] == pytest.approx(0.75, abs=0.06)
    assert set(drawn.table["city"][~first]) == {"c", "d"}
    assert (drawn.table["city"] != original["city"]).sum() > 300


def test_numbers_become_the_nearest_that_exists():
    original = pd.DataFrame({"age": [20, 20, 40], "pay": [1.0, 2.0, 9.0]})
    schema = Schema((SCHEMA.column("age"), SCHEMA.column("pay")))
    averaged = chain(("class-average", {}), original=original, schema=schema).table
    assert averaged["pay"].tolist() == [1.5, 1.5, 9.0]
    mapped = chain(("class-average", {}), ("back-mapping", {}), original=original, schema=schema)
    assert mapped.table["pay"].tolist() == [1.0, 1.0, 9.0]  # as near as 2: the smaller


def test_rows_lead_to_the_original_through_a_chain():
    schema = Schema((Column("city", QI, Kind.CATEGORY), Column("x", SA, Kind.INTEGER)))
    original = pd.DataFrame({"city": ["a", "b", "c", "c", "d", "d"], "x": range(6)})
    recoding = ("global-recoding", {"columns": ("city",), "levels": (1,), "write": "label"})
    steps = (("record-suppression", {"k": 2, "columns": ("city",)}), recoding, ("back-mapping", {}))
    done = chain(*steps, original=original, schema=schema)
    assert done.source.tolist() == [2, 3, 4, 5]
    assert done.table["city"].tolist() == ["c"] * 4


@pytest.mark.parametrize(
    "method", ["sa-noise", "class-average", "mondrian", "global-recoding", "qi-unification"]
)
def test_afterwards_every_value_occurs_in_its_column_of_the_original(method):
    rng = np.random.default_rng(5)
    original = pd.DataFrame(
        {
            "age": rng.integers(20, 60, 80),
            "city": rng.choice(list("abcd"), 80),
            "sex": rng.choice(["f", "m"], 80),
            "pay": rng.normal(50, 20, 80).round(2),
        }
    )
    options = {"columns": ("sex",)} if method == "qi-unification" else {}
    done = chain((method, options), ("back-mapping", {}), original=original).table
    for name in SCHEMA.names:
        assert set(done[name]) <= set(original[name])
    assert done.dtypes.tolist() == original.dtypes.tolist()


def test_back_mapping_does_not_change_existing_values_and_other_columns():
    pd.testing.assert_frame_equal(run("back-mapping").table, TABLE)
    noisy = chain(("sa-noise", {})).table
    kept = chain(("sa-noise", {}), ("back-mapping", {"columns": ("age",)})).table
    pd.testing.assert_frame_equal(noisy, kept)
    assert problem("back-mapping", columns=("x",)).params["option"] == "columns"
