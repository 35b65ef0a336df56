"""Laws that every measure beyond those of 2015 must keep, on random tables; families add their own."""

from __future__ import annotations

import pickle

import numpy as np
import pytest

from scoring.evaluate import Options, score
from scoring.registry import MEASURES, PWSCUP_2015
from tests.scoring import tables

FURTHER = [id_ for id_ in MEASURES if id_ not in PWSCUP_2015]
CASES = [tables.case(seed) for seed in range(0, 24, 3)]


def value(id_, case, **changes):
    return score(
        changes.get("original", case.original),
        changes.get("anonymized", case.anonymized),
        changes.get("source", case.source),
        case.schema,
        options=changes.get("options", Options()),
        measures=[id_],
    )[id_]


@pytest.mark.parametrize("id_", FURTHER)
def test_values_lie_within_the_range_of_the_registry(id_):
    measure = MEASURES[id_]
    for case in CASES:
        got = value(id_, case)
        if got is not None:
            assert type(got) in (int, float)
            assert np.isfinite(got)
            assert measure.low <= got
            assert measure.high is None or got <= measure.high


@pytest.mark.parametrize("id_", FURTHER)
def test_the_order_of_the_records_decides_nothing(id_):
    rng = np.random.default_rng(1)
    for case in CASES:
        order = rng.permutation(len(case.source))
        shuffled = case.anonymized.iloc[order]  # with its index shuffled: labels are no positions
        got = value(id_, case, anonymized=shuffled, source=case.source[order])
        expected = value(id_, case)
        assert got == (expected if expected is None else pytest.approx(expected, abs=1e-8))


@pytest.mark.parametrize("id_", FURTHER)
def test_inputs_are_unchanged_and_a_value_comes_out_the_same_again(id_):
    for case in CASES[:3]:
        before = pickle.dumps((case.original, case.anonymized, case.source))
        assert value(id_, case) == value(id_, case)
        assert pickle.dumps((case.original, case.anonymized, case.source)) == before
