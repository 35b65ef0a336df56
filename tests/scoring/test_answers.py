# SPDX-License-Identifier: Apache-2.0
"""Rules that answer cheaters: each can be added to every ruleset that lacks it, and changes nothing else."""

from __future__ import annotations

import re
import tomllib

import pytest

from scoring.cheaters import CHEATERS
from scoring.rulesets import load_ruleset, parse_ruleset, ruleset_names
from scoring.rulesets.answers import ANSWERS, answer_to, with_answer

TEXTS = [load_ruleset(name).text for name in ruleset_names()]
OTHERS = [re.sub(r"(?m)^(margin|attackers) = .*$", "", text) for text in TEXTS]
"""The shipped formats, some of which have the rules already, without those that they all have."""


@pytest.mark.whole
@pytest.mark.parametrize("name", ANSWERS)
def test_a_rule_that_is_missing_can_be_added_and_is_then_there(name):
    added = 0
    for rules in map(parse_ruleset, TEXTS + OTHERS):
        if not ANSWERS[name].is_missing(rules):
            continue
        made = parse_ruleset(with_answer(rules.text, name))
        assert not ANSWERS[name].is_missing(made), rules.id
        assert made.id == rules.id
        assert {b.key for b in made.boards} == {b.key for b in rules.boards}
        assert made.measures[: len(rules.measures)] == rules.measures
        added += 1
    assert added


def test_comments_and_other_keys_stay():
    rules = load_ruleset("pwscup2015")
    made = with_answer(rules.text, "truth")
    assert [
        line for line in made.splitlines() if 'truth = "' not in line
    ] == rules.text.splitlines()
    parsed = tomllib.loads(made)
    kinds = {spec["kind"]: spec.get("truth") for spec in parsed["round"]}
    assert kinds == {"anonymization": None, "attack": "either"}


def test_a_key_with_another_value_is_replaced():
    text = "[ranking]\nattackers = 'mean'\nformula = 'sum'\n"
    assert tomllib.loads(with_answer(text, "attackers"))["ranking"] == {
        "attackers": "median",
        "formula": "sum",
    }


def test_every_rule_that_a_cheater_names_is_known_and_the_next_one_is_offered():
    assert {rule for c in CHEATERS.values() for rule in c.rules} <= ANSWERS.keys()
    rules = load_ruleset("pwscup2015")
    assert answer_to(rules, "permuted") == "truth"
    made = parse_ruleset(with_answer(rules.text, "truth"))
    assert answer_to(made, "permuted") == "verbatim"
    assert answer_to(parse_ruleset(with_answer(made.text, "verbatim")), "permuted") == ""
