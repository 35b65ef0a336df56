# SPDX-License-Identifier: Apache-2.0
"""The rules page says what the ruleset says, with this contest's rounds and table."""

from __future__ import annotations

import dataclasses
import re

import pytest
from django.utils import translation

from pwscup.contests.models import Contest, Dataset
from pwscup.contests.rules import ranking_texts, texts
from pwscup.contests.rules.measures import (
    FAMILIES,
    FAMILIES_OF_SERIES,
    SHORT_FAMILIES,
    SHORT_FAMILIES_OF_SERIES,
    definition_in,
    shown_measure,
)
from pwscup.contests.rules.pages import preview_of, rules_of
from pwscup.contests.rules.ranking import ranking_lines
from pwscup.formats import format_of
from pwscup.formats.common import table
from pwscup.formats.series import rules as series_texts
from scoring.evaluate import Options
from scoring.formulas import MEASURE_RANKS, OFFICIAL, PARTS, TIE_BREAKS
from scoring.formulas.ranking import AVERAGES
from scoring.measures.catalog.analyses import ANALYSES
from scoring.registry import ALL_MEASURES, MEASURES, SERIES_MEASURES
from scoring.rulesets import load_ruleset, ruleset_names
from scoring.rulesets.base import MeasureSpec
from scoring.rulesets.kinds import MARKING, VALUE_SOURCES
from scoring.rulesets.loader_sequential import DEFINITIONS, REQUIRED
from scoring.scores.comparison import OPTION_CHOICES
from scoring.tables.schema import Column, Kind, Role, Schema
from tests import factories

RULESET = load_ruleset("pwscup2015")
SCHEMA = Schema.from_toml(factories.SCHEMA)


def rules(ruleset=RULESET, rounds=(), schema=SCHEMA, **options):
    return rules_of(ruleset, rounds, schema, max_team_size=3, **options)


def values_of(column: Column) -> str:
    return rules(schema=Schema((column,))).columns[0].domain


# Words exist for everything that a ruleset may say


def test_every_option_has_its_sentence():
    chosen = {(name, value) for name, values in OPTION_CHOICES.items() for value in values}
    assert set(texts.OPTIONS) == chosen


def test_every_choice_of_a_ruleset_has_its_words():
    assert set(texts.CELL_VALUES) == set(VALUE_SOURCES)
    assert set(texts.MARKING) == set(MARKING)
    assert tuple(ranking_texts.SCORES) == PARTS
    assert tuple(ranking_texts.TIE_BREAKS) == TIE_BREAKS
    assert set(ranking_texts.FORMULAS) == set(OFFICIAL) - {MEASURE_RANKS}
    assert set(series_texts.REQUIRE) == set(REQUIRED)
    assert set(series_texts.DEFINITIONS) == set(DEFINITIONS)
    assert set(series_texts.SCORES) == set(ranking_texts.SCORES)
    assert set(series_texts.FORMULAS) == set(ranking_texts.FORMULAS)


@pytest.mark.parametrize("name", ["synthetic-cohort", "membership-2020", "reconstruction-2023"])
def test_guesses_of_membership_or_values_re_identify_nobody(name):
    assert "re-identification" not in str(
        [tuple(map(str, line)) for line in ranking_lines(load_ruleset(name))]
    )


@pytest.mark.parametrize("text", ["title", "summary", "better", "best", "worst"])
def test_every_measure_has_its_texts_in_both_languages(text):
    own = {id_: analysis.measure(id_, {}) for id_, analysis in ANALYSES.items()}
    measures, shown = ALL_MEASURES | own, {}
    for language in ("en", "ja"):
        with translation.override(language):
            shown[language] = {id_: getattr(shown_measure(m), text) for id_, m in measures.items()}
    assert all(shown["en"].values())
    assert [id_ for id_, said in shown["en"].items() if said == shown["ja"][id_]] == []


def test_every_family_of_measures_has_its_headings():
    families = {measure.family for measure in ALL_MEASURES.values()}
    assert families == set(FAMILIES) == set(SHORT_FAMILIES)
    of_series = {measure.family for measure in SERIES_MEASURES.values()}
    assert set(FAMILIES_OF_SERIES) == of_series
    assert set(SHORT_FAMILIES_OF_SERIES) <= of_series


def test_the_short_name_of_a_measure_of_a_series_is_not_its_title_again():
    measures = SERIES_MEASURES.values()
    assert [m.id for m in measures if m.name.lower() in m.title.lower()] == []


def test_every_role_and_kind_has_a_name():
    assert set(texts.ROLES) == set(Role)
    assert set(texts.COLUMN_KINDS) == set(Kind)


# What is said


def test_measures_stand_in_families_with_direction_and_ends():
    by_id = {rule.measure.id: rule for family in rules().families for rule in family.measures}
    said = {id_: rule.measure for id_, rule in by_id.items()}
    assert tuple(by_id) == RULESET.measures
    assert (said["U1"].better, said["U1"].best, said["U1"].worst) == (
        "lower is better",
        "0: nothing is lost",
        "no upper end",
    )
    assert (said["S1"].better, said["S1"].worst) == ("higher is better", "1: some record is unique")
    assert said["EUC2"].worst == "1: every record is found"
    assert by_id["U3"].measure.definition == definition_in(MEASURES["U3"].description)


def test_a_definition_is_for_readers_not_for_programmers():
    found = definition_in(MEASURES["U1"].description)
    assert "|mean(X_j) - mean(Y_j)|" in found
    assert "0 where every column keeps its mean" in found  # what is returned
    assert "Table 11" in found  # the notes
    for measure in ALL_MEASURES.values():
        text = definition_in(measure.description)
        assert text, measure.id
        assert not any(mark in text for mark in ("---", ">>>", "\\\\|", "comparison :")), text


@pytest.mark.parametrize("name", sorted(OPTION_CHOICES))
def test_options_are_said_as_they_are_set(name):
    said = set()
    for value in OPTION_CHOICES[name]:
        ruleset = dataclasses.replace(
            RULESET, options=dataclasses.replace(Options(), **{name: value})
        )
        said.add(rules(ruleset).options)
        assert len(rules(ruleset).options) == len(OPTION_CHOICES)
    assert len(said) == len(OPTION_CHOICES[name])


@pytest.mark.parametrize(
    ("measures", "columns", "said"),
    [
        (("table-L2",), ("a", "b"), ["For table-L2 the records are counted by a, b."]),
        (
            ("table-L2", "table-spearman"),
            (),
            [
                "For table-L2, table-spearman the records are counted by all quasi-identifiers that are "
                "categories."
            ],
        ),
        ((), ("a",), []),
    ],
)
def test_the_columns_that_records_are_counted_by_are_said(measures, columns, said):
    ruleset = dataclasses.replace(
        RULESET,
        measure_specs=RULESET.measure_specs + tuple(MeasureSpec(i, "lower") for i in measures),
        options=Options(table_columns=columns),
    )
    assert [words for words in rules(ruleset).options if "counted by" in words] == said


@pytest.mark.parametrize(
    ("options", "said"),
    [
        ({}, ["t-closeness compares a class with the whole anonymized table."]),
        (
            {"closeness": "original", "hierarchies": {"town": {}}, "population_fraction": 0.125},
            [
                "t-closeness compares a class with the whole original table.",
                "For t-closeness the values of town are as far apart as in their hierarchy.",
                "For zayatz, individual-max the table counts as a sample of 12.5 % of the population.",
            ],
        ),
        (
            {"weight_column": "weight", "population_fraction": 1},
            [
                "t-closeness compares a class with the whole anonymized table.",
                "For individual-max the column weight says how many persons a record stands for.",
                "For zayatz the table counts as a sample of 100 % of the population.",
            ],
        ),
    ],
)
def test_options_that_may_be_left_out_are_said_for_their_measures(options, said):
    measures = ("t-closeness", "zayatz", "individual-max")
    before = rules(dataclasses.replace(RULESET, options=Options(**options))).options
    assert before == rules().options
    ruleset = dataclasses.replace(
        RULESET,
        measure_specs=RULESET.measure_specs + tuple(MeasureSpec(id_, "lower") for id_ in measures),
        options=Options(**options),
    )
    assert [words for words in rules(ruleset).options if words not in before] == said


def test_what_is_estimated_of_a_hidden_table_has_its_own_columns():
    assert not any("counted by" in words for words in rules(load_ruleset("dp-disclosure")).options)
    hidden = load_ruleset("dp-disclosure")
    assert format_of(hidden).table.unmeasured(SCHEMA, hidden) == ()


def test_ranks_over_a_large_domain_are_unmeasured():
    measures = tuple(MeasureSpec(id_, "lower") for id_ in ("table-L2", "table-spearman"))
    ruleset = dataclasses.replace(RULESET, measure_specs=measures)
    values = tuple(map(str, range(100)))
    columns = tuple(Column(n, Role.QUASI_IDENTIFIER, Kind.CATEGORY, values=values) for n in "abcd")
    assert table.unmeasured(Schema(columns[:3]), ruleset) == ()
    assert table.unmeasured(Schema(columns), ruleset) == ("table-spearman",)


def test_the_ranking_follows_the_ruleset():
    ranking = dataclasses.replace(
        RULESET.ranking, utility=("U1", "U5"), anonymization_weight=0.7, attack_weight=0.3
    )
    lines = dict(rules(dataclasses.replace(RULESET, ranking=ranking)).ranking)
    assert lines["Utility rank"] == "mean of the ranks on U1, U5"
    assert lines["Overall board"].startswith("0.7 × rank on the anonymization board + 0.3 × ")
    assert "E1, E2, E3, E4, EUC1, EUC2" in lines["Safety rank"]
    assert "1, 1, 3" in lines["Equal and missing values"]


def test_without_an_attack_round_nothing_is_said_of_attackers():
    ruleset = dataclasses.replace(RULESET, rounds=RULESET.rounds[:1])
    said = rules(ruleset)
    assert said.marking == ()
    assert "Attack board" not in dict(said.ranking)
    assert "every other team" not in dict(said.ranking)["Safety rank"]


@pytest.mark.parametrize("formula", [name for name in OFFICIAL if name != MEASURE_RANKS])
def test_formulas_tell_of_a_series_what_is_true_of_it(formula):
    of_series = load_ruleset("sequential-release")
    ranking = dataclasses.replace(
        of_series.ranking,
        formula=formula,
        utility_measure="series-extent",
        loss_measure="series-extent",
        tie_breaks=tuple(TIE_BREAKS),
    )
    lines = dict(rules(dataclasses.replace(of_series, ranking=ranking)).ranking)
    assert "worst rate, in per cent, that another team's guesses" in lines["Protection"]
    assert lines["Attack"].startswith("mean rate, in per cent, over the people")
    assert {"Utility", "Total", "Equal totals"} <= set(lines)
    assert [line for line in lines.values() if "re-identif" in line or "table" in line] == []


# Columns


@pytest.mark.parametrize(
    ("column", "domain"),
    [
        (Column("c", Role.OTHER, Kind.CATEGORY), "any text"),
        (Column("c", Role.OTHER, Kind.CATEGORY, values=("a", "")), "a, (empty)"),
        (
            Column("c", Role.OTHER, Kind.CATEGORY, values=tuple(map(str, range(40)))),
            ", ".join(map(str, range(30))) + " and 10 more",
        ),
        (Column("c", Role.OTHER, Kind.NUMBER), "any number"),
        (Column("c", Role.OTHER, Kind.NUMBER, min=-0.5), "at least -0.5"),
        (Column("c", Role.OTHER, Kind.INTEGER, max=20_000), "at most 20,000"),
        (Column("c", Role.OTHER, Kind.INTEGER, min=0, max=3_000_000), "0 to 3,000,000"),
        (Column("c", Role.OTHER, Kind.NUMBER, decimals=2), "any number, at most 2 decimals"),
        (Column("c", Role.OTHER, Kind.INTEGER, min=0, decimals=0), "at least 0, no decimals"),
    ],
)
def test_domains_in_words(column, domain):
    assert values_of(column) == domain


def test_hidden_columns_are_not_named():
    hidden = Column("my_number", Role.IDENTIFIER, Kind.INTEGER)
    schema = Schema((hidden, *SCHEMA.columns))
    assert [column.name for column in rules(schema=schema).columns] == list(SCHEMA.names)


def test_limits_follow_the_contest_and_the_ruleset():
    limits = dataclasses.replace(RULESET.limits, max_file_bytes=2048, max_records_factor=2.5)
    said = " ".join(rules(dataclasses.replace(RULESET, limits=limits)).limits).replace("\xa0", " ")
    assert "2.0 KB" in said
    assert "2.5 times" in said
    assert "at most 3 members" in said


def test_without_a_table_the_columns_are_left_open():
    said = rules(schema=None)
    assert said.columns == said.attack_columns == ()


# Measures that this table cannot have


def drop(*roles: Role, cross: bool = True, attacks: bool = True) -> Schema:
    columns = tuple(
        dataclasses.replace(
            column,
            role=Role.OTHER if column.role in roles else column.role,
            cross=column.cross and cross and column.role not in roles,
        )
        for column in SCHEMA.columns
    )
    return Schema(columns, *(("sa1", "sa2") if attacks and Role.SENSITIVE not in roles else ()))


@pytest.mark.parametrize(
    ("schema", "missing"),
    [
        (SCHEMA, ()),
        (drop(cross=False), ("U2", "U3")),
        (drop(attacks=False), ("E2", "E4")),
        (drop(Role.SENSITIVE), ("U1", "U2", "U4", "U5", "E2", "E3", "E4", "EUC1", "EUC2")),
    ],
)
def test_unmeasured_is_what_the_library_gives_no_value(schema, missing):
    assert table.unmeasured(schema, RULESET) == missing


def test_unmeasured_measures_are_marked(cast, as_user):
    Dataset.objects.update(schema_text=drop(cross=False).to_toml())
    response = as_user(None).get("/c/cup/rules/")
    families = response.context["rules"].families
    unmeasured = [
        rule.measure.id for family in families for rule in family.measures if not rule.is_measured
    ]
    assert unmeasured == ["U2", "U3"]
    assert "Not computed in this contest" in response.content.decode()


# The page


def test_the_rounds_of_this_contest_are_shown_not_the_defaults(cast, as_user):
    cast.contest.rounds.filter(key="anonymization").update(tries=7, feedback="after_close")
    cast.contest.rounds.filter(key="attack").update(tries=1, feedback="exact")
    page = as_user(None).get("/c/cup/rules/").content.decode()
    assert "7 submissions for each team." in page
    assert "1 guess for each other team." in page
    assert "The values are shown after the round has closed." in page
    assert "The attackers see the rate of a guess as soon as it is evaluated." in page
    assert "20 submissions" not in page


def test_coarse_feedback_is_said(cast, as_user):
    cast.contest.rounds.filter(key="attack").update(feedback="coarse")
    assert "ten percentage points" in as_user(None).get("/c/cup/rules/").content.decode()


def test_the_page_speaks_japanese_where_the_ruleset_does(cast, as_user):
    page = as_user(None).get("/c/cup/rules/", headers={"accept-language": "ja"}).content.decode()
    assert RULESET.rounds[1].description["ja"].split("\n")[0] in page
    with translation.override("ja"):
        assert rules().title == RULESET.title["ja"]


def test_the_rules_are_those_of_the_contests_creation(cast, as_user):
    text = RULESET.text.replace("max_file_bytes = 20_971_520", "max_file_bytes = 5_000")
    Contest.objects.update(ruleset_text=text)
    page = as_user(None).get("/c/cup/rules/").content.decode().replace("\xa0", " ")
    assert "4.9 KB" in page


# What the ranking does not see


def with_ranking(**changes):
    return dataclasses.replace(RULESET, ranking=dataclasses.replace(RULESET.ranking, **changes))


def unseen(ruleset):
    return [text for title, text in rules(ruleset).ranking if title == "Limits of this ranking"]


def test_the_rules_page_names_what_the_paper_s_ranking_does_not_see():
    claims, sacrifices = unseen(RULESET)
    assert "declared rows" in claims
    assert "mean of an attacker" in sacrifices


def test_the_answers_among_the_rules_silence_it_and_are_said():
    linkage = (*RULESET.ranking.linkage, "nearest-link")
    answered = with_ranking(linkage=linkage, attackers="median")
    answered = dataclasses.replace(
        answered, measure_specs=(*RULESET.measure_specs, MeasureSpec("nearest-link", "lower"))
    )
    assert unseen(answered) == []
    board = dict(rules(answered).ranking)["Attack board"]
    assert "median of these rates counts" in board
    assert set(ranking_texts.AVERAGES) == set(AVERAGES) - {"mean"}


# Folded on a phone


@pytest.mark.whole
@pytest.mark.parametrize("name", ruleset_names())
def test_the_summary_says_nothing_that_the_rules_do_not_say(name):
    rounds = preview_of(load_ruleset(name)).rounds
    assert all(set(round.brief) < set(round.sentences) for round in rounds)
    assert all(len(round.brief) >= 2 for round in rounds)


def test_every_link_of_the_summary_leads_into_a_part_that_browsers_then_open(cast, as_user):
    page = as_user(None).get("/c/cup/rules/").text
    summary = page[page.index('id="brief-title"') : page.index("<details")]
    links = re.findall(r'href="#([^"]+)"', summary)
    assert links == ["round-anonymization", "round-attack", "columns", "measures", "ranking"]
    for link in links:  # a target within the summary of a part would not open it
        assert re.search(rf'</summary><div id="{link}" class="fold-body">', page)
    assert page.count('<details class="fold"') == page.count('class="fold-body"')
    assert "A team has at most" in summary
