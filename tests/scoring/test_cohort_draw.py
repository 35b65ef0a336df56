# SPDX-License-Identifier: Apache-2.0
"""Cohorts: exact proportions of strata, shared records, and the rare ones among them."""

from __future__ import annotations

import random
from fractions import Fraction

import numpy as np
import pytest

from scoring.formats.cohort.draw import Population, allotted, draw_cohort, draw_shared
from scoring.tables.records import Records


def plainly(n, sizes):
    """Hamilton's method with fractions, where every stratum has enough."""
    quotas = [Fraction(n * size, sum(sizes)) for size in sizes]
    given = [int(quota) for quota in quotas]
    order = sorted(range(len(sizes)), key=lambda at: (given[at] - quotas[at], at))
    for at in order[: n - sum(given)]:
        given[at] += 1
    return given


def test_records_are_allotted_by_largest_remainders():
    rng = random.Random(1)
    for _ in range(500):
        sizes = [rng.randrange(1, 40) for _ in range(rng.randrange(1, 7))]
        n = rng.randrange(sum(sizes) + 1)
        expected = plainly(n, sizes)
        assert allotted(n, sizes, [10**6] * len(sizes)) == expected, (n, sizes)


def test_a_stratum_that_is_used_up_is_made_up_for_by_the_others():
    rng = random.Random(2)
    for _ in range(500):
        sizes = [rng.randrange(1, 20) for _ in range(4)]
        left = [rng.randrange(size + 1) for size in sizes]
        n = rng.randrange(sum(left) + 1)
        given = allotted(n, sizes, left)
        assert sum(given) == n
        assert all(0 <= one <= most for one, most in zip(given, left, strict=True))
    with pytest.raises(ValueError, match="expected 5 records, got 4 to draw from"):
        allotted(5, [9, 9], [2, 2])


@pytest.fixture(scope="module")
def population():
    """2,000 records of three events in two towns, 30 of them rare."""
    rng = np.random.default_rng(3)
    columns = {
        "event": rng.choice(["onset", "death", "none"], 2_000, p=[0.1, 0.05, 0.85]),
        "town": rng.choice(["A", "B"], 2_000),
        "rare": np.where(np.arange(2_000) % 67 == 0, "1", "0"),
    }
    table = Records.of_texts({name: values.tolist() for name, values in columns.items()})
    return Population.of(table, strata=["event", "town"], rare=("rare", "1"))


def test_a_cohort_has_its_shared_records_and_exact_shares(population):
    shared = draw_shared(population, 736, 24, rng=np.random.default_rng(1))
    found = [
        draw_cohort(population, shared, 313, 400, rng=np.random.default_rng(seed))
        for seed in (5, 6)
    ]
    assert population.is_rare[shared].sum() == 24
    others = np.bincount(population.strata[~population.is_rare])
    of_shared = shared[~population.is_rare[shared]]
    assert np.bincount(population.strata[of_shared]).tolist() == plainly(712, others.tolist())
    for one in found:
        assert len(one.own) == len(set(one.own.tolist())) == 1_049
        assert set(shared.tolist()) <= set(one.own.tolist())
        assert not set(one.own.tolist()) & set(one.decoys.tolist())
        assert population.is_rare[one.own].sum() == 24
        assert not population.is_rare[one.decoys].any()
        alone = np.setdiff1d(one.own, shared)
        assert np.bincount(population.strata[alone]).tolist() == plainly(313, others.tolist())
        assert np.bincount(population.strata[one.decoys]).tolist() == plainly(400, others.tolist())
    assert set(found[0].own.tolist()) != set(found[1].own.tolist())
    positions = np.flatnonzero(np.isin(found[0].own, shared))
    assert positions[0] < 20 < 1_000 < positions[-1], "shared records stand among the others"


def test_strata_are_numbered_by_their_values_whatever_the_order_of_the_file():
    values = {"a": ["y", "x", "y", "x"], "b": ["2", "10", "10", "2"]}
    first = Population.of(Records.of_texts(values), strata=["a", "b"])
    turned = {name: column[::-1] for name, column in values.items()}
    again = Population.of(Records.of_texts(turned), strata=["a", "b"])
    assert first.strata.tolist() == again.strata.tolist()[::-1] == [3, 0, 2, 1]


def test_rare_values_of_numbers_are_compared_as_numbers():
    table = Records(("n",), {"n": np.array([1.0, 2.0])}, {}, {})
    assert Population.of(table, rare=("n", "1")).is_rare.tolist() == [True, False]
    assert not Population.of(table, rare=("n", "yes")).is_rare.any()
