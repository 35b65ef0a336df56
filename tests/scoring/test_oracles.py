# SPDX-License-Identifier: Apache-2.0
"""The library against slow and obvious code, on random tables."""

from __future__ import annotations

from itertools import product

import numpy as np
import pytest

from scoring.evaluate import Options, score
from scoring.registry import ATTACKS, PWSCUP_2015
from scoring.scores import nearest
from scoring.scores.comparison import OPTION_CHOICES
from tests.every import some
from tests.scoring import oracles, tables

ALL_OPTIONS = [
    Options(**dict(zip(OPTION_CHOICES, chosen, strict=True)))
    for chosen in product(*OPTION_CHOICES.values())
]


def options_of(seed: int) -> Options:
    return ALL_OPTIONS[seed % len(ALL_OPTIONS)]


def test_every_measure_has_an_oracle():
    assert set(oracles.ORACLES) == set(PWSCUP_2015)


@pytest.mark.parametrize("first_seed", some(4, range(0, 168, 21)))
def test_measures_equal_their_oracles(first_seed):
    for seed in range(first_seed, first_seed + 21):
        case = tables.case(seed)
        options = options_of(seed)
        arguments = case.original, case.anonymized, case.source, case.schema
        got = score(*arguments, options=options)
        expected = oracles.score(*arguments, options)
        for id_ in PWSCUP_2015:
            exact = id_ not in ("U1", "U2", "U4", "U5")
            wanted = expected[id_]
            if wanted is not None:
                wanted = pytest.approx(wanted, rel=0 if exact else 1e-9, abs=1e-9)
            assert got[id_] == wanted, (seed, id_, options)


@pytest.mark.parametrize("options", ALL_OPTIONS, ids=str)
def test_every_option_equals_its_oracle(options):
    for seed in (3, 10):
        case = tables.case(seed)
        arguments = case.original, case.anonymized, case.source, case.schema
        got = score(*arguments, options=options)
        expected = oracles.score(*arguments, options)
        for id_ in PWSCUP_2015:
            wanted = expected[id_]
            assert got[id_] == (wanted if wanted is None else pytest.approx(wanted, abs=1e-8)), id_


@pytest.mark.parametrize("attack", ["E2", "E3", "E4", "EUC1", "EUC2", "E4-rank"])
def test_guesses_equal_their_oracles(attack):
    for seed in range(60):
        case = tables.case(seed)
        arguments = case.original, case.anonymized, case.schema
        guess = ATTACKS[attack](*arguments, rng=np.random.default_rng(0))
        expected = [-1] * len(guess)
        if case.schema.sensitive_numeric:
            expected = oracles.definite_guess(attack, *arguments)
        assert guess.tolist() == expected, (seed, attack)


def test_random_guesses_are_candidates():
    for seed in range(60):
        case = tables.case(seed)
        x, y = (oracles.as_records(t, case.schema) for t in (case.original, case.anonymized))
        guess = ATTACKS["E1"](
            case.original, case.anonymized, case.schema, rng=np.random.default_rng(seed)
        )
        for r, row in enumerate(guess.tolist()):
            assert row in (oracles.candidates("E1", x, y, r, Options()) or [-1])


def queries_near(points: np.ndarray, rng: np.random.Generator) -> np.ndarray:
    """Points, points moved a little, and some so far away that all distances round alike."""
    n_columns = points.shape[1]
    queries = np.concatenate([points[::12], points[:20] + rng.integers(-1, 2, (20, n_columns)) / 7])
    return np.concatenate([queries, np.full((1, n_columns), 1e15), -queries[:2] * 1e25])


@pytest.mark.parametrize("style", tables.STYLES)
@pytest.mark.parametrize(
    ("n_columns", "n_groups"), some(3, [(1, 5), (2, 1), (12, 5), (1, 1), (2, 5), (12, 1)])
)
def test_the_search_loses_no_neighbour(style, n_columns, n_groups):
    rng = np.random.default_rng(n_columns)
    points = tables.values(rng, style, (300, n_columns))
    group = rng.integers(0, n_groups, 300).astype(np.int32)
    queries = queries_near(points, rng)
    source = rng.integers(0, 300, len(queries))
    among = group[source]
    index = nearest.PointIndex.of(points, group)
    everyone = np.arange(len(queries), dtype=np.int32)
    guess, ties = np.empty(len(queries), dtype=np.int64), np.empty(len(queries), dtype=np.int32)
    index.nearest(queries, among, everyone, guess)
    index.count_as_near(queries, among, everyone, index.place[source], ties)
    for i, query in enumerate(queries.tolist()):
        rows = np.flatnonzero(group == among[i]).tolist()
        expected = oracles.nearest(
            rows, lambda row, q=query: oracles.squared_distance(q, points[row])
        )
        assert guess[i] == expected[0]
        assert ties[i] == (len(expected) if source[i] in expected else 0)


@pytest.mark.parametrize("scale", [1.0, 1e-110, 1e-170, 1e145, 1e153])
@pytest.mark.parametrize(("n_columns", "n_groups"), some(2, [(1, 8), (3, 1), (1, 1), (3, 8)]))
def test_who_is_clearly_nearest_is_so_by_the_plain_definition(scale, n_columns, n_groups):
    rng = np.random.default_rng(n_columns)
    points = np.concatenate([rng.integers(0, 50, (30, n_columns)), rng.random((30, n_columns))])
    points *= scale
    group = rng.integers(0, n_groups, len(points)).astype(np.int32)
    group[-1] = n_groups  # of one
    index = nearest.PointIndex.of(points, group)
    other = np.array(
        [np.flatnonzero(group == group[i])[i % (group == group[i]).sum()] for i in range(60)]
    )
    shares = (0.0, 0.3, 0.499, 0.4999, 0.49995, 0.5, 0.50001, 0.7)
    queries = np.concatenate([points + share * (points[other] - points) for share in shares])
    source = np.tile(np.arange(len(points)), len(shares))
    everyone, ties = np.arange(len(queries), dtype=np.int32), np.empty(len(queries), np.int32)
    index.count_as_near(queries, group[source], everyone, index.place[source], ties)
    for i, query in enumerate(queries.tolist()):
        rows = np.flatnonzero(group == group[source[i]]).tolist()
        with np.errstate(over="ignore"):  # the largest scale is for that
            expected = oracles.nearest(
                rows, lambda row, q=query: oracles.squared_distance(q, points[row])
            )
        assert ties[i] == (len(expected) if source[i] in expected else 0)


def test_a_record_near_its_source_is_compared_with_nobody_else():
    points = np.arange(1_000.0)[:, None] * 10
    index = nearest.PointIndex.of(points)
    everyone, ties = np.arange(1_000, dtype=np.int32), np.empty(1_000, dtype=np.int32)
    zeros = np.zeros(1_000, dtype=np.int32)
    compared, asked = index.count_as_near(
        points + 4.9, zeros, everyone, index.place[everyone], ties
    )
    assert (ties == 1).all()
    assert (compared, asked) == (1_000 * 8, 0)


@pytest.mark.parametrize("style", tables.STYLES)
def test_the_nearest_values_are_found_even_where_rounding_makes_ties(style):
    rng = np.random.default_rng(5)
    column = tables.values(rng, style, (60, 1))[:, 0]
    queries = np.concatenate([column, column + 0.5, [-1e15, 1e15, 1e20, 0.0]])
    index = nearest.ValueIndex.of(column)
    none = np.zeros(len(queries), dtype=np.int32)
    low, high = index.nearest(queries, none)
    source, ties = rng.integers(0, 60, len(queries)), none.copy()
    everyone = np.arange(len(queries), dtype=np.int32)
    index.count_as_near(queries, none, everyone, index.place[source], ties)
    for i, query in enumerate(queries.tolist()):
        expected = oracles.nearest(range(60), lambda row, q=query: abs(q - column[row]))
        assert sorted(index.order[low[i] : high[i]]) == expected
        assert ties[i] == (len(expected) if source[i] in expected else 0)
