# SPDX-License-Identifier: Apache-2.0
"""What the rules page says of every kind of format, and its preview of a ruleset without a contest."""

from __future__ import annotations

import dataclasses
import re

import pytest
from django.template.loader import render_to_string
from django.utils import translation
from django.utils.html import escape

from pwscup.contests.rules.pages import preview_of
from scoring.formulas import FORMULAS
from scoring.rulesets import load_ruleset, ruleset_names
from scoring.rulesets.base import RankingSpec, ValiditySpec
from scoring.tables.schema import Schema

RULESET = load_ruleset("pwscup2015")
LECTURE = load_ruleset("pets-lecture")
SEASON = load_ruleset("pwscup2015-season")


def changed(ruleset, key, **fields):
    """The ruleset with other fields of one round."""
    rounds = tuple(dataclasses.replace(r, **fields) if r.key == key else r for r in ruleset.rounds)
    return dataclasses.replace(ruleset, rounds=rounds)


def test_stages_are_told_with_their_share():
    stages = preview_of(SEASON).stages
    assert [(stage.title, stage.share) for stage in stages] == [
        ("Preliminary", "10 % of the season's total"),
        ("Final", "90 % of the season's total"),
    ]
    assert stages[0].rounds == ("Preliminary: anonymization round", "Preliminary: attack round")
    assert "weighted 1 : 9" in dict(preview_of(SEASON).ranking)["Season"]
    assert [round.stage for round in preview_of(SEASON).rounds][1:3] == ["Preliminary", "Final"]


def test_practice_counts_nothing():
    said = preview_of(load_ruleset("template"))
    assert [stage.share for stage in said.stages] == [
        "does not count",
        "100 % of the season's total",
    ]
    assert "Season" not in dict(said.ranking)


def test_one_stage_is_not_told():
    said = preview_of(RULESET)
    assert said.stages == ()
    assert {round.stage for round in said.rounds} == {""}


def test_tables_of_teams_are_told_with_their_decoys():
    said = " ".join(preview_of(LECTURE).data)
    assert "100 records that the platform draws" in said
    assert "the 100 records of its original and 100 decoys" in said
    without = dataclasses.replace(LECTURE, data=dataclasses.replace(LECTURE.data, decoys=0))
    assert "decoys" not in " ".join(preview_of(without).data)
    assert preview_of(RULESET).data[0] == "All teams anonymize the same table."
    assert "candidates" not in " ".join(preview_of(RULESET).data)


@pytest.mark.parametrize(
    ("ruleset", "validity", "words"),
    [
        (RULESET, ValiditySpec(), ("any value that its column allows", "leaving it out")),
        (RULESET, ValiditySpec("original"), ("occurs in the same column", "leaving it out")),
        (LECTURE, ValiditySpec("original", True), ("do not occur in it are refused", "all empty")),
        (LECTURE, ValiditySpec(), ("any value that its column allows", "none can be deleted")),
    ],
)
def test_validity_is_told(ruleset, validity, words):
    said = preview_of(dataclasses.replace(ruleset, validity=validity)).data[-2:]
    for sentence, expected in zip(said, words, strict=True):
        assert expected in sentence


def test_what_attackers_get_and_how_guesses_are_marked():
    own, candidates = " ".join(preview_of(RULESET).marking), " ".join(preview_of(LECTURE).marking)
    assert "have it and the original table" in own
    assert "divided by the number of records of the published table." in own
    assert "the team's table of candidates; only the team itself has" in candidates
    assert "or one that the line shows by its content" in candidates
    declared = changed(LECTURE, "attack", truth="declared")
    assert "a decoy is always a miss" in " ".join(preview_of(declared).marking)
    assert "that were not deleted" in candidates
    every = changed(LECTURE, "attack", marking="all_records")
    assert "that were not deleted" not in " ".join(preview_of(every).marking)


def test_attack_rounds_that_differ_are_told_one_by_one():
    season = dataclasses.replace(
        LECTURE,
        rounds=(
            *LECTURE.rounds,
            dataclasses.replace(
                LECTURE.round("attack"),
                key="final",
                title={"en": "Final attack"},
                marking="all_records",
            ),
        ),
    )
    said = preview_of(season).marking
    assert len(said) == 6
    assert [line for line in said if line.startswith("Final attack: ")] == list(said[3:])
    assert len(preview_of(SEASON).marking) == 3


def test_files_of_every_kind_have_their_form():
    said = {file.title: file for round in preview_of(LECTURE).rounds for file in round.files}
    assert "in its order" in said["Anonymized table (CSV)"].format
    assert "the table of candidates" in said["Guessed lines of the candidates (CSV)"].format
    assert said["Slides (PDF)"].format == "A PDF file."
    assert said["Slides (PDF)"].unless == "optional"
    assert said["Anonymized table (CSV)"].unless == ""


def test_criteria_are_told():
    rounds = preview_of(LECTURE).rounds
    assert [len(round.criteria) for round in rounds] == [0, 0, 3]
    assert rounds[2].criteria[0].startswith("Policy")
    assert "The grades are shown after the round has closed." in rounds[2].sentences


@pytest.mark.parametrize(
    ("key", "n", "words"),
    [
        ("anonymization", 1, "At most 1 submission for each team on a calendar day"),
        ("anonymization", 4, "At most 4 submissions for each team on a calendar day"),
        ("attack", 1, "At most 1 guess for each other team on a calendar day"),
        ("attack", 2, "At most 2 guesses for each other team on a calendar day"),
    ],
)
def test_tries_of_a_day_are_told(key, n, words):
    def said(ruleset):
        return " ".join(next(r.sentences for r in preview_of(ruleset).rounds if r.key == key))

    assert words in said(changed(RULESET, key, tries_per_day=n))
    assert "calendar day" not in said(RULESET)


# Ranking


def ranked_by(formula, ruleset=LECTURE, **fields):
    ranking = RankingSpec(formula=formula, utility_measure="LOSS", **fields)
    return dict(preview_of(dataclasses.replace(ruleset, ranking=ranking)).ranking)


def test_the_scores_of_the_lecture():
    said = dict(preview_of(LECTURE).ranking)
    assert list(said) == [
        "Utility",
        "Protection",
        "Attack",
        "Presentation",
        "Total",
        "Other measures",
        "Equal totals",
        "Equal and missing values",
    ]
    assert said["Utility"].startswith("100 × (1 − LOSS)")
    assert said["Total"].startswith(
        "30 × Utility + 30 × Protection + 20 × Attack + 20 × Presentation, divided"
    )
    assert said["Equal totals"] == (
        "decided by the higher protection, then the higher utility, "
        "then the earlier of the submissions that count"
    )
    assert said["Other measures"].startswith("U6, S1, S2, distinct-l")


@pytest.mark.parametrize(
    ("formula", "chosen", "words"),
    [
        ("weighted-sum", {"attack": 0, "presentation": 2.5}, "30 × Protection + 2.5 × Pres"),
        ("harmonic", {}, "2 / (1 / utility + 1 / protection)"),
        ("minimum", {}, "the smaller one"),
        ("penalised-sum", {}, "less twice what either of them lacks to 50"),
        ("top-k-attack", {"k": 5}, "over the 5 best protected tables"),
        (
            "binomial-threshold",
            {"n": 200, "p": 0.5, "alpha": 0.01},
            "from a rate of 58.5 % on, 117 of 200 records: random guesses, each right with a chance "
            "of 0.5, reach that with a chance below 0.01",
        ),
    ],
)
def test_formulas_are_told_with_their_settings(formula, chosen, words):
    said = ranked_by(formula, settings=chosen)
    assert words in said["Total"]
    assert {"Utility", "Protection", "Attack", "Presentation"} & set(said) == {
        part.capitalize() for part in FORMULAS[formula].uses if chosen.get(part) != 0
    }


def test_a_tie_break_brings_its_score():
    said = ranked_by("top-k-attack", tie_breaks=("utility",))
    assert said["Utility"].startswith("100 × (1 − LOSS)")
    tied = dataclasses.replace(RULESET.ranking, tie_breaks=("protection", "earlier"))
    ranks = dict(preview_of(dataclasses.replace(RULESET, ranking=tied)).ranking)
    assert ranks["Protection"].startswith("100 less")
    assert ranks["Equal totals"].startswith("decided by the higher protection")


def test_weights_of_measures_are_told_where_they_differ():
    specs = tuple(
        dataclasses.replace(spec, weight=2.5 if spec.id == "U1" else 1.0)
        for spec in RULESET.measure_specs
    )
    said = dict(preview_of(dataclasses.replace(RULESET, measure_specs=specs)).ranking)
    assert said["Utility rank"].startswith("mean of the ranks on U1 (weight 2.5), U2 (weight 1)")
    assert "on S1, S2 and" in said["Safety rank"]


def test_options_are_told_only_where_a_measure_asks_for_them():
    said = " ".join(preview_of(load_ruleset("microdata-classroom")).options)
    assert "expected rate" in said
    assert "EUC1" in said
    assert "U2" not in said
    [closeness] = preview_of(LECTURE).options
    assert closeness.startswith("t-closeness compares a class with the whole anonymized table")
    assert "t-closeness" not in said


# A preview needs no contest


@pytest.mark.parametrize(
    ("minutes", "words"),
    [
        (15, "15 minutes"),
        (1, "1 minute"),
        (120, "2 hours"),
        (1440, "1 day"),
        (14 * 1440, "14 days"),
        (1500, "25 hours"),
        (1501, "1501 minutes"),
    ],
)
def test_a_preview_tells_lengths_in_place_of_dates(minutes, words):
    [first, _] = preview_of(changed(RULESET, "anonymization", minutes=minutes)).rounds
    assert (first.length, first.opens_at, first.closes_at) == (words, None, None)


@pytest.mark.whole
@pytest.mark.parametrize("language", ["en", "ja"])
@pytest.mark.parametrize("name", ruleset_names())
def test_the_rules_of_every_format_can_be_read(name, language):
    ruleset = load_ruleset(name)
    with translation.override(language):
        page = render_to_string("contests/_rules.html", {"rules": preview_of(ruleset)})
    for spec in ruleset.rounds:
        for words in (spec.title, *(part.title for part in (*spec.files, *spec.criteria))):
            assert escape(words[language]) in page
    prose = re.sub(r"<pre.*?</pre>", "", page, flags=re.DOTALL)
    assert not re.search(r"%\(\w+\)s|None|\{\{", prose)


def test_limits_of_records_are_told_only_where_they_can_differ():
    assert "as many records as the original" in " ".join(preview_of(RULESET).limits)
    assert "records as the original" not in " ".join(preview_of(LECTURE).limits)


CLINIC = Schema.from_toml(
    "\n".join(
        f'[[column]]\nname = "{name}"\nrole = "{role}"\nkind = "{kind}"'
        for name, role, kind in (
            ("number", "identifier", "integer"),
            ("sex", "quasi_identifier", "category"),
            ("ward", "sensitive", "category"),
            ("cost", "sensitive", "number"),
        )
    )
)
OTHER_TABLES = re.compile(
    r"household|expenditure|customer|compan|zip code|世帯|支出|顧客|企業|郵便番号", re.IGNORECASE
)


@pytest.mark.parametrize("language", ["en", "ja"])
def test_formats_speak_of_the_table_whatever_it_is(language):
    """A clinic read of “household expenditures” in its rules, and in its published report, which quotes them."""
    found = {}
    with translation.override(language):
        for name in ruleset_names():
            ruleset = load_ruleset(name)
            if ruleset.modelled_on:  # such a format brings the table of its cup
                continue
            rules = preview_of(ruleset, schema=CLINIC)
            said = f"{rules.title} {rules.summary} " + render_to_string(
                "contests/_rules.html", {"rules": rules}
            )
            columns = ruleset.disclosure.columns if ruleset.disclosure else ()
            said = re.sub("|".join(columns) or r"(?!)", "", said)
            found[name] = OTHER_TABLES.findall(said)
    assert len(found) > 8
    assert {name: words for name, words in found.items() if words} == {}
