# SPDX-License-Identifier: Apache-2.0
"""Contingency tables of chosen columns: manually, in plain Python, and over domains of any size."""

from __future__ import annotations

import itertools
import math
from collections import Counter
from statistics import correlation, fmean

import numpy as np
import pandas as pd
import pytest

from scoring.errors import ProblemsFound
from scoring.evaluate import score
from scoring.measures import contingency
from scoring.measures.contingency import table_distance, table_rank_correlation
from scoring.scores.comparison import Comparison, Options
from scoring.tables.schema import Column, Kind, Role, Schema
from tests.every import every
from tests.scoring import tables
from tests.scoring.test_similarity import mixed_comparison

BOTH = (table_distance, table_rank_correlation)
TOWN = Column("town", Role.QUASI_IDENTIFIER, Kind.CATEGORY, values=("a", "b", "c"))
AGE = Column("age", Role.QUASI_IDENTIFIER, Kind.INTEGER)
ILL = Column("ill", Role.SENSITIVE, Kind.CATEGORY)
SCHEMA = Schema((TOWN, AGE, ILL))


def compared(x: dict[str, list], y: dict[str, list], schema: Schema = SCHEMA) -> Comparison:
    original, anonymized = pd.DataFrame(x), pd.DataFrame(y)
    return Comparison.of(original, anonymized, np.arange(len(anonymized)), schema)


def towns(x: str, y: str) -> Comparison:
    """Tables that differ in their towns, a letter for each record."""
    return compared(
        *({"town": list(t), "age": [30] * len(t), "ill": ["no"] * len(t)} for t in (x, y))
    )


def by(comparison: Comparison, *columns: str) -> tuple[float | None, float | None]:
    options = Options(table_columns=columns)
    distance, ranks = (measure(comparison, options) for measure in BOTH)
    return distance, ranks


# By hand


def test_fewer_records_are_compared_as_counts():
    # a, b, c: 3, 2, 1 in X and 1, 0, 1 in Y, ranks 3, 2, 1 and 2.5, 1, 2.5
    assert table_distance(towns("aaabbc", "ac")) == math.sqrt(8)
    assert table_rank_correlation(towns("aaabbc", "ac")) == pytest.approx(0)


def test_a_listed_value_that_nobody_has_is_a_cell():
    # 2, 1, 0 and 1, 2, 0: ranks 3, 2, 1 and 2, 3, 1
    assert table_rank_correlation(towns("aab", "abb")) == pytest.approx(0.5)
    assert table_distance(towns("aab", "abb")) == math.sqrt(2)


def test_an_order_may_be_kept_or_reversed():
    assert table_rank_correlation(towns("aaabbc", "aab")) == pytest.approx(1)
    assert table_rank_correlation(towns("aaabbc", "cccbba")) == pytest.approx(-1)


@pytest.mark.parametrize(("x", "y"), [("abc", "aab"), ("aab", "abc")])
def test_equal_counts_have_no_order(x, y):
    assert table_rank_correlation(towns(x, y)) is None
    assert table_distance(towns(x, y)) == math.sqrt(2)


def test_columns_are_those_chosen_and_categories_otherwise():
    x = {"town": ["a", "a", "b"], "age": [30, 30, 40], "ill": ["yes", "no", "no"]}
    y = {"town": ["a", "a", "b"], "age": [30, 50, 50], "ill": ["no", "no", "no"]}
    comparison = compared(x, y)
    assert [measure(comparison) for measure in BOTH] == [0, pytest.approx(1)]
    # 30, 40, 50: 2, 1, 0 and 1, 0, 2, ranks 3, 2, 1 and 2, 1, 3
    assert by(comparison, "age") == (math.sqrt(6), pytest.approx(-0.5))
    # (a, yes), (a, no), (b, no): 1, 1, 1 and 0, 2, 1
    assert by(comparison, "town", "ill")[0] == math.sqrt(2)


def test_one_cell_has_a_distance_and_no_order():
    comparison = towns("aab", "ab")
    assert by(comparison, "age") == by(comparison, "age", "ill") == (1, None)


def test_without_a_category_there_is_no_value():
    schema = Schema((AGE, ILL))
    comparison = compared({"age": [1, 2], "ill": ["no"] * 2}, {"age": [1], "ill": ["no"]}, schema)
    assert [measure(comparison) for measure in BOTH] == [None, None]


# In plain Python


def plain(comparison: Comparison, names: list[str]) -> tuple[float, float | None]:
    """L2 over all cells of the domain, and Pearson's correlation of their ranks."""
    both = [
        table[names].to_dict("list") for table in (comparison.prepared.table, comparison.anonymized)
    ]
    listed = {name: comparison.schema.column(name).values or () for name in names}
    domains = [{*listed[name], *both[0][name], *both[1][name]} for name in names]
    counts = [Counter(zip(*(table[name] for name in names), strict=True)) for table in both]
    x, y = ([count[cell] for cell in itertools.product(*domains)] for count in counts)
    distance = math.sqrt(sum((a - b) ** 2 for a, b in zip(x, y, strict=True)))
    if len(set(x)) == 1 or len(set(y)) == 1:
        return distance, None
    return distance, correlation(mean_ranks(x), mean_ranks(y))


def mean_ranks(values: list[int]) -> list[float]:
    places: dict[int, list[int]] = {}
    for place, value in enumerate(sorted(values), 1):
        places.setdefault(value, []).append(place)
    rank = {value: fmean(of_value) for value, of_value in places.items()}
    return [rank[value] for value in values]


@every(seed=range(20))
def test_values_are_those_of_plain_python(seed):
    rng = np.random.default_rng(seed)
    case = tables.case(seed)
    first = Comparison.of(case.original, case.anonymized, case.source, case.schema)
    for comparison in (first, mixed_comparison(seed)):
        known = comparison.schema.public().names
        numbers = {c.name for c in comparison.schema.columns if c.is_numeric}
        default = [n for n in comparison.schema.quasi_identifiers if n not in numbers]
        chosen = rng.permutation(known)[: int(rng.integers(1, 4))].tolist()
        assert by(comparison, *chosen) == pytest.approx(plain(comparison, chosen), abs=1e-9)
        expected = plain(comparison, default) if default else (None, None)
        assert by(comparison) == pytest.approx(expected, abs=1e-9)


def test_listed_values_enlarge_the_domain():
    rng = np.random.default_rng(7)
    letters = "abcdefgh"
    columns = tuple(Column(n, Role.OTHER, Kind.CATEGORY, values=tuple(letters)) for n in ("p", "q"))
    schema = Schema((*columns, TOWN))
    x, y = (
        {
            "p": rng.choice(list(letters[:5]), n),
            "q": rng.choice(list(letters), n),
            "town": ["a"] * n,
        }
        for n in (60, 40)
    )
    comparison = compared(x, y, schema)
    got = by(comparison, "p", "q")
    assert got == pytest.approx(plain(comparison, ["p", "q"]), abs=1e-9)
    unlisted = Schema((Column("p", Role.OTHER, Kind.CATEGORY), columns[1], TOWN))
    assert by(compared(x, y, unlisted), "p", "q")[1] != got[1]


# Domains


def test_a_domain_beyond_any_memory_is_not_built():
    names = [f"c{i}" for i in range(30)]
    values = tuple(map(str, range(200)))
    schema = Schema(
        tuple(Column(n, Role.QUASI_IDENTIFIER, Kind.CATEGORY, values=values) for n in names)
    )
    rng = np.random.default_rng(1)
    x = {name: rng.choice(values, 50) for name in names}
    y = {name: column[:48] for name, column in x.items()}
    assert by(compared(x, y, schema)) == (math.sqrt(2), None)


def test_ranks_are_compared_over_a_million_cells_and_no_more():
    values = tuple(map(str, range(100)))
    columns = tuple(Column(n, Role.QUASI_IDENTIFIER, Kind.CATEGORY, values=values) for n in "pqr")
    table = {"p": ["1", "1", "2"], "q": ["1", "1", "3"], "r": ["5", "5", "6"]}
    assert by(compared(table, table, Schema(columns))) == (0, pytest.approx(1))
    assert contingency.MAX_CELLS == 100**3
    beyond = {**table, "s": ["1", "1", "2"]}
    further = Column("s", Role.QUASI_IDENTIFIER, Kind.CATEGORY, values=("1", "2"))
    assert by(compared(beyond, beyond, Schema((*columns, further)))) == (0, None)


def test_a_column_of_one_value_adds_no_cells():
    constant = Column("s", Role.QUASI_IDENTIFIER, Kind.CATEGORY, values=("1",))
    x = {"town": ["a", "a", "b"], "s": ["1"] * 3}
    y = {"town": ["a", "b", "b"], "s": ["1"] * 3}
    comparison = compared(x, y, Schema((TOWN, constant)))
    assert by(comparison, "town", "s") == by(comparison, "town")


# Options


def test_a_column_that_is_not_submitted_is_refused():
    schema = Schema((Column("name", Role.IDENTIFIER, Kind.CATEGORY), TOWN))
    table = pd.DataFrame({"town": ["a", "b"]})
    options = Options(table_columns=("name", "town", "wn"))
    with pytest.raises(ProblemsFound) as found:
        score(table, table, np.arange(2), schema, options=options, measures=["table-L2"])
    assert [(p.params["got"], p.params["expected"]) for p in found.value.problems] == [
        ("name", "columns out of: town"),
        ("wn", "columns out of: town"),
    ]
