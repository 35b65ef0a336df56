# SPDX-License-Identifier: Apache-2.0
"""Diversity of sensitive values: published tables, hand-computed ones, and plain Python."""

from __future__ import annotations

import math
from collections import Counter
from fractions import Fraction

import numpy as np
import pandas as pd
import pytest

from scoring.evaluate import score
from scoring.measures.diversity import sensitive_counts
from scoring.scores.comparison import Comparison
from scoring.tables.schema import Column, Kind, Role, Schema
from tests.every import every

IDS = ("distinct-l", "entropy-l", "recursive-l", "t-closeness", "alpha")


def diversity(classes: list[str], **columns: list) -> dict[str, float | int | None]:
    """The values for classes and sensitive columns: lists of numbers are amounts, others categories."""
    kinds = {
        name: Kind.CATEGORY if isinstance(values[0], str) else Kind.NUMBER
        for name, values in columns.items()
    }
    schema = Schema(
        (
            Column("class", Role.QUASI_IDENTIFIER, Kind.CATEGORY),
            *(Column(name, Role.SENSITIVE, kind) for name, kind in kinds.items()),
        )
    )
    table = pd.DataFrame({"class": classes} | columns)
    values = score(table, table, np.arange(len(table)), schema, measures=IDS)
    return {id_: values[id_] for id_ in IDS}


# Published tables

# Machanavajjhala, Kifer, Gehrke & Venkitasubramaniam, "l-Diversity: Privacy Beyond k-Anonymity",
# figures of the 4-anonymous and of the 3-diverse inpatient table: conditions by their first letter.
FOUR_ANONYMOUS = ("HHVV", "CHVV", "CCCC")
THREE_DIVERSE = ("HVCC", "CHVV", "HVCC")
# Li, Li & Venkatasubramanian, "t-Closeness: Privacy Beyond k-Anonymity and l-Diversity", tables of
# the 3-diverse table and of the one that is 0.167-close to the whole in salary: thousands.
SALARIES_3_DIVERSE = ([3, 4, 5], [6, 11, 8], [7, 9, 10])
SALARIES_CLOSE = ([3, 5, 9], [6, 11, 8], [4, 7, 10])


def of_parts(parts: tuple) -> dict[str, float | int | None]:
    classes = [str(i) for i, part in enumerate(parts) for _ in part]
    return diversity(classes, s=[value for part in parts for value in part])


def test_the_inpatient_tables():
    four, three = of_parts(FOUR_ANONYMOUS), of_parts(THREE_DIVERSE)
    assert (four["distinct-l"], three["distinct-l"]) == (1, 3)
    assert (four["entropy-l"], four["alpha"]) == (1, 1)
    # Every class of the second has the counts 2, 1, 1: an entropy of 1.5 · ln 2.
    assert three["entropy-l"] == pytest.approx(2**1.5, abs=1e-9)
    assert (three["recursive-l"], three["alpha"]) == (3, 0.5)


def test_the_salaries():
    assert of_parts(SALARIES_3_DIVERSE)["t-closeness"] == 0.375
    assert round(of_parts(SALARIES_CLOSE)["t-closeness"], 3) == 0.167


def test_the_salaries_of_one_class_are_the_papers():
    """D[{6k, 8k, 11k}, Q] = 0.167, the least of the two classes that the paper works out."""
    from scoring.privacy.diversity import ordered_emd

    classes = [str(i) for i, part in enumerate(SALARIES_3_DIVERSE) for _ in part]
    salaries = [value for part in SALARIES_3_DIVERSE for value in part]
    schema = Schema(
        (
            Column("class", Role.QUASI_IDENTIFIER, Kind.CATEGORY),
            Column("salary", Role.SENSITIVE, Kind.INTEGER),
        )
    )
    table = pd.DataFrame({"class": classes, "salary": salaries})
    [(counts, is_numeric)] = sensitive_counts(Comparison.of(table, table, np.arange(9), schema))
    assert is_numeric
    assert ordered_emd(counts).round(3).tolist()[:2] == [0.375, 0.167]


# pyCANON 1.3.5, tests/test_anonymity.py, class TestMathScores (Apache-2.0): 216 scores of students in
# 46 classes on five quasi-identifiers, and 154 of them made 5-anonymous. Of the data only the ranks
# of the scores in each class are kept, which is all that the values depend on.
MATH_SCORES = """
3 23 24 27 49; 7 19 29 41; 0 0 9 22 39 42 43; 26 35 36; 33 34; 4 18 32 44; 0 5 19 23 38 39 40;
1 11 34 35; 4 6 18 31 45; 7 10 35 39; 2 3 15; 14 15 21 34; 8 17 25 31 32; 7 8 25 40 43; 1 2 3
17 21 26 36 41 47; 35 39; 35 58; 24; 15 38 52 53 58; 32 51; 18 20 27 28 46 50 56 62; 36 49 59;
14 17 33 41 51; 27 29 34 44 47 54 62; 13 15 32 39 47; 32 43 52; 15 18 19 20 20 27 31 51 54 54
62; 16 27 40; 19 22; 12 24 26 36 46 58; 29 38 46 49; 30 39 50 50 54; 20 32; 20 32 37 49 49 60;
23 52 52 60; 25 28; 25 31 35 56 58; 19 20 25 31 35 43 50 55; 45 50 50 51; 40 44 56 56 60; 13
15 23 28 52 56; 19 28 29 33 46 54; 12 26 30 35 37; 12 14 18 42 46 46 57; 20 26 38 39 61; 24 24
24 34 48 58
"""
MATH_SCORES_5_ANONYMOUS = """
3 20 21 24 46; 0 0 9 19 36 39 40; 0 5 16 20 35 36 37; 4 6 15 28 42; 8 14 22 28 29; 7 8 22 37
40; 1 2 3 14 18 23 33 38 44; 13 35 49 50 55; 15 17 24 25 43 47 53 58; 12 14 30 38 48; 24 26 31
41 44 51 58; 11 13 29 36 44; 13 15 16 17 17 24 28 48 51 51 58; 10 21 23 33 43 55; 27 36 47 47
51; 17 29 34 46 46 56; 22 28 32 53 55; 16 17 22 28 32 40 47 52; 37 41 53 53 56; 11 13 20 25 49
53; 16 25 26 30 43 51; 10 23 27 32 34; 10 12 15 39 43 43 54; 17 23 35 36 57; 21 21 21 31 45 55
"""


def of_ranks(text: str) -> dict[str, float | int | None]:
    return of_parts(tuple([int(rank) for rank in part.split()] for part in text.split(";")))


def test_the_scores_of_students():
    values = of_ranks(MATH_SCORES)
    assert values["t-closeness"] == round(0.4165919952210274, 9)
    assert (values["distinct-l"], values["entropy-l"], values["alpha"]) == (1, 1, 1)


def test_the_scores_of_students_made_anonymous():
    values = of_ranks(MATH_SCORES_5_ANONYMOUS)
    assert (values["distinct-l"], values["alpha"]) == (4, 0.5)
    # pyCANON gives c = 1 for l = 4; but where one score has three records and three scores one
    # each, 3 < c · 1 takes a larger c, and with c = 3 it is l = 3: 3 < 3 · (1 + 1).
    assert values["recursive-l"] == 3


# By hand


def test_the_tail_counts_in_descending_order():
    # 4 < 3 · (1 + 1) but not 3 · 1. In the order of the values, 1 4 1 or 1 1 4, other sums come out.
    assert of_parts(("abbbbc",))["recursive-l"] == 2
    assert of_parts(("abcccc",))["recursive-l"] == 2
    # 3 < 3 · 1 is false: the bound is strict.
    assert of_parts(("aaab",))["recursive-l"] == 1


def test_the_effective_number_is_not_floored():
    assert of_parts(("aab",))["entropy-l"] == pytest.approx(3 / 2 ** (2 / 3), abs=1e-9)
    assert of_parts(("abc",))["entropy-l"] == 3


def test_categories_differ_by_total_variation():
    # aab against the whole, 3 a and 3 b of 6: |2/3 - 1/2| = 1/6, and the same for abb.
    assert of_parts(("aab", "abb"))["t-closeness"] == round(1 / 6, 9)
    assert of_parts(("a", "bbb"))["t-closeness"] == 0.75


def test_amounts_count_by_rank():
    assert of_parts(([1, 1], [2, 2]))["t-closeness"] == 0.5
    assert (
        of_parts(([0, 5], [10**6, 7]))["t-closeness"] == of_parts(([1, 2], [4, 3]))["t-closeness"]
    )


def test_the_worst_column_counts():
    values = diversity(["a"] * 3 + ["b"] * 3, s=[1, 2, 3, 1, 2, 3], d=list("xxyxyy"))
    assert (values["distinct-l"], values["alpha"]) == (2, round(2 / 3, 9))
    assert values["t-closeness"] == round(1 / 6, 9)


def test_one_class_is_like_the_whole_table():
    values = diversity(["a"] * 4, s=[1, 2, 3, 4], d=list("xyzz"))
    assert values["t-closeness"] == 0
    assert diversity(["a", "b"], s=[5, 5])["t-closeness"] == 0


def test_without_sensitive_columns_there_is_no_value():
    assert set(diversity(["a", "b"]).values()) == {None}


# Plain Python


def plain(classes: list[str], values: list, is_numeric: bool) -> dict[str, float | int]:
    """The five values of one column, a loop over the classes and over the values."""
    domain, n = sorted(set(values)), len(values)
    found: dict[str, list] = {id_: [] for id_ in IDS}
    for class_ in set(classes):
        members = [v for v, c in zip(values, classes, strict=True) if c == class_]
        counts = sorted(Counter(members).values(), reverse=True)
        size = len(members)
        found["distinct-l"].append(len(counts))
        found["entropy-l"].append(math.exp(-sum(c / size * math.log(c / size) for c in counts)))
        fits = [i for i in range(1, len(counts) + 1) if counts[0] < 3 * sum(counts[i - 1 :])]
        found["recursive-l"].append(max(fits))
        found["alpha"].append(counts[0] / size)
        apart = [
            Fraction(members.count(value), size) - Fraction(values.count(value), n)
            for value in domain
        ]
        if is_numeric:
            carried = [abs(sum(apart[: i + 1])) for i in range(len(domain) - 1)]
            found["t-closeness"].append(sum(carried) / max(len(domain) - 1, 1))
        else:
            found["t-closeness"].append(sum(map(abs, apart)) / 2)
    worst = {id_: max if id_ in ("t-closeness", "alpha") else min for id_ in IDS}
    return {id_: round(float(worst[id_](found[id_])), 9) for id_ in IDS}


@every(seed=range(60))
def test_values_are_those_of_plain_python(seed):
    rng = np.random.default_rng(seed)
    n = int(rng.integers(1, 30))
    classes = [str(value) for value in rng.integers(0, rng.integers(1, 6), n)]
    letters = [str(value) for value in rng.integers(0, rng.integers(1, 6), n)]
    amounts = (rng.integers(0, rng.integers(1, 40), n) / 3).round(4).tolist()
    for column, is_numeric in ((letters, False), (amounts, True)):
        assert diversity(classes, s=column) == pytest.approx(
            plain(classes, column, is_numeric), abs=1e-9
        )


def test_amounts_need_no_matrix_of_classes_and_values():
    """8,333 classes of one record and 8,333 amounts: the pairs that occur, not 69 million."""
    n = 8333
    schema = Schema(
        (
            Column("class", Role.QUASI_IDENTIFIER, Kind.CATEGORY),
            Column("s", Role.SENSITIVE, Kind.NUMBER),
        )
    )
    table = pd.DataFrame({"class": [str(i) for i in range(n)], "s": np.arange(n) / 7})
    [(counts, _)] = sensitive_counts(Comparison.of(table, table, np.arange(n), schema))
    assert counts.counts.nbytes + counts.values.nbytes + counts.starts.nbytes < 32 * n
