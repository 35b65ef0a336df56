# SPDX-License-Identifier: Apache-2.0
"""Keyed pseudonyms: the published test vectors, periods, collisions, and columns of free text."""

from __future__ import annotations

import hashlib
import hmac
from fractions import Fraction

import numpy as np
import pandas as pd
import pytest

from scoring.anonymizers import anonymize
from scoring.anonymizers.pseudonyms import DIGITS, collision_probability, pseudonyms
from scoring.errors import ProblemsFound
from scoring.tables.schema import Column, Kind, Role, Schema

KEY = bytes(range(32))

# RFC 4231, "Identifiers and Test Vectors for HMAC-SHA-224, HMAC-SHA-256 …", §4.2 and §4.7.
VECTORS = [
    (b"\x0b" * 20, "Hi There", "b0344c61d8db38535ca8afceaf0bf12b881dc200c9833da726e9376c2e32cff7"),
    (
        b"\xaa" * 131,
        "Test Using Larger Than Block-Size Key - Hash Key First",
        "60e431591ee0b67f0d8a26aacbf5b77f8e0bc6213728c5140546040f0ee37f54",
    ),
]


@pytest.mark.parametrize(("key", "text", "expected"), VECTORS)
def test_the_published_vectors(key, text, expected):
    assert pseudonyms([text], key, digits=64) == [expected]
    assert pseudonyms([text], key) == [expected[:DIGITS]]


def test_equal_identifiers_have_equal_pseudonyms_and_others_have_others():
    names = ["alice", "bob", "alice", "東京", ""]
    made = pseudonyms(names, KEY)
    assert made[0] == made[2]
    assert len(set(made)) == 4
    assert not set(made) & set(pseudonyms(names, KEY[::-1]))
    assert pseudonyms([], KEY) == []


def test_a_period_changes_every_pseudonym():
    names = ["alice", "bob", "alice", "alice"]
    plain, may, june = (pseudonyms(names, KEY, period) for period in (None, "May", "June"))
    assert len({*plain, *may, *june}) == 6
    mixed = pseudonyms(names, KEY, ["May", "May", "June", "May"])
    assert mixed == [may[0], may[1], june[2], may[3]]
    with pytest.raises(ValueError, match="zip"):
        pseudonyms(names, KEY, ["May"])


def test_no_pseudonym_is_a_key_of_a_period():
    derived = bytes.fromhex(pseudonyms(["May"], KEY, digits=64)[0])
    forged = hmac.new(derived, b"alice", hashlib.sha256).hexdigest()[:DIGITS]
    assert forged != pseudonyms(["alice"], KEY, "May")[0]


def test_pairs_of_texts_do_not_run_together():
    assert pseudonyms(["2alice"], KEY, "202") != pseudonyms(["alice"], KEY, "2022")


@pytest.mark.long
def test_identifiers_that_would_share_a_pseudonym_are_refused():
    # Among 200,000 pseudonyms of 32 bits about five pairs are equal.
    many = [str(i) for i in range(200_000)]
    with pytest.raises(ProblemsFound) as found:
        pseudonyms(many, KEY, digits=8)
    (problem,) = found.value.problems
    assert (problem.params["option"], problem.params["got"]) == ("digits", "8")
    assert "200000 different pseudonyms" in problem.message
    assert len(set(pseudonyms(many, KEY))) == 200_000


@pytest.mark.parametrize(("n", "digits"), [(2, 8), (1000, 8), (60_000, 8), (2, 16)])
def test_collisions_have_the_probability_of_the_birthday_problem(n, digits):
    exact = Fraction(1) if n < 5000 else 1.0
    for i in range(n):
        exact *= 1 - (Fraction(i, 16**digits) if n < 5000 else i / 16**digits)
    assert collision_probability(n, digits) == pytest.approx(float(1 - exact), rel=1e-4)


def test_one_person_only_collides_with_nobody():
    assert collision_probability(1) == 0


@pytest.mark.parametrize(
    ("key", "digits", "named"),
    [(b"short", 16, "key"), (b"", 16, "key"), (KEY, 7, "digits"), (KEY, 65, "digits")],
)
def test_short_keys_and_odd_lengths_are_refused(key, digits, named):
    with pytest.raises(ProblemsFound) as found:
        pseudonyms(["alice"], key, digits=digits)
    assert [p.params["option"] for p in found.value.problems] == [named]


# --- as an anonymizer ---

SCHEMA = Schema(
    (
        Column("person", Role.IDENTIFIER, Kind.CATEGORY),
        Column("card", Role.OTHER, Kind.CATEGORY),
        Column("shop", Role.QUASI_IDENTIFIER, Kind.CATEGORY),
        Column("sex", Role.QUASI_IDENTIFIER, Kind.CATEGORY, values=("f", "m")),
        Column("spent", Role.SENSITIVE, Kind.INTEGER),
    )
)
TABLE = pd.DataFrame(
    {
        "person": ["p1", "p2", "p3"],
        "card": ["c1", "c2", "c1"],
        "shop": ["x", "y", "x"],
        "sex": ["f", "m", "f"],
        "spent": [1, 2, 3],
    }
).astype(dict.fromkeys(("person", "card", "shop", "sex"), "str"))


def run(seed=1, **options):
    steps = [("pseudonymize", options)]
    return anonymize(TABLE, SCHEMA, steps, rng=np.random.default_rng(seed)).table


def test_named_columns_get_pseudonyms():
    done = run(columns=("card",))
    assert done["card"][0] == done["card"][2] != done["card"][1]
    assert not set(done["card"]) & {"c1", "c2"}
    assert done["card"].dtype == TABLE["card"].dtype
    assert list(done.columns) == ["card", "shop", "sex", "spent"]
    assert (done[["shop", "sex", "spent"]] == TABLE[["shop", "sex", "spent"]]).all(axis=None)
    assert len(set(run(columns=("card", "shop"))["shop"])) == 2


def test_the_key_comes_from_the_seed_or_from_the_option():
    key = "correct horse battery"
    options = {"columns": ("card",)}
    assert run(1, **options).equals(run(1, **options))
    assert not run(1, **options).equals(run(2, **options))
    assert list(run(1, key=key, **options)["card"]) == pseudonyms(TABLE["card"], key.encode())
    assert run(1, key=key, **options).equals(run(2, key=key, **options))
    may = run(1, key=key, period="May", digits=20, **options)["card"]
    assert list(may) == pseudonyms(TABLE["card"], key.encode(), "May", digits=20)


@pytest.mark.parametrize(
    ("options", "named", "expected"),
    [
        ({}, "columns", "out of card, shop — got “nothing”"),
        (
            {"columns": ("sex",)},
            "columns",
            "columns of free text (categories whose values the schema does not list), out of card, shop",
        ),
        ({"columns": ("person",)}, "columns", "out of card, shop"),
        ({"columns": ("spent",)}, "columns", "out of card, shop"),
        ({"columns": ("card",), "key": "short"}, "key", "16 bytes or more — got “5 bytes”"),
        ({"columns": ("card",), "digits": 4}, "digits", "an integer from 8 to 64"),
    ],
)
def test_wrong_options(options, named, expected):
    with pytest.raises(ProblemsFound) as found:
        run(**options)
    (problem,) = found.value.problems
    assert (problem.params["method"], problem.params["option"]) == ("pseudonymize", named)
    assert expected in problem.message
