# SPDX-License-Identifier: Apache-2.0
"""The lecture contest: draws, candidates, releases and marks, from the note's example to the ranks."""

from __future__ import annotations

import numpy as np
import pandas as pd
import pytest

from scoring.evaluate import Mark, score
from scoring.formats.lecture import candidate_table, draw, mark_kept, positions_of, release
from scoring.formats.lecture.release import candidate_lines
from scoring.formulas import Scores, ranked
from scoring.tables.aligned import read_aligned, read_release, write_aligned
from scoring.tables.number_lists import read_candidate_guess, write_candidate_guess
from scoring.tables.schema import Column, Kind, Role, Schema
from tests.every import every

SCHEMA = Schema(
    (
        Column("age", Role.SENSITIVE, Kind.INTEGER),
        Column("city", Role.QUASI_IDENTIFIER, Kind.CATEGORY),
    )
)
ORIGINAL = pd.DataFrame({"age": [20, 30, 40, 50], "city": ["A", "A", "B", "B"]})
ANONYMIZED = b"age,city\n20,A\n40,A\n40,A\n,\n"
OTHER = b"age,city\n,\n20,B\n,\n50,A\n"


def generator(seed: int = 1) -> np.random.Generator:
    return np.random.default_rng(seed)


def read(data: bytes):
    return read_aligned(data, original=ORIGINAL, schema=SCHEMA, original_values_only=True)


def utility(data: bytes) -> float:
    table, source = read(data)
    loss = score(ORIGINAL, table, source, SCHEMA, measures=["LOSS"])["LOSS"]
    return 100 * (1 - loss)


# The note's example


def test_the_example_of_the_lecture_from_the_files_to_the_scores():
    table, source = read(ANONYMIZED)
    assert source.tolist() == [0, 1, 2]
    assert round(utility(ANONYMIZED), 2) == 58.33  # 100 (1 - (1/3 + 1/2) / 2)

    own, decoys = np.arange(4), np.array([9, 8, 7, 6])
    candidates = candidate_table(own, decoys, rng=generator())
    shuffled = release(own, source, candidates, rng=generator())
    published = write_aligned(table, shuffled.positions, SCHEMA)
    assert sorted(published.decode().splitlines()[1:]) == [",", "20,A", "40,A", "40,A"]

    # Who gets records 1 and 3 right, takes a decoy for record 2 and guesses for the deleted one:
    is_right = np.isin(shuffled.key, candidate_lines(np.array([0, 2]), candidates))
    guess = np.where(is_right, shuffled.key, candidate_lines(decoys[:1], candidates)[0])
    file = write_candidate_guess(guess)
    read_back = read_candidate_guess(file, n_candidates=8, n_lines=4)
    assert mark_kept(shuffled.key, read_back) == Mark(n_records=3, hits=2, rate=0.666666667)


def test_the_example_of_the_lecture_among_three_teams():
    """X as in the note; Y loses age (1 + 10/30 + 1 + 0)/4 = 7/12 and city 1."""
    utilities = {"X": utility(ANONYMIZED), "Y": utility(OTHER), "Z": 0.0}
    assert utilities["Y"] == pytest.approx(100 * (1 - (7 / 12 + 1) / 2))
    rates = {
        "X": {"Y": 50.0, "Z": 0.0},
        "Y": {"X": 200 / 3, "Z": 100.0},
        "Z": {"X": 0.0, "Y": 0.0},
    }
    marks = {"X": 80.0, "Y": 60.0, "Z": 50.0}
    scores = Scores(
        teams=("X", "Y", "Z"),
        matrix=rates,
        utility=utilities,
        presentation=marks,
        defenders=frozenset(rates),
    )
    weights = {"utility": 30, "protection": 30, "attack": 20, "presentation": 20}
    lines = ranked("weighted-sum", scores, weights)
    assert [round(lines[team].protection, 2) for team in "XYZ"] == [33.33, 50.0, 0.0]
    assert [round(lines[team].attack, 2) for team in "XYZ"] == [25.0, 83.33, 0.0]
    expected = {
        "X": 0.3 * utilities["X"] + 0.3 * 100 / 3 + 0.2 * 25 + 0.2 * 80,
        "Y": 0.3 * utilities["Y"] + 0.3 * 50 + 0.2 * 250 / 3 + 0.2 * 60,
        "Z": 0.2 * 50,
    }
    assert {team: line.total for team, line in lines.items()} == pytest.approx(expected)
    assert {team: line.rank for team, line in lines.items()} == {"X": 2, "Y": 1, "Z": 3}


# Draws


def test_a_draw_is_disjoint_and_of_the_right_size():
    for seed in range(100):
        rng = generator(seed)
        n_total = int(rng.integers(1, 30))
        sample = int(rng.integers(1, n_total + 1))
        decoys = int(rng.integers(0, n_total - sample + 1))
        own, others = draw(n_total, sample, decoys, rng=rng)
        assert (len(own), len(others)) == (sample, decoys)
        drawn = [*own.tolist(), *others.tolist()]
        assert len(set(drawn)) == sample + decoys
        assert set(drawn) <= set(range(n_total))
        lines = candidate_table(own, others, rng=rng)
        assert sorted(lines.tolist()) == sorted(drawn)


def test_every_row_is_drawn_equally_often_as_record_and_as_decoy():
    """4,000 draws of 2 and 1 out of 6: each row 1/3 and 1/6 of the times, give or take 5 deviations."""
    counts = np.zeros((2, 6))
    rng = generator()
    for _ in range(4_000):
        for kind, rows in enumerate(draw(6, 2, 1, rng=rng)):
            counts[kind, rows] += 1
    for share, found in zip((1 / 3, 1 / 6), counts / 4_000, strict=True):
        assert np.abs(found - share).max() < 5 * (share * (1 - share) / 4_000) ** 0.5


def test_own_records_stand_on_every_line_of_the_candidate_table():
    places = {
        int(candidate_lines(np.array([3]), candidate_table(own, decoys, rng=generator(seed)))[0])
        for seed in range(100)
        for own, decoys in [(np.array([3]), np.array([1, 2]))]
    }
    assert places == {0, 1, 2}


@pytest.mark.parametrize(
    ("numbers", "message"),
    [
        ((10, 6, 5), "a sample of 6 records and 5 decoys: expected at most the table's 10 records"),
        ((10, 0, 5), "expected a sample of 1 or more and 0 decoys or more, got 0 and 5"),
        ((10, 3, -1), "expected a sample of 1 or more and 0 decoys or more, got 3 and -1"),
    ],
)
def test_a_draw_that_cannot_be_made_is_refused_with_numbers(numbers, message):
    with pytest.raises(ValueError, match=message):
        draw(*numbers, rng=generator())


def test_a_record_that_is_a_decoy_too_is_refused():
    with pytest.raises(ValueError, match="a record and a decoy cannot be the same"):
        candidate_table(np.array([1, 2]), np.array([2]), rng=generator())


# Releases and marks


def random_case(seed: int):
    """A team's rows, its kept records, its candidate table."""
    rng = generator(seed)
    sample, decoys = int(rng.integers(1, 12)), int(rng.integers(0, 12))
    own, others = draw(40, sample, decoys, rng=rng)
    source = np.sort(rng.choice(sample, int(rng.integers(1, sample + 1)), replace=False))
    return own, source, candidate_table(own, others, rng=rng), rng


@every(50, seed=range(200))
def test_the_key_leads_every_line_to_the_candidate_that_it_was_made_from(seed):
    own, source, candidates, rng = random_case(seed)
    before = [array.copy() for array in (own, source, candidates)]
    found = release(own, source, candidates, rng=rng)
    assert len(found.positions) == len(found.key) == len(own)
    assert sorted(found.positions[found.positions >= 0].tolist()) == list(range(len(source)))
    for position, line in zip(found.positions.tolist(), found.key.tolist(), strict=True):
        if position < 0:
            assert line == -1
        else:
            assert candidates[line] == own[source[position]]
    for array, old in zip((own, source, candidates), before, strict=True):
        assert array.tolist() == old.tolist()


def test_the_same_seed_draws_and_shuffles_the_same():
    for seed in range(20):
        first, second = random_case(seed), random_case(seed)
        for one, other in zip(first[:3], second[:3], strict=True):
            assert one.tolist() == other.tolist()
        one, other = (release(*case[:3], rng=case[3]) for case in (first, second))
        assert one.positions.tolist() == other.positions.tolist()
        assert one.key.tolist() == other.key.tolist()


def test_a_shuffle_discloses_nothing_of_the_order():
    """Each record is on each line equally often: 3,000 shuffles of 4 lines, 5 deviations."""
    own, source = np.arange(4), np.array([0, 2, 3])
    counts = np.zeros((4, 4))
    rng = generator()
    for _ in range(3_000):
        key = release(own, source, own, rng=rng).key
        counts[key, np.arange(4)] += 1  # the deleted record has -1, which is the last row
    is_kept = np.array([True, False, True, False])
    assert np.abs(counts[is_kept] / 3_000 - 0.25).max() < 5 * (0.25 * 0.75 / 3_000) ** 0.5


@every(seed=range(100))
def test_marks_are_those_of_plain_python_and_shuffling_changes_none(seed):
    own, source, candidates, rng = random_case(seed)
    key = release(own, source, candidates, rng=rng).key
    guess = np.where(rng.random(len(key)) < 0.5, key, rng.integers(-1, len(candidates), len(key)))
    kept = [(k, g) for k, g in zip(key.tolist(), guess.tolist(), strict=True) if k >= 0]
    hits = sum(k == g for k, g in kept)
    expected = Mark(len(kept), hits, round(hits / len(kept), 9))
    assert mark_kept(key, guess) == expected
    order = rng.permutation(len(key))
    assert mark_kept(key[order], guess[order]) == expected
    assert mark_kept(key, key) == Mark(len(kept), len(kept), 1.0)
    assert mark_kept(key, np.full(len(key), -1)).hits == 0


def test_what_is_guessed_for_deleted_records_is_ignored():
    key = np.array([-1, 3, -1])
    assert mark_kept(key, np.array([0, 3, -1])) == Mark(1, 1, 1.0)


@pytest.mark.parametrize(
    ("key", "guess", "message"),
    [
        ([0, 1], [0], "one guess for each line"),
        ([-1, -1], [0, 0], "at least one record that is not deleted"),
    ],
)
def test_what_cannot_be_marked_is_refused(key, guess, message):
    with pytest.raises(ValueError, match=message):
        mark_kept(np.array(key), np.array(guess))


@pytest.mark.parametrize(
    ("own", "source", "candidates", "message"),
    [
        ([1, 2], [0, 0], [1, 2, 3], "distinct rows from 0 to 1"),
        ([1, 2], [2], [1, 2, 3], "distinct rows from 0 to 1"),
        ([1, 1], [0], [1, 2, 3], "distinct rows in the original"),
        ([1, 2], [0], [1, 2, 2], "distinct rows in the original"),
        ([1, 9], [0], [1, 2, 3], "every record of the original in the candidate table"),
        ([1, 2], [0], [], "every record of the original in the candidate table"),
    ],
)
def test_what_cannot_be_released_is_refused(own, source, candidates, message):
    arrays = (np.array(values, dtype=np.int64) for values in (own, source, candidates))
    with pytest.raises(ValueError, match=message):
        release(*arrays, rng=generator())


@every(seed=range(100))
def test_a_published_release_reads_back(seed):
    own, source, candidates, rng = random_case(seed)
    kept = pd.DataFrame(
        {
            "age": rng.integers(0, 90, len(source)),
            "city": rng.choice(["A", "B,C", 'D"', "北"], len(source)),
        }
    )
    found = release(own, source, candidates, rng=rng)
    data = write_aligned(kept, found.positions, SCHEMA)
    table, lines, n_lines = read_release(data, schema=SCHEMA)
    assert n_lines == len(own)
    assert lines.tolist() == np.flatnonzero(found.positions >= 0).tolist()
    expected = kept.iloc[found.positions[found.positions >= 0]].reset_index(drop=True)
    pd.testing.assert_frame_equal(table.to_frame(), expected, check_dtype=False)


def test_positions_of_an_aligned_table():
    assert positions_of(np.array([2, 0]), 3).tolist() == [1, -1, 0]
