# SPDX-License-Identifier: Apache-2.0
"""docs/how-to/attack.md is held to the attackers: its table of rates and its example."""

from __future__ import annotations

import doctest
import re
from functools import cache
from pathlib import Path

import numpy as np
import pytest

from scoring.anonymizers import anonymize
from scoring.attacks.catalog import ATTACKS, INQUIRIES
from scoring.cli.options import anonymizer_options, attack_options
from scoring.datasets.households import HOUSEHOLDS_SCHEMA, households
from scoring.evaluate import mark

PAGE = Path(__file__).parents[2] / "docs" / "how-to" / "attack.md"
TEXT = PAGE.read_text(encoding="utf-8")
CODE = re.compile(r"`([^`\n]+)`")
FENCE = re.compile(r"^```\w*\n.*?^```$", re.MULTILINE | re.DOTALL)


def table():
    """Head and rows of the table of rates."""
    lines = [
        [cell.strip() for cell in line.strip("|").split("|")]
        for line in TEXT.partition("<!-- rates -->\n")[2].partition("\n\n")[0].splitlines()
    ]
    return lines[0], lines[2:]


HEAD, ROWS = table()


@cache
def released(chain):
    """500 households anonymized, shuffled as a release is, and where they came from."""
    *methods, settings = chain.partition(" --set ")[::2]
    steps = anonymizer_options(methods[0].split(), settings.split())
    original = households(500, seed=1)
    made = anonymize(original, HOUSEHOLDS_SCHEMA, steps, rng=np.random.default_rng(1))
    order = np.random.default_rng(2).permutation(len(made.table))
    return original, made.table.iloc[order].reset_index(drop=True), made.source[order]


@pytest.mark.parametrize("row", ROWS, ids=lambda row: row[0])
def test_the_rates_are_those_of_the_page(row):
    original, anonymized, source = released(CODE.findall(row[0])[0])
    shown = [float(cell.strip("*")) for cell in row[1:]]
    assert [cell.startswith("**") for cell in row[1:]] == [rate == max(shown) for rate in shown]
    for column, rate in zip(HEAD[1:], shown, strict=True):
        id_, *settings = CODE.findall(column)
        options = attack_options(INQUIRIES[id_], HOUSEHOLDS_SCHEMA, settings)
        rng = np.random.default_rng(1)
        guess = ATTACKS[id_](original, anonymized, HOUSEHOLDS_SCHEMA, rng=rng, **options)
        # The classifier's sums may round differently on another processor.
        near = 2 if id_ == "learned-linkage" else 0.11
        assert 100 * mark(source, guess).rate == pytest.approx(rate, abs=near), column


def test_every_attacker_is_on_the_page():
    assert set(CODE.findall(FENCE.sub("", TEXT))) >= set(INQUIRIES)


def test_the_example_works_as_written():
    [block] = re.findall(r"^```pycon\n(.*?)^```$", TEXT, re.MULTILINE | re.DOTALL)
    example = doctest.DocTestParser().get_doctest(block, {}, PAGE.name, str(PAGE), 0)
    assert doctest.DocTestRunner().run(example).failed == 0
