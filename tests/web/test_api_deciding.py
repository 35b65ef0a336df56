# SPDX-License-Identifier: Apache-2.0
"""An organizer by program while a contest runs: submissions, decisions, boards, news, materials and hints."""

from __future__ import annotations

import json
from datetime import timedelta
from types import SimpleNamespace

import pytest
from django.core import mail
from django.urls import reverse
from django.utils import timezone

from pwscup.contests.models import Contest, Material, RoundHint
from pwscup.core.models import Event
from pwscup.notices.models import Announcement, Delivery, Question, Webhook
from pwscup.notices.sending import outbox
from pwscup.notices.webhooks import signing
from pwscup.submissions.decisions import appeals
from pwscup.submissions.models import Submission
from tests import factories
from tests.web import board_facts, lecture, pipeline
from tests.web.api import Program, codes, where
from tests.web.pipeline import scored
from tests.web.test_boards_frozen import long_ago

pytestmark = pytest.mark.usefixtures("sent")
CUP = "/organize/contests/cup"
WHY = {"reason": "The rows are those of another team."}


@pytest.fixture
def cup(cast) -> SimpleNamespace:
    """Red and Blue have a scored submission; Red's second one has failed."""
    found = SimpleNamespace(red=cast.red, blue=cast.blue)
    found.round = pipeline.round_of(cast.contest, "anonymization")
    found.first = scored(pipeline.hand_in(cast.alice, found.red, found.round))
    found.blue_s = scored(pipeline.hand_in(cast.carol, found.blue, found.round))
    found.failed = pipeline.hand_in(cast.bob, found.red, found.round)
    Submission.objects.filter(pk=found.failed.pk).update(
        state="failed", finished_at=timezone.now(), reference="r-1"
    )
    found.oscar, found.alice = Program(cast.oscar), Program(cast.alice)
    return found


def url_of(submission: Submission) -> str:
    return f"/organize/submissions/{submission.public_id}"


# Who may


def test_only_its_organizers_decide(cast, cup):
    bodies = {"withdraw": WHY, "reinstate": WHY, "appeal": {"text": "No.", "closes": True}}
    other = Program(factories.make_user("olga", is_organizer=True))
    for program in (cup.alice, other):
        for name, body in (bodies | {"retry": {}}).items():
            assert program.post(f"{url_of(cup.first)}/{name}", body).status_code == 404
        for name in ("submissions", "submissions.csv", "decisions", "board", "ceremony", "news"):
            assert program.get(f"{CUP}/{name}").status_code == 404
        for name in ("questions", "webhooks", "materials", "hints"):
            assert program.get(f"{CUP}/{name}").status_code == 404
        assert program.post(f"{CUP}/teams/red/disqualify", WHY).status_code == 404
    assert not Event.objects.filter(kind__startswith="ruling").exists()


# Submissions


def test_all_submissions_with_filters_and_as_csv(cast, cup, as_user):
    lines = cup.oscar.get(f"{CUP}/submissions").json()
    assert [(one["team"], one["number"], one["state"]) for one in lines] == [
        ("red", 2, "failed"),
        ("blue", 1, "scored"),
        ("red", 1, "scored"),
    ]
    assert (lines[0]["can_be_retried"], lines[0]["reference"]) == (True, "r-1")
    assert set(lines[1]["values"]) >= set(cast.contest.ruleset.measures)
    chosen = cup.oscar.get(f"{CUP}/submissions?team=red&state=scored&per_page=1")
    assert [one["id"] for one in chosen.json()] == [str(cup.first.public_id)]
    refused = cup.oscar.get(f"{CUP}/submissions?team=green")
    assert (refused.status_code, codes(refused)) == (422, ["field.invalid_choice"])
    reply = b"".join(cup.oscar.get(f"{CUP}/submissions.csv?team=red").streaming_content)
    page = as_user(cast.oscar).get(reverse("organize-submissions-csv", args=["cup"]) + "?team=red")
    assert reply == b"".join(page.streaming_content)


def test_what_failed_is_scored_again(cup):
    refused = cup.oscar.post(f"{url_of(cup.first)}/retry", {})
    assert refused.status_code == 409
    again = cup.oscar.post(f"{url_of(cup.failed)}/retry", {}).json()
    assert again["state"] == "waiting"
    Submission.objects.filter(pk=cup.failed.pk).update(state="failed", finished_at=timezone.now())
    assert cup.oscar.post(f"{CUP}/submissions/retry", {}).json() == {"n": 1}


def test_decisions_about_a_submission_and_a_team(cast, cup):
    gone = cup.oscar.post(f"{url_of(cup.first)}/withdraw", WHY).json()
    assert (gone["team"], gone["counts"]) == ("red", False)
    assert codes(cup.oscar.post(f"{url_of(cup.first)}/withdraw", WHY)) == ["ruling.already"]
    assert codes(cup.oscar.post(f"{url_of(cup.first)}/reinstate", {"reason": " "})) == [
        "field.required"
    ]
    back = cup.oscar.post(f"{url_of(cup.first)}/reinstate", WHY).json()
    assert back["counts"] is True

    out = cup.oscar.post(f"{CUP}/teams/red/disqualify", WHY).json()
    assert out["disqualified"] == ["red"]
    kinds = [one["kind"] for one in out["rulings"]]
    assert sorted(kinds) == ["disqualified", "reinstated", "withdrawn"]
    assert cup.oscar.post(f"{CUP}/teams/red/reinstate", WHY).json()["disqualified"] == []
    assert cup.oscar.post(f"{CUP}/teams/green/disqualify", WHY).status_code == 404


def test_a_team_may_submit_late(cup):
    until = cup.round.closes_at + timedelta(hours=1)
    body = {"round": cup.round.key, "until": until.isoformat(), **WHY}
    reply = cup.oscar.post(f"{CUP}/teams/blue/late", body).json()["late"]
    assert [(one["team"], one["round"]) for one in reply] == [("blue", cup.round.key)]
    early = body | {"until": (cup.round.closes_at - timedelta(hours=1)).isoformat()}
    assert cup.oscar.post(f"{CUP}/teams/blue/late", early).status_code == 409
    assert cup.oscar.post(f"{CUP}/teams/blue/late", body | {"round": "no"}).status_code == 404


def test_an_appeal_is_answered_and_closed(cast, cup):
    appeals.write(user=cast.alice, submission=cup.first, text="Why so low?")
    reply = cup.oscar.get(f"{CUP}/decisions").json()
    assert reply["open_appeals"] == [str(cup.first.public_id)]
    body = {"text": "It is right.", "closes": True}
    thread = cup.oscar.post(f"{url_of(cup.first)}/appeal", body).json()
    assert (thread["is_open"], len(thread["messages"])) == (False, 2)
    assert thread["messages"][1]["is_organizer"] is True
    assert cup.oscar.get(f"{CUP}/decisions").json()["open_appeals"] == []
    read = cup.alice.get(f"/submissions/{cup.first.public_id}/appeal").json()
    assert read == thread


# Presentations


def test_grades_of_all_judges_and_the_vote(cast):
    found = lecture.contest_of(cast, phase="presentation")
    jane = factories.make_user("jane")
    found.contest.judges.add(jane)
    path = f"/contests/{found.contest.slug}/rounds/presentation"
    organized = f"/organize{path}"
    teams = [
        {"team": "red", "points": {"policy": "4"}, "comment": "Good."},
        {"team": "blue", "points": {"policy": "3"}},
    ]
    graded = Program(jane).send("put", f"{path}/grades", {"seen": 0, "teams": teams})
    assert graded.status_code == 200, graded.content
    oscar = Program(cast.oscar)
    rows = {row["team"]: row for row in oscar.get(f"{organized}/grades").json()}
    assert rows["red"]["means"]["policy"] == 4
    assert rows["red"]["grades"] == [
        {"criterion": "policy", "judge": jane.display_name, "points": "4"}
    ]
    assert rows["red"]["comments"] == [{"judge": jane.display_name, "text": "Good."}]
    assert Program(jane).get(f"{organized}/grades").status_code == 404

    opened = oscar.send("put", f"{organized}/vote", {"most": 1, "has_guests": True}).json()
    assert opened["guests_token"]
    assert (opened["ended_at"], opened["award"]) == (None, None)
    again = oscar.send("put", f"{organized}/vote", {"most": 1})
    assert codes(again) == ["vote.opened_before"]
    assert codes(oscar.send("put", f"{organized}/vote", {"most": 4})) == ["request.unusable"]
    voted = Program(cast.alice).send("put", f"{path}/vote", {"teams": ["blue"]})
    assert voted.status_code == 200, voted.content
    ended = oscar.post(f"{organized}/vote/end", {}).json()
    assert ended["award"] == {"winners": ["blue"], "n_votes": 1, "n_voters": 1}


# The leaderboard


def test_who_sees_the_board_and_its_freeze(cast):
    oscar = Program(cast.oscar)
    held = oscar.get(f"{CUP}/board").json()
    assert (held["audience"], held["frozen_at"]) == ("public", None)
    body = {"audience": "teams", "hidden_measures": held["measures"][:1]}
    shown = oscar.send("put", f"{CUP}/board?version={held['version']}", body).json()
    assert (shown["audience"], shown["hidden_measures"]) == ("teams", held["measures"][:1])
    stale = oscar.send("put", f"{CUP}/board?version={held['version']}", body)
    assert (stale.status_code, codes(stale)) == (409, ["contest.changed_meanwhile"])
    wrong = oscar.send("put", f"{CUP}/board", {"audience": "all", "hidden_measures": ["X"]})
    assert {where(one)["field"] for one in wrong.json()["problems"]} == {
        "audience",
        "hidden_measures",
    }
    at = (timezone.now() - timedelta(hours=1)).isoformat()
    assert oscar.post(f"{CUP}/board/freeze", {"at": at}).json()["frozen_at"]
    assert oscar.post(f"{CUP}/board/thaw", {}).json()["frozen_at"] is None


def test_a_ceremony_is_held_by_program(cast):
    played = board_facts.game(cast.contest)
    long_ago(played)
    oscar, visitor = Program(cast.oscar), Program(cast.eve)
    assert codes(oscar.post(f"{CUP}/ceremony/move", {"to": "next", "step": 0})) == ["ceremony.none"]
    assert codes(oscar.post(f"{CUP}/ceremony", {})) == ["contest.refused"]  # not frozen
    at = (played.attack.closes_at - timedelta(hours=1)).isoformat()
    oscar.post(f"{CUP}/board/freeze", {"at": at})
    begun = oscar.post(f"{CUP}/ceremony", {}).json()
    assert (begun["exists"], begun["step"], begun["n_steps"]) == (True, 0, 3)
    assert codes(oscar.post(f"{CUP}/ceremony/move", {"to": "up", "step": 0})) == ["ceremony.move"]
    assert codes(oscar.post(f"{CUP}/ceremony/end", {})) == ["contest.refused"]
    for step, team in enumerate(("Green", "Blue", "Red")):
        reply = oscar.post(f"{CUP}/ceremony/move", {"to": "next", "step": step}).json()
        twice = oscar.post(f"{CUP}/ceremony/move", {"to": "next", "step": step}).json()
        assert reply == twice
        assert reply["step"] == step + 1
        public = visitor.get("/contests/cup/ceremony").json()
        assert public["revealed"][0]["teams"][0]["name"] == team
        assert len(public["revealed"]) == step + 1
    assert oscar.post(f"{CUP}/ceremony/end", {}).json()["frozen_at"] is None
    assert not codes_or_none(oscar.get(f"{CUP}/ceremony"))


def codes_or_none(response) -> list[str]:
    return codes(response) if response.status_code >= 400 else []


# News and questions


def test_news_are_announced_corrected_and_withdrawn(cast):
    oscar = Program(cast.oscar)
    body = {"title": "Rows", "text": "Read.", "is_important": True}
    made = oscar.post(f"{CUP}/news", body)
    assert made.status_code == 201
    reply = made.json()
    assert (reply["title"], reply["is_important"], reply["edited_at"]) == ("Rows", True, None)
    assert codes(oscar.post(f"{CUP}/news", {})) == ["form.invalid"]
    one = f"{CUP}/news/{reply['number']}"
    better = body | {"title": "Rows again", "version": reply["version"]}
    assert oscar.send("put", one, better).json()["title"] == "Rows again"
    stale = oscar.send("put", one, better)
    assert stale.status_code == 409
    gone = oscar.post(f"{one}/withdraw", {"reason": "Wrong."}).json()
    assert gone["withdrawn_reason"] == "Wrong."
    assert Program(cast.alice).get("/contests/cup/news").json()[0]["withdrawn"] == "Wrong."
    assert oscar.get(f"{CUP}/news").json()[0]["withdrawn_at"]
    other = factories.make_contest("other")
    foreign = Announcement.objects.create(contest=other, title="Other")
    assert oscar.send("put", f"{CUP}/news/{foreign.pk}", better).status_code == 404


def test_a_question_is_answered_and_published_without_its_team(cast, cup):
    asked = Question.objects.create(
        contest=cast.contest, team=cup.red, subject="Rows", text="From 1 or from 0?"
    )
    one = f"{CUP}/questions/{asked.public_id}"
    assert [q["id"] for q in cup.oscar.get(f"{CUP}/questions").json()] == [str(asked.public_id)]
    assert cup.oscar.get(one).json()["answer"] == ""
    answered = cup.oscar.send("put", one, {"answer": "From 1."}).json()
    assert (answered["answer"], answered["is_published"]) == ("From 1.", False)
    named = {"title": "Rows", "text": "Red asks: from 1 or 0? From 1."}
    refused = cup.oscar.post(f"{one}/publish", named)
    assert (refused.status_code, codes(refused)) == (409, ["notice.refused"])
    reply = cup.oscar.post(f"{one}/publish", named | {"name_is_a_word": True}).json()
    assert reply["is_published"] is True
    assert cup.alice.get(f"/organize/contests/cup/questions/{asked.public_id}").status_code == 404


def test_webhooks_by_program(cast):
    oscar = Program(cast.oscar)
    made = oscar.post(f"{CUP}/webhooks", {"url": "https://93.184.216.34/hook"})
    assert made.status_code == 201, made.content
    reply = made.json()
    hook = Webhook.objects.get()
    assert reply["secret"] == signing.secret_of(hook)
    listed = oscar.get(f"{CUP}/webhooks").json()
    assert [one["id"] for one in listed["webhooks"]] == [reply["id"]]
    assert reply["secret"] not in json.dumps(listed)
    one = f"{CUP}/webhooks/{reply['id']}"
    assert oscar.post(f"{one}/test", {}).status_code == 204
    outbox.spread_all()
    assert Delivery.objects.filter(webhook=hook).exists()
    assert oscar.get(f"{CUP}/webhooks").json()["calls"][0]["webhook"] == reply["id"]
    Webhook.objects.update(disabled_at=timezone.now(), n_failures=20)
    assert oscar.post(f"{one}/enable", {}).status_code == 204
    assert oscar.send("delete", one).status_code == 204
    assert oscar.get(f"{CUP}/webhooks").json()["webhooks"] == []
    assert oscar.send("delete", one).status_code == 404
    refused = oscar.post(f"{CUP}/webhooks", {"url": "http://127.0.0.1/hook"})
    assert refused.status_code == 409
    assert not mail.outbox


# Materials and hints


def test_materials_by_program(cast):
    oscar = Program(cast.oscar)
    pdf = [("slides.pdf", b"%PDF-1.7")]
    form = {"title": "Slides", "audience": "teams", "file": pdf}
    made = oscar.form(f"{CUP}/materials", form)
    assert made.status_code == 201, made.content
    link = {"title": "Paper", "audience": "everybody", "url": "https://example.org/paper"}
    reply = oscar.post(f"{CUP}/materials/links", link).json()
    assert [(one["kind"], one["title"], one["file_name"]) for one in reply] == [
        ("file", "Slides", "slides.pdf"),
        ("link", "Paper", ""),
    ]
    number = reply[1]["number"]
    up = oscar.post(f"{CUP}/materials/{number}/up", {}).json()
    assert [one["title"] for one in up] == ["Paper", "Slides"]
    changed = oscar.send("patch", f"{CUP}/materials/{number}", {"title_ja": "論文"}).json()
    assert (changed[0]["title"], changed[0]["title_ja"]) == ("Paper", "論文")
    assert codes(oscar.post(f"{CUP}/materials/links", link | {"url": "ftp://x"})) == [
        "field.invalid"
    ]
    wrong = oscar.form(f"{CUP}/materials", {"title": "X", "colour": "red"})
    assert codes(wrong) == ["request.unknown_key"]
    assert codes(oscar.post(f"{CUP}/materials", link)) == ["request.content_type"]
    left = oscar.send("delete", f"{CUP}/materials/{number}").json()
    assert [one["title"] for one in left] == ["Slides"]
    assert oscar.send("delete", f"{CUP}/materials/{number}").status_code == 404
    assert Material.objects.get().file.name == "slides.pdf"


def test_hierarchies_are_checked_like_on_the_page(cast):
    found = lecture.example(cast)
    path = f"/organize/contests/{found.contest.slug}/materials"
    cities = {"A": {"depth_1": "all"}, "B": {"depth_1": "all"}}
    content = {"city": {"type": "category", "definition": cities}}
    file = [("attr_depth.json", json.dumps(content).encode())]
    form = {"kind": "hierarchies", "title": "Levels", "audience": "everybody", "file": file}
    made = Program(cast.oscar).form(path, form)
    assert made.status_code == 201, made.content
    assert made.json()[0]["kind"] == "hierarchies"
    file = [("attr_depth.json", b'{"town": {}}')]
    assert Program(cast.oscar).form(path, form | {"file": file}).status_code == 422


def test_hints_by_program(cast):
    oscar = Program(cast.oscar)
    key = cast.contest.rounds.first().key
    made = oscar.post(f"{CUP}/hints", {"round": key, "text": "Look.", "after_percent": 50})
    assert made.status_code == 201, made.content
    (reply,) = made.json()
    assert (reply["round"], reply["published_at"]) == (key, None)
    assert codes(oscar.post(f"{CUP}/hints", {"round": "none", "text": "x"})) == [
        "field.invalid_choice"
    ]
    one = f"{CUP}/hints/{reply['number']}"
    assert oscar.post(f"{one}/publish", {}).json()[0]["published_at"]
    assert oscar.send("delete", one).json() == []
    assert not RoundHint.objects.exists()
    version = Contest.objects.get(slug="cup").version
    stale = oscar.post(f"{CUP}/hints?version={version + 1}", {"round": key, "text": "x"})
    assert codes(stale) == ["contest.changed_meanwhile"]
