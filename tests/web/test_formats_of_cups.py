# SPDX-License-Identifier: Apache-2.0
"""Formats in the manner of past cups: bots play each of them through, and an archive brings its boards back."""

from __future__ import annotations

import csv
import io
import json
import tomllib
from collections import Counter
from datetime import timedelta

import numpy as np
import pytest
import tomli_w
from django.urls import reverse
from django.utils import timezone, translation

from pwscup.bots import copies
from pwscup.bots import services as bots
from pwscup.bots.models import Rehearsal
from pwscup.contests import services
from pwscup.contests.models import Contest
from pwscup.contests.organize import wizard
from pwscup.contests.rules.pages import preview_of
from pwscup.core import jobs
from pwscup.formats.attacks.sheets import sheets_of
from pwscup.formats.common import setup, table
from pwscup.leaderboards.services import final_boards
from pwscup.submissions.models import Release
from scoring.datasets import USUAL
from scoring.datasets.catalog import generated
from scoring.formulas.boards import OF_LISTED
from scoring.questions.membership import true_positive_rate
from scoring.rulesets import load_ruleset, parse_ruleset, ruleset_names
from scoring.rulesets.loader import load_schema, schema_names
from scoring.tables.writing import write_table
from tests.every import some
from tests.web.archives import bytes_of, imported, written
from tests.web.questions import keys_of

pytestmark = pytest.mark.usefixtures("unsent")
OF_CUPS = [name for name in ruleset_names() if load_ruleset(name).modelled_on]
LATEST = ["synthetic-2026", "membership-2025"]
PLAYED = some(1, dict.fromkeys([*LATEST, *OF_CUPS, "synthetic-cohort"]))
N_RECORDS = 400
SMALL = {"sample": 100, "decoys": 100, "shared": 60}
"""Numbers of records of a contest that is played in a second."""


def smaller(name: str, **numbers: int):
    """The format for fewer records: as many stages, rounds, questions, gates and boards."""
    values = tomllib.loads(load_ruleset(name).text)
    data = values["data"]
    data |= {key: min(data[key], n) for key, n in SMALL.items() if key in data}
    data |= numbers
    if "rare" in data:
        data["rare"]["records"] = 2
    for spec in values["round"]:
        for question in spec.get("question", ()):
            question |= {
                key: min(question[key], n)
                for key, n in {"targets": 20, "controls": 20, "ones": 20}.items()
                if key in question
            }
    for gate in values["scoring"].get("gate", ()):
        gate["max"] = gate["max"] * 10  # few records differ by chance
    return parse_ruleset(tomli_w.dumps(values))


@pytest.fixture
def draft(cast, request) -> Contest:
    """A draft of the format with a small generated table."""
    return drafted(cast, smaller(request.param))


def drafted(cast, rules) -> Contest:
    schema = rules.schema or load_schema("households")
    known = {n: s for n, s in wizard_schemas().items() if s == schema}
    contest = services.create_contest(
        actor=cast.oscar,
        ruleset=rules,
        title="Cup",
        starts_at=timezone.now() + timedelta(days=1),
    )
    table = generated(next(iter(known)), N_RECORDS, seed=1)
    services.attach_dataset(
        actor=cast.oscar,
        contest=contest,
        data=write_table(table, schema),
        schema=schema,
        name="table.csv",
    )
    return contest


def wizard_schemas():
    return {name: load_schema(name) for name in schema_names()}


@pytest.mark.parametrize("draft", PLAYED, indirect=True)
def test_bots_play_it_through_and_an_archive_brings_its_boards_back(cast, draft, monkeypatch):
    monkeypatch.setattr(copies, "N_BOTS", 3)
    monkeypatch.setattr(copies, "CHEATING", ())
    rehearsal = bots.request_dry_run(actor=cast.oscar, contest=draft)
    assert jobs.work_on(Rehearsal, rehearsal.pk)
    rehearsal.refresh_from_db()
    assert rehearsal.state == Rehearsal.State.DONE, rehearsal.report
    played = rehearsal.played_on
    specs = [played.ruleset.round(line["round"]) for line in rehearsal.report]
    for spec, line in zip(specs, rehearsal.report, strict=True):
        refused = [problem for found in line["refused"] for problem in found["problems"]]
        assert line["n_scored"] >= 2, (spec.key, refused)
        if spec.phase == "attack":
            assert (refused, line["n_scored"]) == ([], line["n_files"])
            assert line["n_published"] >= 2
    boards = all_boards(played)
    for board in played.ruleset.boards:
        assert any(f'"{board.key}' in text and '"rank": 1' in text for text in boards), board.key

    played.rehearsal_of = None
    played.save(update_fields=["rehearsal_of"])
    job = imported(cast.oscar, bytes_of(written(played, cast.oscar)))
    assert (job.problems, job.state, job.differences) == ([], "done", [])
    assert all_boards(Contest.objects.get(pk=job.contest_id)) == boards


def test_nobody_is_found_by_the_sheets_alone(cast, monkeypatch):
    """Finding 2: members × times × both stages. Who stands on more sheets is no likelier a member."""
    monkeypatch.setattr(copies, "N_BOTS", 3)
    rules = smaller("synthetic-2026", sample=25, decoys=200)  # 20 of 25, and 20 of 200
    rehearsal = bots.request_dry_run(actor=cast.oscar, contest=drafted(cast, rules))
    assert jobs.work_on(Rehearsal, rehearsal.pk)
    rehearsal.refresh_from_db()
    releases = Release.objects.filter(round__contest=rehearsal.played_on)
    assert releases.count() >= 6  # and those of cheaters that the gates let pass
    known = set(rules.round("final-attack").questions[1].known)
    for release in releases:
        others = [r for r in releases if r.team_id == release.team_id]
        sheets = [sheet for other in others for sheet in sheets_of(other).values()]
        times = Counter(person for sheet in sheets for person in people_on(sheet, known))
        asked = people_on(sheets_of(release)["members"], known)
        key = keys_of(release)["members"]
        said = np.array([times[person] for person in asked]) / len(sheets)
        assert len(set(said)) == 2, "some stand on the sheet of times, too"
        assert true_positive_rate(key.inside, said, 0.01)[0] == pytest.approx(0.01, abs=1e-9)
        for person, cells in zip(asked, lines_of(sheets_of(release)["members"]), strict=True):
            assert (times[person] > 2) == (cells["time"] == ""), "no sheet answers another"


def people_on(sheet: bytes, known: set[str]) -> list[tuple[str, ...]]:
    return [tuple(line[name] for name in sorted(known)) for line in lines_of(sheet)]


def lines_of(sheet: bytes) -> list[dict[str, str]]:
    return list(csv.DictReader(io.StringIO(sheet.decode())))


def all_boards(contest: Contest) -> list[str]:
    """The boards of each stage as text, teams by their place instead of their key.

    Whether they are live depends on the rehearsal, and is left out.
    """
    now = timezone.now()
    order = {
        pk: n for n, pk in enumerate(contest.teams.order_by("pk").values_list("pk", flat=True))
    }

    def placed(value):
        if isinstance(value, dict):
            return {
                key: order[item] if key == "team" and item in order else placed(item)
                for key, item in value.items()
                if key != "live"
            }
        return [placed(item) for item in value] if isinstance(value, list | tuple) else value

    return [
        json.dumps(placed(final_boards(contest, now, stage=stage.key)), sort_keys=True, default=str)
        for stage in contest.ruleset.stages
    ]


@pytest.mark.parametrize("name", OF_CUPS)
def test_every_measure_of_its_rules_can_have_a_value(name):
    """Regressions need more records than comparisons do, and a model comes with the submission."""
    ruleset = load_ruleset(name)
    if ruleset.data.schema is not None:
        assert table.unmeasured(ruleset.data.schema, ruleset) == ()


@pytest.mark.parametrize("name", OF_CUPS)
def test_its_rules_say_in_whose_manner_it_is(name):
    rules = load_ruleset(name)
    for language, word in (("en", "no part in it"), ("ja", "関わっていません")):
        with translation.override(language):
            assert rules.modelled_on in preview_of(rules).origin
            assert word in preview_of(rules).origin
    assert rules.schema is not None
    assert len(rules.stages) == 1 or [stage.weight for stage in rules.stages] == [1, 9]


def test_the_wizard_lists_them_under_a_heading_of_their_own(cast, as_user):
    (_, first), (_, others), _plugins, (_, like) = wizard.formats()
    assert sorted(format.name for format in like) == sorted(OF_CUPS)
    assert not {format.name for format in first + others} & {*OF_CUPS}
    page = as_user(cast.oscar).get(reverse("organize-new")).content.decode()
    assert "In the manner of past cups" in page


@pytest.mark.parametrize("draft", ["membership-2020", "reidentification-2021"], indirect=True)
def test_its_rules_page_is_shown_to_readers_of_both_languages(cast, draft, as_user):
    """The columns have bounds, which the records that look for unmeasured values keep."""
    for language, word in (("en", "no part in it"), ("ja", "関わっていません")):
        page = as_user(cast.oscar).get(
            reverse("rules", args=[draft.slug]), headers={"accept-language": language}
        )
        assert word in page.content.decode()


@pytest.mark.parametrize("draft", ["synthetic-2026"], indirect=True)
def test_what_weighs_nothing_is_in_no_rule_and_in_no_column(cast, draft, as_user):
    """The attack board is a weighted sum of attack alone, and nobody gives a talk."""
    text = as_user(cast.oscar).get(reverse("rules", args=[draft.slug])).content.decode()
    assert "Presentation" not in text
    assert "A synthetic table has as many records as the cohort" in text
    attack = draft.ruleset.board("attack")
    assert OF_LISTED[attack.formula].used(attack.settings) == ("attack",)


@pytest.mark.parametrize("draft", ["membership-2025"], indirect=True)
def test_the_data_page_names_the_table_that_it_generates(cast, draft, as_user):
    assert setup.GENERATED.keys() == USUAL.keys()
    page = as_user(cast.oscar).get(reverse("organize-data", args=[draft.slug])).content.decode()
    assert "Synthetic patients" in page
    assert "households" not in page


def test_the_rules_describe_ten_tables_once_with_the_columns_of_each():
    first, *_ = preview_of(load_ruleset("linkage-2024")).rounds
    assert len(first.files) == 10
    assert len({file.format for file in first.files}) == 1
    assert all(file.columns for file in first.files)


@pytest.mark.parametrize("draft", ["membership-2025"], indirect=True)
def test_no_warning_is_about_measures_that_the_rules_do_not_have(cast, draft, as_user):
    page = as_user(cast.oscar).get(reverse("organize-data", args=[draft.slug])).content.decode()
    assert "most measures and attacks need one" not in page
    assert "U2 and U3" not in page
