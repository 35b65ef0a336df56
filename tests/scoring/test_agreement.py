# SPDX-License-Identifier: Apache-2.0
"""The table that another looks most like."""

from __future__ import annotations

import numpy as np

from scoring.tables.agreement import looks_like
from scoring.tables.records import Records
from tests.every import every


def records(rng, n=300):
    numbers = {name: rng.integers(0, 40, n) for name in "abcd"}
    return Records(
        (*"abcd", "e"),
        numbers,
        {"e": rng.integers(0, 3, n).astype(np.int32)},
        {"e": ("x", "y", "z")},
    )


def rewritten(table, rng, share):
    """The table with this share of its cells drawn again, and its records shuffled."""
    moved = table.taken(rng.permutation(len(table)))
    numbers = {
        name: np.where(rng.random(len(table)) < share, rng.integers(0, 40, len(table)), values)
        for name, values in moved.numbers.items()
    }
    return Records(table.names, numbers, moved.codes, moved.levels)


@every(seed=range(20))
def test_a_table_looks_like_the_one_that_it_was_made_from(seed):
    rng = np.random.default_rng(seed)
    tables = [records(rng) for _ in range(3)]
    for number, table in enumerate(tables):
        for share in (0.0, 0.2, 0.5):
            made = rewritten(table, rng, share)
            assert looks_like(made, tables) == number, share


def test_a_table_of_nobody_looks_like_the_first():
    """A hint about an honest team would be false: at most one in some thousands."""
    false = 0
    for seed in range(300):
        rng = np.random.default_rng(seed)
        false += looks_like(records(rng, 100), [records(rng, 100) for _ in range(3)]) != 0
    assert false <= 2


def test_fewer_columns_and_empty_tables():
    rng = np.random.default_rng(1)
    tables = [records(rng) for _ in range(2)]
    part = Records(("a", "b", "c"), {n: tables[1].numbers[n] for n in "abc"}, {}, {})
    assert looks_like(part, tables) == 1
    assert looks_like(part.taken(np.arange(0)), tables) == 0
    assert looks_like(part, [part.taken(np.arange(0)), part]) == 0
