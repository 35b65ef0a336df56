# SPDX-License-Identifier: Apache-2.0
"""Rulesets: tables per team, validity, stages and rounds of every kind, good and bad."""

from __future__ import annotations

import pytest

from scoring.datasets.households import HOUSEHOLDS_SCHEMA
from scoring.errors import ProblemsFound
from scoring.rulesets import StageSpec, ValiditySpec, load_ruleset, parse_ruleset
from tests.scoring.rulesets import (
    change,
    drop,
    message_of,
    parsed,
    problem_list,
    problems_of,
    values_of,
)

LECTURE, COMMON, SEASON = "pets-lecture", "pwscup2015", "pwscup2015-season"
FINAL = {"key": "final", "title": {"en": "Final", "ja": "本戦"}, "weight": 9}


# What is left out


def test_one_stage_where_none_is_named():
    rules = load_ruleset(COMMON)
    assert rules.stages == (StageSpec("contest", {"en": "Contest", "ja": "コンテスト"}, 1.0),)
    assert {spec.stage for spec in rules.rounds} == {"contest"}


def test_the_one_stage_that_is_named_need_not_be_repeated():
    values = values_of(COMMON)
    values["stage"] = [FINAL]
    rules = parsed(values)
    assert {spec.stage for spec in rules.rounds} == {"final"}
    assert rules.stage("final").weight == 9


def test_where_nothing_is_said_of_validity():
    values = values_of(LECTURE)
    values["round"][1]["marking"] = "all_records"
    for validity in (None, {}):
        values["validity"] = validity
        if validity is None:
            del values["validity"]
        assert parsed(values).validity == ValiditySpec("schema", False)


def test_what_attack_rounds_have_where_it_is_left_out():
    attack = load_ruleset(COMMON).round("attack")
    assert (attack.attacks, attack.gives) == ("anonymization", ("original",))
    assert (attack.marking, attack.tries_per_day) == ("all_records", None)
    values = values_of(LECTURE)
    for key in ("attacks", "gives", "marking"):
        del values["round"][1][key]
    attack = parsed(values).round("attack")
    assert (attack.attacks, attack.gives) == ("anonymization", ("candidates",))
    assert attack.marking == "all_records"


def test_what_other_rounds_have_in_their_place():
    for spec in load_ruleset(LECTURE).rounds:
        if spec.phase != "attack":
            assert (spec.attacks, spec.gives, spec.marking) == (None, (), "")
        assert bool(spec.criteria) == (spec.phase == "presentation")


def test_an_attack_goes_to_the_nearest_round_of_its_stage():
    values = values_of(SEASON)
    for i in (1, 3):
        del values["round"][i]["attacks"]
    again = {**values["round"][2], "key": "again"}
    values["round"].insert(3, again)
    rules = parsed(values)
    assert rules.round("preliminary-attack").attacks == "preliminary-anonymization"
    assert rules.round("final-attack").attacks == "again"
    values["round"][4]["attacks"] = "final-anonymization"
    assert parsed(values).round("final-attack").attacks == "final-anonymization"


# Good values


@pytest.mark.parametrize(
    ("name", "apply", "read", "value"),
    [
        (LECTURE, change(["data", "sample"], 10), lambda r: r.data.sample, 10),
        (LECTURE, change(["data", "decoys"], 0), lambda r: r.data.decoys, 0),
        (LECTURE, change(["data", "schema"], "households"), lambda r: r.schema, HOUSEHOLDS_SCHEMA),
        (
            COMMON,
            change(["validity"], {"values": "original"}),
            lambda r: r.validity.values,
            "original",
        ),
        (SEASON, change(["stage", 0, "weight"], 0), lambda r: r.stages[0].weight, 0),
        (LECTURE, change(["round", 0, "tries_per_day"], 2), lambda r: r.rounds[0].tries_per_day, 2),
        (LECTURE, change(["round", 1, "tries_per_day"], 1), lambda r: r.rounds[1].tries_per_day, 1),
    ],
)
def test_a_value_is_read(name, apply, read, value):
    values = values_of(name)
    apply(values)
    assert read(parsed(values)) == value


@pytest.mark.parametrize(
    ("length", "minutes"),
    [({"minutes": 1}, 1), ({"minutes": 90}, 90), ({"days": 1}, 1440), ({"days": 3650}, 5_256_000)],
)
def test_lengths_are_minutes_or_days(length, minutes):
    values = values_of(COMMON)
    del values["round"][0]["days"]
    values["round"][0] |= length
    assert parsed(values).rounds[0].minutes == minutes


def test_a_schema_may_be_written_out():
    values = values_of(COMMON)
    values["data"]["schema"] = HOUSEHOLDS_SCHEMA.to_dict()
    assert parsed(values).schema == HOUSEHOLDS_SCHEMA


# Bad values


@pytest.mark.parametrize(
    ("name", "apply", "key"),
    [
        (LECTURE, change(["data", "sample"], 9), "data.sample"),
        (LECTURE, change(["data", "sample"], 1_000_001), "data.sample"),
        (LECTURE, change(["data", "decoys"], -1), "data.decoys"),
        (LECTURE, change(["data", "schema"], 3), "data.schema"),
        (LECTURE, change(["limits", "max_records_factor"], 2.0), "limits.max_records_factor"),
        (LECTURE, change(["validity"], "original"), "validity"),
        (LECTURE, change(["validity", "values"], "column"), "validity.values"),
        (LECTURE, change(["validity", "blank_records"], "yes"), "validity.blank_records"),
        (COMMON, change(["validity"], {"blank_records": True}), "validity.blank_records"),
        (SEASON, change(["stage"], {}), "stage"),
        (SEASON, change(["stage", 0, "key"], "the first"), "stage[1].key"),
        (SEASON, change(["stage", 1, "key"], "preliminary"), "stage[2].key"),
        (SEASON, change(["stage", 0, "weight"], -1), "stage[1].weight"),
        (SEASON, change(["stage", 0, "weight"], float("nan")), "stage[1].weight"),
        (SEASON, change(["stage", 0, "title", "ja"], ""), "stage[1].title.ja"),
        (SEASON, change(["round", 2, "stage"], "semifinal"), "round[3].stage"),
        (SEASON, change(["round", 3, "attacks"], "preliminary-anonymization"), "round[4].attacks"),
        (SEASON, change(["round", 3, "attacks"], "final-attack"), "round[4].attacks"),
        (COMMON, change(["round", 0, "stage"], "final"), "round[1].stage"),
        (COMMON, change(["round", 0, "key"], "anonymization round"), "round[1].key"),
        (COMMON, change(["round", 0, "key"], "a" * 31), "round[1].key"),
        (COMMON, change(["round", 0, "tries_per_day"], 0), "round[1].tries_per_day"),
        (COMMON, change(["round", 0, "minutes"], 30), "round[1].minutes"),
        (COMMON, change(["round", 1, "gives"], ["candidates"]), "round[2].gives"),
        (COMMON, change(["round", 1, "gives"], []), "round[2].gives"),
        (LECTURE, change(["round", 1, "gives"], "candidates"), "round[2].gives"),
        (LECTURE, change(["round", 1, "marking"], "most_records"), "round[2].marking"),
        (COMMON, change(["round", 1, "marking"], "kept_records"), "round[2].marking"),
        (LECTURE, change(["round", 2, "criterion"], []), "round[3].criterion"),
        (
            LECTURE,
            change(["round", 2, "criterion", 1, "key"], "policy"),
            "round[3].criterion[2].key",
        ),
        (LECTURE, change(["round", 2, "criterion", 0, "key"], ""), "round[3].criterion[1].key"),
        (LECTURE, change(["round", 2, "feedback"], "exact"), "round[3].feedback"),
        (LECTURE, change(["round", 2, "file", 0, "kind"], "table"), "round[3].file[1].kind"),
        (LECTURE, change(["round", 0, "kind"], "anonymization"), "round[1].kind"),
        (LECTURE, change(["round", 1, "kind"], "attack"), "round[2].kind"),
        (COMMON, change(["round", 0, "kind"], "aligned-anonymization"), "round[1].kind"),
        (COMMON, change(["round", 1, "kind"], "candidate-attack"), "round[2].kind"),
    ],
)
def test_a_wrong_value_is_named_by_its_key(name, apply, key):
    values = values_of(name)
    apply(values)
    assert ("toml.wrong_value", key) in [(code, k) for code, k, _ in problems_of(values)]


@pytest.mark.parametrize(
    ("name", "apply", "key"),
    [
        (COMMON, change(["data", "sample"], 100), "data.sample"),
        (COMMON, change(["data", "decoys"], 100), "data.decoys"),
        (LECTURE, change(["validity", "blank"], True), "validity.blank"),
        (SEASON, change(["stage", 0, "share"], 1), "stage[1].share"),
        (LECTURE, change(["round", 0, "attacks"], "anonymization"), "round[1].attacks"),
        (LECTURE, change(["round", 0, "gives"], ["original"]), "round[1].gives"),
        (LECTURE, change(["round", 0, "marking"], "all_records"), "round[1].marking"),
        (LECTURE, change(["round", 0, "criterion"], []), "round[1].criterion"),
        (LECTURE, change(["round", 2, "tries_per_day"], 1), "round[3].tries_per_day"),
        (
            LECTURE,
            change(["round", 2, "criterion", 0, "weight"], 1),
            "round[3].criterion[1].weight",
        ),
    ],
)
def test_a_key_that_does_not_belong_there_is_named(name, apply, key):
    values = values_of(name)
    apply(values)
    assert problems_of(values) == [("toml.unknown_key", key, None)]


@pytest.mark.parametrize(
    ("name", "apply", "key"),
    [
        (LECTURE, drop(["data", "sample"]), "data.sample"),
        (LECTURE, drop(["data", "decoys"]), "data.decoys"),
        (SEASON, drop(["stage", 0, "weight"]), "stage[1].weight"),
        (SEASON, drop(["stage", 0, "title"]), "stage[1].title"),
        (SEASON, drop(["round", 0, "stage"]), "round[1].stage"),
        (LECTURE, drop(["round", 2, "tries"]), "round[3].tries"),
        (LECTURE, drop(["round", 2, "criterion"]), "round[3].criterion"),
        (LECTURE, drop(["round", 2, "criterion", 0, "title"]), "round[3].criterion[1].title"),
        (COMMON, drop(["round", 0, "days"]), "round[1].minutes"),
    ],
)
def test_a_missing_key_is_named(name, apply, key):
    values = values_of(name)
    apply(values)
    assert ("toml.missing_key", key, None) in problems_of(values)


def test_a_kind_that_does_not_fit_the_tables_is_reported_which_do():
    values = values_of(COMMON)
    values["round"][1]["kind"] = "candidate-attack"
    values["round"][1]["file"][0]["kind"] = "candidate_guess"
    message = message_of(values)
    assert "round[2].kind" in message
    assert (
        "one of: anonymization, attack, question-attack, presentation, as data.tables is common"
        in message
    )


def test_known_stages_are_reported():
    values = values_of(SEASON)
    values["round"][0]["stage"] = "semifinal"
    [stage, *_] = [p.message for p in problem_list(values)]
    assert "round[1].stage" in stage
    assert "one of: preliminary, final" in stage


def test_a_stage_that_no_round_names():
    values = values_of(SEASON)
    values["stage"].append({**FINAL, "key": "open"})
    assert problems_of(values) == [("toml.wrong_value", "stage", "open")]


def test_a_season_in_which_nothing_counts():
    values = values_of(SEASON)
    for stage in values["stage"]:
        stage["weight"] = 0
    assert problems_of(values) == [("toml.wrong_value", "stage[1].weight", "0")]


def test_an_attack_before_the_tables_of_its_stage():
    values = values_of(SEASON)
    values["round"][1]["stage"] = "final"
    del values["round"][1]["attacks"]
    assert problems_of(values) == [("toml.wrong_value", "round[2].kind", "attack")]


def test_problems_of_a_schema_are_named_by_their_key_in_the_ruleset():
    values = values_of(COMMON)
    schema = HOUSEHOLDS_SCHEMA.to_dict()
    schema["column"][1]["role"] = "quasi"
    schema["column"][2]["cross"] = "no"
    schema["attacks"]["e2_column"] = "rent"
    values["data"]["schema"] = schema
    assert problems_of(values) == [
        ("toml.wrong_value", "data.schema.column[2].role", "quasi"),
        ("toml.wrong_type", "data.schema.column[3].cross", "a string"),
    ]
    values["data"]["schema"] = HOUSEHOLDS_SCHEMA.to_dict() | {"attacks": {"e2_column": "rent"}}
    assert problems_of(values) == [
        ("schema.unknown_column", "data.schema.attacks.e2_column", "rent")
    ]


def test_problems_of_a_schema_without_a_key_name_the_key_of_the_schema():
    values = values_of(COMMON)
    values["data"]["schema"] = {"column": []}
    with pytest.raises(ProblemsFound) as found:
        parsed(values)
    assert str(found.value).startswith("ruleset, data.schema — no columns")


def test_an_unknown_kind_hides_no_other_problem():
    values = values_of(LECTURE)
    values["round"][0]["kind"] = "auction"
    values["data"]["sample"] = 3
    keys = [key for _, key, _ in problems_of(values)]
    assert "round[1].kind" in keys
    assert "data.sample" in keys
    assert not [key for key in keys if str(key).startswith("stage")]


# Disclosure of a hidden table


def disclosure(*replacements: tuple[str, str]) -> str:
    text = load_ruleset("dp-disclosure").text
    for was, becomes in replacements:
        assert was in text
        text = text.replace(was, becomes)
    return text


def test_the_formula_of_estimates_has_a_former_name():
    rules = load_ruleset("dp-disclosure")
    former = parse_ruleset(disclosure(('"estimate-ranks"', '"rank-sum"')))
    assert former.ranking == rules.ranking
    assert rules.ranking.formula == "estimate-ranks"


def test_a_disclosure_names_its_columns_its_target_and_what_it_costs():
    rules = load_ruleset("dp-disclosure")
    assert rules.disclosure.target == ("household_size", "tenure", "age_class")
    assert {spec.phase for spec in rules.rounds} == {"disclosure"}
    assert [str(spec.epsilon) for spec in rules.rounds] == ["4", "4"]
    assert load_ruleset("pwscup2015").disclosure is None


@pytest.mark.parametrize(
    ("was", "becomes", "key"),
    [
        ('epsilon = "4"', "epsilon = 4.0", "epsilon"),
        ('epsilon = "4"', 'epsilon = "0"', "epsilon"),
        ('epsilon = "4"', 'epsilon = "0.1234567"', "epsilon"),
        ('target = ["household_size"', 'target = ["earners"', "disclosure.target"),
        ('columns = ["region"', 'columns = ["income"', "disclosure.columns"),
        ('columns = ["region"', 'columns = ["region", "region"', "disclosure.columns"),
        ('feedback = "after_close"', 'feedback = "exact"', "feedback"),
        ('tables = "hidden"', 'tables = "common"', "disclosure"),
        ('measures = ["table-L2", ', 'measures = ["U1", ', "scoring.measures"),
        ('formula = "estimate-ranks"', 'formula = "harmonic"', "ranking.formula"),
        ("max_records_factor = 1.0", "max_records_factor = 2.0", "limits.max_records_factor"),
    ],
)
def test_what_a_disclosure_cannot_be_is_reported(was, becomes, key):
    with pytest.raises(ProblemsFound) as found:
        parse_ruleset(disclosure((was, becomes)))
    told = " ".join(f"{p.file} {p.params.get('key')}" for p in found.value.problems)
    assert key in told
