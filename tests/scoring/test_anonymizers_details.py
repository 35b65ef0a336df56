# SPDX-License-Identifier: Apache-2.0
"""Anonymizers on tables small enough to check manually, at the edges, and with wrong options."""

from __future__ import annotations

import numpy as np
import pandas as pd
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from scoring.anonymizers import ANONYMIZERS, anonymize
from scoring.anonymizers.domain import lower_medians, most_frequent, to_domain
from scoring.anonymizers.microaggregation import class_means
from scoring.anonymizers.mondrian import partition
from scoring.datasets.households import HOUSEHOLDS_SCHEMA, households
from scoring.errors import ProblemsFound
from scoring.examples import SCHEMA, table
from scoring.tables.reading import read_rows, read_table, write_rows, write_table
from scoring.tables.schema import Column, Kind, Role, Schema
from tests.every import examples

QI, SA = Role.QUASI_IDENTIFIER, Role.SENSITIVE


def run(original, schema, method, seed=1, **options):
    return anonymize(original, schema, [(method, options)], rng=np.random.default_rng(seed))


def problems(original, schema, *methods):
    with pytest.raises(ProblemsFound) as found:
        anonymize(original, schema, methods, rng=np.random.default_rng(1))
    return found.value.problems


# --- what every method submits can be submitted ---


# Households have no column of free text.
@pytest.mark.parametrize("method", sorted(set(ANONYMIZERS) - {"pseudonymize"}))
def test_the_output_validates_as_a_submission(method):
    original = households(600, seed=2)
    done = run(original, HOUSEHOLDS_SCHEMA, method)
    data = write_table(done.table, HOUSEHOLDS_SCHEMA)
    read = read_table(data, HOUSEHOLDS_SCHEMA, file="anonymized")
    for name in HOUSEHOLDS_SCHEMA.sensitive_numeric:
        assert (read[name].to_numpy() == done.table[name].to_numpy()).all()
    rows = read_rows(write_rows(done.source), n_original=600, n_records=len(read))
    assert (rows == done.source).all()


@pytest.mark.parametrize("method", ["sa-noise", "class-swap", "mondrian", "yamaoka"])
def test_integers_stay_integers(method):
    done = run(households(300, seed=2), HOUSEHOLDS_SCHEMA, method)
    for name in HOUSEHOLDS_SCHEMA.sensitive_numeric:
        assert done.table[name].dtype == np.int64


@pytest.mark.parametrize(
    "method", sorted(set(ANONYMIZERS) - {"record-deletion", "yamaoka", "pseudonymize"})
)
def test_a_table_of_one_record(method):
    original = households(1, seed=2)
    k = ANONYMIZERS[method].option("k")
    done = run(original, HOUSEHOLDS_SCHEMA, method, **({"k": 1} if k and k.default else {}))
    assert len(done.table) == 1


@pytest.mark.parametrize("method", sorted(set(ANONYMIZERS) - {"qi-unification", "pseudonymize"}))
@pytest.mark.parametrize("role", [QI, SA])
def test_a_schema_of_one_role(method, role):
    schema = Schema((Column("a", role, Kind.INTEGER), Column("b", role, Kind.CATEGORY)))
    original = pd.DataFrame({"a": [1, 2, 3, 4, 5, 6], "b": list("xxyyzz")})
    alone = {"k": 1} if method == "record-suppression" else {}  # all records are unique
    done = run(original, schema, method, **alone)
    assert tuple(done.table.columns) == ("a", "b")


# --- noise ---


def test_noise_stays_in_the_domain():
    column = Column("a", SA, Kind.INTEGER, min=0, max=10)
    original = pd.DataFrame({"a": [0, 1, 9, 10] * 50})
    for zeros in ("keep", "perturb"):
        noisy = run(original, Schema((column,)), "sa-noise", scale=5.0, zeros=zeros).table["a"]
        assert noisy.between(0, 10).all()
        assert {0, 10} <= set(noisy)
        assert (noisy[original["a"] == 0] == 0).all() == (zeros == "keep")


def test_noise_is_as_wide_as_asked():
    original = pd.DataFrame({"a": np.random.default_rng(3).normal(100, 20, 20_000).round(4)})
    schema = Schema((Column("a", SA, Kind.NUMBER),))
    noise = run(original, schema, "sa-noise", scale=0.25).table["a"] - original["a"]
    assert noise.std() == pytest.approx(5, rel=0.03)
    assert noise.mean() == pytest.approx(0, abs=0.2)


def test_no_noise_changes_nothing():
    original = households(100, seed=1)
    pd.testing.assert_frame_equal(
        run(original, HOUSEHOLDS_SCHEMA, "sa-noise", scale=0).table, original
    )


def test_numbers_are_rounded_inside_the_bounds():
    column = Column("a", SA, Kind.NUMBER, min=-0.00001, max=1.23456)
    assert list(to_domain(np.array([-5, 0.5, 0.123456, 9]), column)) == [0, 0.5, 0.1235, 1.2345]
    integers = Column("a", SA, Kind.INTEGER, min=0.5, max=9.5)
    assert list(to_domain(np.array([-5, 4.6, 99]), integers)) == [1, 5, 9]


@pytest.mark.parametrize(
    ("kind", "bounds"), [(Kind.NUMBER, {}), (Kind.INTEGER, {"min": -(10**30), "max": 10**30})]
)
def test_numbers_have_no_more_digits_than_a_table_may_hold(kind, bounds):
    most = 10**15 - 1
    values = np.array([-np.inf, -1e300, -1e15, 0.25, most, 1e15, np.inf])
    found = to_domain(values, Column("a", SA, kind, **bounds)).tolist()
    assert found == [-most] * 3 + [0 if kind is Kind.INTEGER else 0.25] + [most] * 3


@pytest.mark.parametrize(
    ("method", "options"),
    [
        ("sa-noise", {"scale": 10**15 - 1}),
        ("additive-noise", {"scale": 10**15 - 1}),
        ("additive-noise", {"scale": 10**15 - 1, "correlated": "preserving"}),
        ("multiplicative-noise", {"scale": 3.0}),
        ("multiplicative-noise", {"scale": 10**15 - 1}),
        ("local-laplace", {"epsilon": 1e-320}),
    ],
)
def test_noise_of_a_large_scale_leaves_a_table_that_can_be_read(method, options):
    column = Column("a", SA, Kind.NUMBER)
    schema = Schema((column,))
    original = pd.DataFrame({"a": np.arange(-7.0, 8) * 1e14})
    made = run(original, schema, method, **options).table
    assert len(read_table(write_table(made, schema), schema, file="anonymized")) == 15


@pytest.mark.parametrize("method", ["sa-noise", "additive-noise", "multiplicative-noise"])
def test_a_scale_beyond_all_numbers_is_refused(method):
    (problem,) = problems(table("original"), SCHEMA, (method, {"scale": 1e300}))
    assert (problem.code, problem.params["option"]) == ("option.wrong_value", "scale")


# --- unification ---


def test_the_paper_s_example_of_unification():
    done = run(table("original"), SCHEMA, "qi-unification", columns=("QI3",), value="1")
    assert (done.table["QI3"] == "1").all()


def test_the_most_frequent_value_is_the_default_and_the_first_where_two_are():
    done = run(table("original"), SCHEMA, "qi-unification", columns=("QI1", "QI2"))
    assert set(done.table["QI1"]) == {"1"}
    assert list(done.table["QI3"]) == ["1", "1", "2", "2"]


def test_a_number_can_be_unified():
    schema = Schema((Column("age", QI, Kind.INTEGER, min=0, max=99), Column("x", SA, Kind.NUMBER)))
    original = pd.DataFrame({"age": [30, 40, 40], "x": [1.0, 2.0, 3.0]})
    assert list(run(original, schema, "qi-unification").table["age"]) == [40] * 3
    given_value = run(original, schema, "qi-unification", value="50").table["age"]
    assert list(given_value) == [50] * 3
    for value in ("100", "1.5", "old", "nan"):
        (problem,) = problems(original, schema, ("qi-unification", {"value": value}))
        assert problem.params["got"] == value
        assert "an integer from 0 to 99 (age)" in problem.message


@pytest.mark.parametrize("columns", [("SA1",), ("QI1", "nothing"), ()])
def test_only_quasi_identifiers_can_be_unified(columns):
    # All quasi-identifiers of the example are cross columns, so that none is left by default.
    (problem,) = problems(table("original"), SCHEMA, ("qi-unification", {"columns": columns}))
    assert problem.code == "option.wrong_value"
    assert "QI1, QI2, QI3" in problem.message


def test_a_value_outside_the_column_s_values_is_refused():
    options = {"columns": ("QI1",), "value": "9"}
    (problem,) = problems(table("original"), SCHEMA, ("qi-unification", options))
    assert "one of 1, 2 (QI1)" in problem.message


# --- averaging and swapping ---


def test_the_paper_s_example_of_averaging():
    pd.testing.assert_frame_equal(
        run(table("original"), SCHEMA, "class-average").table,
        table("averaged").astype({"SA1": float, "SA2": float}),
    )


def test_the_remainder_goes_to_the_first_records_of_the_class():
    means = class_means(np.array([1.0, 5.0, 0.0, 0.0]), np.array([0, 1, 0, 0]), 2, 10_000)
    assert list(means) == [0.3334, 5.0, 0.3333, 0.3333]


@given(
    st.lists(st.tuples(st.integers(0, 3), st.integers(-(10**11), 10**11)), min_size=1, max_size=40),
    st.sampled_from([1, 10**4]),
)
def test_class_sums_are_exact_and_means_within_the_class(records, units):
    _, of_row = np.unique([c for c, _ in records], return_inverse=True)
    amounts = [a * (10**4 // units) for _, a in records]
    values = np.array([a / 10**4 for a in amounts])
    averaged = class_means(values, of_row, of_row.max() + 1, 10_000)
    exact = [round(float(v) * 10**4) for v in averaged]
    for group in range(of_row.max() + 1):
        members = np.flatnonzero(of_row == group)
        assert sum(exact[i] for i in members) == sum(amounts[i] for i in members)
        assert max(exact[i] for i in members) - min(exact[i] for i in members) <= 1
        assert min(amounts[i] for i in members) <= min(exact[i] for i in members)
        assert max(exact[i] for i in members) <= max(amounts[i] for i in members)


def test_amounts_too_large_for_64_bits_are_averaged_exactly():
    values = np.array([1e11, 1e11 + 1] * 50_000)
    assert set(class_means(values, np.zeros(100_000, dtype=np.int64), 1, 10_000)) == {1e11 + 0.5}


def test_swapping_moves_values_within_their_class_and_column():
    original = households(400, seed=6)
    done = run(original, HOUSEHOLDS_SCHEMA, "class-swap").table
    names = list(HOUSEHOLDS_SCHEMA.quasi_identifiers)
    assert (done[names] == original[names]).all(axis=None)
    for name in HOUSEHOLDS_SCHEMA.sensitive_numeric:
        before, after = (
            t.groupby(names)[name].apply(lambda s: tuple(sorted(s))) for t in (original, done)
        )
        assert (before == after).all()


def test_swapping_takes_each_column_on_its_own():
    schema = Schema(tuple(Column(name, SA, Kind.INTEGER) for name in "ab"))
    original = pd.DataFrame({"a": range(100), "b": range(100)})
    done = run(original, schema, "class-swap").table
    assert (done["a"] != done["b"]).any()


def test_whole_records_change_places_within_their_class():
    """By hand: two classes; every record of the result is one of its class, and amounts stay together."""
    schema = Schema(
        (Column("q", QI, Kind.CATEGORY), *(Column(name, SA, Kind.INTEGER) for name in "ab"))
    )
    original = pd.DataFrame({"q": ["x"] * 50 + ["y"] * 50, "a": range(100), "b": range(100)})
    done = run(original, schema, "class-swap", swap="records").table
    assert (done["a"] == done["b"]).all()
    assert (done["a"] != original["a"]).any()
    for of_class in (slice(0, 50), slice(50, 100)):
        assert sorted(done["a"][of_class]) == list(original["a"][of_class])
    with pytest.raises(ProblemsFound):
        run(original, schema, "class-swap", swap="rows")


# --- deletion ---


def test_deleted_records_are_missing_and_the_others_unchanged():
    original = households(50, seed=6)
    done = run(original, HOUSEHOLDS_SCHEMA, "record-deletion", fraction=0.25)
    assert len(done.table) == 37  # 12.5 is rounded up
    pd.testing.assert_frame_equal(done.table, original.iloc[done.source].reset_index(drop=True))
    assert (np.diff(done.source) > 0).all()


def test_nothing_is_deleted_where_nothing_is_asked():
    original = households(50, seed=6)
    assert len(run(original, HOUSEHOLDS_SCHEMA, "record-deletion", fraction=0).table) == 50


@pytest.mark.parametrize("options", [{"count": 4}, {"count": 400}, {"fraction": 1}])
def test_a_record_must_be_left(options):
    (problem,) = problems(table("original"), SCHEMA, ("record-deletion", options))
    assert "one record or more left of the table's 4" in problem.message


# --- Yamaoka ---


@settings(max_examples=examples(0.5))
@given(st.integers(2, 40), st.sampled_from([0, 2, 3, 5, 39]), st.integers(0, 5))
def test_no_record_keeps_its_number_and_all_numbers_are_used(n, spread, seed):
    original = households(n, seed=1)
    done = run(original, HOUSEHOLDS_SCHEMA, "yamaoka", seed=seed, spread=spread)
    pd.testing.assert_frame_equal(done.table, original)
    assert sorted(done.source) == list(range(n))
    assert (done.source != np.arange(n)).all()


def test_numbers_are_exchanged_among_records_of_similar_amounts():
    schema = Schema((Column("a", SA, Kind.INTEGER),))
    amounts = np.random.default_rng(8).permutation(101)
    original = pd.DataFrame({"a": amounts})
    for spread in (2, 5, 20):
        source = run(original, schema, "yamaoka", spread=spread).source
        assert np.abs(amounts[source] - amounts).max() <= spread
    far = run(original, schema, "yamaoka", spread=0).source
    assert np.abs(amounts[far] - amounts).mean() > 15


def test_yamaoka_needs_two_records():
    (problem,) = problems(households(1, seed=1), HOUSEHOLDS_SCHEMA, ("yamaoka", {}))
    assert problem.code == "anonymizer.too_few"
    assert "expected at least 2 — got 1" in problem.message


def test_a_group_of_one_is_refused():
    (problem,) = problems(table("original"), SCHEMA, ("yamaoka", {"spread": 1}))
    assert (problem.params["option"], problem.params["got"]) == ("spread", "1")


# --- Mondrian ---


def slow_partition(points, k):
    """The same cuts, written down as the definition says them."""
    full = [max(column) - min(column) for column in zip(*points, strict=True)]

    def split(members):
        widths = []
        for i, width in enumerate(full):
            values = [points[m][i] for m in members]
            widths.append((max(values) - min(values)) / width if width else 0)
        for i in sorted(range(len(full)), key=lambda i: -widths[i]):
            best = None
            for cut in sorted({points[m][i] for m in members}):
                left = [m for m in members if points[m][i] < cut]
                if k <= len(left) <= len(members) - k:
                    off = abs(2 * len(left) - len(members))
                    if best is None or off < best[0]:
                        best = (off, left)
            if best is not None:
                right = [m for m in members if m not in best[1]]
                return split(best[1]) + split(right)
        return [members]

    return split(list(range(len(points))))


@given(
    st.lists(st.tuples(st.integers(0, 8), st.integers(0, 4)), min_size=1, max_size=40),
    st.integers(1, 4),
)
def test_the_partition_agrees_with_the_oracle(points, k):
    if len(points) < k:
        return
    groups = partition(np.array(points, dtype=float), k)
    found = {frozenset(np.flatnonzero(groups == g)) for g in range(groups.max() + 1)}
    assert found == {frozenset(g) for g in slow_partition(points, k)}


def test_a_group_gets_one_value_of_the_domain_in_each_column():
    schema = Schema(
        (
            Column("size", QI, Kind.CATEGORY, values=("small", "medium", "large")),
            Column("age", QI, Kind.INTEGER),
        )
    )
    original = pd.DataFrame(
        {
            "size": ["small", "medium", "medium", "large", "large", "large", "small"],
            "age": [10, 20, 30, 70, 71, 75, 80],
        }
    )
    done = run(original, schema, "mondrian", k=3).table
    # Both ranges are full: the first column is cut, and only before "large" three are left.
    # Of two small and two medium the first is taken, of the ages 10 20 30 80 the lower median.
    assert list(done["size"]) == ["small"] * 3 + ["large"] * 3 + ["small"]
    assert list(done["age"]) == [20] * 3 + [71] * 3 + [20]


def test_k_larger_than_the_table_is_one_clear_problem():
    (problem,) = problems(table("original"), SCHEMA, ("mondrian", {"k": 5}))
    assert "expected an integer from 1 to the table's 4 records — got “5”" in problem.message


def test_k_of_the_whole_table_makes_one_class():
    done = run(table("original"), SCHEMA, "mondrian", k=4).table
    assert len(done[list(SCHEMA.quasi_identifiers)].drop_duplicates()) == 1


def test_group_statistics():
    groups = np.array([1, 0, 1, 1, 0])
    assert list(most_frequent(np.array([2, 1, 0, 2, 0]), groups, 3)) == [0, 2]
    assert list(lower_medians(np.array([5, 9, 1, 3, 7]), groups)) == [7, 3]


# --- options ---


def test_all_wrong_options_are_reported_together():
    found = problems(
        table("original"),
        SCHEMA,
        ("mondrian", {"k": 0}),
        ("magic", {}),
        ("sa-noise", {"scale": float("nan"), "color": "red", "zeros": "lose"}),
        ("class-average", {"k": 3}),
        ("record-deletion", {"fraction": 1.5, "count": True}),
        ("qi-unification", {"columns": "QI1"}),
    )
    assert [(p.code, p.params.get("option") or p.params["got"]) for p in found] == [
        ("option.wrong_value", "k"),
        ("anonymizer.unknown", "magic"),
        ("option.wrong_value", "scale"),
        ("option.unknown", "color"),
        ("option.wrong_value", "zeros"),
        ("option.unknown", "k"),
        ("option.wrong_value", "fraction"),
        ("option.wrong_value", "count"),
        ("option.wrong_value", "columns"),
    ]
    messages = [p.message for p in found]
    assert "expected scale, zeros" in messages[3]
    assert "expected no option" in messages[5]


def test_options_read_texts():
    noise, unification = ANONYMIZERS["sa-noise"], ANONYMIZERS["qi-unification"]
    assert noise.option("scale").parse("0.5") == 0.5
    assert noise.option("scale").parse("much") is None
    assert noise.option("nothing") is None
    assert ANONYMIZERS["mondrian"].option("k").parse("2.5") is None
    assert unification.option("columns").parse("a, b") == ("a", "b")
    assert unification.option("columns").parse("a,") is None
