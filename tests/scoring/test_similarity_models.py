# SPDX-License-Identifier: Apache-2.0
"""Similarity of counts and as models see it: queries, propensity scores, learning."""

from __future__ import annotations

import dataclasses
import itertools
import math

import numpy as np
import pandas as pd
import pytest

from scoring.measures import distinguishability, learning, queries
from scoring.scores.coding import Coded, coded_pair
from scoring.scores.comparison import Comparison, Options
from scoring.tables.schema import Column, Kind, Role, Schema
from tests.scoring import tables
from tests.scoring.test_similarity import MIXED, mixed, mixed_comparison

CASES = [tables.case(seed) for seed in range(0, 40, 2)]
COMPARISONS = [Comparison.of(c.original, c.anonymized, c.source, c.schema) for c in CASES] + [
    mixed_comparison(seed) for seed in range(6)
]


def unchanged(table: pd.DataFrame, schema: Schema, seed: int = 1) -> Comparison:
    source = np.random.default_rng(seed).permutation(len(table))
    return Comparison.of(table, table.iloc[source], source, schema)


# Queries


def plain_count(query: tuple, table: pd.DataFrame, coded: Coded, codes: list[dict]) -> int:
    """Record by record; `codes` says what a category's values are called in the query."""
    count = 0
    for record in table.to_dict("records"):
        holds = True
        for predicate in query:
            value = record[coded.columns[predicate.column].name]
            if predicate.chosen is None:
                holds = holds and predicate.low <= value <= predicate.high
            else:
                holds = holds and predicate.chosen[codes[predicate.column][value]]
        count += holds
    return count


def test_query_errors_are_those_of_plain_code():
    for comparison in COMPARISONS:
        coded, x, y = coded_pair(comparison)
        if not coded.columns:
            assert queries.range_query_error(comparison) is None
            continue
        drawn = queries.random_queries(coded, x, rng=np.random.default_rng(1), n_queries=15)
        original, anonymized = comparison.prepared.table, comparison.anonymized
        names = [column.name for column in coded.columns]
        codes = [
            {v: i for i, v in enumerate(sorted({*original[n], *anonymized[n]}))} for n in names
        ]
        expected = []
        for query in drawn:
            in_x = plain_count(query, original, coded, codes)
            in_y = plain_count(query, anonymized, coded, codes)
            expected.append(abs(in_x - in_y) / max(in_x, 1, 0.001 * len(original)))
            assert len({predicate.column for predicate in query}) == min(3, len(names))
            assert in_x >= 1  # the record that it was drawn around
        assert queries.relative_errors(drawn, x, y) == pytest.approx(expected)


def test_ranges_hold_the_share_that_they_are_to_hold():
    table = pd.DataFrame({"a": np.arange(1000.0), "b": np.repeat(list("abcdefghij"), 100)})
    schema = Schema(
        (
            Column("a", Role.SENSITIVE, Kind.NUMBER),
            Column("b", Role.QUASI_IDENTIFIER, Kind.CATEGORY),
        )
    )
    coded, x, _y = coded_pair(unchanged(table, schema))
    rng = np.random.default_rng(1)
    for query in queries.random_queries(
        coded, x, rng=rng, n_queries=50, n_dimensions=2, selectivity=0.04
    ):
        number, category = query
        assert number.holds(x).sum() == 200
        assert category.holds(x).sum() == 200
    # Records at the ends are drawn as often as others.
    lows = [
        query[0].low
        for query in queries.random_queries(coded, x, rng=rng, n_queries=400, n_dimensions=1)
        if query[0].chosen is None
    ]
    assert min(lows) < 50
    assert max(lows) > 900


def test_queries_are_the_same_for_every_anonymized_table():
    comparison = mixed_comparison(2)
    other = mixed_comparison(2).anonymized.assign(city="elsewhere")
    changed = Comparison.of(comparison.prepared, other, comparison.source, MIXED)
    drawn = []
    for each in (comparison, changed):
        coded, x, _y = coded_pair(each)
        rng = np.random.default_rng(1)
        drawn.append([queries.counts(queries.random_queries(coded, x, rng=rng), x).tolist()])
    assert drawn[0] == drawn[1]


def test_query_errors_computed_manually():
    """All four records alike: any query holds them all, and half of them are deleted."""
    schema = Schema((Column("a", Role.QUASI_IDENTIFIER, Kind.CATEGORY),))
    x = pd.DataFrame({"a": ["v"] * 4})
    assert queries.range_query_error(Comparison.of(x, x[:2], np.arange(2), schema)) == 0.5
    gone = pd.DataFrame({"a": ["w"] * 4})
    assert queries.range_query_error(Comparison.of(x, gone, np.arange(4), schema)) == 1


def test_another_seed_asks_other_queries():
    comparison = mixed_comparison(1)
    one, two = (queries.range_query_error(comparison, Options(seed=seed)) for seed in (1, 2))
    assert one != two
    assert one == pytest.approx(two, rel=0.2)


@pytest.mark.parametrize(
    "wrong", [{"n_queries": 0}, {"n_dimensions": 0}, {"selectivity": 0.0}, {"selectivity": 1.5}]
)
def test_impossible_queries_are_refused(wrong):
    coded, x, _y = coded_pair(mixed_comparison(1))
    with pytest.raises(ValueError, match="expected"):
        queries.random_queries(coded, x, rng=np.random.default_rng(1), **wrong)


# Propensity


ONE_CATEGORY = Schema((Column("a", Role.QUASI_IDENTIFIER, Kind.CATEGORY),))


def of_counts(x: list[int], y: list[int]) -> Comparison:
    """Tables of one category column with so many records of each level."""
    tables_ = [
        pd.DataFrame({"a": np.repeat([f"v{i}" for i in range(len(c))], c)}).astype("str")
        for c in (x, y)
    ]
    return Comparison.of(*tables_, np.arange(sum(y)), ONE_CATEGORY)


@pytest.mark.parametrize(
    ("x", "y"), [([30, 50, 20], [20, 40, 40]), ([50, 50], [10, 20]), ([60, 40], [0, 60])]
)
def test_one_category_gives_the_shares_of_its_cells(x, y):
    """A saturated model fits each cell's share of Y, so pMSE needs no model."""
    share = sum(y) / (sum(x) + sum(y))
    expected = sum((i + j) * (j / (i + j) - share) ** 2 for i, j in zip(x, y, strict=True))
    found = distinguishability.propensity(of_counts(x, y))
    # The last pair of tables can be distinguished in part, where the penalty is seen.
    assert found.pmse == pytest.approx(expected / (sum(x) + sum(y)), abs=1e-5)
    assert found.n_parameters == len(x)


@pytest.mark.parametrize(
    ("pmse", "standardized", "df"),
    [
        # synthpop's compare() for a synthetic SD2011 of 5,000 records, as the tutorial "Protecting
        # PHI" prints it: pMSE to six decimals, S_pMSE its ratio to the expectation, df = k - 1.
        (0.000081, 1.079941, 6),
        (0.000112, 0.998075, 9),
        (0.000141, 1.886650, 6),
        (0.000089, 2.383880, 3),
        (0.000136, 2.182507, 5),
    ],
)
def test_the_null_expectation_is_that_of_published_ratios(pmse, standardized, df):
    expected = distinguishability.null_expectation(df + 1, 5_000, 5_000)
    assert standardized * expected == pytest.approx(pmse, abs=0.6e-6)


def test_the_null_expectation_computed_manually():
    # k = 3, c = 1/4, N = 400: 2 * (3/4)² * (1/4) / 400.
    assert distinguishability.null_expectation(3, 300, 100) == pytest.approx(0.28125 / 400)


def test_new_records_from_the_same_source_have_a_ratio_of_two():
    """X varies as much as Y then, so pMSE is 1 / (1 - c) times its expectation under synthesis from X."""
    rng = np.random.default_rng(1)
    ratios = []
    for _run in range(40):
        x, y = (rng.multinomial(400, [0.3, 0.3, 0.2, 0.1, 0.1]) for _table in range(2))
        ratios.append(distinguishability.propensity_ratio(of_counts(x.tolist(), y.tolist())))
    # A chi² on 4 degrees of freedom over 2: its mean over 40 runs strays by .22.
    assert np.mean(ratios) == pytest.approx(2, abs=0.6)


def test_synthesis_from_the_right_model_has_a_ratio_of_one():
    rng = np.random.default_rng(2)
    x = [120, 120, 80, 40, 40]
    ratios = [
        distinguishability.propensity_ratio(
            of_counts(x, rng.multinomial(400, np.array(x) / 400).tolist())
        )
        for _run in range(40)
    ]
    assert np.mean(ratios) == pytest.approx(1, abs=0.3)


def test_tables_that_share_no_value_are_distinguished():
    comparison = of_counts([50, 0], [0, 50])
    assert distinguishability.propensity_error(comparison) == pytest.approx(0.25, abs=1e-3)


def numbers(n: int, seed: int, swap: bool = False) -> pd.DataFrame:
    rng = np.random.default_rng(seed)
    a = rng.normal(0, 1, n)
    table = pd.DataFrame({"a": a, "b": a + rng.normal(0, 0.5, n), "c": np.where(a > 0, "p", "q")})
    return table.assign(b=table["b"].to_numpy()[::-1]) if swap else table


def test_broken_pairs_are_seen_where_records_are_many():
    schema = Schema(
        (
            Column("a", Role.SENSITIVE, Kind.NUMBER),
            Column("b", Role.SENSITIVE, Kind.NUMBER),
            Column("c", Role.QUASI_IDENTIFIER, Kind.CATEGORY),
        )
    )
    many, few = (
        distinguishability.propensity(
            Comparison.of(numbers(n, 1), numbers(n, 1, swap=True), np.arange(n), schema)
        )
        for n in (400, 60)
    )
    assert many.n_parameters == 1 + 3 + 2 + 3
    assert many.ratio > 10
    assert few.n_parameters == 4  # too few records for products: only the columns, all unchanged
    assert few.pmse == pytest.approx(0, abs=1e-9)


def test_dependent_columns_count_once():
    table = numbers(100, 1)
    schema = Schema(
        tuple(Column(name, Role.SENSITIVE, Kind.NUMBER) for name in ("a", "b", "twice", "still"))
    )
    table = table.assign(twice=2 * table["a"], still=1.0)
    comparison = Comparison.of(table, table.assign(b=table["a"]), np.arange(100), schema)
    found = distinguishability.propensity(comparison)
    assert found.n_parameters == 1 + 2
    assert dataclasses.replace(found, n_parameters=1).ratio == 0


def plain_propensity(comparison: Comparison) -> tuple[float, int]:
    """pMSE and the number of parameters, terms by the definition and Newton's method by least squares."""
    columns, scores, squares = [], [], []
    for column in comparison.schema.columns:
        if column.role not in (Role.QUASI_IDENTIFIER, Role.SENSITIVE):
            continue
        x = comparison.prepared.table[column.name].tolist()
        both = x + comparison.anonymized[column.name].tolist()
        if column.is_numeric:
            ranks = [(sum(v < w for v in x) + sum(v == w for v in x) / 2) / len(x) for w in both]
            columns.append(ranks)
            scores.append([rank - 0.5 for rank in ranks])
            squares.append([(rank - 0.5) ** 2 for rank in ranks])
        else:
            most = min(set(x), key=lambda level: (-x.count(level), level))
            columns += [[float(w == level) for w in both] for level in set(both) - {most}]
            scores.append([(w == most) - 0.5 for w in both])
    products = [
        [p * q for p, q in zip(one, two, strict=True)]
        for one, two in itertools.combinations(scores, 2)
    ]
    if len(both) >= 20 * (len(columns) + len(squares) + len(products)):
        columns += squares + products
    terms = np.column_stack([np.ones(len(both)), *columns])
    is_y = np.repeat([0.0, 1.0], [len(x), len(both) - len(x)])
    beta = np.zeros(terms.shape[1])
    for _step in range(40):
        p = 1 / (1 + np.exp(-terms @ beta))
        weight = p * (1 - p)
        beta += np.linalg.lstsq(terms.T @ (terms * weight[:, None]), terms.T @ (is_y - p))[0]
    p = 1 / (1 + np.exp(-terms @ beta))
    return float(((p - is_y.mean()) ** 2).mean()), int(np.linalg.matrix_rank(terms))


@pytest.mark.parametrize("n", [60, 200])
def test_the_model_is_that_of_plain_code(n):
    """With 60 records of X there are too few for products, with 200 there are enough."""
    found_with_products = []
    for seed in range(3):
        rng = np.random.default_rng(seed)
        schema = Schema(MIXED.columns[1:3] + MIXED.columns[4:5])
        x, y = mixed(seed, n), mixed(seed + 20, n).iloc[: n - 10 * seed]
        y = y.assign(cost=np.where(rng.random(len(y)) < 0.3, y["cost"] + 100, y["cost"]))
        comparison = Comparison.of(x, y, np.arange(len(y)), schema)
        found = distinguishability.propensity(comparison)
        pmse, n_parameters = plain_propensity(comparison)
        assert found.pmse == pytest.approx(pmse, abs=1e-7)
        assert found.n_parameters == n_parameters
        found_with_products.append(n_parameters == 1 + 4 + 2 + 3)
    assert found_with_products == [n == 200] * 3


def test_of_many_records_some_are_drawn_with_what_was_made_of_them(monkeypatch):
    monkeypatch.setattr(distinguishability, "MAX_RECORDS", 50)
    unlike = mixed_comparison(1)
    assert distinguishability.propensity(unlike).n_original == 40
    table = pd.concat([mixed(seed) for seed in range(5)])
    same = unchanged(table, MIXED)
    found = distinguishability.propensity(same)
    assert (found.n_original, found.n_anonymized, found.pmse) == (50, 50, 0)
    # One record of 200 is left, and seldom drawn: it is compared all the same.
    one = Comparison.of(table, table.iloc[[77]], np.array([77]), MIXED)
    for seed in range(3):
        found = distinguishability.propensity(one, seed=seed)
        assert (found.n_original, found.n_anonymized) == (50, 1)
        assert found.pmse > 0


def test_of_many_records_some_are_learned_from(monkeypatch):
    monkeypatch.setattr(learning, "LARGEST", 100)
    found = learning.learned(unchanged(learnable(300, 1), LEARNABLE))
    assert (found.n_tested, found.loss) == (25, 0)


def test_propensity_of_random_tables_is_possible_and_none_without_columns():
    for comparison in COMPARISONS:
        found = distinguishability.propensity(comparison)
        if found is None:
            assert not comparison.schema.quasi_identifiers
            assert distinguishability.propensity_ratio(comparison) is None
        else:
            n = found.n_original + found.n_anonymized
            share = found.n_anonymized / n
            assert 0 <= found.pmse <= share * (1 - share) + 1e-9


# Learning


def learnable(n: int, seed: int) -> pd.DataFrame:
    rng = np.random.default_rng(seed)
    group = rng.choice(["A", "B", "C"], n)
    hours = rng.integers(0, 40, n)
    pay = 20.0 * hours + 300 * (group == "A") + rng.normal(0, 20, n)
    return pd.DataFrame(
        {
            "group": group,
            "hours": hours,
            "pay": pay.round(2),
            "grade": np.where(hours > 20, "h", "l"),
        }
    ).astype({"group": "str", "grade": "str"})


LEARNABLE = Schema(
    (
        Column("group", Role.QUASI_IDENTIFIER, Kind.CATEGORY),
        Column("hours", Role.QUASI_IDENTIFIER, Kind.INTEGER),
        Column("pay", Role.SENSITIVE, Kind.NUMBER),
        Column("grade", Role.SENSITIVE, Kind.CATEGORY),
    ),
    e2_column="pay",
)


def test_the_target_is_e2s_column_else_the_first_sensitive_one_else_the_first_category():
    assert learning.target_column(MIXED) == "cost"
    assert learning.target_column(dataclasses.replace(MIXED, e2_column=None)) == "illness"
    columns = tuple(
        dataclasses.replace(c, role=Role.QUASI_IDENTIFIER) for c in LEARNABLE.columns[:3]
    )
    assert learning.target_column(Schema(columns)) == "group"
    assert learning.target_column(Schema(columns[1:2])) is None


def test_an_unchanged_table_teaches_as_much():
    found = learning.learned(unchanged(learnable(200, 1), LEARNABLE))
    assert found.target == "pay"
    assert found.n_tested == 50
    assert found.from_original == found.from_anonymized > 0.8
    assert found.loss == 0


def test_records_made_from_held_out_ones_teach_nothing():
    """Y holds the held-out records only: nothing is left to learn from."""
    table = learnable(40, 1)
    _coded, original, _anonymized = coded_pair(unchanged(table, LEARNABLE))
    held_out = np.sort(original.order[np.random.default_rng(1).permutation(40)[:10]])
    comparison = Comparison.of(table, table.iloc[held_out], held_out, LEARNABLE)
    found = learning.learned(comparison, seed=1)
    assert found.n_tested == 10
    assert found.from_anonymized == 0
    assert found.loss == found.from_original > 0


def test_a_shuffled_target_teaches_nothing():
    table = learnable(400, 1)
    rng = np.random.default_rng(1)
    shuffled = table.assign(pay=rng.permutation(table["pay"].to_numpy()))
    found = learning.learned(Comparison.of(table, shuffled, np.arange(400), LEARNABLE))
    assert found.from_original > 0.9
    assert found.from_anonymized < 0.2
    assert found.loss > 0.7


def test_a_category_is_scored_by_the_share_of_right_predictions():
    schema = dataclasses.replace(LEARNABLE, e2_column=None)
    schema = schema.replace_column(dataclasses.replace(schema.columns[2], role=Role.OTHER))
    table = learnable(200, 1)
    found = learning.learned(unchanged(table, schema))
    assert (found.target, found.loss) == ("grade", 0)
    assert found.from_original > 0.9
    constant = table.assign(grade="h")
    found = learning.learned(Comparison.of(table, constant, np.arange(200), schema))
    order = np.random.default_rng(1).permutation(200)[:50]
    _coded, original, _anonymized = coded_pair(
        Comparison.of(table, constant, np.arange(200), schema)
    )
    is_high = table["grade"].to_numpy()[original.order[order]] == "h"
    assert found.from_anonymized == is_high.mean()


def test_learning_is_none_where_it_is_not_possible():
    table = learnable(40, 1)
    same = np.arange(40)
    assert learning.learning_loss(unchanged(learnable(2, 1), LEARNABLE)) is None
    assert learning.learning_loss(unchanged(learnable(3, 1), LEARNABLE)) == 0
    assert learning.learning_loss(unchanged(table.assign(pay=7.0), LEARNABLE)) is None
    alone = Schema((LEARNABLE.column("grade"),))
    assert learning.learning_loss(Comparison.of(table, table, same, alone)) is None
    numbers_only = Schema((LEARNABLE.column("hours"),))
    assert learning.learning_loss(Comparison.of(table, table, same, numbers_only)) is None


def test_another_seed_holds_out_other_records():
    comparison = mixed_comparison(3)
    scores = {learning.learned(comparison, seed=seed).from_original for seed in range(4)}
    assert len(scores) > 1
    assert all(0 <= score <= 1 and math.isfinite(score) for score in scores)


@pytest.mark.long
def test_learning_on_random_tables_is_within_its_range():
    for comparison in [*COMPARISONS, unchanged(mixed(4), MIXED)]:
        value = learning.learning_loss(comparison)
        assert value is None or 0 <= value <= 1
