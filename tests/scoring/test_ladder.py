# SPDX-License-Identifier: Apache-2.0
"""Feedback about sealed answers: what random answers and a majority gain by it."""

from __future__ import annotations

from itertools import pairwise

import numpy as np
import pytest

from scoring.questions.asked import QuestionSpec
from scoring.rulesets import load_ruleset, parse_ruleset
from scoring.rulesets.kinds import ROUND_KINDS
from scoring.scores.ladder import coarse_range, disclosed_bits, range_of, rung_of, step_of
from tests.boosting import boosted, random_bits, rates_of

CHANCE, N_ATTEMPTS = 0.5, 200
MOST_GAIN = {100: 0.06, 500: 0.02, 5_000: 0.01}


def middles(ranges):
    return np.array([(low + high) / 200 for low, high in ranges])


def shown(feedback: str, rates, n: int):
    """The middle of what is shown after each attempt."""
    if feedback == "exact":
        return rates
    if feedback == "coarse":
        return middles([coarse_range(rate, CHANCE) for rate in rates])
    best, found = 0, []
    for rate in rates:
        best = max(best, rung_of(rate, n, CHANCE))
        found.append(range_of(best, n, CHANCE))
    return middles(found)


def mean_gain(feedback: str, n: int, n_games: int) -> float:
    gains = []
    for seed in range(n_games):
        truth, answers = random_bits(n, N_ATTEMPTS, seed)
        majority = boosted(answers, shown(feedback, rates_of(truth, answers), n))
        gains.append((majority == truth).mean() - CHANCE)
    return float(np.mean(gains))


@pytest.mark.parametrize("n", MOST_GAIN)
def test_the_majority_of_random_answers_gains_nothing_by_the_ladder(n):
    n_games = 60 if n < 5_000 else 10
    gain = mean_gain("ladder", n, n_games)
    assert gain <= MOST_GAIN[n]
    standard_error = 0.5 / np.sqrt(n * n_games)
    assert abs(gain) < 4 * standard_error  # it is chance, and not a climb


def test_exact_rates_are_climbed():
    """The attack itself works: it is the feedback that stops it."""
    assert mean_gain("exact", 100, 20) > 0.3
    assert mean_gain("exact", 500, 10) > 0.15


def test_an_attempt_that_copies_the_best_and_changes_some_answers_does_not_climb():
    """The other way: a change of five answers is kept if it is shown to be better."""
    n, gains = 100, []
    for seed in range(20):
        truth, (kept, *_) = random_bits(n, 1, seed)
        rng, best = np.random.default_rng(seed), rung_of((kept == truth).mean(), n, CHANCE)
        for _ in range(N_ATTEMPTS):
            tried = kept.copy()
            tried[rng.choice(n, 5, replace=False)] ^= True
            rung = rung_of((tried == truth).mean(), n, CHANCE)
            if rung > best:
                kept, best = tried, rung
        gains.append((kept == truth).mean() - CHANCE)
    assert np.mean(gains) <= MOST_GAIN[n]


def test_the_bits_of_feedback_bound_the_number_of_what_can_be_shown():
    """All sequences of rungs of five attempts are counted one by one."""
    n, k = 100, 5
    top = rung_of(1.0, n, CHANCE)
    every = np.indices((top + 1,) * k).reshape(k, -1)
    sequences = {tuple(column) for column in np.maximum.accumulate(every, axis=0).T.tolist()}
    assert disclosed_bits("ladder", k, n, chance=CHANCE) == pytest.approx(np.log2(len(sequences)))
    bands = {coarse_range(hits / 1_000, CHANCE) for hits in range(1_001)}
    assert disclosed_bits("coarse", k, n, chance=CHANCE) == pytest.approx(k * np.log2(len(bands)))


@pytest.mark.parametrize("chance", [0.0, 0.01, 0.05, 0.1, 0.25, 0.5, 0.77])
def test_ranges_are_without_gaps_and_chance_is_inside_of_one(chance):
    for ranges in (
        sorted({coarse_range(rate / 1_000, chance) for rate in range(1_001)}),
        sorted({range_of(rung_of(rate / 1_000, 64, chance), 64, chance) for rate in range(1_001)}),
    ):
        assert ranges[0][0] == 0
        assert ranges[-1][1] == 100
        assert all(one[1] == other[0] for one, other in pairwise(ranges))
    for rate in np.arange(0, 1_001) / 1_000:
        low, high = coarse_range(rate, chance)
        assert low <= 100 * rate + 1e-9 < high or rate == 1
    low, high = coarse_range(chance, chance)
    assert chance == 0 or (100 * chance - low >= min(5, 100 * chance) and high - 100 * chance >= 5)


def test_the_step_is_the_least_of_its_size():
    for n in (1, 7, 64, 100, 999, 1_000, 5_000):
        step = step_of(n)
        assert (step / 100) ** 3 * n >= 1 or step == 100
        assert ((step - 1) / 100) ** 3 * n < 1


def test_attacks_have_the_ladder_where_the_ruleset_does_not_say():
    text = load_ruleset("microdata-classroom").text
    without = text.replace('feedback = "ladder"', "#", 1)
    assert parse_ruleset(without).round("attack").feedback == "ladder"
    attacks = [kind for kind in ROUND_KINDS.values() if kind.phase == "attack"]
    assert {kind.feedback[0] for kind in attacks} == {"ladder"}
    others = [kind for kind in ROUND_KINDS.values() if kind.phase != "attack"]
    assert not any("ladder" in kind.feedback for kind in others)


def test_the_chance_of_results():
    def chance(result, **more):
        return QuestionSpec("q", "membership", "confidences", result, **more).chance

    assert chance("accuracy") == chance("auc") == 0.5
    assert chance("tpr_at_fpr", fpr=0.01) == 0.01
    assert chance("advantage") == chance("over_half") == 0
