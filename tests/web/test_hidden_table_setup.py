# SPDX-License-Identifier: Apache-2.0
"""A hidden table of the organizer's own: its columns are ticked, and the rules are written from the ticks."""

from __future__ import annotations

import tomllib

import pytest
from django.urls import reverse
from django.utils import timezone
from django.utils.html import strip_tags

from pwscup.contests import services
from pwscup.contests.models import Contest, TableDraft
from pwscup.contests.terms import digest_of
from pwscup.core.models import Event
from pwscup.disclosure import services as disclosure
from pwscup.formats.hidden import setup
from scoring.errors import ProblemsFound
from scoring.rulesets import load_ruleset, parse_ruleset
from scoring.rulesets.rewriting import with_disclosure
from scoring.tables.schema import Column, Kind, Role, Schema
from tests import factories
from tests.web.test_organizer_data import said, upload

pytestmark = pytest.mark.usefixtures("sent")
URL, COLUMNS = "/organize/survey/data/", "/organize/survey/data/columns/"
SURVEY = "year,club,way,sleep,breakfast\n" + "".join(
    f"{n % 3 + 1}年,{'none' if n % 2 else 'sport'},{'foot' if n % 5 else 'bus'},"
    f"{n / 7:.3f},{'yes' if n % 4 else 'no'}\n"
    for n in range(60)
)
NAMES = ("year", "club", "way", "sleep", "breakfast")


@pytest.fixture
def survey(cast) -> Contest:
    """A draft of the format, which speaks of pseudo households until a table is there."""
    return services.create_contest(
        actor=cast.oscar,
        ruleset="dp-disclosure",
        title="Survey",
        slug="survey",
        starts_at=timezone.now(),
    )


def send(client, contest: Contest, button: str, **ticks: tuple[str, ...]):
    """The columns as proposed, with these ticks; `year="released"` ticks a box."""
    contest.refresh_from_db()
    data = {"version": contest.version, button: "1"}
    for position, column in enumerate(TableDraft.objects.get(contest=contest).schema.columns):
        fields = {
            "role": column.role,
            "kind": column.kind,
            "values": "\n".join(column.values or ()),
        }
        fields |= dict.fromkeys(ticks.get(column.name, ()), "on")
        data |= {f"c{position}-{name}": value for name, value in fields.items()}
    return client.post(COLUMNS, data, follow=True)


def disclosed(contest: Contest) -> dict:
    return tomllib.loads(Contest.objects.get(pk=contest.pk).ruleset_text)


BOTH = ("released", "target")


def test_a_table_of_ones_own_is_proposed_ticked_and_used(oscar, survey):
    page = upload(oscar, survey, SURVEY.encode()).text
    assert "region" not in strip_tags(page)
    assert "The target has 24 cells." in page
    assert "Asked for once with ε = 4" in page
    checked = send(oscar, survey, "check", year=BOTH, club=BOTH, way=("released",))
    assert "The target has 6 cells." in checked.text
    assert "Released once with ε = 4" in checked.text
    assert TableDraft.objects.get().ticked(setup.TICKS) == {
        "released": ["year", "club", "way"],
        "target": ["year", "club"],
    }
    assert "region" in disclosed(survey)["disclosure"]["columns"]  # nothing is written yet
    used = send(oscar, survey, "confirm", year=BOTH, club=("target",), way=("released",))
    assert said(used) == "The table is now the contest's original."
    rules = disclosed(survey)
    assert rules["disclosure"] == {
        "columns": ["year", "club", "way"],
        "target": ["year", "club"],
        "errors_epsilon": "2",
    }
    assert "schema" not in rules["data"]
    assert Event.objects.filter(kind="contest.ruleset_changed").count() == 1
    newest = survey.ruleset_versions.order_by("-number").first()
    assert (newest.created_by, newest.applied_at is not None) == (survey.organizers.get(), True)
    send(oscar, survey, "confirm", year=BOTH, club=("target",), way=("released",))
    assert Event.objects.filter(kind="contest.ruleset_changed").count() == 1  # nothing new


def test_the_contest_is_published_releases_the_table_and_answers(cast, oscar, survey):
    upload(oscar, survey, SURVEY.encode())
    send(oscar, survey, "confirm", year=BOTH, club=BOTH)
    survey = Contest.objects.get(pk=survey.pk)
    services.publish(actor=cast.oscar, contest=survey)
    red = factories.make_team(survey, "Red", cast.alice)
    services.start_rounds(actor=cast.oscar, contest=survey)
    disclosure.release_due()
    batch, interactive = survey.rounds.all()
    assert batch.batch_release.n_records == 60
    services.close_round_now(actor=cast.oscar, contest=survey, key="batch")
    services.open_round_now(actor=cast.oscar, contest=survey, key="interactive")
    interactive.refresh_from_db()
    services.accept_terms(user=cast.alice, contest=survey, digest=digest_of(survey))
    answer = disclosure.ask(
        user=cast.alice, team=red, round=interactive, query={"columns": ["club"]}, epsilon="4"
    ).answer
    assert len(answer.counts) == 2
    # what was disclosed of stays
    assert "cannot be replaced" in said(upload(oscar, survey, SURVEY.encode()))


@pytest.mark.parametrize(
    ("ticks", "words"),
    [
        ({}, "Tick at least one column as “Target”"),
        ({"sleep": BOTH}, "expected a category with a list of values"),
    ],
)
def test_what_cannot_be_disclosed_is_refused_and_nothing_is_lost(oscar, survey, ticks, words):
    upload(oscar, survey, SURVEY.encode())
    before = disclosed(survey)
    for button in ("check", "confirm"):
        assert words in send(oscar, survey, button, **ticks).text.replace("</div><div>", " ")
    assert disclosed(survey) == before
    assert not survey.datasets.exists()
    assert TableDraft.objects.get().schema.names == NAMES


def test_a_table_of_numbers_has_nothing_to_propose(oscar, survey):
    page = upload(oscar, survey, b"a,b\n1.5,2.25\n2.25,3.5\n7.5,1.5\n").text
    assert "No column can be disclosed yet" in page


def test_the_columns_of_the_rules_are_ticked_where_the_table_has_them(oscar, survey):
    oscar.post(
        reverse("organize-generate", args=["survey"]), {"version": survey.version, "n_records": 200}
    )
    ticked = setup.ticked(survey.ruleset, TableDraft.objects.get().schema)
    assert ticked["target"] == survey.ruleset.disclosure.target
    before = survey.ruleset.digest
    names = dict.fromkeys(ticked["released"], ("released",))
    used = send(oscar, survey, "confirm", **names | dict.fromkeys(ticked["target"], BOTH))
    assert said(used) == "The table is now the contest's original."
    assert Contest.objects.get(pk=survey.pk).ruleset.digest == before


def test_a_hidden_column_is_not_disclosed():
    values = ("a", "b")
    columns = (
        Column("name", Role.IDENTIFIER, Kind.CATEGORY, values=values),
        Column("sex", Role.QUASI_IDENTIFIER, Kind.CATEGORY, values=values),
    )
    rules = load_ruleset("dp-disclosure")
    with pytest.raises(ProblemsFound, match="no such column"):
        setup.rules_with(rules, Schema(columns), {"released": ["name"], "target": ["sex"]})


@pytest.mark.parametrize(
    "text",
    [
        'data.tables = "hidden"\ndata.schema = "x"\ndisclosure.columns = ["a"]\n',
        '[data]\ntables = "hidden"\nschema = "x" # c\n'
        '[disclosure] # d\ntarget = [\n "a",\n]\n# e\n[[round]]\nkey = "r"\n',
        '[disclosure]\ncolumns = ["a"]\n\n[data]\nschema = """\n[disclosure]\n"""',
    ],
)
def test_however_rules_are_written_only_the_columns_change(text):
    wanted = tomllib.loads(text)
    wanted["disclosure"] = {"columns": ["部", 'q"'], "target": ["部"]}
    assert tomllib.loads(with_disclosure(text, ["部", 'q"'], ["部"], keeps_schema=True)) == wanted
    wanted["data"].pop("schema")
    assert tomllib.loads(with_disclosure(text, ["部", 'q"'], ["部"], keeps_schema=False)) == wanted


def test_columns_are_chosen_in_a_long_ruleset_without_reading_it_over_and_over():
    blank, comments = "\n" * 80_000, "# comment\n" * 9_000
    text = (
        f'[data]\n{blank}schema = "s"\n[disclosure]\ncolumns = ["a"]\n{comments}k = 1\n{comments}'
    )
    less = with_disclosure(text, ["b"], [], keeps_schema=False)
    assert less == f'[data]\n{blank}[disclosure]\ncolumns = ["b"]\nk = 1\ntarget = []\n{comments}'


def test_comments_of_the_rules_stay():
    text = load_ruleset("dp-disclosure").text
    less = with_disclosure(text, ["a", "b"], ["a"], keeps_schema=False)
    assert parse_ruleset(less).disclosure.columns == ("a", "b")
    changed = set(less.splitlines()) ^ set(text.splitlines())
    assert {line.split(" ")[0] for line in changed} == {"schema", "columns", "target"}
