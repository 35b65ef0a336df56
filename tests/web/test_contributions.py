# SPDX-License-Identifier: Apache-2.0
"""Contributions to the draws: a draw that nobody can choose, from joining to the reveal."""

from __future__ import annotations

import hashlib
import json
import re
from datetime import timedelta

import pytest
from django.urls import reverse
from django.utils import timezone

from pwscup.accounts import services as accounts
from pwscup.contests import truth
from pwscup.contests.models import Contest
from pwscup.contests.services import ContestRefused, commitment
from pwscup.core.models import Event
from scoring.cli.main import main
from scoring.proof.commitments import derived_seed, mix_of
from tests import factories
from tests.web import pipeline
from tests.web.api import Program
from tests.web.pipeline import hand_in, scored


def sha256(text: str) -> str:
    return hashlib.sha256(text.encode()).hexdigest()


@pytest.fixture
def committed(cast) -> Contest:
    commitment.ensure_committed(cast.contest)
    return Contest.objects.get(pk=cast.contest.pk)


def mixes(contest: Contest) -> dict[str, dict]:
    return {mix["name"]: mix for mix in commitment.mixes_of(Contest.objects.get(pk=contest.pk))}


def test_a_text_is_sealed_with_the_team_and_only_once(cast, as_user):
    contest = factories.make_contest("fresh", organizer=cast.oscar)
    commitment.ensure_committed(contest)
    page = as_user(cast.eve).get("/c/fresh/team/").content.decode()
    suggested = re.search(r'name="contribution"[^>]*value="([0-9a-f]{32})"', page)
    assert suggested
    assert "The platform suggests this text." in page
    client = as_user(cast.eve)
    client.post(reverse("team-create", args=["fresh"]), {"name": "Green", "contribution": " dice "})
    team = contest.teams.get(name="Green")
    assert commitment.contribution_of(team) == sha256("dice")
    event = Event.objects.get(kind="draw.contributed")
    assert (event.actor, event.data) == (cast.eve, {"team": "green", "sha256": sha256("dice")})
    assert "dice" not in json.dumps(event.data)
    client.post(reverse("team-contribute", args=["fresh"]), {"contribution": "another"})
    assert Event.objects.filter(kind="draw.contributed").count() == 1
    assert sha256("dice") in client.get("/c/fresh/team/").content.decode()


def test_whoever_joins_an_empty_team_contributes_for_it(cast, as_user, committed):
    link = accounts.invite(user=cast.alice, team=cast.red)
    as_user(cast.eve).post(reverse("invitation", args=[link.token]), {"contribution": "joined"})
    assert commitment.contribution_of(cast.red) == sha256("joined")


def test_no_draw_waits_for_a_text(committed, cast):
    assert truth.derived_seed(committed, "draw/red") >= 0
    assert mixes(committed)["start"]["sha256"] == mix_of("start", [])
    commitment.contribute(user=cast.alice, team=cast.red, text="late")
    assert mixes(committed)["start"]["contributions"] == []
    truth.derived_seed(committed, "release/attack/red")
    given = [{"team": "red", "sha256": sha256("late")}]
    assert mixes(committed)["release/attack"]["contributions"] == given


def test_seeds_depend_on_the_texts(committed, cast):
    secret = truth.revealed_secret(committed, actor=None)
    commitment.contribute(user=cast.alice, team=cast.red, text="one")
    commitment.contribute(user=cast.carol, team=cast.blue, text="two")
    stale = Contest.objects.get(pk=committed.pk)
    seed = truth.derived_seed(committed, "draw")
    assert seed == derived_seed(secret, "draw", mix_of("start", [sha256("two"), sha256("one")]))
    assert truth.derived_seed(stale, "draw") == seed
    assert Event.objects.filter(kind="draw.mixed").count() == 1


def test_contests_from_before_keep_their_seeds(committed):
    Contest.objects.filter(pk=committed.pk).update(mixes=None)
    old = Contest.objects.get(pk=committed.pk)
    secret = truth.revealed_secret(old, actor=None)
    assert truth.derived_seed(old, "draw/red") == derived_seed(secret, "draw/red")
    assert commitment.mixes_of(old) == []
    assert not Event.objects.filter(kind="draw.mixed").exists()


def test_the_public_value_is_announced_before_and_entered_after_its_date(
    committed, cast, monkeypatch
):
    now = timezone.now()

    def add(**what):
        commitment.add_public_value(actor=cast.oscar, contest=committed, **what)

    for refused in ({"source": "lottery", "due_at": now - timedelta(hours=1)}, {"text": "4 8"}):
        with pytest.raises(ContestRefused):
            add(**refused)
    add(source="lottery", due_at=now + timedelta(hours=1))
    with pytest.raises(ContestRefused):
        add(text="4 8")  # nobody knows it yet
    commitment.contribute(user=cast.alice, team=cast.red, text="before")
    later = now + timedelta(hours=2)
    monkeypatch.setattr("pwscup.contests.services.commitment.timezone.now", lambda: later)
    monkeypatch.setattr(Event._meta.get_field("at"), "_get_default", lambda: later)
    add(text="4 8")
    commitment.contribute(user=cast.carol, team=cast.blue, text="chosen with the value in mind")
    truth.derived_seed(committed, "draw")
    mix = mixes(committed)["start"]
    assert mix["public"] == "4 8"
    assert [one["team"] for one in mix["contributions"]] == ["red"]
    assert mix["sha256"] == mix_of("start", [sha256("before")], "4 8")
    with pytest.raises(ContestRefused):
        add(text="15 16")


def test_the_page_announces_it_and_everybody_reads_it(committed, oscar, as_user):
    when = f"{timezone.now() + timedelta(days=1):%Y-%m-%dT%H:%M}"
    url = reverse("organize-public-value", args=["cup"])
    assert "Name a source" in oscar.post(url, {"due_at": "?"}, follow=True).content.decode()
    oscar.post(url, {"source": "Numbers 6", "due_at": when})
    page = as_user(None).get("/c/cup/").content.decode()
    assert "Announced public value: Numbers 6" in page
    assert "neither the organizers nor a team can choose them alone" in page


def test_the_reveal_proves_the_contributions(cast, committed, round, oscar, tmp_path, capsys):
    commitment.contribute(user=cast.alice, team=cast.red, text="red's dice")
    scored(submission := hand_in(cast.alice, cast.red, round))
    commitment.contribute(user=cast.carol, team=cast.blue, text="blue's dice")
    scored(hand_in(cast.carol, cast.blue, round, anonymized=factories.AVERAGED))
    targets = pipeline.publish(cast.contest)
    scored(pipeline.guess(cast.alice, cast.red, targets["Blue"], b"1\n2\n3\n4\n"))
    pipeline.close(cast.contest.rounds.get(key="attack"))
    receipt = oscar.get(reverse("receipt-json", args=[submission.public_id])).content
    assert json.loads(receipt)["contribution"] == sha256("red's dice")
    oscar.post("/organize/cup/reveal/")
    files = {"T.json": receipt}
    for name, url in (("V.json", "/c/cup/reveal.json"), ("E.jsonl", "/organize/cup/events.jsonl")):
        files[name] = b"".join(oscar.get(url).streaming_content)
    for name, data in files.items():
        (tmp_path / name).write_bytes(data)
    found = {
        mix["name"]: [one["team"] for one in mix["contributions"]]
        for mix in json.loads(files["V.json"])["mixes"]
    }
    assert found == {"start": ["red"], "release/attack": ["red", "blue"]}
    line = [
        "verify",
        *(
            f"--{k}={tmp_path / v}"
            for k, v in (("reveal", "V.json"), ("events", "E.jsonl"), ("receipt", "T.json"))
        ),
    ]
    assert main(line) == 0
    assert "mix release/attack in events" in capsys.readouterr().out
    forged = json.loads(files["V.json"])
    forged["mixes"][1]["contributions"].pop()
    (tmp_path / "V.json").write_text(json.dumps(forged))
    assert main(line) == 1


def test_programs_contribute_and_read(committed, cast):
    program = Program(cast.alice)
    sent = program.send("patch", "/contests/cup/team", {"contribution": "by program"})
    assert sent.json()["contribution"] == sha256("by program")
    shown = program.get("/contests/cup").json()["mixes"]
    assert [mix["name"] for mix in shown] == ["start", "release/attack"]
    assert shown[0]["contributions"] == [{"team": "red", "sha256": sha256("by program")}]
    due = (timezone.now() + timedelta(days=1)).isoformat()
    organizer = Program(cast.oscar)
    body = {"source": "Numbers 6", "due_at": due}
    assert organizer.post("/organize/contests/cup/public-value", body).status_code == 200
    assert commitment.public_value_of(committed)["source"] == "Numbers 6"
