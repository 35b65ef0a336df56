# SPDX-License-Identifier: Apache-2.0
"""A team by program: its members, boards, questions, trials and grades, and what organizers decide of it."""

from __future__ import annotations

import csv
import io
from datetime import timedelta
from types import SimpleNamespace

import pytest
from django.utils import timezone

from pwscup import settings as installation
from pwscup.accounts import guests
from pwscup.accounts.models import Membership, OfficeInvitation, Team
from pwscup.audits.models import Audit
from pwscup.contests.models import Contest, Division
from pwscup.core import jobs
from pwscup.debriefings import services as debriefings
from pwscup.debriefings.models import Debriefing
from pwscup.leaderboards import services as boards
from pwscup.notices import services as notices
from pwscup.notices.models import Preference
from pwscup.submissions import draws
from pwscup.submissions.decisions import appeals, rulings
from pwscup.submissions.judging import votes
from pwscup.submissions.models import JudgeMark, Submission
from pwscup.trials.models import Trial
from tests import factories
from tests.web import lecture, pipeline
from tests.web.api import Program, codes, where
from tests.web.conftest import hear
from tests.web.pipeline import scored

pytestmark = pytest.mark.usefixtures("sent", "announced")
CUP, LECTURE = "/contests/cup", "/contests/lecture"


@pytest.fixture
def programs(cast) -> SimpleNamespace:
    people = ("alice", "bob", "carol", "oscar", "eve")
    return SimpleNamespace(**{name: Program(getattr(cast, name)) for name in people})


# The team


def test_a_team_is_created_changed_and_left(cast, programs):
    Division.objects.create(contest=cast.contest, key="students", title="Students")
    made = programs.eve.post(f"{CUP}/team", {"name": "Green", "division": "students"})
    assert made.status_code == 201, made.content
    answered = made.json()
    assert (answered["slug"], answered["division"], answered["is_captain"]) == (
        "green",
        "students",
        True,
    )
    assert [one["name"] for one in answered["members"]] == ["Eve"]
    again = programs.eve.post(f"{CUP}/team", {"name": "Lime", "division": "students"})
    assert (again.status_code, codes(again)) == (409, ["team.has_team"])
    changed = programs.eve.send("patch", f"{CUP}/team", {"name": "Lime", "short_name": "lime"})
    assert (changed.json()["name"], changed.json()["slug"]) == ("Lime", "lime")
    changed = programs.eve.send("patch", f"{CUP}/team", {"is_named_in_archive": True})
    assert changed.json()["is_named_in_archive"] is True
    assert programs.eve.send("post", f"{CUP}/team/leave").status_code == 204
    assert not Team.objects.filter(slug="lime").exists()
    assert codes(programs.eve.get(f"{CUP}/team")) == ["team.none"]


@pytest.mark.parametrize(
    ("sent", "code", "field"),
    [
        ({"name": ""}, "field.required", "name"),
        ({"name": "x" * 41}, "field.max_length", "name"),
        ({}, "request.missing_key", "name"),
        ({"name": "Green", "short_name": "!"}, "field.", "short_name"),
        ({"name": "Green", "captain": "eve"}, "request.unknown_key", "captain"),
        ({"name": "rEd"}, "team.name_taken", None),
    ],
)
def test_names_are_checked_like_on_the_page(programs, sent, code, field):
    refused = programs.eve.post(f"{CUP}/team", sent)
    assert refused.status_code == 422
    (found,) = codes(refused)
    assert found.startswith(code)
    assert where(refused.json()["problems"][0]) == ({"field": field} if field else {})


def test_members_come_and_go_by_invitation(cast, programs):
    made = programs.alice.send("post", f"{CUP}/team/invitation").json()
    assert made["url"].endswith(f"/join/{made['token']}/")
    assert programs.bob.get(f"{CUP}/team").json()["invitation"] is None
    opened = programs.eve.get(f"/invitations/{made['token']}").json()
    assert (opened["team"], opened["reason"]) == ("Red", None)
    joined = programs.eve.send("post", f"/invitations/{made['token']}")
    assert joined.json()["slug"] == "red"
    assert "is full" in programs.carol.get(f"/invitations/{made['token']}").json()["reason"]
    refused = programs.carol.send("post", f"/invitations/{made['token']}")
    assert (refused.status_code, codes(refused)) == (409, ["team.team_full"])
    numbers = {one["name"]: one["number"] for one in joined.json()["members"]}
    refused = programs.bob.send("delete", f"{CUP}/team/members/{numbers['Eve']}")
    assert (refused.status_code, codes(refused)) == (403, ["team.captain_only"])
    left = programs.alice.send("delete", f"{CUP}/team/members/{numbers['Eve']}").json()
    assert [one["name"] for one in left["members"]] == ["Alice", "Bob"]
    answered = programs.alice.send("post", f"{CUP}/team/members/{numbers['Bob']}/captain").json()
    assert answered["is_captain"] is False
    assert programs.bob.send("post", f"{CUP}/team/invitation").status_code == 201
    assert programs.bob.send("delete", f"{CUP}/team/invitation").status_code == 204
    assert programs.bob.get(f"{CUP}/team").json()["invitation"] is None
    carol = cast.carol.pk
    assert programs.bob.send("delete", f"{CUP}/team/members/{carol}").status_code == 404


def test_the_link_of_an_invitation_is_not_for_tokens_that_only_read(cast, programs):
    made = programs.alice.send("post", f"{CUP}/team/invitation").json()
    assert programs.alice.get(f"{CUP}/team").json()["invitation"]["token"] == made["token"]
    answered = Program(cast.alice, scopes=()).get(f"{CUP}/team")
    assert (answered.status_code, answered.json()["is_captain"]) == (200, True)
    assert made["token"].encode() not in answered.content


def test_a_class_code_opens_teams_without_secrets(cast, programs, settings):
    code = guests.create_code(actor=cast.oscar, contest=cast.contest, seats=9).code
    refused = programs.eve.post(f"{CUP}/join", {"code": "AAAAAAAA", "team": "red"})
    assert (refused.status_code, codes(refused)) == (422, ["code.unknown"])
    joined = programs.eve.post(f"{CUP}/join", {"code": code, "team": "red"})
    assert (joined.status_code, joined.json()["slug"]) == (201, "red")
    Membership.objects.filter(user=cast.eve).delete()
    settings.ACCOUNT_RATE_LIMITS = installation.ACCOUNT_RATE_LIMITS | {"wrong_code": "1/m/ip"}
    codes_tried = [
        programs.eve.post(f"{CUP}/join", {"code": "B" * 8, "name": "N"}) for _ in range(2)
    ]
    assert codes_tried[-1].status_code == 429


def test_an_office_is_accepted_by_whom_it_was_sent_to(cast, programs):
    offer = OfficeInvitation.objects.create(
        contest=cast.contest, office="judge", email=cast.eve.email
    )
    path = f"/offices/{offer.token}"
    assert programs.eve.get(path).json() == {"contest": "cup", "office": "judge", "reason": None}
    assert "another address" in programs.carol.get(path).json()["reason"]
    assert programs.carol.send("post", path).status_code == 409
    assert programs.eve.send("post", path).status_code == 200
    assert cast.contest.judges.get() == cast.eve


# Boards


def played(cast) -> None:
    round = pipeline.round_of(cast.contest, "anonymization")
    for user, team, table in (
        (cast.alice, cast.red, factories.NOISY),
        (cast.carol, cast.blue, factories.AVERAGED),
    ):
        scored(pipeline.hand_in(user, team, round, anonymized=table))
    targets = pipeline.publish(cast.contest)
    scored(pipeline.guess(cast.alice, cast.red, targets["Blue"], b"1\n2\n3\n4\n"))
    scored(pipeline.guess(cast.carol, cast.blue, targets["Red"], b"4\n3\n2\n1\n"))
    pipeline.close(pipeline.round_of(cast.contest, "attack"))


def test_boards_are_those_of_the_pages(cast, programs, as_user):
    played(cast)
    listed = programs.eve.get(f"{CUP}/boards").json()
    assert [one["key"] for one in listed["boards"]] == [
        "overall",
        "anonymization",
        "attack",
        "matrix",
    ]
    assert (listed["first"], listed["frozen_at"]) == ("overall", None)
    for key in ("overall", "anonymization", "attack", "matrix"):
        page = as_user(None).get(f"/c/cup/board.csv?board={key}").content.decode("utf-8-sig")
        file = programs.eve.get(f"{CUP}/boards/{key}.csv")
        assert file.content.decode("utf-8-sig") == page
        header, *lines = csv.reader(io.StringIO(page, newline=""))
        answered = programs.eve.get(f"{CUP}/boards/{key}").json()
        assert answered["columns"] == header
        assert [
            ["" if cell is None else str(cell) for cell in row] for row in answered["rows"]
        ] == lines
    data = boards.final_boards(cast.contest, timezone.now())
    ranks = {row["name"]: row["rank"] for row in data["overall"]["rows"]}
    overall = programs.eve.get(f"{CUP}/boards/overall").json()
    at = overall["columns"].index("rank"), overall["columns"].index("team")
    assert {row[at[1]]: row[at[0]] for row in overall["rows"]} == ranks
    for wrong in ("boards/nothing", "boards/overall?stage=x", "boards/overall?division=x"):
        assert programs.eve.get(f"{CUP}/{wrong}").status_code == 404


def test_boards_for_teams_only_and_boards_that_wait(cast, programs, monkeypatch):
    played(cast)
    Contest.objects.update(board_audience="teams")
    for path in ("boards", "boards/overall", "boards/overall.csv", "ceremony", "debriefing"):
        assert programs.eve.get(f"{CUP}/{path}").status_code == 404
        assert programs.alice.get(f"{CUP}/{path}").status_code == 200
    monkeypatch.setattr("pwscup.leaderboards.pages.served", lambda *_args, **_kwargs: None)
    for path in ("boards", "boards/overall", "boards/overall.csv"):
        awaited = programs.alice.get(f"{CUP}/{path}")
        assert (awaited.status_code, codes(awaited)) == (503, ["server.busy"])
        assert awaited["Retry-After"] == "2"


def test_a_submission_is_ranked_for_its_team(cast, programs):
    played(cast)
    own = Submission.objects.get(team=cast.red, target=None)
    answered = programs.alice.get(f"/submissions/{own.public_id}/ranks").json()
    assert (answered["are_shown"], answered["n_teams"]) == (True, 2)
    assert {one["measure"] for one in answered["measures"]} == set(cast.contest.ruleset.measures)
    assert answered["rank"] in (1, 2)
    assert programs.carol.get(f"/submissions/{own.public_id}/ranks").status_code == 404


def test_before_a_ceremony_nothing_is_revealed(cast, programs):
    assert programs.eve.get(f"{CUP}/ceremony").json()["exists"] is False


# News and questions


def test_news_and_questions(cast, programs):
    values = {"title": "Hello", "text": "All.", "title_ja": "", "text_ja": "", "is_pinned": True}
    notices.publish_announcement(actor=cast.oscar, contest=cast.contest, values=values)
    first = programs.eve.get(f"{CUP}/news").json()[0]
    assert (first["title"], first["is_important"], first["withdrawn"]) == ("Hello", True, None)
    asked = programs.alice.post(f"{CUP}/questions", {"subject": "Rows", "text": "Which?"})
    assert asked.status_code == 201, asked.content
    path = f"{CUP}/questions/{asked.json()['id']}"
    assert programs.bob.get(path).json()["asked_by"] == "Alice"
    assert programs.carol.get(path).status_code == 404
    assert [one["subject"] for one in programs.bob.get(f"{CUP}/questions").json()] == ["Rows"]
    assert programs.carol.get(f"{CUP}/questions").json() == []
    refused = programs.alice.post(f"{CUP}/questions", {"subject": "two\nlines", "text": ""})
    assert set(codes(refused)) == {"field.invalid", "field.required"}
    assert codes(programs.eve.post(f"{CUP}/questions", {"subject": "a", "text": "b"})) == [
        "team.none"
    ]


def test_mail_is_chosen(cast, programs):
    assert programs.alice.get(f"{CUP}/mail").json()["wanted"] == "all"
    given = {"wanted": "important", "language": "ja"}
    assert programs.alice.send("put", f"{CUP}/mail", given).json() == given
    assert Preference.objects.get().wanted == "important"
    wrong = programs.alice.send("put", f"{CUP}/mail", {"wanted": "some", "language": "xx"})
    assert codes(wrong) == ["field.invalid_choice"] * 2
    assert programs.eve.get(f"{CUP}/mail").status_code == 404


# Decisions


def test_decisions_and_appeals(cast, programs):
    round = pipeline.round_of(cast.contest, "anonymization")
    own = scored(pipeline.hand_in(cast.alice, cast.red, round))
    rulings.withdraw(actor=cast.oscar, submission=own, reason="A test")
    rulings.disqualify(actor=cast.oscar, team=cast.blue, reason="Another")
    answered = programs.bob.get(f"{CUP}/decisions").json()
    assert [(one["kind"], one["reason"]) for one in answered["rulings"]] == [
        ("withdrawn", "A test")
    ]
    assert answered["disqualified"] == []
    assert programs.carol.get(f"{CUP}/decisions").json()["disqualified"] == ["blue"]
    path = f"/submissions/{own.public_id}/appeal"
    assert programs.alice.get(path).json() == {
        "is_open": False,
        "is_withdrawn": True,
        "messages": [],
    }
    assert programs.alice.post(path, {"text": "Why?"}).status_code == 201
    appeals.write(user=cast.oscar, submission=own, text="So.", closes=True)
    answered = programs.bob.get(path).json()
    assert [(one["text"], one["is_organizer"]) for one in answered["messages"]] == [
        ("Why?", False),
        ("So.", True),
    ]
    assert answered["is_open"] is False
    assert codes(programs.alice.post(path, {"text": " "})) == ["field.required"]
    assert codes(programs.alice.post(path, {"text": "a\x00"})) == ["request.unusable"]
    assert programs.carol.get(path).status_code == 404


# Audits and debriefings


def test_an_audit_by_program(cast, programs, sketched):
    round = pipeline.round_of(cast.contest, "anonymization")
    own = scored(pipeline.hand_in(cast.alice, cast.red, round))
    path = f"/submissions/{own.public_id}/audit"
    assert programs.alice.get(path).status_code == 404
    assert programs.alice.send("post", path).json()["state"] == "waiting"
    jobs.work_on(Audit, Audit.objects.get().pk)
    answered = programs.bob.get(path).json()
    assert (answered["state"], answered["is_final"]) == ("done", True)
    assert answered["summary"] == Audit.objects.get().values
    report = programs.bob.get(f"{path}/report?language=ja")
    assert (report["Content-Type"], b'lang="ja"' in report.content) == (
        "application/octet-stream",
        True,
    )
    for stranger in (programs.carol, programs.eve):
        assert stranger.get(path).status_code == stranger.get(f"{path}/report").status_code == 404


def test_a_debriefing_holds_the_own_records_only(cast, programs):
    made = lecture.contest_of(cast)
    for user, team in ((cast.alice, made.red), (cast.carol, made.blue)):
        draws.ensure_drawn(team)
        scored(lecture.hand_in(user, team, lecture.own_table(team)))
    target = lecture.publish(made.contest)["Red"]
    scored(
        pipeline.guess(cast.carol, made.blue, target, lecture.guess_file(lecture.key_of(target)))
    )
    assert programs.alice.get(f"{LECTURE}/debriefing").json()["state"] == "none"
    now = timezone.now()
    for round in made.contest.rounds.all():
        pipeline.move(
            round, min(round.opens_at, now - timedelta(hours=9)), now - timedelta(hours=1)
        )
    contest = Contest.objects.get(pk=made.contest.pk)
    jobs.work_on(Debriefing, debriefings.ensure(contest, now).pk)
    attack = pipeline.round_of(contest, "attack").pk
    debriefings.choose_examples(
        actor=cast.oscar, contest=contest, examples={(made.red.pk, attack): False}
    )
    answered = programs.alice.get(f"{LECTURE}/debriefing").json()
    (own,) = answered["own"]
    assert len(own["details"]["records"]) + len(own["details"]["more_records"]) == 10
    (example,) = programs.carol.get(f"{LECTURE}/debriefing").json()["examples"]
    assert example["team"] is None
    assert not {"records", "more_records"} & set(example["details"])
    assert {one["name"] for one in example["details"]["columns"]} == {"age", "city", "balance"}


def test_documents_are_there_once_they_are_published(cast, programs):
    for path in ("certificate", "report", "reveal"):
        assert programs.alice.get(f"{CUP}/{path}").status_code == 404


# Trials


def test_a_trial_by_program(cast, programs, monkeypatch):
    hear(monkeypatch, Trial)
    made = lecture.contest_of(cast)
    Contest.objects.filter(pk=made.contest.pk).update(has_trials=True)
    draws.ensure_drawn(made.red)
    path = f"{LECTURE}/rounds/anonymization"
    offered = {one["key"]: one for one in programs.alice.get(f"{path}/methods").json()}
    values = {one["name"]: one["default"] for one in offered["exposed"]["values"]}
    begun = programs.alice.post(f"{path}/trials", {"method": "exposed", "values": values})
    assert begun.status_code == 201, begun.content
    jobs.work_on(Trial, Trial.objects.get().pk)
    answered = programs.bob.get(f"/trials/{begun.json()['id']}").json()
    assert (answered["state"], answered["is_final"], answered["problems"]) == ("done", True, [])
    assert answered["values"]
    assert "seed" not in str(answered)
    file = programs.bob.get(f"/trials/{answered['id']}/files/anonymized")
    assert b"age,city,balance" in file.content
    sent = programs.bob.send("post", f"/trials/{answered['id']}/submit")
    assert sent.status_code == 201
    assert scored(Submission.objects.get()).evaluations.get().values == Trial.objects.get().values
    assert [one["number"] for one in programs.alice.get(f"{path}/trials").json()] == [1]
    for stranger in (programs.carol, programs.oscar):
        assert stranger.get(f"/trials/{answered['id']}").status_code == 404
    wrong = {"method": "exposed", "values": {"n": 10**9, "q": 1}}
    assert codes(programs.alice.post(f"{path}/trials", wrong)) == ["request.unknown_key"]
    wrong = {"method": "exposed", "values": {"n": 10**9}}
    assert codes(programs.alice.post(f"{path}/trials", wrong)) == ["field.max_value"]


# Presentations


@pytest.fixture
def talks(cast) -> SimpleNamespace:
    made = lecture.contest_of(cast, phase="presentation")
    made.jane = factories.make_user("jane")
    made.contest.judges.add(made.jane)
    made.round = pipeline.round_of(made.contest, "presentation")
    made.path = f"{LECTURE}/rounds/{made.round.key}"
    return made


def test_slides_and_grades(cast, programs, talks):
    jane = Program(talks.jane)
    data = b"%PDF-1.7 slides of Red"
    scored_one = programs.alice.post(f"{talks.path}/submissions", data, "application/pdf").json()
    scored(Submission.objects.get(public_id=scored_one["id"]))
    order = jane.get(f"{talks.path}/talks").json()
    assert {one["team"]["slug"]: one["has_slides"] for one in order} == {"red": True, "blue": False}
    assert jane.get(f"{talks.path}/slides/red").content == data
    assert programs.carol.get(f"{talks.path}/slides/red").status_code == 404
    shown = jane.get(f"{talks.path}/grades").json()
    assert [one["key"] for one in shown["criteria"]] == ["policy", "algorithm", "appeal"]
    given = {"seen": 0, "teams": [{"team": "red", "points": {"policy": "80.5"}, "comment": "Good"}]}
    answered = jane.send("put", f"{talks.path}/grades", given).json()
    held = {one["team"]: one for one in answered["teams"]}
    assert (held["red"]["points"], held["red"]["comment"]) == ({"policy": "80.5"}, "Good")
    assert JudgeMark.objects.get().points == 80.5
    refused = jane.send("put", f"{talks.path}/grades", given)
    assert (refused.status_code, codes(refused)) == (409, ["grade.changed"])
    for points in ({"policy": "101"}, {"policy": "x"}):
        wrong = {"seen": answered["seen"], "teams": [{"team": "red", "points": points}]}
        assert jane.send("put", f"{talks.path}/grades", wrong).status_code == 422
    wrong = {"seen": answered["seen"], "teams": [{"team": "nobody", "points": {}}]}
    assert codes(jane.send("put", f"{talks.path}/grades", wrong)) == ["grade.unknown"]
    assert programs.alice.get(f"{talks.path}/grades").status_code == 404
    assert programs.alice.get(f"{talks.path}/own-grades").json() == {
        "are_shown": False,
        "means": {},
        "comments": [],
    }
    pipeline.close(talks.round)
    shown = programs.alice.get(f"{talks.path}/own-grades").json()
    assert (shown["means"]["policy"], shown["comments"]) == (80.5, ["Good"])


def test_a_vote(cast, programs, talks):
    assert programs.alice.get(f"{talks.path}/vote").json()["state"] == "none"
    votes.open_vote(actor=cast.oscar, round=talks.round, most=1, has_guests=False)
    answered = programs.alice.send("put", f"{talks.path}/vote", {"teams": ["blue"]}).json()
    assert (answered["state"], answered["chosen"], answered["award"]) == ("open", ["blue"], None)
    refused = programs.alice.send("put", f"{talks.path}/vote", {"teams": ["red"]})
    assert (refused.status_code, codes(refused)) == (422, ["vote.unknown"])
    refused = programs.alice.send("put", f"{talks.path}/vote", {"teams": []})
    assert codes(refused) == ["vote.number"]
    assert programs.oscar.get(f"{talks.path}/vote").status_code == 404
    votes.end_vote(actor=cast.oscar, round=talks.round)
    answered = programs.carol.get(f"{talks.path}/vote").json()
    assert answered["award"] == {"winners": ["blue"], "n_votes": 1, "n_voters": 1}
