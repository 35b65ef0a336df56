# SPDX-License-Identifier: Apache-2.0
"""Likeness of teams: copies are named, honest teams are not, and the probabilities hold."""

from __future__ import annotations

import math
from fractions import Fraction
from itertools import combinations

import numpy as np
import pytest

import scoring
from scoring.audits.likeness import (
    SIGNIFICANT,
    _tail,
    alike,
    changes,
    lines_of,
    passed_on,
    shared_records,
)
from tests.every import every

N = 300
COLUMNS = ("region", "household_size", "age_class", "sex", "food", "housing", "income")


@pytest.fixture(scope="module")
def households():
    table, schema = scoring.generate("households", N, seed=3, progress=False)
    return table, schema


def lines(table) -> list[tuple[str, ...]]:
    return lines_of(table.to_csv(index=False).encode())[1]


def changed(table, original) -> dict:
    return changes(dict(zip(table.index, lines(table), strict=True)), lines(original))


@pytest.fixture(scope="module")
def honest(households):
    """The tables of honest teams, by methods of the library, each with its own seed."""
    table, schema = households
    methods = [("mondrian", {"k": k}) for k in (5, 5, 6, 7)] + [
        ("mdav", {"k": 4}),
        ("mdav", {"k": 5}),
    ]
    drawing = ("additive-noise", "rank-swap", "pk-anonymization", "local-laplace")
    methods += [(name, {}) for name in drawing for _seed in (1, 2)]
    made = [
        scoring.anonymize(table, name, schema, seed=seed, progress=False, **options).table
        for seed, (name, options) in enumerate(methods)
    ]
    names = [f"{name} {seed}" for seed, (name, _options) in enumerate(methods)]
    return dict(
        zip(names, (one.set_axis(one.index - one.index.min()) for one in made), strict=True)
    )


def altered(table, share: float, seed: int):
    rng, copied = np.random.default_rng(seed), table.copy()
    for name in copied.columns:
        moved = rng.random(len(copied)) < share
        copied.loc[moved, name] = rng.permutation(copied[name].to_numpy())[moved]
    return copied


def test_honest_teams_of_one_method_are_not_named(households, honest):
    """Mondrian and MDAV with equal and neighbouring parameters give equal and nearly equal tables."""
    cells = {name: changed(table, households[0]) for name, table in honest.items()}
    assert alike(cells) == {}
    assert sum(map(len, cells.values())) > 5_000


@pytest.mark.parametrize(
    "of", ["additive-noise 6", "rank-swap 8", "pk-anonymization 10", "local-laplace 12"]
)
def test_a_copied_table_with_small_changes_is_named(households, honest, of):
    cells = {name: changed(table, households[0]) for name, table in honest.items()}
    cells["copy"] = changed(altered(honest[of], 0.05, 0), households[0])
    found = alike(cells)
    assert list(found) == [(of, "copy")]
    assert found[of, "copy"].probability < 1e-6
    assert found[of, "copy"].n_equal < found[of, "copy"].n_compared


def test_a_deterministic_method_leaves_no_evidence(households, honest):
    table = honest["mondrian 0"]
    assert len(changed(table, households[0])) < 0.05 * table.size


def test_rounding_is_a_function_of_the_cell():
    original = [(str(n % 10), str(n)) for n in range(40)]
    rounded = {row: (str(5 * (int(a) // 5)), b) for row, (a, b) in enumerate(original)}
    assert changes(rounded, original) == {}
    assert changes({0: ("7", "0")}, original) == {(0, "0", 0): "7"}


# Answers: who stands at a place, of 30 candidates


def answers(n_teams: int, seed: int, *, spread: float = 1.0, n: int = 200) -> dict[str, dict]:
    """Wrong answers of attackers who rank the same candidates by a common distance and noise of their own."""
    rng = np.random.default_rng(seed)
    common = rng.normal(size=(n, 30))
    return {
        f"team {t}": {
            ((0,), row): str(at)
            for row, at in enumerate((common + spread * rng.normal(size=(n, 30))).argmax(axis=1))
        }
        for t in range(n_teams)
    }


def copied(cells: dict, share: float, seed: int) -> dict:
    rng = np.random.default_rng(seed)
    return {p: str(rng.integers(30)) if rng.random() < share else v for p, v in cells.items()}


@every(10, seed=range(60))
def test_honest_answers_are_not_named(seed):
    """60 contests of 12 teams: 3,960 pairs, whose methods agree on a part of their wrong answers."""
    assert alike(answers(12, seed, spread=(0.3, 1, 3)[seed % 3])) == {}


@every(10, seed=range(40))
def test_copied_answers_with_five_per_cent_changed_are_named(seed):
    files = answers(8, seed)
    files["copy"] = copied(files["team 3"], 0.05, seed)
    assert list(alike(files)) == [("team 3", "copy")]


def test_two_pairs_of_copies_do_not_hide_each_other():
    files = answers(8, 1)
    files |= {"a": copied(files["team 3"], 0.05, 1), "b": copied(files["team 4"], 0.03, 2)}
    assert set(alike(files)) == {("team 3", "a"), ("team 4", "b")}


def test_a_class_with_one_method_is_not_named():
    files = answers(8, 1)
    same = files["team 0"]
    assert alike(files | {f"team {t}": copied(same, 0.01, t) for t in range(5)}) == {}


def test_a_method_of_the_platform_explains_its_answers():
    files = answers(8, 1)
    files["copy"] = copied(files["team 3"], 0.05, 0)
    assert alike(files, [files["team 3"]]) == {}


def test_few_teams_few_cells_and_equal_files_are_no_evidence():
    files = answers(8, 1)
    copy = copied(files["team 3"], 0.05, 0)
    assert alike({"a": files["team 3"], "b": copy}) == {}
    assert alike(files | {"copy": dict(files["team 3"])}) == {}
    short = {name: dict(list(cells.items())[:15]) for name, cells in (files | {"c": copy}).items()}
    assert alike(short) == {}


def test_answers_that_can_be_wrong_in_one_way_only_are_no_evidence():
    """Two wrong answers of yes or no are equal by necessity."""
    files = {t: {((0,), row): "1" for row in range(100 + t)} for t in range(8)}
    assert alike(files) == {}


# Records of tables without rows


def drawn(rng, n: int, levels: int) -> list[tuple[str, ...]]:
    return [tuple(map(str, line)) for line in rng.integers(levels, size=(n, 4)).tolist()]


@every(6, seed=range(40))
@pytest.mark.parametrize("levels", [4, 8, 30])
def test_one_generator_with_other_random_numbers_is_not_named(seed, levels):
    rng = np.random.default_rng(seed)
    tables = {t: drawn(rng, 400, levels) for t in range(6)}
    assert shared_records(tables, []) == {}


def test_records_of_another_table_are_named():
    rng = np.random.default_rng(1)
    tables = {t: drawn(rng, 400, 30) for t in range(4)}
    tables[9] = tables[2][:100] + drawn(rng, 300, 30)
    assert set(shared_records(tables, [])) == {(2, 9), (9, 2)}
    assert shared_records(tables, tables[2]) == {}
    assert shared_records(tables | {9: tables[2]}, []) == {}


# Canaries


def people(n: int) -> list[tuple[str, ...]]:
    return [(str(i),) for i in range(n)]


@every(20, seed=range(200))
def test_chance_hits_are_not_named(seed):
    """A team that publishes any records of the whole table by luck: 200 contests of 5 teams."""
    rng, whole = np.random.default_rng(seed), people(1_000)
    draws = {t: [whole[i] for i in rng.choice(1_000, 200, replace=False)] for t in range(5)}
    published = {
        t: own + [whole[i] for i in rng.choice(1_000, 60, replace=False)]
        for t, own in draws.items()
    }
    assert passed_on(published, draws, whole) == {}


@pytest.mark.parametrize("n_copied", [15, 40])
def test_records_of_another_original_are_named(n_copied):
    rng, whole = np.random.default_rng(7), people(1_000)
    draws = {t: [whole[i] for i in rng.choice(1_000, 200, replace=False)] for t in range(5)}
    published = dict(draws)
    only = [line for line in draws[3] if line not in draws[1]][:n_copied]
    published[1] = draws[1][:150] + only
    found = passed_on(published, draws, whole)
    assert list(found) == [(1, 3)]
    assert found[1, 3].n_equal == n_copied


def test_the_tail_is_that_of_all_draws():
    """Slowly: every draw of 3 of 7, of which 4 count."""
    for at_least in range(2, 4):
        hits = [sum(i < 4 for i in draw) >= at_least for draw in combinations(range(7), 3)]
        assert _tail(at_least, 7, 4, 3) == float(Fraction(sum(hits), len(hits)))
    assert _tail(1, 7, 4, 3) == 1.0


def test_the_bound_is_no_smaller_than_the_binomial_tail():
    from scoring.audits.likeness import _judged

    for n_equal, n, p in [(30, 40, 0.5), (40, 40, 0.9), (95, 100, 0.6)]:
        tail = sum(math.comb(n, k) * p**k * (1 - p) ** (n - k) for k in range(n_equal, n + 1))
        assert tail <= _judged(n_equal, n, p, 1).probability * (1 + 1e-9) < 1
    assert _judged(5, 10, 0.5, 1).probability == 1
    assert SIGNIFICANT < 0.01
