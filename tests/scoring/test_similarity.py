# SPDX-License-Identifier: Apache-2.0
"""Similarity of distributions and records: hand-computed tables, oracles, laws, published numbers."""

from __future__ import annotations

import itertools
import math
from collections import Counter
from fractions import Fraction
from statistics import fmean

import numpy as np
import pandas as pd
import pytest

from scoring.measures import distributions
from scoring.measures.associations import correlation_ratio, cramers_v, pearson
from scoring.scores.coding import Coded, bins, coded_pair, frequent, sample, told_apart
from scoring.scores.comparison import Comparison
from scoring.tables.schema import Column, Kind, Role, Schema
from tests.scoring import tables

CASES = [tables.case(seed) for seed in range(0, 60, 2)]
MIXED = Schema(
    (
        Column("id", Role.IDENTIFIER, Kind.CATEGORY),
        Column("age", Role.QUASI_IDENTIFIER, Kind.INTEGER),
        Column("city", Role.QUASI_IDENTIFIER, Kind.CATEGORY),
        Column("illness", Role.SENSITIVE, Kind.CATEGORY),
        Column("cost", Role.SENSITIVE, Kind.NUMBER),
        Column("remark", Role.OTHER, Kind.CATEGORY),
    ),
    e2_column="cost",
)


def mixed(seed: int, n: int = 40) -> pd.DataFrame:
    rng = np.random.default_rng(seed)
    age = rng.integers(20, 60, n)
    city = rng.choice(["A", "B", "C"], n)
    return pd.DataFrame(
        {
            "id": [f"p{i}" for i in range(n)],
            "age": age,
            "city": city,
            "illness": np.where(rng.random(n) < 0.7, city, rng.choice(["x", "y"], n)),
            "cost": (age * 10 + rng.normal(0, 50, n)).round(2),
            "remark": rng.choice(["1", "2"], n),
        }
    ).astype({"city": "str", "illness": "str", "remark": "str"})


def mixed_comparison(seed: int) -> Comparison:
    rng = np.random.default_rng(seed)
    original = mixed(seed)
    source = rng.permutation(40)[: int(rng.integers(1, 41))]
    anonymized = mixed(seed + 1).iloc[: len(source)].drop(columns="id")
    anonymized["age"] = np.where(
        rng.random(len(source)) < 0.5, original["age"].to_numpy()[source], anonymized["age"]
    )
    return Comparison.of(original, anonymized, source, MIXED)


COMPARISONS = [Comparison.of(c.original, c.anonymized, c.source, c.schema) for c in CASES] + [
    mixed_comparison(seed) for seed in range(8)
]


def scored_columns(comparison: Comparison) -> list[Column]:
    return [c for c in comparison.schema.columns if c.role in ("quasi_identifier", "sensitive")]


def both(comparison: Comparison, name: str) -> tuple[list, list]:
    original = comparison.prepared.table
    return original[name].tolist(), comparison.anonymized[name].tolist()


# Plain code


def cells_of(values: list, x: list, column: Column) -> list:
    """The cell of each value, as the definition says it."""
    if not column.is_numeric:
        return values
    n = len(x)
    ends = sorted({sorted(x)[math.ceil(i * n / 10) - 1] for i in range(1, 11)})
    found = []
    for value in values:
        if value < min(x):
            found.append("below")
        elif value > max(x):
            found.append("above")
        else:
            found.append(next(end for end in ends if value <= end))
    return found


def plain_variation(x: list, y: list) -> float:
    in_x, in_y = Counter(x), Counter(y)
    return sum(abs(in_x[c] / len(x) - in_y[c] / len(y)) for c in in_x | in_y) / 2


def plain_divergence(x: list, y: list) -> float:
    in_x, in_y = Counter(x), Counter(y)
    cells = set(in_x) | set(in_y)
    total = 0.0
    for cell in cells:
        p = (in_x[cell] + 0.5) / (len(x) + 0.5 * len(cells))
        q = (in_y[cell] + 0.5) / (len(y) + 0.5 * len(cells))
        total += p * math.log(p / q)
    return total


def plain_chi2(one: list, two: list) -> float:
    n, joint = len(one), Counter(zip(one, two, strict=True))
    rows, columns = Counter(one), Counter(two)
    return sum(
        (joint[r, c] - rows[r] * columns[c] / n) ** 2 / (rows[r] * columns[c] / n)
        for r in rows
        for c in columns
    )


def plain_v(one: list, two: list) -> float:
    """Bergsma's, section 2."""
    n, r, c = len(one), len(set(one)), len(set(two))
    if min(r, c) < 2:
        return 0.0
    phi2 = max(0.0, plain_chi2(one, two) / n - (r - 1) * (c - 1) / (n - 1))
    r, c = r - (r - 1) ** 2 / (n - 1), c - (c - 1) ** 2 / (n - 1)
    return math.sqrt(phi2 / (min(r, c) - 1)) if min(r, c) > 1 + 1e-12 else 0.0


def plain_ratio(codes: list, values: list) -> float:
    if min(values) == max(values):
        return 0.0
    values = list(map(Fraction, values))  # exact: a ratio's root makes much of a rounded mean
    mean = sum(values) / len(values)
    groups = {code: [v for c, v in zip(codes, values, strict=True) if c == code] for code in codes}
    between = sum(len(group) * (sum(group) / len(group) - mean) ** 2 for group in groups.values())
    return math.sqrt(between / sum((value - mean) ** 2 for value in values))


def plain_r(one: list, two: list) -> float:
    if min(one) == max(one) or min(two) == max(two):
        return 0.0
    one, two = list(map(Fraction, one)), list(map(Fraction, two))
    a, b = [v - sum(one) / len(one) for v in one], [v - sum(two) / len(two) for v in two]
    products = sum(p * q for p, q in zip(a, b, strict=True))
    return float(products) / math.sqrt(sum(v * v for v in a) * sum(v * v for v in b))


def plain_association(one: tuple[Column, list], two: tuple[Column, list]) -> float:
    match one[0].is_numeric, two[0].is_numeric:
        case True, True:
            return plain_r(one[1], two[1])
        case False, False:
            return plain_v(one[1], two[1])
        case False, True:
            return plain_ratio(one[1], two[1])
    return plain_ratio(two[1], one[1])


def mean_or_none(values: list) -> object:
    return pytest.approx(fmean(values), abs=1e-9) if values else None


# Against plain code


def test_marginals_are_those_of_plain_code():
    for comparison in COMPARISONS:
        expected = []
        for column in scored_columns(comparison):
            x, y = both(comparison, column.name)
            expected.append(plain_variation(cells_of(x, x, column), cells_of(y, x, column)))
        assert distributions.marginal_difference(comparison) == mean_or_none(expected)


def test_pairs_are_those_of_plain_code():
    for comparison in COMPARISONS:
        in_x, in_y = [], []
        for column in scored_columns(comparison):
            x, y = both(comparison, column.name)
            in_x.append(cells_of(x, x, column))
            in_y.append(cells_of(y, x, column))
        expected = [
            plain_variation(
                list(zip(in_x[i], in_x[j], strict=True)), list(zip(in_y[i], in_y[j], strict=True))
            )
            for i, j in itertools.combinations(range(len(in_x)), 2)
        ]
        assert distributions.pair_difference(comparison) == mean_or_none(expected)


def test_pairs_of_columns_with_many_values_are_counted_alike():
    """300 values a column make more joint cells than are held in an array."""
    rng = np.random.default_rng(1)
    schema = Schema(
        tuple(Column(name, Role.QUASI_IDENTIFIER, Kind.CATEGORY) for name in ("a", "b"))
    )
    x = pd.DataFrame(rng.integers(0, 300, (300, 2)).astype(str), columns=["a", "b"])
    y = pd.DataFrame(rng.integers(0, 300, (300, 2)).astype(str), columns=["a", "b"])
    y.iloc[:100] = x.iloc[:100]
    comparison = Comparison.of(x, y, np.arange(300), schema)
    expected = plain_variation(
        list(x.itertuples(index=False, name=None)), list(y.itertuples(index=False, name=None))
    )
    assert distributions.pair_difference(comparison) == pytest.approx(expected)


def test_divergence_is_that_of_plain_code():
    for comparison in COMPARISONS:
        expected = []
        for column in scored_columns(comparison):
            x, y = both(comparison, column.name)
            expected.append(plain_divergence(cells_of(x, x, column), cells_of(y, x, column)))
        assert distributions.divergence(comparison) == mean_or_none(expected)


@pytest.mark.parametrize(
    ("measure", "is_wanted"),
    [
        (distributions.category_association_difference, lambda column: not column.is_numeric),
        (distributions.association_difference, lambda column: True),
    ],
)
def test_associations_are_those_of_plain_code(measure, is_wanted):
    for comparison in COMPARISONS:
        columns = [c for c in scored_columns(comparison) if is_wanted(c)]
        expected = []
        for one, two in itertools.combinations(columns, 2):
            (x_1, y_1), (x_2, y_2) = both(comparison, one.name), both(comparison, two.name)
            in_x = plain_association((one, x_1), (two, x_2))
            expected.append(abs(in_x - plain_association((one, y_1), (two, y_2))))
        wanted = pytest.approx(fmean(expected), abs=1e-9) if expected else None
        assert measure(comparison) == wanted


def test_losses_of_records_are_those_of_plain_code():
    for comparison in COMPARISONS:
        columns = scored_columns(comparison)
        squares, losses = [0.0] * len(comparison.source), []
        changed, largest = [0] * len(comparison.source), 0.0
        for column in columns:
            x, y = both(comparison, column.name)
            lost = float(len(x) - len(y))
            for r, (row, value) in enumerate(zip(comparison.source, y, strict=True)):
                if column.is_numeric:
                    squares[r] += (value - x[row]) ** 2
                    largest = max(largest, abs(value - x[row]))
                    span = max(x) - min(x)
                    lost += abs(value - x[row]) / span if span else float(value != x[row])
                else:
                    lost += value != x[row]
                    changed[r] += value != x[row]
            losses.append(lost / len(x))
        has_numbers = any(column.is_numeric for column in columns)
        assert distributions.normalised_loss(comparison) == mean_or_none(losses)
        expected = pytest.approx(fmean(squares)) if has_numbers else None
        assert distributions.squared_difference(comparison) == expected
        expected = pytest.approx(max(largest, *changed, 0)) if columns else None
        assert distributions.largest_change(comparison) == expected


# By hand


LECTURE = Schema(
    (
        Column("age", Role.QUASI_IDENTIFIER, Kind.INTEGER),
        Column("city", Role.QUASI_IDENTIFIER, Kind.CATEGORY),
    )
)


def lecture() -> Comparison:
    original = pd.DataFrame({"age": [20, 30, 40, 50], "city": ["A", "A", "B", "B"]})
    anonymized = pd.DataFrame({"age": [20, 40, 40], "city": ["A", "A", "A"]})
    return Comparison.of(original, anonymized, np.arange(3), LECTURE)


def test_the_lecture_contests_example():
    """Record 2 ten years older of thirty, record 3 moved, record 4 deleted: losses 1/3 and 1/2."""
    loss = distributions.normalised_loss(lecture())
    assert loss == pytest.approx(5 / 12)
    assert round(100 * (1 - loss), 2) == 58.33
    assert distributions.squared_difference(lecture()) == pytest.approx(100 / 3)


def test_marginals_computed_manually():
    # age: four cells of 1/4; Y has 1/3 at 20 and 2/3 at 40. city: 1/2, 1/2 against 1, 0.
    age = (1 / 12 + 1 / 4 + 5 / 12 + 1 / 4) / 2
    assert distributions.marginal_difference(lecture()) == pytest.approx((age + 1 / 2) / 2)
    # Pairs: (20,A) (30,A) (40,B) (50,B) against (20,A) 1/3, (40,A) 2/3.
    assert distributions.pair_difference(lecture()) == pytest.approx(
        (1 / 12 + 1 / 4 + 1 / 4 + 1 / 4 + 2 / 3) / 2
    )


def test_divergence_computed_manually():
    age = [(3 / 12, 3 / 10), (3 / 12, 1 / 10), (3 / 12, 5 / 10), (3 / 12, 1 / 10)]
    city = [(1 / 2, 7 / 8), (1 / 2, 1 / 8)]
    expected = fmean(sum(p * math.log(p / q) for p, q in column) for column in (age, city))
    assert distributions.divergence(lecture()) == pytest.approx(expected)


def test_bins_end_at_tenths_and_set_aside_what_lies_outside():
    n_bins, (x, y) = bins(np.arange(20.0), np.array([-1.0, 0.0, 1.0, 1.5, 2.0, 19.0, 19.5]))
    assert n_bins == 12
    assert Counter(x.tolist()) == dict.fromkeys(range(1, 11), 2)
    assert y.tolist() == [0, 1, 1, 2, 2, 10, 11]
    # A heavy value makes one bin of its own.
    n_bins, (x, y) = bins(np.array([0.0] * 8 + [1.0, 2.0]), np.array([0.0, 0.5, 3.0]))
    assert n_bins == 5
    assert x.tolist() == [1] * 8 + [2, 3]
    assert y.tolist() == [1, 2, 4]
    # A constant column sees any change.
    assert bins(np.array([7.0]), np.array([6.0, 7.0, 8.0]))[1][1].tolist() == [0, 1, 2]


def test_rare_levels_are_one():
    assert frequent(4, np.array([2, 2, 0, 3, 3, 3])).tolist() == [2, 3, 1, 0]
    codes = frequent(40, np.repeat(np.arange(40), 41 - np.arange(40)))
    assert codes.tolist() == [*range(30), *[30] * 10]


# Laws


ALL = [
    distributions.marginal_difference,
    distributions.pair_difference,
    distributions.divergence,
    distributions.category_association_difference,
    distributions.association_difference,
    distributions.squared_difference,
    distributions.normalised_loss,
    distributions.largest_change,
]


def test_pairs_move_at_least_as_far_as_their_columns():
    for comparison in COMPARISONS:
        pairs = distributions.pair_difference(comparison)
        if pairs is not None:
            assert pairs >= distributions.marginal_difference(comparison) - 1e-12


def test_permuting_one_column_keeps_marginals_and_breaks_pairs():
    original = mixed(3)
    anonymized = original.drop(columns="id")
    anonymized["age"] = anonymized["age"].to_numpy()[::-1]
    comparison = Comparison.of(original, anonymized, np.arange(40), MIXED)
    assert distributions.marginal_difference(comparison) == 0
    assert distributions.divergence(comparison) == 0
    assert distributions.pair_difference(comparison) > 0.1
    assert distributions.association_difference(comparison) > 0.1


def test_columns_without_a_score_play_no_part():
    comparison = mixed_comparison(5)
    changed = comparison.anonymized.assign(remark="z")
    other = Comparison.of(comparison.prepared, changed, comparison.source, MIXED)
    assert [measure(other) for measure in ALL] == [measure(comparison) for measure in ALL]


@pytest.mark.parametrize("measure", ALL[:5])
def test_a_missing_column_and_a_missing_number_are_named(measure):
    comparison = mixed_comparison(5)
    lacking = Comparison.of(
        comparison.prepared,
        comparison.anonymized.drop(columns="illness"),
        comparison.source,
        MIXED,
    )
    with pytest.raises(ValueError, match="illness"):
        measure(lacking)
    gap = comparison.anonymized.assign(age=np.nan)
    with pytest.raises(ValueError, match="age"):
        measure(Comparison.of(comparison.prepared, gap, comparison.source, MIXED))


def test_tables_are_coded_alike_in_one_order():
    table = mixed(1)
    shuffled = table.sample(frac=1, random_state=1)
    coded = Coded.of(MIXED, table, shuffled)
    one, two = coded.tables
    assert coded.n_levels == (0, 3, 5, 0)
    for position in range(4):
        assert (one.columns[position] == two.columns[position]).all()
    assert (table["age"].to_numpy()[one.order] == shuffled["age"].to_numpy()[two.order]).all()
    assert (one.columns[0] == table["age"].to_numpy()[one.order]).all()


def test_a_sample_is_drawn_together_with_what_was_made_of_it():
    rng = np.random.default_rng(1)
    table = mixed(1)
    source = rng.permutation(40)[:30]
    made = table.iloc[source].assign(cost=table["cost"].to_numpy()[source] + 1)
    coded, x, y = coded_pair(Comparison.of(table, made, source, MIXED))
    drawn, theirs = sample(x, y, source, 12, rng=rng)
    assert len(set(drawn.order.tolist())) == 12
    assert set(source[theirs.order].tolist()) == set(drawn.order.tolist()) & set(source.tolist())
    assert (table["cost"].to_numpy()[drawn.order] == drawn.columns[3]).all()
    assert (made["cost"].to_numpy()[theirs.order] == theirs.columns[3]).all()
    assert sample(x, y, source, 40, rng=rng) == (x, y)
    assert [column.name for column in coded.columns] == ["age", "city", "illness", "cost"]


def test_equal_records_are_distinguished_by_what_became_of_them():
    """Whichever of the twins is row 0, the deleted one comes first and then the one that became b."""
    schema = Schema((Column("a", Role.QUASI_IDENTIFIER, Kind.CATEGORY),))
    x = pd.DataFrame({"a": ["z", "x", "x", "x"]})
    made = {1: "c", 2: "b"}
    for order in itertools.permutations(range(4)):
        rows = [row for row in order if row in made or row == 0]
        y = pd.DataFrame({"a": [made.get(row, "d") for row in rows]})
        source = np.array([order.index(row) for row in rows])
        comparison = Comparison.of(x.iloc[list(order)], y, source, schema)
        _coded, original, anonymized = coded_pair(comparison)
        found = told_apart(original, anonymized, source)
        assert [order[row] for row in found.order] == [3, 2, 1, 0]


# Published numbers


def codes_of(counts: list[list[int]]) -> tuple[np.ndarray, np.ndarray]:
    table = np.array(counts)
    rows, columns = np.indices(table.shape)
    return np.repeat(rows.ravel(), table.ravel()), np.repeat(columns.ravel(), table.ravel())


def test_cramers_v_of_hair_and_eyes():
    """Snee, "Graphical display of two-way contingency tables": R's HairEyeColor over both sexes.

    Its chi² is 138.29 on 9 degrees of freedom, V .279 (as R's vcd::assocstats prints them).
    """
    hair, eyes = codes_of([[68, 20, 15, 5], [119, 84, 54, 29], [26, 17, 14, 14], [7, 94, 10, 16]])
    v = cramers_v(hair, eyes, is_corrected=False)
    assert round(v, 3) == 0.279
    assert round(v**2 * 3 * 592, 2) == 138.29


def test_cramers_v_of_two_by_two():
    """R's mtcars, gearbox and engine: the example of confintr's cramersv."""
    one, two = codes_of([[12, 7], [6, 7]])
    assert round(cramers_v(one, two, is_corrected=False), 7) == 0.1683451


def test_cramers_v_with_and_without_correction():
    """The example of ClickHouse's cramersVBiasCorrected: 0 to 149 modulo 10 and modulo 4."""
    numbers = np.arange(150)
    one, two = numbers % 10, numbers % 4
    assert cramers_v(one, two, is_corrected=False) == pytest.approx(0.5798088336225178, abs=1e-14)
    assert cramers_v(one, two) == pytest.approx(0.5305112825189074, abs=1e-14)


def test_associations_have_their_ends():
    codes = np.repeat([0, 1, 2], 20)
    assert cramers_v(codes, 2 - codes) == pytest.approx(1)
    assert cramers_v(codes, np.tile([0, 1], 30)) == 0
    assert cramers_v(codes, np.zeros(60, dtype=int)) == 0
    assert cramers_v(np.array([0, 1]), np.array([0, 1])) == 0  # two records tell nothing
    assert correlation_ratio(codes, codes[:, None] * 2.0) == [pytest.approx(1)]
    assert correlation_ratio(codes, np.ones((60, 1))) == [0]
    assert pearson(np.column_stack([codes, -codes, np.ones(60)]) * 1.0) == [
        pytest.approx(-1),
        0,
        0,
    ]
