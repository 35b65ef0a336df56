# SPDX-License-Identifier: Apache-2.0
"""The rules by which browsers check files: those of the server for each kind of round, from published facts only."""

from __future__ import annotations

import json
import re
from pathlib import Path
from typing import Any

import pytest
from django.test import Client
from django.urls import reverse

from pwscup.contests.models import Contest, Round
from pwscup.contests.selectors import dataset_of
from pwscup.contests.teams import tables
from pwscup.formats import ROUNDS
from pwscup.submissions import draws
from pwscup.submissions.intake.uploads import target_of
from scoring.errors import ProblemsFound
from scoring.questions.files import read_answers
from scoring.tables.number_lists import read_candidate_guess, read_guess
from scoring.tables.published_rules import messages
from tests import factories
from tests.web import lecture, pipeline, questions, series, test_series_pages
from tests.web.questions import BALANCES, LINKS, MEMBERS

pytestmark = pytest.mark.usefixtures("sent", "announced")
STATIC = Path(__file__).resolve().parents[2] / "static" / "js" / "check"
played = test_series_pages.played


def checks_of(client: Client, round: Round) -> dict[str, Any]:
    """The rules of the round as a browser gets them."""
    answer = client.get(reverse("round-check", args=[round.contest.slug, round.key]))
    assert (answer.status_code, answer["Content-Type"]) == (200, "application/json")
    found: dict[str, Any] = answer.json()
    return found


def columns(rules: dict[str, Any]) -> list[str]:
    return [column["name"] for column in rules["columns"]]


def attack_of(contest: Contest) -> Round:
    return pipeline.round_of(contest, "attack")


def test_a_table_and_its_row_numbers(cast, as_user, round):
    files = checks_of(as_user(cast.alice), round)["files"]
    dataset = dataset_of(cast.contest)
    table, rows = files["anonymized"]["rules"], files["rows"]["rules"]
    assert columns(table) == list(dataset.schema.public().names)
    assert (table["most"], rows["high"], table["rows_in"]) == (dataset.n_records,) * 2 + ("rows",)
    assert (files["rows"]["key"], rows["low"]) == ("rows", 1)


def test_guesses_of_rows(cast, as_user, round):
    for user, team in ((cast.alice, cast.red), (cast.carol, cast.blue)):
        pipeline.scored(pipeline.hand_in(user, team, round))
    release = pipeline.publish(cast.contest)["Blue"]
    found = checks_of(as_user(cast.alice), release.round)
    (place,) = found["files"]  # not the own table
    rules = found["files"][place]["rules"]
    n_original = dataset_of(cast.contest).n_records
    assert (rules["high"], rules["n_lines"]) == (n_original, release.n_records)
    read_guess(b"1\n" * rules["n_lines"], n_original=rules["high"], n_records=release.n_records)
    names = found["names"]
    assert set(names.values()) == {place}
    blue, own = cast.blue.slug, cast.red.slug
    for name in (blue, f"attack_{blue}", f"{own}_attack_{blue}", f"team{own}_attack_team{blue}"):
        assert names[name] == place
        assert target_of(f"folder/{name}.csv", [blue], own=own) == blue
    assert target_of(f"{own}x_attack_{blue}.csv", [blue], own=own) is None


def test_aligned_tables_and_guesses_of_candidates(cast, as_user):
    played = lecture.example(cast)
    alice = as_user(cast.alice)
    rules = checks_of(alice, pipeline.round_of(played.contest, "anonymization"))["files"]
    assert rules["anonymized"]["rules"]["n_lines"] == 4
    assert columns(rules["anonymized"]["rules"]) == ["age", "city"]
    for user, team in ((cast.alice, played.red), (cast.carol, played.blue)):
        pipeline.scored(lecture.hand_in(user, team, lecture.own_table(team)))
    lecture.publish(played.contest)
    found = checks_of(alice, attack_of(played.contest))
    (guess,) = found["files"].values()
    assert (guess["rules"]["n_lines"], guess["rules"]["high"]) == (4, 8)
    assert guess["rules"]["family"] == "candidate"
    read_candidate_guess(b"8\n" * 4, n_candidates=8, n_lines=4)


def test_an_own_table_without_a_team_has_no_rules(cast, as_user):
    played = lecture.example(cast)
    round = pipeline.round_of(played.contest, "anonymization")
    assert checks_of(as_user(cast.oscar), round)["files"] == {}


def test_synthetic_tables(cast, as_user):
    contest = factories.make_cohort_contest(factories.cohort_ruleset(), organizer=cast.oscar)
    cup = pipeline.two_teams(cast, contest)
    n_own = draws.ensure_drawn(cup.red).n_records
    found = checks_of(as_user(cast.alice), contest.rounds.get(key="synthesis"))["files"]
    rules, limits = found["synthetic"]["rules"], contest.ruleset.limits
    assert rules["least"] >= limits.min_records_factor * n_own
    assert rules["most"] <= limits.max_records_factor * n_own
    assert tables.n_own_records(cup.red) == n_own


def test_answers_to_questions(cast, as_user):
    cup = questions.published(cast, questions.ruleset(MEMBERS, BALANCES, LINKS))
    found = checks_of(as_user(cast.alice), attack_of(cup.contest))
    slug = cup.blue.slug
    sheets = questions.sheets_of(cup.releases["Blue"])
    schema = dataset_of(cup.contest).schema.public()
    for question in attack_of(cup.contest).spec.questions:
        place = found["names"][f"{question.key}_{slug}"]
        rules = found["files"][place]["rules"]
        n_questions = len(sheets[f"{question.key}.csv"].decode().splitlines()) - 1
        assert rules["n_questions"] == n_questions
        assert columns(rules) == list(question.columns(schema))
        header = ",".join([rules["number"], *columns(rules)]).encode() + b"\n"
        with pytest.raises(ProblemsFound, match=f"of {n_questions} questions"):
            read_answers(header, question, n_questions, schema)
    assert slug not in found["names"]  # three files per target


def test_values_of_individuals(cast, as_user, played):
    test_series_pages.publish(cast, played)
    found = checks_of(as_user(cast.alice), played.attack)
    ((place, guess),) = found["files"].items()
    assert place == f"{played.blue.slug}/guess"
    assert columns(guess["rules"]) == ["id", "value"]
    for person in series.values_of(played.blue):
        assert person not in json.dumps(found["files"])


def test_estimates(cast, as_user):
    contest = factories.make_dp_contest(organizer=cast.oscar)
    factories.make_team(contest, "Red", cast.alice)
    found = checks_of(as_user(cast.alice), contest.rounds.get(key="interactive"))["files"]
    rules = found["estimate"]["rules"]
    assert columns(rules) == list(contest.ruleset.disclosure.target)
    assert rules["count"]["name"] == "count"
    assert str(dataset_of(contest).n_records) not in json.dumps(rules)


def test_every_kind_of_round_with_rules_was_looked_at():
    assert {kind for kind, format in ROUNDS.items() if format.checked is None} == {
        "series",
        "presentation",
    }


def test_no_column_that_participants_do_not_get_is_named(cast, as_user):
    column = '[[column]]\nname = "my_name"\nrole = "identifier"\nkind = "category"\n'
    header, *lines = factories.ORIGINAL.decode().splitlines()
    named = [f"my_name,{header}", *(f"person-{n},{line}" for n, line in enumerate(lines))]
    contest = factories.make_contest(
        "hiding",
        organizer=cast.oscar,
        original="\n".join(named).encode(),
        schema=column + factories.SCHEMA,
    )
    factories.make_team(contest, "Red", cast.alice)
    assert dataset_of(contest).schema.names[0] == "my_name"
    found = checks_of(as_user(cast.alice), pipeline.round_of(contest, "anonymization"))
    assert columns(found["files"]["anonymized"]["rules"]) == header.split(",")
    assert "my_name" not in json.dumps(found)


def test_before_the_round_opens_nobody_gets_rules(cast, as_user):
    round = attack_of(cast.contest)
    address = reverse("round-check", args=[cast.contest.slug, round.key])
    assert as_user(cast.alice).get(address).status_code == 404


def test_words_are_in_the_language_of_the_reader(cast, as_user, round):
    alice = as_user(cast.alice)
    words = checks_of(alice, round)["words"]["messages"]
    alice.cookies["django_language"] = "ja"
    japanese = checks_of(alice, round)["words"]["messages"]
    assert words["file.semicolons"].startswith("cells separated by semicolons")
    assert japanese["file.semicolons"].startswith("セルがセミコロンで")
    assert words.keys() == japanese.keys()


def test_scripts_know_the_codes_of_the_server_only():
    code = re.compile(
        r'"((?:file|header|record|cell|note|submission|answer|counts|estimate)\.\w+)"'
    )
    used = {
        found for path in STATIC.glob("*.js") for found in code.findall(path.read_text("utf-8"))
    }
    assert len(used) > 40
    assert used <= messages().keys()


def test_the_page_works_without_the_check(cast, as_user, round):
    page = as_user(cast.alice).get(reverse("round", args=[cast.contest.slug, round.key]))
    html = page.content.decode()
    (panel,) = re.findall(r'<section class="file-check"[^>]*>', html)
    assert " hidden " in panel
    assert 'type="module" src="/static/js/check/form' in html
