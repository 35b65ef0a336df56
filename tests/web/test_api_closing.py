# SPDX-License-Identifier: Apache-2.0
"""An organizer by program before and after a contest: rules, re-scoring, dry run, reports, archives and imports."""

from __future__ import annotations

import json
from datetime import timedelta
from types import SimpleNamespace

import pytest
from django.utils import timezone

from pwscup.archives.models import Archive, CodabenchBundle, ContestImport
from pwscup.bots.models import Rehearsal
from pwscup.contests.models import Contest
from pwscup.core import jobs
from pwscup.core.models import Event
from pwscup.debriefings.models import Debriefing
from pwscup.rescores import selectors
from pwscup.submissions.models import Evaluation, Rescore
from tests import factories
from tests.web import archives, board_facts, bundles, lecture, pipeline
from tests.web.api import Program, codes
from tests.web.pipeline import scored
from tests.web.test_debriefings import computed, end
from tests.web.test_final_report import FinalReport, without_pictures
from tests.web.test_rescores import with_s2_alone

pytestmark = pytest.mark.usefixtures("unsent", "announced")
CUP = "/organize/contests/cup"
ZIP = "application/zip"


@pytest.fixture
def oscar(cast) -> Program:
    return Program(cast.oscar)


def read(answer) -> bytes:
    return b"".join(answer.streaming_content) if answer.streaming else answer.content


def test_all_of_it_belongs_to_organizers(cast):
    paths = ("rules", "rules/1.toml", "rescore", "dry-run", "report", "report/preview", "archives")
    more = ("certificates", "debriefing", "debriefing/red/attack", "disclosure", "history")
    other = factories.make_user("olga", is_organizer=True)
    for program in (Program(cast.alice), Program(other)):
        for path in (*paths, *more):
            assert program.get(f"{CUP}/{path}").status_code == 404, path
    for path in ("/organize/imports", "/organize/codabench", "/organize/codabench/1"):
        assert Program(cast.alice).get(path).status_code == 404


# Rules


def test_rules_are_read_previewed_and_changed(cast, oscar):
    held = oscar.get(f"{CUP}/rules").json()
    assert held["text"] == cast.contest.ruleset_text
    assert (held["has_begun"], held["versions"]) == (False, [])
    text = with_s2_alone(held["text"])
    shown = oscar.post(f"{CUP}/rules/preview", {"text": text})
    assert shown.status_code == 200, shown.content
    assert shown.json()["digest"] != held["digest"]
    assert oscar.get(f"{CUP}/rules").json() == held
    body = {"text": text, "note": "Only S2"}
    path = f"{CUP}/rules?version={held['version']}"
    new = oscar.send("put", path, body).json()
    assert (new["digest"], new["versions"][0]["note"]) == (shown.json()["digest"], "Only S2")
    number = new["versions"][0]["number"]
    assert read(oscar.get(f"{CUP}/rules/{number}.toml")).decode() == text
    assert codes(oscar.send("put", path, body)) == ["contest.changed_meanwhile"]
    assert codes(oscar.send("put", f"{CUP}/rules", body)) == ["contest.refused"]
    wrong = text.replace('"U1", "U2"', '"U1", "U99"', 1).replace(
        "max_team_size = 10", "max_team_size = 0"
    )
    for refused in (
        oscar.send("put", f"{CUP}/rules", {"text": wrong}),
        oscar.post(f"{CUP}/rules/preview", {"text": wrong}),
    ):
        assert refused.status_code == 422
        assert len(codes(refused)) == 2


def test_a_rescoring_is_computed_compared_and_decided(cast, oscar):
    round = pipeline.round_of(cast.contest, "anonymization")
    assert codes(oscar.post(f"{CUP}/rescore", {})) == ["contest.refused"]  # no submissions
    submission = scored(pipeline.hand_in(cast.alice, cast.red, round))
    scored(pipeline.hand_in(cast.carol, cast.blue, round))
    Evaluation.objects.filter(submission=submission).update(
        values={**submission.evaluations.get().values, "S2": 0.5}
    )
    begun = oscar.post(f"{CUP}/rescore", {}).json()
    assert (begun["current"]["state"], begun["current"]["boards"]) == ("waiting", [])
    assert codes(oscar.post(f"{CUP}/rescore/apply", {})) == ["contest.refused"]
    assert jobs.work_on(Rescore, selectors.undecided(cast.contest).pk)
    answered = oscar.get(f"{CUP}/rescore").json()["current"]
    assert (answered["state"], answered["n_done"], answered["n_missing"]) == ("done", 2, 0)
    (changed,) = answered["changed"]
    assert changed["submission"] == str(submission.public_id)
    assert [one["name"] for one in changed["values"]] == ["S2"]
    assert {row["team"] for board in answered["boards"] for row in board["rows"]} >= {"Red", "Blue"}
    applied = oscar.post(f"{CUP}/rescore/apply", {}).json()
    assert (applied["current"], applied["past"][0]["state"]) == (None, "applied")
    oscar.post(f"{CUP}/rescore", {})
    assert oscar.post(f"{CUP}/rescore/drop", {}).json()["past"][0]["state"] == "dropped"
    assert codes(oscar.post(f"{CUP}/rescore/complete", {})) == ["contest.refused"]


def test_bots_play_a_dry_run(cast, oscar):
    assert oscar.get(f"{CUP}/dry-run").json()["state"] == "none"
    begun = oscar.post(f"{CUP}/dry-run", {})
    assert (begun.status_code, begun.json()["state"]) == (201, "waiting")
    assert codes(oscar.post(f"{CUP}/dry-run", {})) == ["contest.refused"]
    assert jobs.work_on(Rehearsal, Rehearsal.objects.get().pk)
    answered = oscar.get(f"{CUP}/dry-run").json()
    assert (answered["state"], [line["refused"] for line in answered["rounds"]]) == (
        "done",
        [[], []],
    )
    copy = Contest.objects.get(rehearsal_of=cast.contest)
    assert answered["played_on"] == copy.slug
    assert oscar.get(f"/organize/contests/{copy.slug}").status_code == 200
    gone = oscar.send("delete", f"{CUP}/dry-run").json()
    assert (gone["state"], gone["played_on"]) == ("done", None)
    assert codes(oscar.send("delete", f"{CUP}/dry-run")) == ["contest.refused"]


# Reports


@pytest.mark.usefixtures(without_pictures.__name__)
def test_a_report_is_written_read_and_published(cast, oscar):
    refused = oscar.get(f"{CUP}/report").json()
    assert refused["hindered"]
    assert refused["certificates_hindered"]
    assert codes(oscar.get(f"{CUP}/certificates"))[0] == "contest.refused"
    board_facts.game(cast.contest)
    asked = oscar.post(f"{CUP}/report", {})
    assert (asked.status_code, asked.json()["state"]) == (201, "waiting")
    assert jobs.work_on(FinalReport, FinalReport.objects.get().pk)
    assert Program(cast.alice).get("/contests/cup/report").status_code == 404
    html = read(oscar.get(f"{CUP}/report/preview?language=ja")).decode()
    assert '<html lang="ja">' in html
    answered = oscar.post(f"{CUP}/report/publish", {}).json()
    assert len(answered["published_at"]) == 1
    assert read(Program(cast.alice).get("/contests/cup/report?language=ja")).decode() == html
    pdf = read(oscar.get(f"{CUP}/certificates"))
    assert pdf.startswith(b"%PDF")


@pytest.fixture
def debriefed(cast) -> SimpleNamespace:
    cup = lecture.example(cast)
    scored(lecture.hand_in(cast.alice, cup.red, lecture.ANONYMIZED))
    scored(lecture.hand_in(cast.carol, cup.blue, lecture.own_table(cup.blue)))
    targets = lecture.publish(cup.contest)
    wrong = lecture.guess_file([-1] * 4)
    for user, team, target in ((cast.carol, cup.blue, "Red"), (cast.alice, cup.red, "Blue")):
        assert scored(pipeline.guess(user, team, targets[target], wrong)).state == "scored"
    end(cup.contest)
    computed(cup.contest)
    return cup


def test_debriefings_and_their_examples(cast, oscar, debriefed):
    path = f"/organize/contests/{debriefed.contest.slug}/debriefing"
    held = oscar.get(path).json()
    (key,) = {one["round"] for one in held["parts"]}
    assert [(one["team"], one["shown"]) for one in held["parts"]] == [("blue", ""), ("red", "")]
    one = oscar.get(f"{path}/red/{key}")
    assert one.json()["sentence"] == next(
        one["sentence"] for one in held["parts"] if one["team"] == "red"
    )
    assert "records" not in one.json()["details"]
    examples = [{"team": "red", "round": key, "names_team": True}]
    answered = oscar.send("put", f"{path}/examples", {"examples": examples}).json()
    assert [part["shown"] for part in answered["parts"]] == ["", "named"]
    seen = Program(cast.carol).get(f"/contests/{debriefed.contest.slug}/debriefing").json()
    assert [part["team"] for part in seen["examples"]] == ["red"]
    unknown = {"examples": [{"team": "green", "round": key}]}
    refused = oscar.send("put", f"{path}/examples", unknown)
    assert (refused.status_code, codes(refused)) == (422, ["debriefing.unknown"])
    assert oscar.send("put", f"{path}/examples", {"examples": []}).json()["parts"][1]["shown"] == ""
    refused = oscar.send("patch", path, {"discloses_table": True})
    assert codes(refused) == ["request.unknown_key"]  # no hidden table
    assert oscar.post(f"{path}/again", {}).json()["state"] == "waiting"
    assert Debriefing.objects.count() == 1


def test_the_spending_of_teams_is_read_without_counts(cast, oscar):
    contest = factories.make_dp_contest(organizer=cast.oscar)
    factories.make_team(contest, "Red", cast.alice)
    query = {"query": {"columns": ["sex"]}, "epsilon": "0.25"}
    Program(cast.alice).post("/contests/dp/rounds/interactive/answers", query)
    answered = oscar.get("/organize/contests/dp/disclosure").json()
    (round,) = [one for one in answered if one["teams"]]
    assert round["round"] == "interactive"
    (line,) = round["teams"]
    assert (line["team"], line["spent"], line["n_answers"]) == ("red", "0.25", 1)
    assert "counts" not in json.dumps(answered)
    changed = oscar.send(
        "patch", "/organize/contests/dp/debriefing", {"discloses_table": True}
    ).json()
    assert changed["discloses_table"] is True


# Archives and imports


def test_an_archive_without_the_key_by_program_and_one_with_it_in_the_browser(cast, oscar):
    asked = oscar.post(f"{CUP}/archives", {"names": "none"})
    assert asked.status_code == 201, asked.content
    assert (asked.json()[0]["state"], asked.json()[0]["sha256"]) == ("waiting", None)
    assert codes(oscar.post(f"{CUP}/archives", {})) == ["contest.refused"]
    assert codes(oscar.post(f"{CUP}/archives", {"with_key": True})) == ["request.unknown_key"]
    assert codes(oscar.post(f"{CUP}/archives", {"names": "some"})) == ["field.invalid_choice"]
    found = Archive.objects.get()
    assert jobs.work_on(Archive, found.pk)
    (answered,) = oscar.get(f"{CUP}/archives").json()
    assert (answered["state"], answered["with_key"], answered["number"]) == (
        "done",
        False,
        found.pk,
    )
    data = read(oscar.get(f"{CUP}/archives/{found.pk}"))
    assert len(data) == answered["size_bytes"]
    assert Event.objects.filter(kind="archive.downloaded").count() == 1
    keyed = archives.written(cast.contest, cast.oscar)
    assert keyed.with_key
    refused = oscar.get(f"{CUP}/archives/{keyed.pk}")
    assert (refused.status_code, codes(refused)) == (403, ["browser.only"])
    assert Program(cast.alice).get(f"{CUP}/archives/{found.pk}").status_code == 404
    left = oscar.send("delete", f"{CUP}/archives/{found.pk}").json()
    assert [one["sha256"] is None for one in left] == [False, True]
    assert oscar.get(f"{CUP}/archives/{found.pk}").status_code == 404


def test_an_archive_is_imported(cast, oscar):
    data = archives.bytes_of(archives.written(cast.contest, cast.oscar))
    sent = oscar.post("/organize/imports", data, ZIP)
    assert (sent.status_code, sent.json()["state"]) == (201, "waiting")
    assert jobs.work_on(ContestImport, ContestImport.objects.get().pk)
    (answered,) = oscar.get("/organize/imports").json()
    assert (answered["state"], answered["problems"], answered["differences"]) == ("done", [], [])
    assert oscar.get(f"/organize/contests/{answered['contest']}").status_code == 200
    lines = read(oscar.get(f"/organize/contests/{answered['contest']}/history")).splitlines()
    assert json.loads(lines[0])["kind"]
    assert oscar.get(f"{CUP}/history").status_code == 404

    oscar.post("/organize/imports", b"no archive", ZIP)
    assert jobs.work_on(ContestImport, ContestImport.objects.latest("pk").pk)
    bad = oscar.get("/organize/imports").json()[0]
    assert (bad["state"], bad["contest"]) == ("refused", None)
    assert [one["code"] for one in bad["problems"]] == ["archive.not_zip"]
    assert codes(oscar.post("/organize/imports", {})) == ["request.content_type"]
    assert Program(cast.alice).post("/organize/imports", data, ZIP).status_code == 404


def test_a_bundle_of_codabench_becomes_a_draft(cast, oscar):
    read_ = oscar.post("/organize/codabench", bundles.bundle(), ZIP)
    assert read_.status_code == 201, read_.content
    answered = read_.json()
    assert answered["contest"] is None
    assert answered["left_out"]
    one = f"/organize/codabench/{answered['number']}"
    assert oscar.get(one).json() == answered
    assert [line["number"] for line in oscar.get("/organize/codabench").json()] == [
        answered["number"]
    ]
    other = factories.make_user("olga", is_organizer=True)
    assert Program(other).get(one).status_code == 404
    starts = timezone.now() + timedelta(days=3)
    body = {"starts_at": starts.isoformat(), "program": answered["program"]}
    made = oscar.post(one, body)
    assert made.status_code == 201, made.content
    assert made.json()["state"] == "draft"
    opens = made.json()["rounds"][0]["opens_at"]
    assert opens[:16] == starts.isoformat()[:16]
    assert codes(oscar.post(one, body)) == ["contest.refused"]
    assert oscar.get(one).json()["contest"] == made.json()["slug"]
    assert codes(oscar.post("/organize/codabench", b"no zip", ZIP)) == ["bundle.broken"]
    assert CodabenchBundle.objects.count() == 1
