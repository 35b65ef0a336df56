# SPDX-License-Identifier: Apache-2.0
"""β-likeness, δ-disclosure privacy and hierarchical t-closeness: published figures, and manually."""

from __future__ import annotations

import math
from fractions import Fraction

import numpy as np
import pandas as pd
import pytest

from scoring.errors import ProblemsFound
from scoring.evaluate import score
from scoring.measures.diversity import keeps_enhanced
from scoring.privacy.diversity import ClassCounts, hierarchical_emd, total_variation
from scoring.rulesets import load_ruleset, parse_ruleset
from scoring.scores.comparison import Comparison, Options
from scoring.tables.hierarchies import nested_groups
from scoring.tables.schema import Column, Kind, Role, Schema
from tests.every import every
from tests.scoring.test_diversity import MATH_SCORES, MATH_SCORES_5_ANONYMOUS

LIKENESS = ("beta", "beta-enhanced", "delta-disclosure")
SCHEMA = Schema(
    (
        Column("class", Role.QUASI_IDENTIFIER, Kind.CATEGORY),
        Column("s", Role.SENSITIVE, Kind.CATEGORY),
    )
)


def frame(parts) -> pd.DataFrame:
    rows = [(str(i), str(value)) for i, part in enumerate(parts) for value in part]
    return pd.DataFrame(rows, columns=["class", "s"])


def of(parts, *ids: str, **options) -> list[float]:
    table = frame(parts)
    rows = np.arange(len(table))
    values = score(table, table, rows, SCHEMA, measures=ids, options=Options(**options))
    return [values[id_] for id_ in ids]


# pyCANON 1.3.6, tests/test_reports.py, class TestMath: β, enhanced β and δ of the scores of students.
@pytest.mark.parametrize(
    ("text", "published"),
    [
        (MATH_SCORES, (71, 5.375278407684164, 4.276666119016055)),
        (MATH_SCORES_5_ANONYMOUS, (29.8, 5.036952602413629, 3.4275146899795286)),
    ],
)
def test_the_scores_of_students(text, published):
    values = of([part.split() for part in text.split(";")], *LIKENESS)
    assert values == pytest.approx(list(published), abs=1e-9)


def test_likeness_computed_manually():
    # aab and abb of six records: p = 1/2, q = 2/3 and 1/3. β = 1/3; ln(4/3) and ln(3/2): δ = ln 1.5.
    beta, enhanced, delta = of(["aab", "abb"], *LIKENESS)
    assert (beta, delta) == (round(1 / 3, 9), round(math.log(1.5), 9))
    assert enhanced == beta
    # aaa and b: b gains (1 - 1/4) / (1/4) = 3 and may gain ln 4; a gains 1/3 and may gain ln(4/3).
    assert of(["aaa", "b"], *LIKENESS) == [3, round(math.log(4), 9), round(math.log(4), 9)]


def test_enhanced_likeness_bounds_frequent_values_whatever_beta_is():
    def keeps(parts, beta):
        table = frame(parts)
        return keeps_enhanced(Comparison.of(table, table, np.arange(len(table)), SCHEMA), beta)

    assert keeps(["aab", "abb"], 1 / 3)
    assert not keeps(["aab", "abb"], 0.33)
    assert not keeps(["aaa", "b"], 1e9)  # b gains 3, more than ln 4


def test_a_value_that_a_class_lacks_is_left_out():
    assert of(["aabb", "ab", "bb"], "delta-disclosure") == [round(math.log(8 / 5), 9)]


# Hierarchical distance

# Li, Li & Venkatasubramanian, "t-Closeness: Privacy Beyond k-Anonymity and l-Diversity", section on
# categorical attributes: flu and bronchitis are 1/3 apart, flu and pulmonary embolism 2/3, flu and
# stomach cancer 1.
DISEASES = {
    "flu": ("infection", "respiratory"),
    "bronchitis": ("infection", "respiratory"),
    "pulmonary embolism": ("vascular", "respiratory"),
    "stomach cancer": ("stomach", "digestive"),
}


@pytest.mark.parametrize(
    ("other", "apart"),
    [("bronchitis", 1 / 3), ("pulmonary embolism", 2 / 3), ("stomach cancer", 1), ("flu", 0)],
)
def test_diseases_are_as_far_apart_as_the_paper_says(other, apart):
    names = list(DISEASES)
    groups = nested_groups(names, [{n: DISEASES[n][i] for n in names} for i in (0, 1)])
    counts = ClassCounts.of_matrix(np.array([[1, 0, 0, 0]]))
    whole = np.array([int(name == other) for name in names])
    assert hierarchical_emd(counts, groups, whole).tolist() == [pytest.approx(apart)]


def hierarchies(column="s", **values):
    definition = {
        value: {f"depth_{i}": label for i, label in enumerate(labels, start=1)}
        for value, labels in values.items()
    }
    return {column: {"type": "category", "definition": definition}}


def test_t_closeness_takes_the_hierarchy_of_the_options():
    tree = hierarchies(a=["x"], b=["x"], c=["y"], d=["y"])
    # aa|cc of aabb|ccdd …: the class of two a differs from a and b at 1/4 each, c and d at 1/4 each.
    parts = ["ab", "cd"]
    # All values apart: 1/2. In the tree half of the mass goes to the other branch: 1/2 · 1.
    assert of(parts, "t-closeness") == [0.5]
    assert of(parts, "t-closeness", hierarchies=tree) == [0.5]
    # Classes ac and bd have the shares of the branches: 1/2 moves within them, at half the cost.
    assert of(["ac", "bd"], "t-closeness") == [0.5]
    assert of(["ac", "bd"], "t-closeness", hierarchies=tree) == [0.25]


def test_a_value_that_the_hierarchy_lacks_is_as_far_as_can_be_from_all():
    tree = hierarchies(a=["x"], b=["x"])
    assert of(["ae", "be"], "t-closeness", hierarchies=tree) == [0.125]
    assert of(["ab", "ee"], "t-closeness", hierarchies=tree) == [0.5]


def plain_distance(p: list[Fraction], q: list[Fraction], groups: np.ndarray) -> Fraction:
    """The cost of moving what is too much to where it lacks, the nearest first."""
    surplus = [a - b for a, b in zip(p, q, strict=True)]
    height = len(groups)
    total = Fraction(0)
    for at in range(1, height + 1):
        same = groups[at] if at < height else np.zeros(len(p), dtype=int)
        for i in range(len(p)):
            for j in range(len(p)):
                if same[i] == same[j] and surplus[i] > 0 > surplus[j]:
                    moved = min(surplus[i], -surplus[j])
                    surplus[i] -= moved
                    surplus[j] += moved
                    total += moved * Fraction(at, height)
    return total


@every(seed=range(40))
def test_the_distance_is_that_of_moving_step_by_step(seed):
    rng = np.random.default_rng(seed)
    n_values, n_classes = int(rng.integers(2, 9)), int(rng.integers(1, 5))
    fine = rng.integers(0, 4, n_values)
    labels = [
        {str(i): str(label) for i, label in enumerate(fine)},
        {str(i): str(label // 2) for i, label in enumerate(fine)},
    ]
    groups = nested_groups([str(i) for i in range(n_values)], labels)
    matrix = rng.integers(0, 5, (n_classes, n_values))
    matrix[:, 0] += matrix.sum(axis=1) == 0
    if groups[-1].max() == 0:
        groups = groups[:-1]  # the root
    found = hierarchical_emd(ClassCounts.of_matrix(matrix), groups)
    whole = [Fraction(int(n), int(matrix.sum())) for n in matrix.sum(axis=0)]
    for row, distance in zip(matrix, found, strict=True):
        shares = [Fraction(int(n), int(row.sum())) for n in row]
        assert distance == pytest.approx(float(plain_distance(shares, whole, groups)))


def test_a_tree_of_one_level_is_the_equal_distance():
    rng = np.random.default_rng(1)
    matrix = rng.integers(0, 4, (6000, 5))
    matrix[:, 0] += 1
    counts = ClassCounts.of_matrix(matrix)
    flat = hierarchical_emd(counts, np.arange(5)[None])
    assert flat == pytest.approx(total_variation(counts))


def test_levels_that_are_not_nested_are_refused():
    crossed = hierarchies(a=["x", "1"], b=["x", "2"], c=["y", "1"])
    with pytest.raises(ProblemsFound, match=r"hierarchies\.s"):
        of(["ab", "c"], "t-closeness", hierarchies=crossed)
    with pytest.raises(ProblemsFound, match="class"):
        of(["ab", "c"], "t-closeness", hierarchies=hierarchies("class", a=["x"]))


# Compared with the original


def test_classes_are_compared_with_the_original_where_the_options_say_so():
    original, released = frame(["ab", "aa"]), frame(["ab"])
    values = {
        table: score(
            original,
            released,
            np.arange(2),
            SCHEMA,
            measures=["t-closeness"],
            options=Options(closeness=table),
        )["t-closeness"]
        for table in ("anonymized", "original")
    }
    assert values == {"anonymized": 0, "original": 0.25}


def test_a_ruleset_sets_what_it_may_leave_out():
    text = load_ruleset("pwscup2015").text
    assert parse_ruleset(text).options == Options()
    with_options = text.replace(
        'ties = "expected"',
        'ties = "expected"\ncloseness = "original"\npopulation_fraction = 0.25\n'
        'weight_column = "age"\nhierarchies = {}',
    )
    with pytest.raises(ProblemsFound, match=r"scoring\.options\.weight_column"):
        parse_ruleset(with_options)
    amount = next(c.name for c in load_ruleset("pwscup2015").schema.columns if c.is_numeric)
    options = parse_ruleset(with_options.replace('"age"', f'"{amount}"')).options
    assert (options.closeness, options.population_fraction) == ("original", 0.25)
    assert options.weight_column == amount
