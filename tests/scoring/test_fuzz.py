# SPDX-License-Identifier: Apache-2.0
"""A sample of what `python -m tests.scoring.fuzz` runs at length, and its plain code against plainer."""

from __future__ import annotations

import pytest

from tests.every import some
from tests.scoring import fuzz, oracles, tables


@pytest.mark.parametrize("first_seed", some(2, range(0, 40, 10)))
def test_fast_paths_equal_plain_code(first_seed):
    for seed in range(first_seed, first_seed + 10):
        answers = list(fuzz.differences(seed))
        assert [difference for _n, difference in answers if difference] == [], seed
        assert sum(n for n, _difference in answers) >= 14


def test_the_sample_has_every_kind_of_table():
    cases = [fuzz.case_of(seed) for seed in range(40)]
    assert max(len(case.original) for case in cases) > 400
    assert max(len(case.schema.quasi_identifiers) for case in cases) == 12
    kinds = {column.kind for case in cases for column in case.schema.columns}
    assert len(kinds) == 3


def test_the_plain_code_of_the_fuzz_equals_the_oracles():
    for seed in range(0, 60, 2):
        case, options = tables.case(seed), fuzz.ALL_OPTIONS[seed % len(fuzz.ALL_OPTIONS)]
        arguments = case.original, case.anonymized, case.source, case.schema
        plain = fuzz.Plain.of(case)
        expected = oracles.score(*arguments, options)
        for id_, value in fuzz.measures(plain, options).items():
            if expected[id_] is None:
                assert value is None
            else:
                assert float(value) == pytest.approx(expected[id_], rel=1e-9, abs=1e-9), id_
        for attack in fuzz.GUESSES if case.schema.sensitive_numeric else ():
            expected_guess = oracles.definite_guess(attack, *arguments[:2], case.schema)
            assert fuzz.definite_guess(plain, attack) == expected_guess
