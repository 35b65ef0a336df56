# SPDX-License-Identifier: Apache-2.0
"""The kinds of options: what their texts mean, and which values they accept."""

from __future__ import annotations

import math
from pathlib import Path

import pytest

from scoring.options import Option


def option(kind, default="", **bounds):
    return Option("o", kind, default, "what it is for", **bounds)


@pytest.mark.parametrize(
    ("kind", "text", "value"),
    [
        ("integer", "3", 3),
        ("integer", "3.5", None),
        ("number", "3.5", 3.5),
        ("columns", "a, b", ("a", "b")),
        ("columns", "a,", None),
        ("integers", "1, 0,2", (1, 0, 2)),
        ("integers", "1,", None),
        ("integers", "1,x", None),
        ("numbers", "1.5,2", (1.5, 2.0)),
        ("numbers", "", None),
        ("text", "a,b", "a,b"),
    ],
)
def test_texts(kind, text, value):
    assert option(kind).parse(text) == value


@pytest.mark.parametrize(
    ("kind", "good", "bad"),
    [
        ("integer", [0, 3], [-1, 4, 1.5, True, "1", (1,)]),
        ("number", [0, 2.5], [-0.1, float("nan"), True, "x", ()]),
        ("integers", [(), (1, 3), [0]], [(4,), (1.5,), (True,), 1, "1"]),
        ("numbers", [(), (1, 2.5)], [(float("inf"),), ("1",), 1.0]),
        ("columns", [(), ("a",)], ["a", (1,)]),
        ("hierarchy", [{}, {"a": {}}, "a.json", Path("a.json")], [("a",), 1]),
    ],
)
def test_values(kind, good, bad):
    tested = option(kind, default=0, high=3)
    assert [value for value in good if not tested.accepts(value)] == []
    assert [value for value in bad if tested.accepts(value)] == []


@pytest.mark.parametrize("kind", ["integer", "number", "hierarchy"])
def test_only_a_default_of_nothing_allows_nothing(kind):
    assert option(kind, default="").accepts("")
    assert not option(kind, default=0).accepts("")


def test_integers_have_no_largest():
    assert option("integer").accepts(10**400)
    assert not option("integer").accepts(-(10**400))
    assert not option("number", high=3).accepts(10**400)


def test_what_is_expected():
    assert option("integers", high=3).expected == (
        "integers with commas between them, each from 0 to 3"
    )
    assert option("numbers").expected == "numbers with commas between them, each of at least 0"
    assert option("numbers", low=-math.inf).expected == "numbers with commas between them"
    assert "JSON" in option("hierarchy").expected


@pytest.mark.parametrize(
    ("content", "value"),
    [
        (b'{"age": {"type": "numeric"}}', {"age": {"type": "numeric"}}),
        (b'\xef\xbb\xbf{"a": 1}', {"a": 1}),
        (b"[]", None),
        (b"{", None),
        (b'{"a": 1, "a": 2}', None),
        (b'{"x": {"a": 1, "a": 1}}', None),
        (b"\xff\xfe\x00", None),
        (b"[" * 100_000, None),
    ],
)
def test_a_hierarchy_is_read_from_its_file(tmp_path, content, value):
    file = tmp_path / "h.json"
    file.write_bytes(content)
    assert option("hierarchy").parse(str(file)) == value


def test_a_file_that_is_not_there_means_nothing(tmp_path):
    assert option("hierarchy").parse(str(tmp_path / "none.json")) is None
    assert option("hierarchy").parse(str(tmp_path)) is None
    assert option("hierarchy").parse("a\0b") is None
