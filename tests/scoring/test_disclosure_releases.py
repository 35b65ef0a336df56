# SPDX-License-Identifier: Apache-2.0
"""A table released once: its file, its randomness, and that it hides a record as well as it claims."""

from __future__ import annotations

import math
from collections import Counter
from decimal import Decimal
from fractions import Fraction
from itertools import permutations

import numpy as np
import pytest

from scoring.errors import ProblemsFound
from scoring.formats.disclosure.attributes import Attribute
from scoring.formats.disclosure.releases import read_release, release_csv, rho_at
from scoring.privacy.post_randomization import epsilon_of
from scoring.privacy.sampling import secure, seeded

SEX, AGE = Attribute("sex", ("F", "M")), Attribute("age", ("18", "35", "65"))
CODES = np.array([[0, 0], [0, 2], [1, 1], [1, 2]], dtype=np.uint8)
PLAIN = Decimal(1000)
"""At so much ε nothing is replaced."""


def randomness(seed=1):
    return seeded(np.random.default_rng(seed))


def lines(data):
    header, *rest = data.decode().splitlines()
    assert header == "sex,age"
    return rest


def test_a_release_has_a_line_for_each_record():
    data = release_csv(CODES, (SEX, AGE), PLAIN, secure())
    assert sorted(lines(data)) == ["F,18", "F,65", "M,35", "M,65"]
    assert len(lines(release_csv(CODES, (SEX, AGE), Decimal("0.000001"), secure()))) == 4
    assert CODES.tolist() == [[0, 0], [0, 2], [1, 1], [1, 2]]


def test_a_release_is_read_again():
    quoted = (Attribute('a,"b"', ("x,y", "")), AGE)
    for attributes in ((SEX, AGE), quoted):
        codes = read_release(release_csv(CODES, attributes, PLAIN, randomness()), attributes)
        assert sorted(codes.tolist()) == sorted(CODES.tolist())
    alone = np.array([[1], [1], [0]], dtype=np.uint8)
    codes = read_release(release_csv(alone, quoted[:1], PLAIN, randomness()), quoted[:1])
    assert sorted(codes.tolist()) == [[0], [1], [1]]


def test_a_release_of_other_columns_is_refused():
    with pytest.raises(ProblemsFound, match="another order"):
        read_release(b"age,sex\n18,F\n", (SEX, AGE))
    with pytest.raises(ProblemsFound, match="not one of the column's values"):
        read_release(b"sex,age\nF,19\nX,18\n", (SEX, AGE))


@pytest.mark.long
def test_every_order_of_lines_is_as_likely():
    drawn, source = Counter(), randomness(2)
    for _ in range(2400):
        drawn[tuple(lines(release_csv(CODES[:3], (SEX, AGE), PLAIN, source)))] += 1
    assert set(drawn) == set(permutations(["F,18", "F,65", "M,35"]))
    assert max(abs(n - 400) for n in drawn.values()) < 5 * math.sqrt(400)


def test_a_seed_repeats_a_release_and_nothing_else_does():
    codes = np.tile(CODES, (50, 1))
    one, again = (release_csv(codes, (SEX, AGE), Decimal(1), randomness(3)) for _ in range(2))
    assert one == again
    drawn = {release_csv(codes, (SEX, AGE), Decimal(1), secure()) for _ in range(5)}
    assert len(drawn) == 5


@pytest.mark.parametrize("text", ["0.000001", "0.1", "0.3", "1", "2.7", "36.6", "1000000"])
def test_rho_never_costs_more_than_epsilon(text):
    epsilon = Decimal(text)
    rho = rho_at(epsilon, (SEX, AGE))
    assert 0 < rho < 1
    assert Fraction(epsilon_of(rho, (2, 3))) <= Fraction(epsilon)
    if epsilon < 30:  # above, ρ has no floating-point number left below 1
        assert epsilon_of(rho, (2, 3)) == pytest.approx(float(epsilon))


@pytest.mark.parametrize("epsilon", ["0", "-1", "NaN", "Infinity", "0.0000001", "1000001"])
def test_no_release_without_an_epsilon(epsilon):
    with pytest.raises(ValueError, match="epsilon: expected"):
        release_csv(CODES, (SEX, AGE), Decimal(epsilon), secure())


@pytest.mark.parametrize("epsilon", ["0.5", "2"])
def test_releases_of_neighbouring_tables_are_alike_within_epsilon(epsilon):
    """Each line of equal records is the release of a table of one; all its values differ."""
    n = 40_000
    one, other = (
        Counter(lines(release_csv(np.full((n, 2), code), (SEX, AGE), Decimal(epsilon), randomness(4 + code))))
        for code in np.array([0, 1], dtype=np.uint8)
    )  # fmt: skip
    assert len(one) == len(other) == 6
    ratios = {line: math.log(one[line] / other[line]) for line in one}
    for line, ratio in ratios.items():
        error = math.sqrt(1 / one[line] + 1 / other[line])
        assert abs(ratio) <= float(epsilon) + 5 * error
    assert ratios["F,18"] == pytest.approx(float(epsilon), abs=0.1)
    assert ratios["M,35"] == pytest.approx(-float(epsilon), abs=0.1)
