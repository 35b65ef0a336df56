# SPDX-License-Identifier: Apache-2.0
"""Swaps between neighbouring ranks and between classes, against exact distributions."""

from __future__ import annotations

from collections import Counter
from fractions import Fraction
from itertools import pairwise

import numpy as np
import pandas as pd
import pytest

from scoring.anonymizers import anonymize, swapping
from scoring.anonymizers.swapping import pairs_across, rank_partners
from scoring.datasets.households import HOUSEHOLDS_SCHEMA, households
from scoring.errors import ProblemsFound
from scoring.tables.equivalence import Classes
from scoring.tables.schema import Column, Kind, Role, Schema
from tests.every import every

QI, SA, OTHER = Role.QUASI_IDENTIFIER, Role.SENSITIVE, Role.OTHER


def run(original, schema, method, seed=1, **options):
    return anonymize(original, schema, [(method, options)], rng=np.random.default_rng(seed)).table


# --- ranks ---


def exact_partners(n, reach):
    """The probability of every outcome: each rank in turn takes a free one within reach."""
    outcomes = Counter()

    def step(rank, partner, probability):
        if rank == n:
            outcomes[tuple(partner)] += probability
            return
        free = [r for r in range(rank + 1, min(rank + reach, n - 1) + 1) if partner[r] == r]
        if partner[rank] != rank or not free:
            step(rank + 1, partner, probability)
            return
        for other in free:
            swapped = list(partner)
            swapped[rank], swapped[other] = other, rank
            step(rank + 1, swapped, probability / len(free))

    step(0, list(range(n)), Fraction(1))
    return outcomes


@pytest.mark.parametrize("draws", [0, 1, 32])
@pytest.mark.parametrize(("n", "reach"), [(4, 3), (5, 2), (6, 3)])
def test_partners_have_their_exact_probabilities(n, reach, draws, monkeypatch):
    monkeypatch.setattr(swapping, "_DRAWS", draws)
    rng, n_runs = np.random.default_rng(1), 4000
    found = Counter(tuple(rank_partners(n, reach, rng).tolist()) for _ in range(n_runs))
    expected = exact_partners(n, reach)
    assert set(found) == set(expected)
    for outcome, probability in expected.items():
        p = float(probability)
        assert found[outcome] == pytest.approx(n_runs * p, abs=5 * (n_runs * p * (1 - p)) ** 0.5)


@pytest.mark.parametrize(("n", "reach"), [(1, 1), (2, 1), (101, 1), (100, 7), (57, 100), (30, 0)])
def test_partners_swap_within_reach(n, reach):
    partners = rank_partners(n, reach, np.random.default_rng(5))
    ranks = np.arange(n)
    assert (partners[partners] == ranks).all()
    assert np.abs(partners - ranks).max() <= reach
    # Two free ranks within reach of each other would have been swapped.
    free = ranks[partners == ranks]
    assert all(second - first > reach for first, second in pairwise(free))


@pytest.mark.parametrize("p", [0, 2, 10, 100])
def test_ranks_differ_by_p_percent_at_most(p):
    schema = Schema((Column("a", SA, Kind.INTEGER), Column("b", SA, Kind.INTEGER)))
    rng = np.random.default_rng(2)
    original = pd.DataFrame({"a": rng.permutation(150), "b": rng.permutation(150)})
    done = run(original, schema, "rank-swap", p=p)
    for name in "ab":
        assert sorted(done[name]) == list(range(150))
        assert np.abs(done[name] - original[name]).max() <= p * 150 / 100
        assert (done[name] != original[name]).any() == (p > 0)
    if p:
        assert ((done["a"] - original["a"]) != (done["b"] - original["b"])).any()


def test_a_table_too_small_for_p_stays():
    original = households(19, seed=1)
    pd.testing.assert_frame_equal(run(original, HOUSEHOLDS_SCHEMA, "rank-swap", p=5), original)
    assert not run(original, HOUSEHOLDS_SCHEMA, "rank-swap", p=6).equals(original)


def test_categories_rank_in_the_order_of_the_schema():
    sizes = ("small", "medium", "large", "huge")
    schema = Schema((Column("size", QI, Kind.CATEGORY, values=sizes),))
    original = pd.DataFrame({"size": np.repeat(sizes, 10)}).astype("str")
    done = run(original, schema, "rank-swap", p=25, columns=("size",))
    assert Counter(done["size"]) == dict.fromkeys(sizes, 10)
    steps = [
        abs(sizes.index(a) - sizes.index(b))
        for a, b in zip(original["size"], done["size"], strict=True)
    ]
    assert set(steps) == {0, 1}


def test_equal_values_rank_in_random_order():
    schema = Schema((Column("a", SA, Kind.INTEGER),))
    original = pd.DataFrame({"a": [0] * 50 + [1] * 50})
    moved = [
        set(
            np.flatnonzero(run(original, schema, "rank-swap", seed=seed, p=2)["a"] != original["a"])
        )
        for seed in range(20)
    ]
    assert len(set().union(*moved)) > 10


# --- classes ---


def most_pairs(classes):
    """The largest number of pairs of two classes each: one class may be in the way."""
    return min(len(classes) // 2, len(classes) - max(Counter(classes).values()))


@every(seed=range(60))
def test_as_many_pairs_as_can_be(seed):
    rng = np.random.default_rng(seed)
    n = 2 * int(rng.integers(1, 9))
    of_row = rng.integers(0, rng.integers(1, 5), 40)
    drawn = rng.permutation(40)[:n]
    left, right = pairs_across(drawn, of_row, rng)
    assert (of_row[left] != of_row[right]).all()
    both = np.r_[left, right].tolist()
    assert len(set(both)) == len(both)
    assert set(both) <= set(drawn.tolist())
    assert len(left) == most_pairs(of_row[drawn].tolist())


def test_all_pairs_across_are_drawn_alike():
    # a a b c: the c goes with one of the two a, the b with the other.
    of_row = np.array([0, 0, 1, 2])
    rng = np.random.default_rng(1)
    found = Counter()
    for _ in range(2000):
        left, right = pairs_across(rng.permutation(4), of_row, rng)
        found[frozenset(map(frozenset, zip(left.tolist(), right.tolist(), strict=True)))] += 1
    assert len(found) == 2
    assert min(found.values()) == pytest.approx(1000, abs=5 * 500**0.5)


CLINIC = Schema(
    (
        Column("sex", QI, Kind.CATEGORY),
        Column("age", QI, Kind.INTEGER),
        Column("cost", SA, Kind.INTEGER),
        Column("illness", SA, Kind.CATEGORY),
        Column("note", OTHER, Kind.CATEGORY),
    )
)


def clinic(n=200):
    rng = np.random.default_rng(4)
    return pd.DataFrame(
        {
            "sex": rng.choice(["f", "m"], n),
            "age": rng.choice([20, 30, 40], n),
            "cost": np.arange(n),
            "illness": [f"illness {i}" for i in range(n)],
            "note": [f"note {i}" for i in range(n)],
        }
    ).astype({"sex": "str", "illness": "str", "note": "str"})


def test_sensitive_values_go_to_another_class_together():
    original = clinic()
    done = run(original, CLINIC, "across-class-swap", share=0.3)
    taken_from = done["cost"].to_numpy()
    moved = taken_from != np.arange(200)
    assert moved.sum() == 60
    assert (taken_from[taken_from] == np.arange(200)).all()
    assert list(done["illness"]) == [f"illness {i}" for i in taken_from]
    of_row = Classes.of(original, CLINIC.quasi_identifiers).of_row
    assert (of_row[taken_from] != of_row)[moved].all()
    untouched = ["sex", "age", "note"]
    assert (done[untouched] == original[untouched]).all(axis=None)


def test_all_quasi_identifiers_swapped_leave_the_classes_as_large_as_they_were():
    original = clinic()
    done = run(original, CLINIC, "across-class-swap", share=1.0, columns=("sex", "age"))
    names = list(CLINIC.quasi_identifiers)
    assert (done[names].value_counts() == original[names].value_counts()).all()
    assert (done[names] != original[names]).any(axis=1).all()
    assert (done["cost"] == original["cost"]).all()


@pytest.mark.parametrize("share", [0, 0.004])
def test_less_than_a_pair_is_nobody(share):
    original = clinic()
    pd.testing.assert_frame_equal(run(original, CLINIC, "across-class-swap", share=share), original)


def test_a_single_class_has_nobody_to_swap_with():
    original = clinic().assign(sex="f", age=20).astype({"sex": "str"})
    pd.testing.assert_frame_equal(run(original, CLINIC, "across-class-swap", share=1.0), original)


@pytest.mark.parametrize(
    ("method", "options", "named", "expected"),
    [
        ("rank-swap", {"p": -1}, "p", "a number from 0 to 100"),
        ("rank-swap", {"p": 101}, "p", "a number from 0 to 100"),
        ("rank-swap", {"columns": ("height",)}, "columns", "out of sex, age, cost, illness, note"),
        ("across-class-swap", {"share": 1.5}, "share", "a number from 0 to 1"),
        ("across-class-swap", {"columns": ("note",)}, "columns", "out of sex, age, cost, illness"),
        (
            "across-class-swap",
            {"columns": ("age", "age")},
            "columns",
            "different quasi-identifiers",
        ),
    ],
)
def test_wrong_options(method, options, named, expected):
    with pytest.raises(ProblemsFound) as found:
        run(clinic(10), CLINIC, method, **options)
    (problem,) = found.value.problems
    assert (problem.params["method"], problem.params["option"]) == (method, named)
    assert expected in problem.message
