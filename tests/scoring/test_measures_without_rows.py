# SPDX-License-Identifier: Apache-2.0
"""Measures that need the declared rows: the others have the same value for any rows."""

from __future__ import annotations

import numpy as np
import pytest

from scoring.evaluate import score
from scoring.measures.catalog import DRAWING, NEED_ROWS
from scoring.registry import MEASURES
from scoring.rulesets.kinds import COHORT
from scoring.rulesets.loader_measures import measures_for
from tests.scoring import tables

COUNTS_OR_SAMPLES = {"U6", "discernibility", "individual-max", "individual-mean", "zayatz"}
COUNTS_OR_SAMPLES |= {"pitman", "presence", "absence"}
"""They need rows only because they count deleted records, or take the table as a sample of the original."""


def scored(case, source, wanted):
    return score(case.original, case.anonymized, source, case.schema, measures=wanted)


def test_other_rows_change_the_measures_that_follow_them_and_no_others():
    changed = set()
    exact = [id_ for id_ in MEASURES if id_ not in DRAWING]
    drawn = [id_ for id_ in MEASURES if id_ in DRAWING]
    for seed, wanted in ((0, drawn), *((seed, exact) for seed in range(2, 16, 2))):
        case, rng = tables.case(seed), np.random.default_rng(seed)
        others = rng.permutation(len(case.original))[: len(case.source)]
        found, again = (scored(case, rows, wanted) for rows in (case.source, others))
        changed |= {id_ for id_ in wanted if found[id_] != pytest.approx(again[id_], abs=1e-8)}
    assert changed <= set(NEED_ROWS)
    assert set(NEED_ROWS) - changed <= COUNTS_OR_SAMPLES | {"tstr"}


def test_tables_without_rows_take_only_measures_without_rows():
    offered = measures_for(COHORT)
    assert len(offered) >= 25
    assert {id_ for id_ in MEASURES if id_ not in offered} == set(NEED_ROWS)
