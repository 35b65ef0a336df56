# SPDX-License-Identifier: Apache-2.0
"""Membership by distance ratio: against plain code, and where nothing or everything is to be learnt."""

from __future__ import annotations

import numpy as np
import pandas as pd
import pytest

from scoring.attacks.base import DISTANCES
from scoring.attacks.membership import area_under_curve, membership_scores, true_positives
from scoring.datasets.households import HOUSEHOLDS_SCHEMA, households
from scoring.errors import ProblemsFound
from scoring.examples import SCHEMA, table
from scoring.reporting.intervals import area_interval, difference
from scoring.scores.comparison import Prepared
from scoring.scores.controls import ControlError
from scoring.tables.schema import Column, Kind, Role, Schema
from tests.scoring import tables
from tests.scoring.test_attackers import LOOKED_AT, MIXED, distances, mixed


def lengths(x, y, kind):
    found = distances(x, y, MIXED, LOOKED_AT, kind)
    return [[d if kind == "gower" else d**0.5 for d in row] for row in found]


def area_oracle(members, others):
    wins = [(m > o) + (m == o) / 2 for m in members for o in others]
    return sum(wins) / len(wins)


@pytest.mark.parametrize("kind", DISTANCES)
def test_scores_equal_their_oracle(kind):
    for seed in range(1, 25):
        (x, y), (control, _) = mixed(seed), mixed(seed + 100)
        persons = pd.concat([x, control], ignore_index=True)
        found = membership_scores(x, control, y, MIXED, distance=kind)
        # Scales come from the persons: the distances from a person to a record and to a person.
        to_others = lengths(persons, persons, kind)
        to_table = lengths(persons, y, kind)
        scores = []
        for i in range(len(persons)):
            a = min(row[i] for row in to_table)
            b = min(d for j, d in enumerate(to_others[i]) if j != i)
            scores.append(b / (a + b) if a + b > 0 else 0.5)
        assert found.scores.tolist() == pytest.approx(scores, abs=1e-12), seed
        members, others = found.scores[: len(x)].tolist(), found.scores[len(x) :].tolist()
        assert found.auc == pytest.approx(area_oracle(members, others))
        limit = sorted(found.scores.tolist(), reverse=True)[len(x)]
        hits, alarms = sum(s > limit for s in members), sum(s > limit for s in others)
        assert (found.members.hits, found.members.n) == (hits, len(x))
        assert (found.others.hits, found.others.n) == (alarms, len(control))
        assert found.advantage == difference(hits, len(x), alarms, len(control))
        assert found.area == area_interval(found.auc, len(x), len(control))


def test_true_positives_where_few_false_ones_are_allowed():
    """Of 2,000 others two may score as high at 0.1 %, 20 at 1 %."""
    rng = np.random.default_rng(3)
    scores = rng.permutation(2500).astype(float)
    members, others = scores[:500], np.sort(scores[500:])[::-1]
    for share, allowed in ((0.01, 20), (0.001, 2), (0.0, 0)):
        found = true_positives(scores, 500, share)
        assert found.hits == sum(m > others[allowed] for m in members)
        assert (others > others[allowed]).sum() == allowed
    tied = true_positives(np.array([0.5, 0.5, 0.5, 0.1]), 2, 0.4)
    assert tied.hits == 0  # an equal score is no higher


def people(n, seed):
    rng = np.random.default_rng(seed)
    schema = tables.make_schema(1, 3)
    x = pd.DataFrame(rng.normal(size=(n, 3)), columns=["s0", "s1", "s2"])
    return schema, x.assign(q0=rng.choice(["a", "b"], n))


def test_a_copy_gives_everybody_away():
    schema, x = people(200, 1)
    found = membership_scores(x.iloc[:120], x.iloc[120:], x.iloc[:120], schema)
    assert found.auc == 1
    assert (found.members.value, found.others.value, found.advantage.value) == (1, 0, 1)
    assert {rate: share.value for rate, share in found.at_false_positives.items()} == {
        0.01: 1,
        0.001: 1,
    }
    assert (found.scores[:120] == 1).all()


def test_a_table_of_strangers_gives_nobody_away():
    schema, x = people(900, 2)
    found = membership_scores(x.iloc[:300], x.iloc[300:600], x.iloc[600:], schema)
    assert found.auc == pytest.approx(0.5, abs=0.05)
    assert found.advantage.low < 0 < found.advantage.high


def test_noise_protects():
    schema, x = people(300, 3)
    rng = np.random.default_rng(1)
    areas = []
    for noise in (0.01, 0.3, 3):
        y = x.iloc[:150].copy()
        y[["s0", "s1", "s2"]] += rng.normal(size=(150, 3)) * noise
        areas.append(membership_scores(x.iloc[:150], x.iloc[150:], y, schema).auc)
    assert areas[0] > areas[1] > areas[2]


def test_people_who_all_look_alike_cannot_be_distinguished():
    schema, x = people(1, 4)
    x = pd.concat([x] * 8, ignore_index=True)
    found = membership_scores(x.iloc[:4], x.iloc[4:], x.iloc[:4], schema)
    assert (found.scores == 0.5).all()
    assert (found.auc, found.members.hits, found.others.hits) == (0.5, 0, 0)


def test_a_prepared_table_is_the_same_and_inputs_stay():
    schema, x = people(60, 5)
    parts = x.iloc[:30], x.iloc[30:], x.iloc[10:40]
    before = [part.copy() for part in parts]
    one = membership_scores(*parts, schema)
    two = membership_scores(Prepared.of(parts[0], schema), *parts[1:], schema)
    assert one.scores.tolist() == two.scores.tolist()
    for part, copy in zip(parts, before, strict=True):
        pd.testing.assert_frame_equal(part, copy)


def test_the_area_under_the_curve_counts_pairs():
    rng = np.random.default_rng(1)
    for _ in range(20):
        members, others = (rng.integers(0, 4, rng.integers(1, 9)) / 4 for _ in range(2))
        assert area_under_curve(members, others) == pytest.approx(area_oracle(members, others))


def test_a_control_with_other_columns_is_refused():
    x = table("original")
    with pytest.raises(ValueError, match="control: expected columns SA2"):
        membership_scores(x, x.drop(columns="SA2"), x, SCHEMA)
    with pytest.raises(ValueError, match="control: expected at least one record"):
        membership_scores(x, x.head(0), x, SCHEMA)


def test_a_distance_needs_a_column():
    schema = Schema((Column("sex", Role.QUASI_IDENTIFIER, Kind.CATEGORY),))
    x = pd.DataFrame({"sex": ["f", "m"]})
    with pytest.raises(ProblemsFound, match="distance"):
        membership_scores(x, x, x, schema, distance="z")
    assert membership_scores(x, x, x, schema).auc == 0.5


def test_the_original_is_no_control_of_itself():
    case = households(80, seed=3)
    with pytest.raises(ControlError, match="control: expected records that the original lacks"):
        membership_scores(case, case, case, HOUSEHOLDS_SCHEMA)
