# SPDX-License-Identifier: Apache-2.0
"""TOML that takes all memory or breaks the parser is refused like any other that is wrong."""

from __future__ import annotations

import pytest

from scoring.errors import ProblemsFound
from scoring.rulesets import load_ruleset, parse_ruleset, ruleset_names
from scoring.tables import toml_text
from scoring.tables.schema import Schema

HOSTILE = {
    "dotted key": "a" + ".a" * 100_000 + " = 1",
    "header": "[a" + ".a" * 100_000 + "]",
    "inline table": "x = {a" + ".a" * 100_000 + " = 1}",
    "quoted parts": "a" + """ . "a,b" . 'c=d'""" * 50_000 + " = 1",
    "depth": "a = " + "[" * 100_000,
    "long number": "a = " + "9" * 100_000,
}


@pytest.mark.parametrize("name", HOSTILE)
@pytest.mark.parametrize("read", [parse_ruleset, Schema.from_toml])
def test_what_would_take_all_memory_is_refused_as_no_toml(name, read):
    with pytest.raises(ProblemsFound) as found:
        read(HOSTILE[name])
    assert [problem.code for problem in found.value.problems] == ["toml.syntax"]


def test_dots_elsewhere_are_no_parts_of_a_key():
    dots = "a." * 60 + ". ..." * 1_000
    text = f"note = '{dots}'\nshares = [{'0.1, ' * 1_000}]\na{'.b' * 63} = 1\n"
    assert toml_text.loads(text)["note"] == dots


@pytest.mark.parametrize("name", ruleset_names())
def test_every_ruleset_of_the_library_is_read(name):
    assert load_ruleset(name).text
