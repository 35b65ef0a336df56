# SPDX-License-Identifier: Apache-2.0
"""LOSS: the lecture's example manually, and the definition in plain Python on random tables."""

from __future__ import annotations

import numpy as np
import pandas as pd
import pytest

from scoring.evaluate import score
from scoring.measures.loss import mean_normalised_loss
from scoring.scores.comparison import Comparison
from scoring.tables.schema import Column, Kind, Role, Schema
from tests.every import every
from tests.scoring import tables

SCHEMA = Schema(
    (
        Column("age", Role.QUASI_IDENTIFIER, Kind.CATEGORY),
        Column("amount", Role.SENSITIVE, Kind.NUMBER),
        Column("note", Role.OTHER, Kind.CATEGORY),
        Column("name", Role.IDENTIFIER, Kind.CATEGORY),
    )
)
LECTURE = Schema(
    (
        Column("age", Role.SENSITIVE, Kind.INTEGER),
        Column("city", Role.QUASI_IDENTIFIER, Kind.CATEGORY),
    )
)


def frame(*rows, names=("age", "amount", "note")):
    return pd.DataFrame(list(rows), columns=list(names))


def loss(original, anonymized, source, schema=SCHEMA):
    source = np.array(source, dtype=np.int64)
    return mean_normalised_loss(Comparison.of(original, anonymized, source, schema))


def test_the_lecture_example():
    original = frame((20, "A"), (30, "A"), (40, "B"), (50, "B"), names=("age", "city"))
    anonymized = frame((20, "A"), (40, "A"), (40, "A"), names=("age", "city"))
    assert loss(original, anonymized, [0, 1, 2], LECTURE) == pytest.approx(5 / 12)
    values = score(original, anonymized, np.arange(3), LECTURE, measures=["LOSS"])
    assert round(100 * (1 - values["LOSS"]), 2) == 58.33


def test_all_columns_count_but_identifiers():
    original = frame(("a", 0.0, "x"), ("b", 10.0, "y")).assign(name=["p", "q"])
    anonymized = frame(("a", 5.0, "z"), ("b", 10.0, "y"))
    assert loss(original, anonymized, [0, 1]) == pytest.approx((0 + 0.25 + 0.5) / 3)


def test_a_number_loses_no_more_than_all_of_it():
    original = frame(("a", 0.0, "x"), ("a", 10.0, "x"))
    anonymized = frame(("a", 1000.0, "x"), ("a", 10.0, "x"))
    assert loss(original, anonymized, [0, 1]) == pytest.approx(0.5 / 3)


def test_a_number_that_is_constant_loses_all_where_it_changes():
    original = frame(("a", 7.0, "x"), ("a", 7.0, "x"))
    anonymized = frame(("a", 7.0, "x"), ("a", 7.5, "x"))
    assert loss(original, anonymized, [0, 1]) == pytest.approx(0.5 / 3)


def test_what_is_left_of_one_record_of_four():
    original = frame(*[("a", float(i), "x") for i in range(4)])
    assert loss(original, original.iloc[[2]], [2]) == 0.75


def test_a_table_that_lacks_a_column_is_refused():
    original = frame(("a", 0.0, "x"), ("b", 10.0, "y"))
    with pytest.raises(ValueError, match="anonymized: expected columns note"):
        loss(original, original.drop(columns="note"), [0, 1])


def slow_loss(case):
    """Column by column, record by record."""
    originals = case.original.to_dict("records")
    made = dict(zip(case.source.tolist(), case.anonymized.to_dict("records"), strict=True))
    means = []
    for column in case.schema.columns:
        if column.role is Role.IDENTIFIER:
            continue
        values = [record[column.name] for record in originals]
        losses = []
        for row, x in enumerate(values):
            if row not in made:
                losses.append(1.0)
                continue
            y = made[row][column.name]
            if not column.is_numeric or max(values) == min(values):
                losses.append(float(x != y))
            else:
                losses.append(min(1.0, abs(x - y) / (max(values) - min(values))))
        means.append(sum(losses) / len(losses))
    return sum(means) / len(means)


@every(50, seed=range(200))
def test_values_are_those_of_plain_python(seed):
    case = tables.case(seed)
    got = loss(case.original, case.anonymized, case.source, case.schema)
    assert got == pytest.approx(slow_loss(case), abs=1e-12)
    assert 0 <= got <= 1
