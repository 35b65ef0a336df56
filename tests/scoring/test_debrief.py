# SPDX-License-Identifier: Apache-2.0
"""The debriefing of a table: by which columns its records were found, and what each column cost."""

from __future__ import annotations

from itertools import combinations

import numpy as np
import pandas as pd
import pytest

from scoring.audits.columns import MAX_TOGETHER, fewest_columns, single_columns
from scoring.audits.debrief import debrief
from scoring.audits.single import SingleColumn, sentences
from scoring.datasets.households import households
from scoring.rulesets.loader import load_schema
from scoring.scores.comparison import Comparison
from scoring.tables.schema import Column, Kind, Role, Schema

SCHEMA = Schema(
    (
        Column("age", Role.QUASI_IDENTIFIER, Kind.INTEGER),
        Column("city", Role.QUASI_IDENTIFIER, Kind.CATEGORY),
        Column("job", Role.OTHER, Kind.CATEGORY),
        Column("balance", Role.SENSITIVE, Kind.INTEGER),
    )
)
# Four people: the first has a city of his own, nobody's job is, the last two differ in the balance only.
ORIGINAL = pd.DataFrame(
    {
        "age": [20, 30, 40, 40],
        "city": ["A", "B", "B", "B"],
        "job": ["x", "x", "y", "y"],
        "balance": [5, 6, 7, 9],
    }
)
OWN = np.arange(4)


def test_a_column_finds_who_is_nearest_to_the_own_original_and_no_tie():
    table = ORIGINAL.assign(age=[26, 33, 40, 40], city=["A", "A", "B", "B"])
    found = {one.column: one for one in single_columns(ORIGINAL, table, OWN, SCHEMA)}
    # 26 is nearer to 30 than to 20, 33 to 30; two people are 40.
    assert {name: one.n_found for name, one in found.items()} == {
        "age": 1,
        "city": 1,
        "job": 0,
        "balance": 4,
    }
    assert [name for name, one in found.items() if one.is_unchanged] == ["job", "balance"]


def test_the_smallest_set_is_named_and_nothing_where_there_is_none():
    table = ORIGINAL.assign(balance=[9, 9, 8, 8])
    assert fewest_columns(ORIGINAL, table, OWN, SCHEMA) == [("city",), ("age",), (), ()]
    table = ORIGINAL.assign(age=[40, 40, 40, 40], city=list("ABBB"), balance=[7, 7, 8, 8])
    # The second is the only one in B whose job is x.
    assert fewest_columns(ORIGINAL, table, OWN, SCHEMA)[1] == ("city", "job")


def test_decoys_are_candidates_too():
    decoys = pd.concat([ORIGINAL.iloc[[0]].assign(balance=1), ORIGINAL], ignore_index=True)
    assert fewest_columns(ORIGINAL, ORIGINAL, OWN, SCHEMA)[0] == ("city",)
    assert fewest_columns(decoys, ORIGINAL, OWN + 1, SCHEMA)[0] == ("balance",)
    with pytest.raises(ValueError, match="expected 4 rows, got 2"):
        fewest_columns(decoys, ORIGINAL, OWN[:2], SCHEMA)


def gap(original: pd.DataFrame, record: pd.Series, own: int, columns: tuple[str, ...]) -> float:
    """The distance of the nearest other original less that of the own one: cell by cell."""

    def apart(row: pd.Series) -> float:
        total = 0.0
        for name in columns:
            if isinstance(row[name], str):
                total += row[name] != record[name]
            else:
                spread = float(original[name].max() - original[name].min())
                total += abs(row[name] - record[name]) / spread if spread else 0.0
        return total

    distances = [apart(row) for _, row in original.iterrows()]
    return min(d for at, d in enumerate(distances) if at != own) - distances[own]


@pytest.mark.long
def test_sets_agree_with_a_search_cell_by_cell():
    columns = load_schema("households").public().columns
    schema = Schema((*columns[:5], *columns[-3:]))
    original = households(25, seed=3)[list(schema.names)]
    rng = np.random.default_rng(4)
    table = original.copy()
    for name in schema.names:
        moved = rng.permutation(25) < 12
        table.loc[moved, name] = original[name].to_numpy()[rng.permutation(25)][moved]
    own = np.arange(25)
    names = schema.names
    by_itself = {one.column: one.n_found for one in single_columns(original, table, own, schema)}
    fewest = fewest_columns(original, table, own, schema)
    for name in names:
        gaps = [gap(original, table.iloc[at], at, (name,)) for at in own]
        assert by_itself[name] == sum(g > 1e-9 for g in gaps), name
    for at in (0, 7, 13):
        sizes = [
            size
            for size in range(1, MAX_TOGETHER + 1)
            if any(gap(original, table.iloc[at], at, s) > 1e-9 for s in combinations(names, size))
        ]
        assert len(fewest[at]) == (sizes[0] if sizes else 0)
        if fewest[at]:
            assert gap(original, table.iloc[at], at, fewest[at]) > 1e-9


def test_a_debriefing_has_rows_of_the_original_and_no_value():
    table = ORIGINAL.iloc[[3, 0, 1]].assign(age=[40, 21, 40]).reset_index(drop=True)
    comparison = Comparison.of(ORIGINAL, table, np.array([3, 0, 1]), SCHEMA)
    found = debrief(comparison, {0: 2, 3: 1, 2: 2}, n_attackers=2)
    assert (found.n_records, found.n_found, found.times) == (3, 2, (1, 1, 1))
    assert [(one.row, one.times, one.columns) for one in found.records] == [
        (0, 2, ("city",)),
        (3, 1, ("balance",)),
    ]
    assert found.records[0].unchanged == ("city",)
    columns = {column.name: column for column in found.columns}
    # Of four records one is deleted; the ages 20 and 30 move by 1 and 10 of a range of 20.
    assert columns["age"].loss == pytest.approx((1 + 0.05 + 0.5) / 4)
    assert columns["city"].loss == 0.25
    assert (columns["balance"].l, columns["city"].l) == (1, None)
    assert columns["balance"].t is not None
    assert found.to_dict()["records"][0]["row"] == 0


def test_nearly_everybody_is_a_sentence():
    found = [SingleColumn("age", 89, 100, True), SingleColumn("city", 90, 100, False)]
    found.append(SingleColumn("balance", 94, 100, True))
    assert sentences(found, lambda rate: f"{rate:.0%}") == [
        "balance was not changed: by itself it finds 94% of the records.",
        "city by itself finds 90% of the records.",
    ]
    said = sentences(found[1:] * 3, lambda rate: f"{rate:.0%}")
    assert len(said) == 4
    assert said[3] == "Columns that do the same by themselves, at 90% or more: 3 further ones."
