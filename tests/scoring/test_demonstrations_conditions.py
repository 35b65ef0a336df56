# SPDX-License-Identifier: Apache-2.0
"""(X,Y)-privacy and (ε,m)-anonymity on tables made manually, and against their definitions."""

from __future__ import annotations

import math

import numpy as np
import pandas as pd
import pytest

from scoring.demonstrations.conditions import proximity_risk, xy_anonymity, xy_linkability
from tests.every import every

VISITS = pd.DataFrame(
    {
        "job": ["cook", "cook", "cook", "clerk", "clerk", "clerk", "clerk"],
        "zip": ["1", "1", "1", "1", "2", "2", "2"],
        "patient": [1, 1, 2, 3, 4, 5, 6],
        "test": ["hiv", "hiv", "eye", "hiv", "eye", "eye", "eye"],
    }
)


@pytest.mark.parametrize(
    ("x", "y", "expected"),
    [
        (["job"], ["patient"], 2),  # the three records of the cooks are two persons
        (["job", "zip"], ["patient"], 1),  # the clerk of ZIP 1
        (["zip"], ["patient"], 3),
        (["job"], ["test"], 2),
        (["zip"], ["test"], 1),  # ZIP 2: eyes only
        (["job"], ["test", "zip"], 2),  # cooks: hiv and eye in ZIP 1; clerks: hiv 1, eye 2
        ([], ["patient"], 6),
    ],
)
def test_xy_anonymity(x, y, expected):
    assert xy_anonymity(VISITS, x, y) == expected


@pytest.mark.parametrize(
    ("x", "among", "expected"),
    [
        (["job"], None, 3 / 4),  # clerks: three eyes of four
        (["job"], [("hiv",)], 2 / 3),
        (["zip"], None, 1),
        (["zip"], [("hiv",)], 3 / 4),
        (["zip"], [("flu",)], 0),
        ([], [("hiv",)], 3 / 7),
    ],
)
def test_xy_linkability(x, among, expected):
    assert xy_linkability(VISITS, x, ["test"], among) == pytest.approx(expected)


def test_linkability_on_several_columns_together():
    shares = [
        xy_linkability(VISITS, ["job"], ["zip", "test"], [pair])
        for pair in (("1", "hiv"), ("2", "eye"))
    ]
    assert shares == pytest.approx([2 / 3, 3 / 4])


@pytest.mark.parametrize("function", [xy_anonymity, xy_linkability])
@pytest.mark.parametrize(
    ("table", "x", "y"), [(VISITS.iloc[:0], ["job"], ["zip"]), (VISITS, ["job"], ["zip", "job"])]
)
def test_nothing_to_check(function, table, x, y):
    with pytest.raises(ValueError, match="at least one record, and no column both in X and in Y"):
        function(table, x, y)


SALARIES = pd.DataFrame(
    {"job": ["a", "a", "a", "a", "b", "b", "b"], "pay": [30.0, 31.0, 32.0, 90.0, -10.0, 0.0, 10.0]}
)


@pytest.mark.parametrize(
    ("epsilon", "relative", "expected"),
    [
        (0, False, 1 / 3),  # each number only: one of three in class b
        (1, False, 3 / 4),  # around 31, both ends included
        (0.5, False, 1 / 3),
        (10, False, 1),  # around 0 in class b
        (0.05, True, 3 / 4),  # 31 ± 1.55
        (0.03, True, 1 / 3),  # no two of class a are within 3 %
        (2, True, 1),  # -10 ± 20
    ],
)
def test_proximity(epsilon, relative, expected):
    assert proximity_risk(SALARIES, ["job"], "pay", epsilon, relative=relative) == pytest.approx(
        expected
    )


@every(seed=range(40), relative=[False, True])
def test_proximity_agrees_with_its_definition(seed, relative):
    rng = np.random.default_rng(seed)
    n, epsilon = int(rng.integers(1, 25)), float(rng.integers(0, 4)) / 2
    table = pd.DataFrame({"q": rng.integers(0, 3, n), "s": rng.integers(-8, 9, n)})
    risks = []
    for q, s in zip(table["q"], table["s"], strict=True):
        own = table["s"][table["q"] == q]
        reach = epsilon * abs(s) if relative else epsilon
        risks.append(((own >= s - reach) & (own <= s + reach)).mean())
    assert proximity_risk(table, ["q"], "s", epsilon, relative=relative) == pytest.approx(
        max(risks)
    )


@pytest.mark.parametrize(("rows", "epsilon"), [(0, 1.0), (7, -0.1), (7, math.nan)])
def test_no_proximity_of_nothing(rows, epsilon):
    with pytest.raises(ValueError, match="at least one record and an epsilon of at least 0"):
        proximity_risk(SALARIES.iloc[:rows], ["job"], "pay", epsilon)
