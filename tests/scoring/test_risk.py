# SPDX-License-Identifier: Apache-2.0
"""Risk from class sizes: hand-computed tables, and plain Python on random ones."""

from __future__ import annotations

from collections import Counter
from fractions import Fraction

import numpy as np
import pandas as pd
import pytest

from scoring.evaluate import score
from scoring.scores.comparison import Comparison
from scoring.tables.schema import Column, Kind, Role, Schema
from tests.every import every
from tests.scoring import tables

SCHEMA = Schema((Column("town", Role.QUASI_IDENTIFIER, Kind.CATEGORY),))
IDS = (
    "prosecutor-risk",
    "prosecutor-mean",
    "at-risk",
    "sample-uniques",
    "journalist-risk",
    "journalist-mean",
    "marketer-risk",
    "population-uniques",
)


def risks(x: str, y: str) -> dict[str, float]:
    """The values for tables of one quasi-identifier, a letter for each record."""
    original, anonymized = (pd.DataFrame({"town": list(letters)}) for letters in (x, y))
    values = score(original, anonymized, np.arange(len(y)), SCHEMA, measures=IDS)
    return {id_: values[id_] for id_ in IDS}


def rounded(values: dict[str, Fraction]) -> dict[str, float]:
    return {id_: round(float(value), 9) for id_, value in values.items()}


# By hand


def test_classes_of_one_two_and_three():
    f = Fraction
    assert risks(x="aaaabbbccd", y="aaabbc") == rounded(
        {
            "prosecutor-risk": f(1),  # c is only
            "prosecutor-mean": f(3, 6),
            "at-risk": f(1),
            "sample-uniques": f(1, 6),
            "journalist-risk": f(1, 2),  # two c in the population
            "journalist-mean": f(3, 9),  # three classes, nine persons: more than the next line
            "marketer-risk": (f(3, 4) + f(2, 3) + f(1, 2)) / 6,
            "population-uniques": f(0),
        }
    )


def test_the_journalists_mean_is_the_larger_of_two():
    # Picking persons: 2 classes for 2 + 9 people. Picking records: (9 · 1/9 + 1 · 1/2) / 10.
    values = risks(x="aaaaaaaaabb", y="aaaaaaaaab")
    assert values["marketer-risk"] == 0.15
    assert values["journalist-mean"] == round(2 / 11, 9)


def test_values_that_the_population_lacks_lead_to_nobody():
    values = risks(x="aabb", y="zzzz")
    assert values["journalist-risk"] == values["journalist-mean"] == values["marketer-risk"] == 0
    assert values["prosecutor-risk"] == 0.25
    assert risks(x="abbb", y="ayzz")["population-uniques"] == 0.5  # y is unique in the sample only


def test_a_class_of_five_is_not_at_risk():
    assert risks(x="a" * 5 + "b" * 4, y="a" * 5 + "b" * 4)["at-risk"] == round(4 / 9, 9)


def test_without_quasi_identifiers_all_are_one_class():
    schema = Schema((Column("note", Role.OTHER, Kind.CATEGORY),))
    table = pd.DataFrame({"note": ["a", "b", "c", "d"]})
    values = score(table, table[:2], np.arange(2), schema, measures=IDS)
    assert values["prosecutor-risk"] == 0.5
    assert values["journalist-risk"] == values["marketer-risk"] == 0.25


def test_where_nothing_changed_the_marketer_finds_what_e1_finds():
    case = tables.case(9)
    x = case.original
    values = score(x, x, np.arange(len(x)), case.schema, measures=["marketer-risk", "E1"])
    assert values["marketer-risk"] == values["E1"] > 0


# Plain Python


def oracle(x: pd.DataFrame, y: pd.DataFrame, names: tuple[str, ...]) -> dict[str, float]:
    def vectors(table: pd.DataFrame) -> list[tuple]:
        return [tuple(row[name] for name in names) for row in table.to_dict("records")]

    sample, population = Counter(vectors(y)), Counter(vectors(x))
    records = vectors(y)
    n = len(records)
    finds = [Fraction(1, population[v]) if population[v] else Fraction(0) for v in records]
    met = [v for v in sample if population[v]]
    persons = Fraction(len(met), sum(population[v] for v in met)) if met else Fraction(0)
    alone = [v for v in records if sample[v] == 1]
    unique = [v for v in alone if population[v] == 1]
    return rounded(
        {
            "prosecutor-risk": max(Fraction(1, sample[v]) for v in records),
            "prosecutor-mean": sum((Fraction(1, sample[v]) for v in records), Fraction(0)) / n,
            "at-risk": Fraction(sum(sample[v] < 5 for v in records), n),
            "sample-uniques": Fraction(len(alone), n),
            "journalist-risk": max(finds),
            "journalist-mean": max(persons, sum(finds, Fraction(0)) / n),
            "marketer-risk": sum(finds, Fraction(0)) / n,
            "population-uniques": Fraction(len(unique), len(alone)) if alone else Fraction(0),
        }
    )


@every(seed=range(60))
def test_values_are_those_of_plain_python(seed):
    case = tables.case(seed)
    expected = oracle(case.original, case.anonymized, case.schema.quasi_identifiers)
    got = score(case.original, case.anonymized, case.source, case.schema, measures=IDS)
    assert {id_: got[id_] for id_ in IDS} == pytest.approx(expected, abs=1e-9)


def test_class_sizes_follow_the_anonymized_table():
    from scoring.measures.risk import class_sizes

    x, y = (pd.DataFrame({"town": list(letters)}) for letters in ("abbcc", "bbaz"))
    sample, population = class_sizes(Comparison.of(x, y, np.arange(4), SCHEMA))
    assert sorted(zip(sample.tolist(), population.tolist(), strict=True)) == [
        (1, 0),
        (1, 1),
        (2, 2),
    ]
