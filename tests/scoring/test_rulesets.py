# SPDX-License-Identifier: Apache-2.0
"""Rulesets: the ones that come with the library, and what is said about a broken one."""

from __future__ import annotations

import dataclasses
import hashlib
import re
import tomllib

import pytest
import tomli_w

from scoring.datasets.households import HOUSEHOLDS_SCHEMA
from scoring.errors import ProblemsFound
from scoring.evaluate import Options
from scoring.registry import PWSCUP_2015
from scoring.rulesets import load_ruleset, localized, parse_ruleset, ruleset_names
from scoring.rulesets.kinds import PHASES, ROUND_KINDS, TRIES_KEYS
from scoring.rulesets.loader import load_schema, schema_names
from tests.scoring.rulesets import message_of, parsed


@pytest.fixture
def values():
    """The data of the ruleset of 2015, to be broken by a test."""
    return tomllib.loads(load_ruleset("pwscup2015").text)


def problems_of(values):
    with pytest.raises(ProblemsFound) as found:
        parse_ruleset(tomli_w.dumps(values))
    return [(p.code, p.params.get("key"), p.params.get("got")) for p in found.value.problems]


def test_the_format_of_2015():
    rules = load_ruleset("pwscup2015")
    assert (rules.id, rules.version, rules.tables) == ("pwscup2015", 1, "common")
    assert [(r.key, r.kind) for r in rules.rounds] == [
        ("anonymization", "anonymization"),
        ("attack", "attack"),
    ]
    anonymization, attack = rules.rounds
    assert (anonymization.tries, anonymization.tries_per_target) == (20, None)
    assert (attack.tries, attack.tries_per_target) == (None, 3)
    assert (anonymization.counts, attack.counts) == ("chosen_or_latest", "last")
    assert (anonymization.feedback, attack.feedback) == ("exact", "after_close")
    assert [(f.key, f.kind, f.required) for f in anonymization.files] == [
        ("anonymized", "table", True),
        ("rows", "row_numbers", False),
    ]
    assert [(f.key, f.kind, f.required) for f in attack.files] == [("guess", "guess", True)]
    assert rules.measures == PWSCUP_2015
    assert rules.options == Options()
    assert rules.ranking.utility == ("U1", "U2", "U3", "U4", "U5", "U6")
    assert rules.ranking.safety == ("S1", "S2")
    assert rules.ranking.linkage == ("E1", "E2", "E3", "E4", "EUC1", "EUC2")
    assert (rules.ranking.anonymization_weight, rules.ranking.attack_weight) == (0.5, 0.5)
    assert rules.limits.max_records_factor == 1
    assert rules.schema == HOUSEHOLDS_SCHEMA


def test_the_season_plays_the_format_of_2015_twice_and_counts_1_to_9():
    once, season = load_ruleset("pwscup2015"), load_ruleset("pwscup2015-season")
    assert [(s.key, s.weight) for s in season.stages] == [("preliminary", 1), ("final", 9)]
    assert (season.ranking, season.measures) == (once.ranking, once.measures)
    for stage in ("preliminary", "final"):
        anonymization, attack = season.rounds_of(stage)
        assert (anonymization.key, attack.attacks) == (f"{stage}-anonymization", anonymization.key)
        for spec, model in zip((anonymization, attack), once.rounds, strict=True):
            same = {n: getattr(model, n) for n in ("key", "title", "minutes", "stage", "attacks")}
            assert dataclasses.replace(spec, **same) == model


def test_the_robust_format_is_that_of_2015_but_for_its_answers_to_score_gaming():
    papers, robust = load_ruleset("pwscup2015"), load_ruleset("pwscup2015-robust")
    declared = tuple(dataclasses.replace(spec, truth="declared") for spec in robust.rounds)
    assert (declared, robust.limits) == (papers.rounds, papers.limits)
    assert robust.round("attack").truth == "either"
    assert set(robust.measures) - set(papers.measures) == {"marginals", "nearest-link", "verbatim"}
    assert robust.ranking == dataclasses.replace(
        papers.ranking,
        utility=(*papers.ranking.utility, "marginals"),
        linkage=(*papers.ranking.linkage, "nearest-link"),
        attackers="median",
        directions={"verbatim": "lower"},
    )


def test_the_format_of_the_lecture():
    rules = load_ruleset("pets-lecture")
    assert (rules.tables, rules.data.sample, rules.data.decoys) == ("per_team", 100, 100)
    assert (rules.validity.values, rules.validity.blank_records) == ("original", True)
    anonymization, attack, presentation = rules.rounds
    assert (anonymization.kind, anonymization.minutes) == ("aligned-anonymization", 21 * 24 * 60)
    assert (attack.kind, attack.minutes) == ("candidate-attack", 11 * 24 * 60)
    assert (attack.attacks, attack.gives) == ("anonymization", ("candidates",))
    assert attack.marking == "kept_records"
    assert (presentation.kind, presentation.minutes) == ("presentation", 24 * 60)
    assert [c.key for c in presentation.criteria] == ["policy", "algorithm", "appeal"]
    assert [spec.phase for spec in rules.rounds] == ["anonymization", "attack", "presentation"]
    assert (rules.ranking.formula, rules.ranking.utility_measure) == ("weighted-sum", "LOSS")
    assert rules.ranking.settings == {
        "utility": 30,
        "protection": 30,
        "attack": 20,
        "presentation": 20,
    }


def test_the_format_for_a_classroom_lasts_half_an_hour():
    rules = load_ruleset("microdata-classroom")
    assert [spec.minutes for spec in rules.rounds] == [15, 15]
    assert (rules.tables, rules.schema) == ("common", HOUSEHOLDS_SCHEMA)


@pytest.mark.whole
@pytest.mark.parametrize("name", ruleset_names())
def test_a_ruleset_of_the_library(name):
    rules = load_ruleset(name)
    assert rules.id == name
    assert rules.digest == hashlib.sha256(rules.text.encode()).hexdigest()
    assert parse_ruleset(rules.text) == rules
    texts = [rules.title, rules.summary, *(stage.title for stage in rules.stages)]
    for spec in rules.rounds:
        named = (*spec.files, *spec.criteria)
        texts += [spec.title, spec.description, *(part.title for part in named)]
    for text in texts:
        assert set(text) == {"en", "ja"}
        assert re.search("[\u3041-\u30ff\u4e00-\u9fff]", text["ja"]), text
        assert "  " not in text["en"]


def test_names():
    assert ruleset_names() == (
        "dp-disclosure",
        "linkage-2024",
        "membership-2020",
        "membership-2025",
        "microdata-classroom",
        "organizer-defends",
        "pets-lecture",
        "pwscup2015",
        "pwscup2015-robust",
        "pwscup2015-season",
        "reconstruction-2023",
        "reidentification-2021",
        "sequential-lesson",
        "sequential-release",
        "synthetic-2026",
        "synthetic-cohort",
        "template",
    )
    assert "households" in schema_names()
    for load in (load_ruleset, load_schema):
        with pytest.raises(KeyError, match=r"nowhere.*the library has"):
            load("nowhere")


def test_rounds_and_files_are_found_by_key():
    rules = load_ruleset("pwscup2015")
    assert rules.round("attack").file("guess").kind == "guess"
    assert rules.stage("contest").weight == 1
    assert rules.rounds_of("contest") == rules.rounds
    for missing in (rules.round, rules.stage):
        with pytest.raises(KeyError):
            missing("final")
    with pytest.raises(KeyError):
        rules.round("attack").file("rows")


def test_a_ruleset_cannot_be_changed():
    rules = load_ruleset("pwscup2015")
    for frozen in (rules, rules.rounds[0], rules.rounds[0].files[0], rules.ranking, rules.limits):
        field = dataclasses.fields(frozen)[0].name
        with pytest.raises(dataclasses.FrozenInstanceError):
            setattr(frozen, field, "changed")


def test_words_fall_back_to_the_language_and_then_to_english():
    text = {"en": "attack", "ja": "再識別"}
    assert [localized(text, code) for code in ("ja", "ja-jp", "en-gb", "fr")] == [
        "再識別",
        "再識別",
        "attack",
        "attack",
    ]


def test_a_ruleset_without_a_schema_leaves_the_columns_to_the_organizer(values):
    del values["data"]["schema"]
    assert parse_ruleset(tomli_w.dumps(values)).schema is None


def test_records_are_counted_by_columns_of_the_schema(values):
    assert parsed(values).options.table_columns == ()
    values["scoring"]["options"]["table_columns"] = ["sex", "region"]
    assert parsed(values).options.table_columns == ("sex", "region")
    values["scoring"]["options"]["table_columns"] = ["sex", "town"]
    assert "out of: region, household_size" in message_of(values)
    del values["data"]["schema"]
    assert parsed(values).options.table_columns == ("sex", "town")


def test_all_problems_are_reported_together(values):
    values["version"] = "one"
    values["titel"] = values.pop("title")
    values["limits"]["max_team_size"] = 0
    values["round"][1]["feedback"] = "never"
    del values["scoring"]["options"]["ties"]
    assert sorted(problems_of(values)) == [
        ("toml.missing_key", "scoring.options.ties", None),
        ("toml.missing_key", "title", None),
        ("toml.unknown_key", "titel", None),
        ("toml.wrong_value", "limits.max_team_size", "0"),
        ("toml.wrong_value", "round[2].feedback", "never"),
        ("toml.wrong_value", "version", "one"),
    ]


def test_a_message_names_key_expected_and_got(values):
    values["round"][0]["tries"] = -3
    with pytest.raises(ProblemsFound) as found:
        parse_ruleset(tomli_w.dumps(values))
    (problem,) = found.value.problems
    assert problem.file == "ruleset"
    for words in ("round[1].tries", "a whole number from 1 to 10000", "-3"):
        assert words in problem.message


def change(path, value):
    def apply(values):
        *parents, last = path
        for key in parents:
            values = values[key]
        values[last] = value

    return apply


@pytest.mark.parametrize(
    ("apply", "key"),
    [
        (change(["id"], " "), "id"),
        (change(["version"], True), "version"),
        (change(["summary", "ja"], 3), "summary.ja"),
        (change(["data", "tables"], "per_planet"), "data.tables"),
        (change(["data", "schema"], "nowhere"), "data.schema"),
        (change(["limits"], "none"), "limits"),
        (change(["limits", "max_file_bytes"], 1.5), "limits.max_file_bytes"),
        (change(["limits", "max_records_factor"], 0.5), "limits.max_records_factor"),
        (change(["round"], []), "round"),
        (change(["round", 0, "kind"], "auction"), "round[1].kind"),
        (change(["round", 1, "key"], "anonymization"), "round[2].key"),
        (change(["round", 1, "counts"], "chosen_or_latest"), "round[2].counts"),
        (change(["round", 0, "days"], 0), "round[1].days"),
        (change(["round", 0, "file", 1, "key"], "guess"), "round[1].file[2].key"),
        (change(["round", 0, "file", 1, "kind"], "guess"), "round[1].file[2].kind"),
        (change(["round", 0, "file", 0, "kind"], "row_numbers"), "round[1].file[1].kind"),
        (change(["round", 0, "file", 0, "required"], "yes"), "round[1].file[1].required"),
        (change(["scoring", "measures"], ["U1", "U9"]), "scoring.measures"),
        (change(["scoring", "measures"], ["U1", "U1"]), "scoring.measures"),
        (change(["scoring", "measures"], []), "scoring.measures"),
        (change(["scoring", "options", "cells"], "all"), "scoring.options.cells"),
        *(
            (
                change(["scoring", "options", "table_columns"], wrong),
                "scoring.options.table_columns",
            )
            for wrong in ("sex", [], ["town"], ["sex", "sex"], [["sex"]], [3])
        ),
        (change(["scoring", "options", "closeness"], "either"), "scoring.options.closeness"),
        *(
            (
                change(["scoring", "options", "population_fraction"], wrong),
                "scoring.options.population_fraction",
            )
            for wrong in (0, 1.5, "half", True)
        ),
        *(
            (
                change(["scoring", "options", "weight_column"], wrong),
                "scoring.options.weight_column",
            )
            for wrong in ("", 3, "sex", "nowhere")
        ),
        *(
            (change(["scoring", "options", "hierarchies"], wrong), "scoring.options.hierarchies")
            for wrong in ("sex", 3, ["sex"], {"nowhere": {}})
        ),
        (change(["ranking", "utility"], "U1"), "ranking.utility"),
        (change(["ranking", "attack_weight"], 0.7), "ranking.attack_weight"),
        (change(["ranking", "attack_weight"], "half"), "ranking.attack_weight"),
    ],
)
def test_a_wrong_value_is_named_by_its_key(values, apply, key):
    apply(values)
    assert ("toml.wrong_value", key) in [(code, k) for code, k, _ in problems_of(values)]


@pytest.mark.parametrize(
    ("apply", "key"),
    [
        (change(["round", 0, "tries_per_target"], 3), "round[1].tries_per_target"),
        (change(["round", 1, "file", 0, "title", "fr"], "x"), "round[2].file[1].title.fr"),
        (change(["ranking", "attack_wieght"], 0.5), "ranking.attack_wieght"),
        (change(["scoring", "options", "tie"], "first"), "scoring.options.tie"),
    ],
)
def test_an_unknown_key_is_named(values, apply, key):
    apply(values)
    assert problems_of(values) == [("toml.unknown_key", key, None)]


def test_a_round_without_a_file_it_needs(values):
    del values["round"][0]["file"][1]
    assert problems_of(values) == [("toml.wrong_value", "round[1].file", "anonymized")]


def test_a_file_named_twice(values):
    values["round"][0]["file"].append(values["round"][0]["file"][0])
    assert problems_of(values) == [("toml.wrong_value", "round[1].file[3].key", "anonymized")]


def test_an_attack_needs_something_to_attack(values):
    values["round"].reverse()
    assert problems_of(values) == [("toml.wrong_value", "round[1].kind", "attack")]


def test_only_measures_that_are_scored_can_be_ranked(values):
    values["scoring"]["measures"].remove("S2")
    assert [key for _, key, _ in problems_of(values)] == ["ranking.safety"]


def test_a_text_that_is_not_toml():
    with pytest.raises(ProblemsFound, match="not TOML"):
        parse_ruleset("id = ")


def test_an_empty_text_lacks_every_key():
    with pytest.raises(ProblemsFound) as found:
        parse_ruleset("")
    assert {p.params["key"] for p in found.value.problems} == {
        "id",
        "version",
        "title",
        "summary",
        "data",
        "limits",
        "round",
        "scoring",
        "ranking",
    }


def test_every_kind_of_round_asks_for_files_that_it_knows():
    for kind in ROUND_KINDS.values():
        assert set(kind.required) <= set(kind.files)
        assert kind.tries_key in {"tries", "tries_per_target"}
        assert set(kind.tries_keys) <= set(TRIES_KEYS)
        assert kind.phase in PHASES
