"""The library against slow and obvious code, on random tables."""

from __future__ import annotations

from functools import cache
from itertools import product

import numpy as np
import pytest

from scoring.attacks import nearest
from scoring.comparison import OPTION_CHOICES
from scoring.evaluate import Options, score
from scoring.registry import ATTACKS, PWSCUP_2015
from tests.scoring import oracles, tables

ALL_OPTIONS = [
    Options(**dict(zip(OPTION_CHOICES, chosen, strict=True)))
    for chosen in product(*OPTION_CHOICES.values())
]


@pytest.fixture(params=["all pairs", "filtered"])
def search(request, monkeypatch):
    """Small tables never reach the filter by themselves; small blocks make for several of them."""
    if request.param == "filtered":
        monkeypatch.setattr(nearest, "_FEW_PAIRS", -1)
        monkeypatch.setattr(nearest, "_BLOCK", 50)
    else:
        monkeypatch.setattr(nearest, "_PAIR_BLOCK", 7)


# The slow code is asked once for what both searches are compared with.


@cache
def expected_scores(seed: int) -> dict:
    case = tables.case(seed)
    arguments = case.original, case.anonymized, case.source, case.schema
    return oracles.score(*arguments, options_of(seed))


@cache
def expected_guesses(attack: str, seed: int) -> list[int]:
    case = tables.case(seed)
    if not case.schema.sensitive_numeric:
        return [-1] * len(case.anonymized)
    return oracles.definite_guess(attack, case.original, case.anonymized, case.schema)


def options_of(seed: int) -> Options:
    return ALL_OPTIONS[seed % len(ALL_OPTIONS)]


def test_every_measure_has_an_oracle():
    assert set(oracles.ORACLES) == set(PWSCUP_2015)


@pytest.mark.parametrize("first_seed", range(0, 168, 21))
def test_measures_equal_their_oracles(first_seed, search):
    for seed in range(first_seed, first_seed + 21):
        case = tables.case(seed)
        options = options_of(seed)
        got = score(case.original, case.anonymized, case.source, case.schema, options=options)
        expected = expected_scores(seed)
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


@pytest.mark.parametrize("attack", [id_ for id_ in ATTACKS if id_ != "E1"])
def test_guesses_equal_their_oracles(attack, search):
    for seed in range(60):
        case = tables.case(seed)
        arguments = case.original, case.anonymized, case.schema
        guess = ATTACKS[attack](*arguments, rng=np.random.default_rng(0))
        assert guess.tolist() == expected_guesses(attack, seed), (seed, attack)


def test_random_guesses_are_candidates():
    for seed in range(60):
        case = tables.case(seed)
        x, y = (oracles.as_records(t, case.schema) for t in (case.original, case.anonymized))
        guess = ATTACKS["E1"](
            case.original, case.anonymized, case.schema, rng=np.random.default_rng(seed)
        )
        for r, row in enumerate(guess.tolist()):
            assert row in (oracles.candidates("E1", x, y, r, Options()) or [-1])


@pytest.mark.parametrize("style", tables.STYLES)
@pytest.mark.parametrize("n_columns", [1, 2, 12])
def test_the_filter_loses_no_neighbour(style, n_columns, search):
    rng = np.random.default_rng(n_columns)
    points = tables.values(rng, style, (70, n_columns))
    queries = np.concatenate([points[::4], points[:20] + rng.integers(-1, 2, (20, n_columns)) / 7])
    queries = np.concatenate([queries, np.full((1, n_columns), 1e15), -queries[:2] * 1e25])
    index = nearest.PointIndex.of(points)
    starts, found = index.nearest(queries, np.zeros(len(queries), dtype=np.int64))
    for i, query in enumerate(queries.tolist()):
        runs = found[starts[i] : starts[i + 1]]
        rows = sorted(
            row for p in runs for row in index.order[index.run_starts[p] : index.run_starts[p + 1]]
        )
        expected = oracles.nearest(
            range(len(points)), lambda row, q=query: oracles.squared_distance(q, points[row])
        )
        assert rows == expected


@pytest.mark.parametrize("style", tables.STYLES)
def test_the_nearest_values_are_found_even_where_rounding_makes_ties(style):
    rng = np.random.default_rng(5)
    column = tables.values(rng, style, (60, 1))[:, 0]
    queries = np.concatenate([column, column + 0.5, [-1e15, 1e15, 1e20, 0.0]])
    index = nearest.ValueIndex.of(column)
    low, high = index.nearest(queries, np.zeros(len(queries), dtype=np.int64))
    for query, a, b in zip(queries.tolist(), low, high, strict=True):
        expected = oracles.nearest(range(60), lambda row, q=query: abs(q - column[row]))
        assert sorted(index.order[a:b]) == expected
