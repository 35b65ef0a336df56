# SPDX-License-Identifier: Apache-2.0
"""Results above chance: worked examples, laws over every kind of result, and the luck of many attackers."""

from __future__ import annotations

import time
from dataclasses import replace
from itertools import combinations, product
from math import sqrt

import numpy as np
import pytest

from scoring.questions.asked import ASKS, WEIGHTED, QuestionSpec
from scoring.questions.chance import Chance, of_groups, of_share
from scoring.questions.membership import by_chance, true_positive_rate
from scoring.questions.results import combined, result_of
from scoring.questions.sheets import Key
from scoring.rulesets import load_ruleset

MARGIN = 1.64
JOBS = np.array(["cook", "pilot", "nurse", "clerk", "judge"], dtype=object)
KINDS = [
    (asks, answers, result)
    for asks, kind in ASKS.items()
    for answers, results in kind.results.items()
    for result in results
    if result != WEIGHTED
]


def every_result(test):
    """A law over each kind of result."""
    named = pytest.mark.parametrize(("asks", "answers", "result"), KINDS)
    return pytest.mark.whole(named(test))


def question(asks, answers, result, **more):
    asked = {
        "margin": MARGIN,
        "fpr": 0.05 if result == "tpr_at_fpr" else None,
        "column": "years" if asks == "attributes" else None,
        "tolerance": 1.0 if asks == "attributes" else 0.0,
        "candidates": 2 if asks == "links" else 1,
    }
    return QuestionSpec("q", asks, answers, result, **(asked | more))


def key_of(asked, n_members, n_others, rng, n_lines=400):
    """A secret drawn at random: who is a member, which values the records have, which lines they became."""
    n = n_members + n_others
    inside = rng.permutation(n) < n_members
    years = np.minimum(
        rng.exponential(8, n), 10
    )  # most are 10, as those who stay well for ten years
    values = {
        "attributes": {"years": years},
        "rows": {"job": JOBS[rng.integers(0, 5, n)], "home": JOBS[rng.integers(0, 2, n)]},
    }.get(asked.asks, {})
    lines = None
    if asked.asks == "links":
        lines = np.where(inside, rng.permutation(n_lines)[:n], -1)
    return Key(inside, values, lines, np.arange(n))


def guesses(asked, n, rng, *, constant, n_lines=400):
    """Answers that look at no table: the same to all questions, or each drawn at random."""

    def numbers(choices):
        return np.full(n, rng.choice(choices)) if constant else rng.choice(choices, n)

    if asked.answers == "bits":
        return {"member": numbers([0.0, 1.0])}
    if asked.answers == "confidences":
        return {"confidence": numbers(np.arange(101) / 100)}
    if asked.answers == "lines":
        named = rng.permuted(np.tile(np.arange(n_lines), (n, 1)), axis=1)[:, :2]
        named = np.tile(named[:1], (n, 1)) if constant else named
        return {"line_1": named[:, 0], "line_2": named[:, 1]}
    if asked.asks == "rows":
        return {"job": numbers(JOBS), "home": numbers(JOBS[:2])}
    said = numbers(np.array([10.0, 10.0, 10.0, 9.5, 2.0]))
    return {"years": said} if asked.answers == "values" else {
        "years_low": said - 0.5, "years_high": said + 0.5,
    }  # fmt: skip


def right_answers(asked, key):
    members = key.inside.astype(float)
    if asked.answers == "lines":
        return {"line_1": key.lines, "line_2": np.full(len(members), -1)}
    if asked.answers == "intervals":
        return {"years_low": key.values["years"], "years_high": key.values["years"]}
    name = {"bits": "member", "confidences": "confidence"}.get(asked.answers)
    return {name: members} if name else {n: v.copy() for n, v in key.values.items()}


def value_of(asked, key, answers):
    return result_of(asked, key, answers, n_lines=400).value


# Findings


def test_one_sure_answer_is_no_advantage():
    """One answer of 1 and 399 of 0.5 were an advantage of 50 % on average, as weights chose what it was a share of."""
    plain = question("membership", "confidences", "advantage", margin=None)
    inside = np.arange(400) % 2 == 0
    key = Key(inside, {}, None, np.arange(400))
    expected = {"advantage": 0.5 * 0.5 / 200, WEIGHTED: 0.5}
    for result, mean in expected.items():
        found = []
        for place in range(400):
            said = np.full(400, 0.5)
            said[place] = 1
            found.append(value_of(replace(plain, result=result), key, {"confidence": said}))
        assert np.mean(found) == pytest.approx(mean, abs=1e-9), result
    assert value_of(plain, key, {"confidence": inside.astype(float)}) == 1.0


def test_the_same_time_for_everybody_discloses_nothing():
    """Half of the members happened to stay well for ten years and a quarter of the controls: 33 % without a margin."""
    asked = question("attributes", "values", "over_controls", margin=None, tolerance=0.5)
    inside = np.arange(200) < 100
    years = np.where(np.arange(200) % 100 < np.where(inside, 50, 25), 10.0, np.arange(200) / 20)
    key = Key(inside, {"years": years}, None, np.arange(200))
    said = {"years": np.full(200, 10.0)}
    assert value_of(asked, key, said) > 0.2
    found = result_of(replace(asked, margin=MARGIN), key, said)
    assert found.value == 0
    assert found.right.sum() == found.hits > 40  # what is right stays what it is
    rate, chance = found.parts["rate"], found.parts["chance"]
    assert chance + MARGIN * found.parts["error"] > rate


# Worked examples


def test_attributes_over_controls_by_hand():
    """Of 100 members 80 are right, of 50 controls 20; 1 in 5 have the most frequent value.

    Over the controls: 100 of 150 are right, so that the error is √(100 · 50 / (100 · 50 · 149)).
    """
    asked = question("attributes", "values", "over_controls", column="job", tolerance=0.0)
    inside = np.arange(150) < 100
    job = JOBS[np.arange(150) % 5]
    wrong = (np.arange(150) % 100 >= np.where(inside, 80, 20)) & True
    said = np.where(wrong, JOBS[(np.arange(150) + 1) % 5], job)
    key = Key(inside, {"job": job}, None, np.arange(150))
    found = result_of(asked, key, {"job": said})
    error = 1 / sqrt(149)
    assert found.parts == {
        "members": 0.8, "controls": 0.4, "rate": 0.8, "chance": 0.4, "error": round(error, 9),
    }  # fmt: skip
    assert found.value == round((0.4 - MARGIN * error) / 0.6, 9)
    plain = result_of(replace(asked, margin=None), key, {"job": said})
    assert plain.value == round(0.4 / 0.6, 9)
    assert plain.right.tolist() == found.right.tolist()


def test_cells_over_the_best_value_of_each_column_by_hand():
    """jobs: 1/2 have the most frequent; homes: all. 3 of 4 jobs and all homes are right."""
    asked = question("rows", "values", "cells", margin=0.0)
    job = np.array(["cook", "cook", "pilot", "nurse"], dtype=object)
    home = np.array(["city"] * 4, dtype=object)
    key = Key(np.ones(4, dtype=bool), {"job": job, "home": home}, None, np.arange(4))
    said = np.array(["cook", "cook", "pilot", "judge"], dtype=object)
    found = result_of(asked, key, {"job": said, "home": home})
    assert (found.parts["rate"], found.parts["chance"], found.value) == (0.875, 0.75, 0.5)
    whole = result_of(replace(asked, result="whole"), key, {"job": said, "home": home})
    assert (whole.parts["rate"], whole.parts["chance"], whole.value) == (0.75, 0.5, 0.5)


def test_cells_that_are_drawn_for_each_record_by_hand():
    """Jobs are asked of four records, half of them cooks; homes of two, all the same: 2/3 by the best values."""
    asked = question("rows", "values", "cells", margin=0.0, known=(), cells=1)
    drawn = np.array([["job"]] * 4 + [["home"]] * 2, dtype=object)
    job = np.array(["cook", "cook", "pilot", "nurse", "judge", "judge"], dtype=object)
    home = np.array(["city"] * 6, dtype=object)
    key = Key(np.ones(6, dtype=bool), {"job": job, "home": home}, None, np.arange(6), drawn)
    said = {
        "job": np.array(["cook", "cook", "pilot", "judge", "", ""], dtype=object),
        "home": np.array(["", "", "", "", "city", "city"], dtype=object),
    }
    found = result_of(asked, key, said)
    assert (found.parts["rate"], found.parts["chance"]) == (round(5 / 6, 9), round(4 / 6, 9))
    assert (found.value, found.n_units) == (0.5, 6)
    constant = {**said, "job": np.array([*["cook"] * 4, "", ""], dtype=object)}
    assert result_of(asked, key, constant).value == 0
    assert result_of(replace(asked, result="whole"), key, said).value == 0.5


def test_hits_of_exactly_so_many_ones_by_hand():
    """2025 in small: 100 of 1,000 are members, 100 ones, 40 right; one in ten is chance."""
    asked = question("membership", "bits", "hits", ones=100)
    inside = np.arange(1000) < 100
    bits = np.zeros(1000)
    bits[60:160] = 1
    found = result_of(asked, Key(inside, {}, None, np.arange(1000)), {"member": bits})
    error = sqrt(100 * 900 / (100 * 900 * 999)) * 0.9
    assert (found.parts["rate"], found.parts["chance"]) == (0.4, 0.1)
    assert found.value == pytest.approx((0.3 - MARGIN * error) / 0.9, abs=1e-8)


def test_a_sum_adds_what_is_above_chance():
    """2024: the constant "0" was worth 30 of 100 points."""
    asked = question("attributes", "values", "share", column="job", tolerance=0.0)
    key = Key(np.ones(50, dtype=bool), {"job": JOBS[np.arange(50) // 20]}, None, np.arange(50))
    said = {"job": np.full(50, "cook", dtype=object)}
    links = question("links", "lines", "first", candidates=1)
    lines = Key(np.ones(50, dtype=bool), {}, np.arange(50), np.arange(50))
    named = np.where(np.arange(50) < 25, np.arange(50), -1)
    results = [
        result_of(asked, key, said),
        result_of(links, lines, {"line_1": named}, n_lines=1000),
    ]
    alone = (0.5 - 0.001 - MARGIN / 50) / 0.999
    assert combined(results, "sum").value == pytest.approx(alone / 2, abs=1e-8)
    plain = [result_of(replace(asked, margin=None), key, said), results[1]]
    assert combined(plain, "sum").value == pytest.approx((20 / 50 + alone) / 2, abs=1e-8)


def test_one_line_that_shows_many_equal_records_is_no_attack():
    """Half of the records are equal, and every line shows them all where content counts."""
    asked = question("links", "lines", "first", candidates=1)
    shown = [[*range(10)] if n < 10 else [n] for n in range(20)]
    key = Key(
        np.ones(20, dtype=bool), {}, np.arange(20), np.arange(20), shown=shown, truth="either"
    )
    constant = result_of(asked, key, {"line_1": np.zeros(20, dtype=int)}, n_lines=20)
    assert (constant.parts["rate"], constant.value) == (0.5, 0)
    assert result_of(asked, key, {"line_1": np.arange(20)}, n_lines=20).value > 0.6


def test_strata_are_compared_each_with_its_own_controls():
    """All members of the first stratum are right, and all of its controls; none of the second: nothing is disclosed."""
    inside = np.array([1, 1, 1, 0, 1, 0, 0, 0], dtype=bool)
    strata = np.array([0, 0, 0, 0, 1, 1, 1, 1])
    right = strata == 0
    assert of_groups(right, inside).above(0) > 0
    found = of_groups(right, inside, strata)
    assert (found.rate, found.chance, found.error) == (0.75, 0.75, 0.0)
    first = of_groups(right, inside, np.zeros(8, dtype=int))
    assert first == of_groups(right, inside)


def test_a_result_by_strata():
    """Confidences say only who has an onset, as more members than controls have: that is no membership."""
    strata = np.arange(400) % 2
    inside = np.arange(400) % np.where(strata == 1, 4, 8) < 2  # more members have an onset
    key = Key(inside, {}, None, np.arange(400))
    by_strata = Key.from_dict(replace(key, strata=strata).to_dict())
    confidences = {"confidence": (strata == 1) * 0.8}
    asked = question("membership", "confidences", "advantage", margin=0.0)
    found = [result_of(asked, one, confidences).value for one in (key, by_strata)]
    assert found[0] > found[1] == 0


# Errors, by drawing


def test_errors_of_dealt_scores_are_those_of_all_deals():
    """Every choice of three members among seven, and of the members of two strata."""
    scores = np.array([0.9, 0.1, 0.4, 0.4, 1.0, 0.0, 0.7])
    strata = np.array([0, 0, 0, 0, 1, 1, 1])
    for groups in (None, strata):
        found, errors = [], []
        for chosen in combinations(range(7), 3):
            inside = np.isin(np.arange(7), chosen)
            if groups is not None and inside[:4].sum() != 2:
                continue
            chance = of_groups(scores, inside, groups)
            found.append(chance.rate - chance.chance)
            errors.append(chance.error)
        assert np.mean(found) == pytest.approx(0, abs=1e-12)
        assert np.std(found) == pytest.approx(errors[0], rel=1e-9)


def test_the_rate_of_random_confidences_and_its_error():
    inside, rng = np.arange(300) < 100, np.random.default_rng(3)
    rates = [true_positive_rate(inside, rng.random(300), 0.053)[0] for _ in range(4000)]
    asked = question("membership", "confidences", "tpr_at_fpr", fpr=0.053)
    key = Key(inside, {}, None, np.arange(300))
    found = by_chance(asked, key, np.zeros(300), inside, 0.0)
    assert np.mean(rates) == pytest.approx(found.chance, abs=0.003)
    assert np.std(rates) == pytest.approx(found.error, rel=0.05)


# Laws


@every_result
def test_no_constant_answer_is_above_chance(asks, answers, result):
    asked, rng = question(asks, answers, result), np.random.default_rng(1)
    for n_members, n_others in ((1, 1), (3, 40), (40, 3), (30, 30), (0, 5), (5, 0)):
        for _ in range(12):
            key = key_of(asked, n_members, n_others, rng)
            said = guesses(asked, n_members + n_others, rng, constant=True)
            assert value_of(asked, key, said) == 0, (n_members, n_others, said)


@every_result
def test_answers_that_are_independent_of_the_secret_earn_nothing(asks, answers, result):
    """On average, also where they are few or answer only some questions; without a margin many results are luck."""
    asked, rng = question(asks, answers, result), np.random.default_rng(2)
    for n_members, n_others in ((2, 2), (10, 30), (100, 100)):
        found = []
        for _ in range(150):
            key = key_of(asked, n_members, n_others, rng)
            said = guesses(asked, n_members + n_others, rng, constant=False)
            if answers in ("bits", "confidences"):  # most often few answers, the others abstain
                (bits,), n_asked = said.values(), rng.integers(1, len(key.inside))
                bits[rng.permutation(len(bits))[n_asked:]] = 0 if answers == "bits" else 0.5
            found.append(value_of(asked, key, said))
        assert np.mean(found) <= 0.02, (n_members, n_others)


@every_result
def test_abstaining_never_raises_a_result(asks, answers, result):
    """Of right answers; of values and lines, any answer."""
    asked, rng = question(asks, answers, result), np.random.default_rng(4)
    n_above = 0
    for n_members, n_others in ((20, 20), (60, 20), (20, 60)):
        for _ in range(20):
            key = key_of(asked, n_members, n_others, rng)
            said, right = (
                guesses(asked, len(key.inside), rng, constant=False),
                right_answers(asked, key),
            )
            known = rng.random(len(key.inside)) < rng.random()
            known &= key.inside | (result != "over_controls")
            said = {name: np.where(known, right[name], said[name]) for name in said}
            before = value_of(asked, key, said)
            n_above += before > 0
            may = known if answers in ("bits", "confidences") else np.ones(len(known), dtype=bool)
            if result == "recall_precision_top":
                may &= key.inside  # of an absent record -1 is the right answer
            for place in rng.permutation(np.flatnonzero(may))[:6]:
                fewer = {name: column.copy() for name, column in said.items()}
                for name in fewer:
                    fewer[name][place] = _nothing(answers, fewer[name])
                assert value_of(asked, key, fewer) <= before + 1e-9, (place, before)
    assert n_above > 10


def _nothing(answers, column):
    if answers in ("bits", "confidences", "lines"):
        return {"bits": 0, "confidences": 0.5, "lines": -1}[answers]
    return "" if column.dtype == object else np.nan


@every_result
def test_right_answers_are_far_above_chance(asks, answers, result):
    asked, rng = question(asks, answers, result), np.random.default_rng(5)
    key = key_of(asked, 300, 0 if result == "recall_precision_top" else 80, rng)
    found = value_of(asked, key, right_answers(asked, key))
    # who is never in the table has the same values, so right answers about both disclose nothing
    assert found == 0 if result == "over_controls" else found > 0.8


@every_result
def test_a_larger_margin_takes_more(asks, answers, result):
    asked, rng = question(asks, answers, result), np.random.default_rng(6)
    key = key_of(asked, 60, 60, rng)
    said, right = guesses(asked, 120, rng, constant=False), right_answers(asked, key)
    known = key.inside & (rng.random(120) < 0.7)
    said = {name: np.where(known, right[name], said[name]) for name in said}
    values = [value_of(replace(asked, margin=m), key, said) for m in (0.0, 1.0, 1.64, 3.0)]
    assert values == sorted(values, reverse=True)
    assert values[0] > values[2] > 0


@every_result
def test_the_luckiest_of_twenty_attackers_has_nothing_to_speak_of(asks, answers, result):
    """All records of a team as targets, 1,000 controls or more: the 95 % quantile of the largest result."""
    asked, rng = question(asks, answers, result, fpr=0.01), np.random.default_rng(7)
    worst = []
    for _ in range(40):
        key = key_of(asked, 313, 1000, rng, n_lines=1400)
        worst.append(
            max(
                result_of(asked, key, guesses(asked, 1313, rng, constant=False), n_lines=1400).value
                for _ in range(20 if asks != "links" else 2)
            )
        )
    assert np.quantile(worst, 0.95) <= 0.05


def test_25_thousand_questions_about_24_tables_take_milliseconds_each():
    rng, inside = np.random.default_rng(8), np.arange(25_000) < 2500
    key = Key(inside, {}, None, np.arange(25_000))
    for answers, result in (
        ("bits", "hits"),
        ("confidences", "tpr_at_fpr"),
        ("confidences", "advantage"),
    ):
        asked = question("membership", answers, result, fpr=0.01)
        said = {"member": rng.permutation(inside).astype(float), "confidence": rng.random(25_000)}
        began = time.process_time()
        for _ in range(24):
            result_of(asked, key, said)
        assert time.process_time() - began < 24 * 0.03


# Shipped formats


def test_shipped_questions_have_a_margin_and_ask_enough():
    for name in (
        "synthetic-2026", "membership-2025", "membership-2020", "organizer-defends", "linkage-2024",
        "reconstruction-2023", "reidentification-2021", "synthetic-cohort",
    ):  # fmt: skip
        rules = load_ruleset(name)
        asked = [q for spec in rules.rounds for q in spec.questions]
        assert asked
        assert all(one.margin == MARGIN and one.result != WEIGHTED for one in asked), name
        for one in asked:
            if one.asks == "membership" or one.result == "over_controls":
                n_controls = rules.data.decoys if one.controls is None else one.controls
                assert n_controls >= min(1000, rules.data.decoys), (name, one.key)
        n_asked = {
            one.key: rules.data.sample if one.targets is None else one.targets for one in asked
        }
        assert sum(n_asked.values()) >= min(1000, rules.data.sample - 1), (
            name
        )  # no record on two sheets


def test_chance_is_a_share_of_the_reach():
    assert of_share(0.2, 0.2, 0) == Chance(0, 0, 0, 0)
    assert of_share(1.0, 1.0, 5).above(0) == 0
    assert [round(of_share(k / 10, 0.0, 10).above(1), 9) for k in (0, 1, 2)] == [0, 0, 0.1]
    for rate, chance in product((0.0, 0.3, 1.0), repeat=2):
        assert 0 <= of_share(rate, chance, 7).above(MARGIN) <= 1
