# SPDX-License-Identifier: Apache-2.0
"""Every key that the loader knows is explained in the template and in the reference."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from scoring.formulas import OF_ESTIMATES, OFFICIAL, TIE_BREAKS
from scoring.measures.catalog.analyses import ANALYSES
from scoring.rulesets import load_ruleset, parse_ruleset, ruleset_names
from scoring.rulesets.document import Document
from scoring.rulesets.kinds import FORMAT_NAMES, MARKING, ROUND_KINDS, VALUE_SOURCES

ROOT = Path(__file__).resolve().parents[2]
REFERENCE = (ROOT / "docs" / "reference" / "ruleset.md").read_text(encoding="utf-8")
TEMPLATE = load_ruleset("template").text
LANGUAGES = {"en", "ja"}
PARAMETERS = {p.name for analysis in ANALYSES.values() for p in analysis.parameters}
"""Of measures, which have a page of their own: see `docs/reference/measures.md`."""


def asked_keys() -> set[str]:
    """Every key that is asked for while the rulesets of the library are read."""
    asked: set[str] = set()
    patch = pytest.MonkeyPatch()
    for name in ("_take", "has"):
        original = getattr(Document, name)

        def noting(self, key, *arguments, original=original):
            asked.add(key)
            return original(self, key, *arguments)

        patch.setattr(Document, name, noting)
    for name in ruleset_names():
        parse_ruleset(load_ruleset(name).text)
    patch.undo()
    return asked - LANGUAGES


@pytest.fixture(scope="module")
def known_keys():
    return asked_keys()


def explained_in_template() -> set[str]:
    """Keys and tables next to a comment or right before one, keys in a comment, and all tables."""
    lines = TEMPLATE.splitlines()
    heads = re.findall(r"^(?:# )?\[+([\w.]+)\]+", TEMPLATE, re.MULTILINE)
    found = {name for head in heads for name in head.split(".")}
    for line, follows in zip(lines, [*lines[1:], ""], strict=True):
        key = re.match(r"(\w+)(?:\.\w+)? = ", line)
        if key and ("#" in line or follows.lstrip().startswith("#")):
            found.add(key[1])
        if "#" in line:
            found.update(re.findall(r"(\w+) = ", line[line.index("#") :]))
    return found


def test_the_loader_knows_many_keys(known_keys):
    assert {"sample", "criterion", "tries_per_day", "anonymization_weight", "k"} <= known_keys | {
        "k"
    }
    assert len(known_keys) > 50


def test_every_key_stands_in_the_reference(known_keys):
    told = set(re.findall(r"`(\w+)`", REFERENCE))
    told |= {
        name for head in re.findall(r"`\[+([\w.]+)\]+`", REFERENCE) for name in head.split(".")
    }
    assert known_keys - told - PARAMETERS == set()


def test_every_key_is_explained_in_the_template(known_keys):
    assert known_keys - explained_in_template() - PARAMETERS == set()


@pytest.mark.parametrize(
    "choices",
    [
        FORMAT_NAMES,
        VALUE_SOURCES,
        MARKING,
        TIE_BREAKS,
        (*OFFICIAL, *OF_ESTIMATES),
        tuple(ROUND_KINDS),
        tuple(c for kind in ROUND_KINDS.values() for c in (*kind.counts, *kind.feedback)),
        tuple(c for k in ROUND_KINDS.values() for c in (*k.files, *k.files.values(), *k.gives)),
        tuple(s.name for formula in OFFICIAL.values() for s in formula.settings),
    ],
)
def test_every_choice_is_reported(choices):
    for page in (TEMPLATE, REFERENCE):
        for choice in choices:
            assert re.search(rf"(?<![\w-]){re.escape(choice)}(?![\w-])", page), choice


def test_every_comment_of_the_template_stands_before_column_110():
    assert max(len(line) for line in TEMPLATE.splitlines() if "#" in line) <= 110
