# SPDX-License-Identifier: Apache-2.0
"""An organizer by program: a contest from its draft to its dates and teams, by the services of the pages."""

from __future__ import annotations

import json
from datetime import UTC, datetime, timedelta
from types import SimpleNamespace

import pytest
from django.utils import timezone

from pwscup.accounts.models import ClassCode, Invitation, OfficeInvitation
from pwscup.contests import selectors
from pwscup.contests.models import Contest, Dataset, Preparation, TableDraft
from pwscup.core.models import Event
from scoring.rulesets import load_ruleset
from tests import factories
from tests.web import pipeline
from tests.web.api import Program, codes, where

pytestmark = pytest.mark.usefixtures("sent")
CUP, NEXT = "/organize/contests/cup", "/organize/contests/next"
STARTS = "2031-01-10T10:00:00+09:00"
NEW = {"ruleset": "pwscup2015", "title": "Next Cup", "slug": "next", "starts_at": STARTS}


@pytest.fixture
def programs(cast) -> SimpleNamespace:
    people = ("alice", "bob", "carol", "oscar", "eve")
    return SimpleNamespace(**{name: Program(getattr(cast, name)) for name in people})


# Who may


def test_organizing_needs_its_scope_and_its_contest(cast, programs):
    assert programs.alice.get(CUP).status_code == 404
    assert programs.alice.get("/organize/contests").json() == []
    other = factories.make_user("olga", is_organizer=True)
    assert Program(other).get(CUP).status_code == 404
    assert Program(other).send("post", f"{CUP}/publish").status_code == 404
    for method, path in (("get", CUP), ("get", "/organize/contests"), ("post", f"{CUP}/publish")):
        refused = Program(cast.oscar, scopes=("team",)).send(method, path)
        assert (refused.status_code, codes(refused)) == (403, ["token.scope"])
    assert programs.oscar.get(CUP).json()["slug"] == "cup"


# From nothing to publication


def test_a_contest_is_created_with_a_table_and_published(cast, programs):
    assert programs.eve.post("/organize/contests", NEW).status_code == 404
    formats = [one["name"] for one in programs.oscar.get("/organize/formats").json()]
    assert "pwscup2015" in formats
    made = programs.oscar.post("/organize/contests", NEW)
    assert made.status_code == 201, made.content
    answered = made.json()
    assert (answered["slug"], answered["state"], answered["max_team_size"]) == (
        "next",
        "draft",
        load_ruleset("pwscup2015").limits.max_team_size,
    )
    assert answered["rounds"][0]["opens_at"] == "2031-01-10T01:00:00Z"
    assert "data is missing" in answered["missing"][0]
    refused = programs.oscar.send("post", f"{NEXT}/publish")
    assert (refused.status_code, codes(refused)) == (409, ["contest.refused"])

    draft = programs.oscar.send("put", f"{NEXT}/data", factories.ORIGINAL, "text/csv").json()
    assert (draft["table"], draft["draft"]["n_records"], draft["may_replace"]) == (None, 4, True)
    assert b"400" not in str(draft["draft"]["columns"]).encode()
    schema = factories.SCHEMA
    checked = programs.oscar.post(f"{NEXT}/data/columns", {"schema_toml": schema}).json()
    assert (checked["is_confirmed"], checked["data"]["table"]) == (False, None)
    confirmed = programs.oscar.post(
        f"{NEXT}/data/columns", {"schema_toml": schema, "confirm": True}
    ).json()
    assert confirmed["data"]["table"]["n_records"] == 4
    contest = Contest.objects.get(slug="next")
    assert selectors.dataset_of(contest).schema.e2_column == "sa1"
    published = programs.oscar.send("post", f"{NEXT}/publish").json()
    assert (published["is_published"], published["state"]) == (True, "upcoming")
    assert [one["slug"] for one in programs.oscar.get("/organize/contests").json()] == [
        "next",
        "cup",
    ]
    assert not TableDraft.objects.filter(contest=contest).exists()
    assert programs.oscar.send("post", f"{NEXT}/unpublish").json()["is_published"] is False


def test_own_rules_and_a_synthetic_table(programs):
    text = load_ruleset("pwscup2015").text
    body = {"ruleset_text": text, "title_ja": "次の杯", "slug": "next", "starts_at": STARTS}
    assert programs.oscar.post("/organize/contests", body).status_code == 201
    made = programs.oscar.post(f"{NEXT}/data/generate", {"n_records": 200}).json()
    assert made["draft"]["n_records"] == 200
    done = programs.oscar.post(f"{NEXT}/data/columns", {"confirm": True}).json()
    assert (done["is_confirmed"], done["data"]["table"]["n_records"]) == (True, 200)
    assert codes(programs.oscar.post(f"{NEXT}/data/generate", {"n_tables": 3})) == [
        "request.unknown_key"
    ]
    assert codes(programs.oscar.post(f"{NEXT}/data/generate", {"n_records": 1})) == [
        "field.min_value"
    ]


@pytest.mark.parametrize(
    ("change", "code", "field"),
    [
        ({"ruleset": "none"}, "field.invalid_choice", "ruleset"),
        ({"ruleset": None, "ruleset_text": "x = ["}, "field.invalid", "ruleset_file"),
        ({"title": ""}, "field.invalid", "title"),
        ({"slug": "cup"}, "field.invalid", "slug"),
        ({"timezone": "Mars/Base"}, "field.invalid_choice", "timezone"),
        ({"timezone": "../../etc/passwd"}, "field.invalid_choice", "timezone"),
        ({"starts_at": "2031-01-10T10:00:00"}, "request.unusable", "starts_at"),
        ({"starts_at": "1031-01-10T10:00:00Z"}, "field.year", "starts_at"),
        ({"starts_at": "0001-01-01T00:00:00+23:59"}, "field.year", "starts_at"),
        ({"starts_at": "9999-12-31T23:59:59-23:59"}, "field.year", "starts_at"),
        ({"max_team_size": 10**6}, "field.", "max_team_size"),
        ({"organizer": "eve"}, "request.unknown_key", "organizer"),
    ],
)
def test_a_contest_is_checked_like_on_the_page(programs, change, code, field):
    refused = programs.oscar.post("/organize/contests", NEW | change)
    assert refused.status_code == 422
    assert codes(refused)[0].startswith(code)
    assert where(refused.json()["problems"][0]) == {"field": field}
    assert Contest.objects.count() == 1


def test_columns_are_those_of_the_table(cast, programs):
    Dataset.objects.all().delete()
    path = f"{CUP}/data"
    assert codes(programs.oscar.post(f"{path}/columns", {})) == ["data.no_draft"]
    assert codes(programs.oscar.send("put", path, b"PK", "application/zip")) == [
        "request.content_type"
    ]
    refused = programs.oscar.send("put", path, b"a,a\n1,2\n", "text/csv")
    assert refused.status_code == 422
    programs.oscar.send("put", path, factories.ORIGINAL, "text/csv")
    other = factories.SCHEMA.replace('name = "qi3"', 'name = "other"')
    for text, code in (
        (other, "data.other_columns"),
        ("x = [", "toml.syntax"),
        (factories.SCHEMA.replace("max = 1000", "max = 9"), "cell.above_maximum"),
    ):
        refused = programs.oscar.post(f"{path}/columns", {"schema_toml": text})
        assert refused.status_code == 422
        assert code in codes(refused)
    wrong = {"ticked": {"hidden": ["qi1"]}}
    assert codes(programs.oscar.post(f"{path}/columns", wrong)) == ["request.unknown_key"]
    assert codes(programs.oscar.send("put", f"{path}?n_sampled=3", b"a", "text/csv")) == [
        "request.unusable"
    ]


def test_nothing_of_the_tables_records_is_in_an_answer(cast, programs):
    secret = factories.ORIGINAL.replace(b"400", b"734003317")
    Dataset.objects.all().delete()
    answers = [programs.oscar.send("put", f"{CUP}/data", secret, "text/csv")]
    answers.append(programs.oscar.get(f"{CUP}/data"))
    answers.append(programs.oscar.post(f"{CUP}/data/columns", {"confirm": True}))
    answers.append(programs.oscar.get(f"{CUP}/data"))
    assert [answer.status_code for answer in answers] == [200] * 4
    assert not [answer for answer in answers if b'"734003317"' in answer.content]


# Settings and staff


def test_settings_change_what_they_name(cast, programs):
    answered = programs.oscar.send("patch", CUP, {"title": "New", "max_team_size": 2}).json()
    assert (answered["title"], answered["max_team_size"], answered["title_ja"]) == (
        "New",
        2,
        "テスト杯",
    )
    event = Event.objects.filter(kind="contest.settings_changed").get()
    assert event.data == {"title": ["Test Cup", "New"], "max_team_size": [3, 2]}
    assert codes(programs.oscar.send("patch", CUP, {"timezone": "x"})) == ["field.invalid_choice"]
    assert programs.oscar.send("patch", CUP, {}).json()["title"] == "New"
    unlike = programs.oscar.send("patch", CUP, {"epsilon_cap": "2"})  # no table is hidden here
    assert (unlike.status_code, codes(unlike)) == (422, ["request.unknown_key"])
    assert where(unlike.json()["problems"][0]) == {"field": "epsilon_cap"}
    assert programs.oscar.send("patch", CUP, {"epsilon_cap": None}).status_code == 200


def test_a_version_that_was_read_refuses_later_changes(programs):
    version = programs.oscar.get(CUP).json()["version"]
    changed = programs.oscar.send("patch", f"{CUP}?version={version}", {"title": "One"})
    assert changed.json()["version"] == version + 1
    refused = programs.oscar.send("patch", f"{CUP}?version={version}", {"title": "Two"})
    assert (refused.status_code, codes(refused)) == (409, ["contest.changed_meanwhile"])
    assert programs.oscar.get(CUP).json()["title"] == "One"


def test_staff_is_invited_and_removed(cast, programs):
    invited = programs.oscar.post(f"{CUP}/staff", {"office": "judge", "email": "j@example.org"})
    assert invited.status_code == 201
    (offer,) = invited.json()["invited"]
    assert OfficeInvitation.objects.get(pk=offer["number"]).email == "j@example.org"
    left = programs.oscar.send("delete", f"{CUP}/staff/invitations/{offer['number']}").json()
    assert left["invited"] == []
    cast.contest.judges.add(cast.eve)
    left = programs.oscar.send("delete", f"{CUP}/staff/judges/{cast.eve.pk}").json()
    assert left["judges"] == []
    refused = programs.oscar.send("delete", f"{CUP}/staff/organizers/{cast.oscar.pk}")
    assert (refused.status_code, codes(refused)) == (409, ["contest.refused"])
    wrong = programs.oscar.post(f"{CUP}/staff", {"office": "judge", "email": "x"})
    assert codes(wrong) == ["field.invalid"]


# Dates


def test_rounds_get_other_dates_all_or_none(cast, programs):
    attack = pipeline.round_of(cast.contest, "attack")
    ends = attack.closes_at + timedelta(days=1, seconds=7)
    body = {"rounds": [{"key": "attack", "closes_at": ends.isoformat(), "tries": 5}]}
    answered = programs.oscar.send("patch", f"{CUP}/rounds", body).json()["rounds"][1]
    assert (answered["tries"], datetime.fromisoformat(answered["closes_at"])) == (5, ends)
    attack.refresh_from_db()
    assert attack.closes_at == ends
    early = (attack.opens_at - timedelta(days=3)).isoformat()
    body = {"rounds": [{"key": "attack", "tries": 9}, {"key": "anonymization", "closes_at": early}]}
    body["rounds"][1]["closes_at"] = (attack.opens_at + timedelta(hours=1)).isoformat()
    refused = programs.oscar.send("patch", f"{CUP}/rounds", body)
    assert (refused.status_code, codes(refused)) == (409, ["contest.refused"])
    attack.refresh_from_db()
    assert attack.tries == 5
    body = {"rounds": [{"key": "attack", "tries": 0, "feedback": "never"}]}
    assert codes(programs.oscar.send("patch", f"{CUP}/rounds", body)) == [
        "field.min_value",
        "field.invalid_choice",
    ]
    assert (
        programs.oscar.send("patch", f"{CUP}/rounds", {"rounds": [{"key": "x"}]}).status_code == 404
    )


def test_the_clock_is_opened_closed_paused_and_extended(cast, programs):
    def state(key: str) -> str:
        rounds = programs.oscar.get(CUP).json()["rounds"]
        return next(one["state"] for one in rounds if one["key"] == key)

    refused = programs.oscar.post(f"{CUP}/rounds/attack/open", {})
    assert (refused.status_code, codes(refused)) == (409, ["contest.refused"])
    longer = {"hours": 2, "reason": "A storm"}
    assert programs.oscar.post(f"{CUP}/rounds/anonymization/extend", longer).status_code == 200
    both = longer | {"until": "2031-01-01T00:00:00Z"}
    assert codes(programs.oscar.post(f"{CUP}/rounds/anonymization/extend", both)) == [
        "form.invalid"
    ]
    assert programs.oscar.send("post", f"{CUP}/rounds/anonymization/close").status_code == 200
    assert state("anonymization") == "closed"
    again = {"until": (timezone.now() + timedelta(hours=1)).isoformat(), "reason": "More"}
    assert programs.oscar.post(f"{CUP}/rounds/anonymization/reopen", again).status_code == 200
    assert state("anonymization") == "open"
    assert programs.oscar.post(f"{CUP}/pause", {"reason": "Fire"}).json()["paused_at"]
    assert programs.oscar.post(f"{CUP}/resume", {}).json()["paused_at"] is None
    assert codes(programs.oscar.post(f"{CUP}/pause", {"reason": ""})) == ["field.required"]
    programs.oscar.send("post", f"{CUP}/rounds/anonymization/close")
    assert programs.oscar.post(f"{CUP}/rounds/attack/open", {"keeps_end": True}).status_code == 200
    assert state("attack") == "open"
    now = timezone.now()
    past = {
        "started_at": (now - timedelta(minutes=9)).isoformat(),
        "ended_at": (now - timedelta(minutes=8)).isoformat(),
        "reason": "Network",
    }
    assert programs.oscar.post(f"{CUP}/outage", past).status_code in (200, 409)
    assert programs.oscar.send("post", f"{CUP}/rounds/none/close").status_code == 404


def test_all_rounds_start_together(programs, draft):
    programs.oscar.post(f"{NEXT}/data/generate", {"n_records": 100})
    programs.oscar.post(f"{NEXT}/data/columns", {"confirm": True})
    assert codes(programs.oscar.send("post", f"{NEXT}/rounds/start")) == ["contest.refused"]
    programs.oscar.send("post", f"{NEXT}/publish")
    started = programs.oscar.send("post", f"{NEXT}/rounds/start").json()
    assert [one["state"] for one in started["rounds"]] == ["open", "upcoming"]


# Teams


def test_teams_are_set_up_by_a_list(cast, programs):
    text = "team,division,email\nGreen,,g@example.org\nGreen,,h@example.org\n"
    read = programs.oscar.post(f"{CUP}/teams", {"text": text, "is_preview": True}).json()
    assert (read["is_done"], read["teams"][0]["emails"]) == (
        False,
        ["g@example.org", "h@example.org"],
    )
    assert not Invitation.objects.exists()
    assert programs.oscar.post(f"{CUP}/teams", {"text": text}).status_code == 201
    answered = {one["slug"]: one for one in programs.oscar.get(f"{CUP}/teams").json()["teams"]}
    assert set(answered) == {"red", "blue", "green"}
    first = answered["green"]["invitations"][0]
    assert (first["email"], first["state"]) == ("g@example.org", "open")
    assert first["url"].endswith(f"/join/{Invitation.objects.get(email='g@example.org').token}/")
    path = f"{CUP}/invitations/{first['number']}"
    assert programs.oscar.send("post", f"{path}/resend").status_code == 200
    assert programs.oscar.send("delete", path).status_code == 200
    assert Invitation.objects.get(pk=first["number"]).revoked_at is not None
    more = programs.oscar.post(f"{CUP}/teams/green/invitations", {"email": "i@example.org"})
    assert more.status_code == 201
    refused = programs.oscar.post(f"{CUP}/teams", {"text": "team,email\nred,none\nBlue,\n"})
    assert refused.status_code == 422
    assert {problem["where"]["row"] for problem in refused.json()["problems"]} <= {2, 3}
    assert set(codes(refused)) == {"team_list.line"}


def test_a_list_is_no_longer_than_on_the_page(programs):
    refused = programs.oscar.post(f"{CUP}/teams", {"text": "a," * 250_001})
    assert (refused.status_code, codes(refused)) == (413, ["request.too_large"])


@pytest.mark.parametrize(
    ("method", "path", "body"),
    [
        ("post", "/organize/contests", NEW | {"ruleset_text": "\ud800"}),
        ("post", "/organize/contests", NEW | {"title": "\udfff"}),
        ("put", f"{CUP}/terms", {"terms": "\ud83d"}),
        ("patch", CUP, {"\ud800": "x"}),
    ],
)
def test_half_a_character_is_no_text(programs, method, path, body):
    refused = programs.oscar.send(method, path, body)
    assert (refused.status_code, codes(refused)) == (400, ["request.unreadable"])
    whole = programs.oscar.send("put", f"{CUP}/terms", {"terms": "\U0001f600"})
    assert whole.status_code == 200


def test_divisions_names_and_codes(cast, programs):
    made = programs.oscar.post(f"{CUP}/divisions", {"title": "Students"})
    assert (made.status_code, made.json()["divisions"][0]["key"]) == (201, "students")
    moved = programs.oscar.send("patch", f"{CUP}/teams/red", {"division": "students"}).json()
    assert {one["slug"]: one["division"] for one in moved["teams"]} == {
        "red": "students",
        "blue": None,
    }
    renamed = programs.oscar.send("put", f"{CUP}/divisions/students", {"title": "Pupils"}).json()
    assert renamed["divisions"][0]["title"] == "Pupils"
    assert codes(programs.oscar.send("delete", f"{CUP}/divisions/students")) == ["contest.refused"]
    programs.oscar.send("patch", f"{CUP}/teams/red", {"division": ""})
    assert programs.oscar.send("delete", f"{CUP}/divisions/students").json()["divisions"] == []
    unknown = programs.oscar.send("patch", f"{CUP}/teams/red", {"division": "x"})
    assert codes(unknown) == ["team.division_unknown"]
    short = programs.oscar.send("patch", f"{CUP}/teams/red", {"short_name": "crimson"}).json()
    assert "crimson" in {one["slug"] for one in short["teams"]}
    assert codes(programs.oscar.send("delete", f"{CUP}/teams/blue")) == ["team.team_used"]
    code = programs.oscar.send("put", f"{CUP}/class-code", {"seats": 5}).json()["class_code"]
    assert (code["seats"], code["code"]) == (5, ClassCode.objects.get().code)
    assert programs.oscar.send("delete", f"{CUP}/class-code").json()["class_code"] is None
    assert codes(programs.oscar.send("put", f"{CUP}/class-code", {"seats": 0})) == [
        "field.min_value"
    ]
    readmitted = programs.oscar.post(f"{CUP}/readmissions", {"email": "x@example.org"})
    assert readmitted.status_code == 204
    added = programs.oscar.send("put", f"{CUP}/baseline-teams/Noise").json()
    assert {"name": "Noise", "plays": True} in added["baseline_teams"]
    removed = programs.oscar.send("delete", f"{CUP}/baseline-teams/Noise").json()
    assert {"name": "Noise", "plays": False} in removed["baseline_teams"]
    assert codes(programs.oscar.send("put", f"{CUP}/baseline-teams/Nobody")) == ["contest.refused"]


# Terms, and the trail


def test_terms_retention_and_the_trail(cast, programs):
    assert programs.oscar.send("put", f"{CUP}/terms", {"terms": "Be fair."}).status_code == 200
    answered = programs.oscar.get(f"{CUP}/terms").json()
    assert (answered["terms"], len(answered["acceptances"])) == ("Be fair.", 3)
    assert programs.oscar.send("put", f"{CUP}/retention", {"days": 30}).status_code == 200
    assert programs.oscar.get(f"{CUP}/terms").json()["retention_days"] == 30
    assert codes(programs.oscar.post(f"{CUP}/erase", {"address": "other"})) == ["field.invalid"]
    assert codes(programs.oscar.post(f"{CUP}/erase", {"address": "cup"})) == ["contest.refused"]
    trail = programs.oscar.get(f"{CUP}/events?per_page=2")
    assert [one["kind"] for one in trail.json()] == [
        "contest.retention_changed",
        "contest.terms_changed",
    ]
    assert int(trail["X-Total-Count"]) == Event.objects.filter(contest_id=cast.contest.pk).count()
    for name, kind in (("events.csv", "text/csv"), ("events.jsonl", "application/x-ndjson")):
        file = programs.oscar.get(f"{CUP}/{name}")
        assert file["Content-Type"].startswith(kind)
        assert b"contest.terms_changed" in b"".join(file.streaming_content)
    refused = programs.oscar.send("post", f"{CUP}/reveal")
    assert (refused.status_code, codes(refused)) == (409, ["contest.refused"])
    assert Contest.objects.get(slug="cup").revealed_at is None
    assert datetime.now(tz=UTC) > Event.objects.latest("pk").at


# Prepare


RAW = (
    'id,born,sex,cost\n1,1980/3/9,F,"1,200"\n2,1991/5/2,M,900\n3,1975/8/1,F,734\n4,1960/1/1,M,900\n'
)


def test_a_raw_table_is_prepared_by_program(cast, programs, draft):
    path = f"{NEXT}/data/prepare"
    send = programs.oscar.send
    assert programs.oscar.get(path).json() is None
    assert codes(send("put", f"{path}/steps", b"{}", "application/json")) == ["data.no_raw"]
    made = send("put", path, RAW.encode("utf-16"), "text/plain").json()
    assert (made["n_raw"], made["reading"]["encoding"]) == (4, "utf-16")
    assert [step["do"] for step in made["steps"]] == ["drop", "numbers", "dates"]
    body = {
        "steps": [*made["steps"], {"do": "sample", "records": 2}],
        "roles": {"sex": "other"},
        "revision": made["revision"],
    }
    kept = send("put", f"{path}/steps", json.dumps(body).encode(), "application/json")
    again = kept.json()
    assert again["effects"][-1] | {"problems": []} == again["effects"][-1]
    assert (again["n_records"], again["effects"][-1]["n"]) == (2, 2)
    assert {c["name"]: c["role"] for c in again["columns"]}["sex"] == "other"
    late = send("put", f"{path}/steps", json.dumps(body).encode(), "application/json")
    assert codes(late) == ["contest.changed_meanwhile"]
    wrong = {"steps": [{"do": "drop", "columns": ["x", "y"]}, {"do": "drop", "columns": ["z"]}]}
    refused = send("put", f"{path}/steps", json.dumps(wrong).encode(), "application/json")
    assert codes(refused) == ["step.unknown_column"] * 3
    for roles, code in (
        ({"x": "other"}, "data.other_columns"),
        ({"sex": "x"}, "data.unknown_role"),
    ):
        answer = send(
            "put", f"{path}/steps", json.dumps({"roles": roles}).encode(), "application/json"
        )
        assert codes(answer) == [code]
    data = programs.oscar.post(f"{path}/apply", {}).json()
    assert data["draft"]["n_records"] == 2
    assert 'role = "other"' in data["draft"]["schema_toml"]
    seed = Preparation.objects.get().steps.steps[-1]["seed"]
    for answer in (kept, programs.oscar.get(path), late, refused):
        assert seed.encode() not in answer.content
        assert b'"734"' not in answer.content
    assert send("delete", path).status_code == 200
    assert not Preparation.objects.exists()
