# SPDX-License-Identifier: Apache-2.0
"""What the lecture warns of, on tables small enough to check manually and at full size."""

from __future__ import annotations

import hashlib
import json
import math
from collections import Counter
from dataclasses import asdict
from functools import partial

import numpy as np
import pandas as pd
import pytest

from scoring.addresses import function_at
from scoring.anonymizers.pseudonyms import pseudonyms
from scoring.cli import main as cli
from scoring.demonstrations.catalog import DEMONSTRATIONS
from scoring.demonstrations.differencing import (
    SCORES,
    difference_of_means,
    differencing,
    noisy_mean,
    rounding_bound,
)
from scoring.demonstrations.histories import (
    MONTHS,
    histories,
    pseudo_histories,
    released,
    revealed_share,
)
from scoring.demonstrations.register import (
    LEVELS,
    k_anonymous_part,
    link,
    pseudo_register,
    register,
)
from scoring.demonstrations.taxi import (
    FORMS,
    TaxiResult,
    _number,
    invert,
    md5,
    n_numbers,
    numbers,
    taxi,
    unkeyed,
)


def rng(seed=1):
    return np.random.default_rng(seed)


# --- pseudonyms without a key ---


def test_every_number_has_its_place_in_the_list():
    listed = [*numbers("9A"), *numbers("A9")]
    assert listed == [_number(i, ("9A", "A9")) for i in range(520)]
    assert len(set(listed)) == 520
    assert all(len(list(numbers(form))) == n_numbers(form) for form in ("9", "A", "9A99"))
    assert sum(map(n_numbers, FORMS)) == 18_278_000


def test_unkeyed_pseudonyms_are_inverted_on_the_spot():
    # The digests that any tool prints, for two medallions and for something else.
    known = {
        "9d742f1eafe3127bde55ca386bedd919": "5X55",
        hashlib.md5(b"0A00", usedforsecurity=False).hexdigest(): "0A00",
    }
    assert invert([*known, md5("XX555")], ["9A99"], md5) == known


def test_a_key_makes_the_same_enumeration_find_nothing_and_its_owner_everything():
    key, taxis = bytes(range(32)), ["5X55", "0A00"]
    keyed = pseudonyms(taxis, key)
    assert invert(keyed, ["9A99"], md5) == {}
    assert invert(keyed, ["9A99"], unkeyed) == {}
    assert invert(keyed, ["9A99"], lambda n: pseudonyms([n], bytes(32))[0]) == {}
    found = invert(keyed, ["9A99"], lambda n: pseudonyms([n], key)[0])
    assert sorted(found.values()) == sorted(taxis)


def test_all_taxis_of_a_form_are_found():
    found = taxi(rng=rng(), n_taxis=200, forms=("9A99", "A99"))
    assert found == TaxiResult(200, 28_600, found_unkeyed=200, found_keyed=0)


# --- a register ---

REGISTER = pd.DataFrame(
    {
        "name": ["a", "b", "c", "d", "e"],
        "sex": ["f", "f", "f", "m", "m"],
        "zip": ["1", "1", "2", "1", "1"],
    }
)


def test_linkage_counts_who_fits():
    hospital = REGISTER.iloc[[0, 2, 3]][["sex", "zip"]]
    fine, coarse = (link(REGISTER, hospital, columns) for columns in (["sex", "zip"], ["sex"]))
    # Sex and ZIP: two fit the first, one the second, two the third; only c is unique of five.
    assert (fine.unique, fine.named) == (0.2, pytest.approx(1 / 3))
    assert fine.expected == pytest.approx((1 / 2 + 1 + 1 / 2) / 3)
    assert (coarse.unique, coarse.named) == (0, 0)
    assert coarse.expected == pytest.approx((1 / 3 + 1 / 3 + 1 / 2) / 3)


def test_a_k_anonymous_part_keeps_large_classes():
    part = k_anonymous_part(REGISTER, ["sex", "zip"], 2)
    assert list(part["name"]) == ["a", "b", "d", "e"]
    assert list(part.index) == [0, 1, 2, 3]
    assert len(k_anonymous_part(REGISTER, ["sex"], 4)) == 0
    nobody = link(REGISTER, REGISTER.iloc[:0], ["sex"])
    assert (nobody.n_released, nobody.named, nobody.expected) == (0, 0, 0)


def test_the_linkage_agrees_with_looking_up_one_by_one():
    voters = pseudo_register(300, rng=rng(4))
    patients = voters.iloc[rng(5).choice(300, 60, replace=False)]
    columns = ["sex", "year", "zip"]
    fitting = [
        sum((voters[columns] == patient[columns]).all(axis=1)) for _, patient in patients.iterrows()
    ]
    found = link(voters, patients, columns)
    assert found.named == pytest.approx(np.mean([f == 1 for f in fitting]))
    assert found.expected == pytest.approx(np.mean([1 / f for f in fitting]))


def test_a_register_of_voters():
    voters = pseudo_register(2000, rng=rng())
    born = pd.to_datetime(voters["born"])
    ages = (pd.Timestamp("2000-01-01") - born).dt.days / 365.25
    assert ages.between(18, 95).all()
    assert (voters["year"] == born.dt.year.astype(str)).all()
    assert (voters["decade"] == voters["year"].str[:3]).all()
    assert set(voters["area"]) == {"021", "022"}


def test_k_anonymity_bounds_what_the_register_tells():
    found = register(rng=rng(), n_registered=5000, n_released=1000, k=3)
    finest, *_, coarsest = found.everything
    assert finest.unique > 0.9
    assert finest.named > 0.9
    assert coarsest.named < 0.01
    named = [level.named for level in found.everything]
    assert named == sorted(named, reverse=True)
    for level in found.k_anonymous:
        assert level.named == 0
        assert level.expected <= 1 / 3
    kept = [level.n_released for level in found.k_anonymous]
    assert kept == sorted(kept)
    assert kept[0] < 50 < 900 < kept[-1]
    assert found.levels == tuple(LEVELS)


# --- two averages ---


def test_the_lecture_s_class():
    assert SCORES[0] == 40
    assert (np.mean(SCORES), np.mean(SCORES[1:])) == (70, 80)
    assert difference_of_means(70, 4, 80, 3) == 40


def test_sums_and_groups_of_several_persons_differ_alike():
    values = [3.0, 5.0, 8.0, 12.0]
    assert difference_of_means(7, 4, 20 / 2, 2) == pytest.approx(values[0] + values[1])
    assert difference_of_means(sum(values), 1, sum(values[1:]), 1) == values[0]


@pytest.mark.parametrize("n", [2, 7, 50])
@pytest.mark.parametrize("decimals", [0, 2])
def test_rounded_averages_are_off_by_the_bound_at_most(n, decimals):
    worst = 0.0
    for seed in range(200):
        values = rng(seed).random(n) * 100
        means = (round(float(some.mean()), decimals) for some in (values, values[1:]))
        worst = max(worst, abs(difference_of_means(next(means), n, next(means), n - 1) - values[0]))
    bound = rounding_bound(n, decimals)
    assert bound / 10 < worst <= bound + 1e-9


def test_noise_leaves_the_value_off_by_the_range_whatever_the_size():
    for n in (10, 1000):
        values, generator = rng(2).random(n) * 100, rng(3)
        errors, off = [], []
        for _ in range(4000):
            means = [noisy_mean(some, 100, 1.0, generator) for some in (values, values[1:])]
            off.append(means[0] - values.mean())
            errors.append(difference_of_means(means[0], n, means[1], n - 1) - values[0])
        # Two Laplace variables of scale 100 / ε, of variance 2 · 100² each.
        assert np.std(errors) == pytest.approx(200, rel=0.08)
        assert np.std(off) == pytest.approx(100 * math.sqrt(2) / n, rel=0.08)


def test_attempts_are_listed_with_their_bounds():
    found = differencing(rng=rng(), sizes=(50,), epsilon=2.0)
    lecture, coarse, fine, noisy = found.attempts
    assert (lecture.n, lecture.value, lecture.found) == (4, 40, 40)
    for attempt in (coarse, fine):
        off = abs(attempt.found - attempt.value)
        assert off <= rounding_bound(attempt.n, attempt.decimals) + 1e-9
    assert noisy.epsilon == 2
    assert [row[-1] for row in found.rows()[1:]] == ["0", "0.495", "0.00495", "no bound"]


# --- histories ---

# Persons 0 and 1 visit shop 5 in month 0, 0 only shop 6 and 1 only shop 7 in month 1.
VISITS = pd.DataFrame({"person": [0, 0, 1, 1], "month": [0, 1, 0, 1], "shop": [5, 6, 5, 7]})
KEY = bytes(range(32))


@pytest.mark.parametrize(
    ("months", "n_known", "expected"),
    [
        # One pseudonym: the visit of month 1 tells, that of month 0 does not.
        (12, 1, 0.5),
        (12, 2, 1.0),
        # One a month: only month 1 can be found, half of the records.
        (1, 1, 0.25),
        (1, 2, 0.5),
    ],
)
def test_what_a_known_visit_reveals(months, n_known, expected):
    release, generator = released(VISITS, months, KEY), rng(6)
    shares = [revealed_share(VISITS, release, n_known, rng=generator) for _ in range(400)]
    assert np.mean(shares) == pytest.approx(expected, abs=0.06)
    if n_known == 2:
        assert set(shares) == {expected}


def test_pseudonyms_change_with_the_period():
    visits = pseudo_histories(20, 2, 10, rng=rng())
    assert Counter(visits["person"]) == dict.fromkeys(range(20), 2 * MONTHS)
    for months, n in ((12, 20), (3, 80), (1, 240)):
        release = released(visits, months, KEY)
        assert release["person"].nunique() == n
        assert (release[["month", "shop"]] == visits[["month", "shop"]]).all(axis=None)


def slow_share(visits, release, known):
    """The share of one person's records found from these rows, by trying every pseudonym."""
    under = release["person"].tolist()
    visit = list(zip(visits["month"], visits["shop"], strict=True))
    of_person = np.flatnonzero(visits["person"] == visits["person"][known[0]])
    found = 0
    for pseudonym in {under[row] for row in of_person}:
        wanted = {visit[row] for row in known if under[row] == pseudonym}
        having = [
            other
            for other in set(under)
            if wanted <= {v for v, name in zip(visit, under, strict=True) if name == other}
        ]
        if wanted and having == [pseudonym]:
            found += under.count(pseudonym)
    return found / len(of_person)


@pytest.mark.parametrize("months", [12, 3, 1])
@pytest.mark.parametrize("n_known", [1, 3, 6])
def test_the_share_agrees_with_trying_every_pseudonym(months, n_known):
    visits = pseudo_histories(6, 1, 3, rng=rng(7))
    release = released(visits, months, KEY)
    generator = rng(8)
    drawn = [
        generator.choice(np.flatnonzero(visits["person"] == p), size=n_known, replace=False)
        for p in range(6)
    ]
    expected = np.mean([slow_share(visits, release, known.tolist()) for known in drawn])
    assert revealed_share(visits, release, n_known, rng=rng(8)) == pytest.approx(expected)


def test_risk_grows_with_what_is_known_and_falls_with_shorter_periods():
    found = histories(rng=rng(), n_persons=80, known=(1, 2, 4))
    shares = np.array(found.revealed)
    assert (np.diff(shares, axis=0) > 0).all()
    assert (np.diff(shares, axis=1) < 0).all()
    assert shares[-1, 0] > 0.8
    assert shares[-1, -1] < 0.1


# --- as a command ---

# The documentation runs the demonstrations at their full size.
SMALL = {
    "taxi": {"n_taxis": 50, "forms": ("9A99",)},
    "register": {"n_registered": 500, "n_released": 100},
    "differencing": {"sizes": (10,)},
    "histories": {"n_persons": 20, "known": (1, 3)},
    "known-rest": {},
    "averaging": {"answers": (1, 3), "trials": 5},
    "chi-squared": {"sizes": (50,), "trials": 20},
}


@pytest.mark.parametrize("name", DEMONSTRATIONS)
def test_results_are_tables_and_data(name, capsys, monkeypatch):
    function = function_at(DEMONSTRATIONS[name].address)
    address = DEMONSTRATIONS[name].address.replace(":", ".")
    monkeypatch.setattr(address, partial(function, **SMALL[name]))
    assert cli.main(["demonstrate", name, "--seed", "3", "--json"]) == 0
    values = json.loads(capsys.readouterr().out)
    found = DEMONSTRATIONS[name](rng=rng(3))
    assert values == json.loads(json.dumps({"demonstration": name, **asdict(found)}))
    assert cli.main(["demonstrate", name, "--seed", "3"]) == 0
    title, _empty, *table = capsys.readouterr().out.splitlines()
    assert title == DEMONSTRATIONS[name].title
    assert len(table) == len(found.rows())
    assert len({len(row) for row in found.rows()}) == 1
    for line, row in zip(table, found.rows(), strict=True):
        assert " ".join(line.split()) == " ".join(" ".join(row).split())


def test_an_unknown_demonstration_is_wrong_use(capsys):
    assert cli.main(["demonstrate", "magic"]) == 2
    assert "taxi" in capsys.readouterr().err
