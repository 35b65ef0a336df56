# SPDX-License-Identifier: Apache-2.0
"""Rulesets: measures with weights, formulas with their settings, and tie-breaks, good and bad."""

from __future__ import annotations

import pytest

from scoring.formulas import FORMER_NAME, MEASURE_RANKS, OFFICIAL
from scoring.registry import MEASURES
from scoring.rulesets import load_ruleset
from scoring.rulesets.loader_ranking import is_loss
from tests.scoring.rulesets import (
    change,
    drop,
    measure,
    message_of,
    parsed,
    problem_list,
    problems_of,
    values_of,
)

LECTURE, COMMON, SEASON = "pets-lecture", "pwscup2015", "pwscup2015-season"
HEADINGS = ("utility", "safety", "linkage", "anonymization_weight", "attack_weight")
SETTING = {
    "weighted-sum": {"utility": 1, "protection": 0.5, "attack": 0},
    "top-k-attack": {"k": 5},
    "binomial-threshold": {"n": 200, "p": 0.02, "alpha": 0.01},
}


@pytest.fixture
def values():
    return values_of(LECTURE)


def weighted(values, **weights):
    """The ruleset with its measures as tables."""
    ids = values["scoring"].pop("measures")
    values["scoring"]["measure"] = [
        {"id": id_, "direction": MEASURES[id_].direction}
        | ({"weight": weights[id_]} if id_ in weights else {})
        for id_ in ids
    ]
    return values


# Measures


def test_measures_in_a_list_weigh_1():
    rules = load_ruleset(COMMON)
    assert rules.weights == dict.fromkeys(rules.measures, 1.0)
    assert {s.direction for s in rules.measure_specs} == {"lower", "higher"}


def test_measures_in_tables_have_weights():
    rules = parsed(weighted(values_of(COMMON), U1=2, S2=0.5))
    assert rules.measures == load_ruleset(COMMON).measures
    assert (rules.weights["U1"], rules.weights["S2"], rules.weights["U2"]) == (2, 0.5, 1)


@pytest.mark.parametrize(
    ("apply", "key", "got"),
    [
        (change(["scoring", "measure", 0, "id"], "U9"), "scoring.measure[1].id", "U9"),
        (
            change(["scoring", "measure", 0, "direction"], "up"),
            "scoring.measure[1].direction",
            "up",
        ),
        (
            change(["scoring", "measure", 0, "direction"], "higher"),
            "scoring.measure[1].direction",
            "higher",
        ),
        (change(["scoring", "measure", 0, "weight"], 0), "scoring.measure[1].weight", "0"),
        (change(["scoring", "measure", 0, "weight"], "2"), "scoring.measure[1].weight", "2"),
        (change(["scoring", "measure", 2, "id"], "U2"), "scoring.measure[3].id", "U2"),
        (change(["scoring", "measures"], ["U1"]), "scoring.measures", "both"),
    ],
)
def test_a_wrong_measure_is_named(apply, key, got):
    values = weighted(values_of(COMMON))
    apply(values)
    assert ("toml.wrong_value", key, got) in problems_of(values)


def test_a_measure_without_a_direction():
    values = weighted(values_of(COMMON))
    del values["scoring"]["measure"][1]["direction"]
    assert problems_of(values) == [("toml.missing_key", "scoring.measure[2].direction", None)]


def test_known_measures_are_reported(values):
    measure(values, ["LOSS", "U9"])
    values["ranking"]["settings"]["attack"] = -1
    [measures, setting] = [p.message for p in problem_list(values)]
    assert "U1, U2, U3" in measures
    assert "ranking.settings.attack" in setting


# Formulas


def test_ranks_are_summed_where_no_formula_is_named():
    ranking = load_ruleset(COMMON).ranking
    assert (ranking.formula, ranking.settings) == (MEASURE_RANKS, {})
    assert (ranking.utility_measure, ranking.tie_breaks) == (None, ())
    values = values_of(COMMON)
    for name in (MEASURE_RANKS, FORMER_NAME):
        values["ranking"]["formula"] = name
        assert parsed(values).ranking == ranking


@pytest.mark.parametrize("name", [name for name in OFFICIAL if name != MEASURE_RANKS])
def test_every_formula_is_read_with_its_settings(values, name):
    values["ranking"] = {"formula": name, "settings": SETTING.get(name, {})}
    if "utility" in OFFICIAL[name].uses:
        values["ranking"]["utility_measure"] = "LOSS"
    if "loss" in OFFICIAL[name].uses:
        values["ranking"]["loss_measure"] = "LOSS"
    ranking = parsed(values).ranking
    assert (ranking.formula, ranking.settings) == (name, SETTING.get(name, {}))
    assert OFFICIAL[name].problems(ranking.settings) == []
    assert ranking.utility_measure == values["ranking"].get("utility_measure")
    assert (ranking.utility, ranking.safety, ranking.linkage) == ((), (), ())


@pytest.mark.parametrize("name", [name for name in OFFICIAL if "utility" in OFFICIAL[name].uses])
def test_a_formula_that_uses_utility_needs_a_measure_of_it(values, name):
    values["ranking"] = {"formula": name}
    missing = [key for code, key, _ in problems_of(values) if code == "toml.missing_key"]
    needed = tuple(key for key in HEADINGS if key != "linkage")
    expected = needed if name == MEASURE_RANKS else ("utility_measure",)
    assert sorted(missing) == sorted(f"ranking.{key}" for key in expected)


@pytest.mark.parametrize("key", HEADINGS)
def test_headings_belong_to_ranks_only(values, key):
    values["ranking"][key] = 0.5
    assert problems_of(values) == [("toml.unknown_key", f"ranking.{key}", None)]


@pytest.mark.parametrize(
    ("formula", "settings", "key"),
    [
        ("weighted-sum", {"utility": -1}, "utility"),
        ("weighted-sum", {"utility": float("inf")}, "utility"),
        ("weighted-sum", {"attack": "20"}, "attack"),
        ("top-k-attack", {"k": 0}, "k"),
        ("top-k-attack", {"k": 2.5}, "k"),
        ("binomial-threshold", {"p": 1.5}, "p"),
        ("binomial-threshold", {"alpha": 0}, "alpha"),
        ("binomial-threshold", {"n": 20_001}, "n"),
    ],
)
def test_a_setting_out_of_its_range_is_named(values, formula, settings, key):
    values["ranking"] |= {"formula": formula, "settings": settings}
    assert [(code, k) for code, k, _ in problems_of(values)] == [
        ("toml.wrong_value", f"ranking.settings.{key}")
    ]


def test_weights_that_are_all_0(values):
    for name in values["ranking"]["settings"]:
        values["ranking"]["settings"][name] = 0
    assert problems_of(values) == [("toml.wrong_value", "ranking.settings", "0 for all")]


def test_a_setting_of_another_formula_is_unknown(values):
    values["ranking"] |= {"formula": "harmonic", "settings": {"k": 3}}
    assert problems_of(values) == [("toml.unknown_key", "ranking.settings.k", None)]


def test_an_unknown_formula_is_reported_the_known_ones(values):
    values["ranking"]["formula"] = "arithmetic"
    message = message_of(values)
    assert "ranking.formula" in message
    assert ", ".join(OFFICIAL) in message


@pytest.mark.parametrize("name", list(OFFICIAL))
def test_a_formula_that_lives_on_attacks_needs_an_attack_round(name):
    values = values_of("microdata-classroom")
    del values["round"][1]
    values["ranking"] = {"formula": name, "utility_measure": "LOSS"}
    if "loss" in OFFICIAL[name].uses:
        values["ranking"]["loss_measure"] = "LOSS"
    if name == MEASURE_RANKS:
        headings = values_of(COMMON)["ranking"]
        values["ranking"] |= headings | {"utility": ["LOSS"], "safety": ["S1"], "linkage": ["E1"]}
    if "protection" in OFFICIAL[name].needs:
        message = message_of(values)
        assert "ranking.formula" in message
        assert "no attack round stands in stage contest" in message
    else:
        assert parsed(values).ranking.formula == name


def test_practice_needs_no_attack_round():
    assert [spec.kind for spec in load_ruleset("template").rounds_of("practice")] == [
        "aligned-anonymization"
    ]
    values = values_of("template")
    values["ranking"] = {"formula": "harmonic", "utility_measure": "LOSS"}
    assert parsed(values).ranking.formula == "harmonic"
    values["stage"][0]["weight"] = 1
    assert "in stage practice" in message_of(values)


# Utility and tie-breaks


def test_utility_is_made_of_a_loss_from_0_to_1():
    losses = {id_ for id_, measure in MEASURES.items() if is_loss(measure)}
    assert "LOSS" in losses
    assert not losses & {"U1", "S1", "E1", "t-closeness", "prosecutor-risk"}


@pytest.mark.parametrize("id_", ["U6", "S1", "pmse", "nothing"])
def test_a_measure_that_utility_cannot_be_made_of(values, id_):
    values["ranking"]["utility_measure"] = id_
    assert problems_of(values) == [("toml.wrong_value", "ranking.utility_measure", id_)]


def test_a_measure_of_utility_must_be_scored(values):
    measure(values, ["S1"])
    assert "a measure that is among those of scoring" in message_of(values)


def test_tie_breaks_in_their_order(values):
    for chosen in ([], ["earlier"], ["presentation", "attack", "utility", "protection", "earlier"]):
        values["ranking"]["tie_breaks"] = chosen
        assert parsed(values).ranking.tie_breaks == tuple(chosen)


@pytest.mark.parametrize("chosen", ["earlier", ["later"], ["attack", "attack"]])
def test_a_wrong_tie_break_is_named(values, chosen):
    values["ranking"]["tie_breaks"] = chosen
    assert [(code, key) for code, key, _ in problems_of(values)] == [
        ("toml.wrong_value", "ranking.tie_breaks")
    ]


def test_presentations_decide_nothing_where_there_are_none():
    values = values_of("microdata-classroom")
    values["ranking"]["tie_breaks"] = ["presentation"]
    assert "utility, protection, attack, earlier" in message_of(values)


def test_a_tie_break_by_utility_needs_a_measure_of_it():
    values = values_of(COMMON)
    values["ranking"]["tie_breaks"] = ["utility"]
    assert problems_of(values) == [("toml.missing_key", "ranking.utility_measure", None)]


def test_a_ranking_that_is_left_out(values):
    drop(["ranking"])(values)
    assert problems_of(values) == [("toml.missing_key", "ranking", None)]
