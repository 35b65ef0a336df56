"""Diversity of sensitive values: published tables, hand-computed ones, and plain Python."""

from __future__ import annotations

import math
from collections import Counter
from fractions import Fraction

import numpy as np
import pandas as pd
import pytest

from scoring.comparison import Comparison
from scoring.evaluate import score
from scoring.measures.diversity import sensitive_counts
from scoring.schema import Column, Kind, Role, Schema

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
    from scoring.diversity import ordered_emd

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


@pytest.mark.parametrize("seed", range(60))
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
