# SPDX-License-Identifier: Apache-2.0
"""The oracle only reproduces what the paper's tables must give."""

from __future__ import annotations

from fractions import Fraction

import pytest

from scoring.formats.sequential.examples import PATIENTS, SMALL, TABLE_1, microdata
from tests.scoring.sequential_oracles import counting_risks, world_risks
from tests.scoring.sequential_tables import T3, T4, T9, T12, T13, T16

BOB = 0


def test_bob_of_section_4_2():
    assert SMALL.ids[BOB] == "Bob"
    pair = (T12, T13)
    assert counting_risks(SMALL, pair)[BOB] == Fraction(2, 3)
    found = [
        world_risks(SMALL, pair, **knowledge)
        for knowledge in ({}, {"known": True}, {"invariant": True})
    ]
    assert [(n, risks[BOB]) for n, risks in found] == [
        (10, Fraction(3, 5)),
        (6, Fraction(2, 3)),
        (8, Fraction(1, 2)),
    ]


def test_bob_after_the_improved_method():
    assert counting_risks(SMALL, (T12, T16))[BOB] == Fraction(1, 2)
    n, risks = world_risks(SMALL, (T12, T16))
    assert (n, risks[BOB]) == (4, Fraction(1, 2))


@pytest.mark.parametrize(
    ("releases", "n"), [((T3,), 96), ((T3, T4), 48), ((T3, T9), 384)], ids=["T3", "T3+T4", "T3+T9"]
)
def test_possible_worlds_of_the_patients(releases, n):
    tables = PATIENTS if len(releases) == 2 else microdata(TABLE_1)
    assert world_risks(tables, releases)[0] == n
