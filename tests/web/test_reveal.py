# SPDX-License-Identifier: Apache-2.0
"""Commit and reveal: from the fingerprint on the first day to the secret on the last, checked by everybody."""

from __future__ import annotations

import hashlib
import json
from datetime import timedelta

import pytest
from django.conf import settings as django_settings
from django.urls import reverse
from django.utils import timezone

from pwscup.contests import services
from pwscup.contests.models import Contest
from pwscup.contests.services.commitment import ensure_committed
from pwscup.core.files import storage
from pwscup.core.models import Event, StoredFile
from pwscup.submissions.decisions import rulings
from pwscup.submissions.models import LateAllowance
from pwscup.submissions.proof import reveals
from scoring.cli.main import main
from scoring.proof.commitments import commitment
from tests import factories
from tests.web import pipeline
from tests.web.pipeline import hand_in, scored

REVEAL = "/c/cup/reveal.json"
BUTTON = "/organize/cup/reveal/"


@pytest.fixture
def over(cast, round) -> dict:
    """A contest that is over, with the releases of two teams and a guess."""
    ensure_committed(cast.contest)
    scored(hand_in(cast.alice, cast.red, round))
    scored(hand_in(cast.carol, cast.blue, round, anonymized=factories.AVERAGED))
    targets = pipeline.publish(cast.contest)
    scored(pipeline.guess(cast.alice, cast.red, targets["Blue"], b"1\n2\n3\n4\n"))
    pipeline.close(cast.contest.rounds.get(key="attack"))
    return targets


def contest() -> Contest:
    return Contest.objects.get(slug="cup")


def test_the_commitment_is_on_the_public_page_from_publication_on(cast, draft, as_user):
    assert len(draft.commitment) == 64
    factories.attach_original(draft)
    services.publish(actor=cast.oscar, contest=draft)
    assert draft.commitment in as_user(None).get("/c/next/").content.decode()


def test_a_contest_from_before_commits_when_it_is_published(cast, as_user):
    Contest.objects.update(is_published=False)
    assert contest().commitment == ""
    services.publish(actor=cast.oscar, contest=contest())
    assert len(contest().commitment) == 64
    assert contest().commitment in as_user(cast.alice).get("/c/cup/").content.decode()
    assert Event.objects.get(kind="contest.committed").data["commitment"] == contest().commitment


def test_the_secret_is_published_once_for_everybody(cast, over, oscar, as_user):
    page = oscar.get("/organize/cup/events/").content.decode()
    assert f'action="{BUTTON}"' in page
    assert "data-confirm" in page
    assert as_user(None).get(REVEAL).status_code == 404
    assert oscar.post(BUTTON).status_code == 302
    held = contest()
    assert held.reveal.area == "published"
    event = Event.objects.get(kind="contest.revealed")
    assert event.actor == cast.oscar
    assert event.data == {"commitment": held.commitment, "sha256": held.reveal.sha256}
    for user in (None, cast.eve, cast.alice, cast.oscar):
        response = as_user(user).get(REVEAL)
        assert 'filename="cup-reveal.json"' in response["Content-Disposition"]
        found = json.loads(b"".join(response.streaming_content))
        assert commitment(bytes.fromhex(found["secret"])) == held.commitment
        assert REVEAL in as_user(user).get("/c/cup/").content.decode()
    page = oscar.get("/organize/cup/events/").content.decode()
    assert BUTTON not in page
    assert REVEAL in page
    n_files = StoredFile.objects.count()
    oscar.post(BUTTON)
    assert contest().revealed_at == held.revealed_at
    assert StoredFile.objects.count() == n_files
    assert Event.objects.filter(kind="contest.revealed").count() == 1


def test_the_command_verifies_what_was_published(cast, over, oscar, tmp_path, capsys):
    """With nothing but files that anybody has: reveal, events, receipt, schema, release, own upload."""
    submission = over["Red"].submission
    files = {
        "T.json": oscar.get(reverse("receipt-json", args=[submission.public_id])).content,
        "Y.csv": factories.NOISY,
        "Z.csv": storage.read(over["Red"].table),
        "S.toml": factories.SCHEMA.encode(),
    }
    oscar.post(BUTTON)
    for name, url in (("V.json", REVEAL), ("E.jsonl", "/organize/cup/events.jsonl")):
        files[name] = b"".join(oscar.get(url).streaming_content)
    for name, data in files.items():
        (tmp_path / name).write_bytes(data)
    names = {"reveal": "V.json", "events": "E.jsonl", "receipt": "T.json", "schema": "S.toml"}
    names |= {"submission": "Y.csv", "release": "Z.csv"}
    line = [part for key, name in names.items() for part in (f"--{key}", str(tmp_path / name))]
    assert main(["verify", *line, "--commitment", contest().commitment, "--json"]) == 0
    checks = {c["check"]: c["words"] for c in json.loads(capsys.readouterr().out)["checks"]}
    assert checks["seeds"] == "all 5 follow from the secret"
    assert checks["released order"].startswith("release/attack/red: ")
    assert checks["draws in events"] == "all 5 are in the events, and no other"

    found = json.loads(files["V.json"])
    assert [seed["purpose"].split("/")[0] for seed in found["seeds"]] == [
        "evaluation",
        "evaluation",
        "release",
        "release",
        "evaluation",
    ]
    red, blue = found["releases"]
    assert (red["team"], blue["team"]) == ("red", "blue")
    assert red["files"]["anonymized"] == hashlib.sha256(factories.NOISY).hexdigest()
    (tmp_path / "Y.csv").write_bytes(factories.AVERAGED)
    assert main(["verify", *line]) == 1
    assert "submission SHA-256, released order" in capsys.readouterr().out


def test_nothing_is_revealed_before_all_rounds_are_over(cast, round, oscar):
    ensure_committed(cast.contest)
    page = oscar.get("/organize/cup/events/").content.decode()
    assert BUTTON not in page
    assert contest().commitment in page
    response = oscar.post(BUTTON, follow=True)
    assert "once all rounds are over" in response.content.decode()
    assert contest().revealed_at is None
    assert not Event.objects.filter(kind="truth.read").exists()


def test_nothing_is_revealed_while_an_upload_may_still_arrive(cast, over, oscar, settings):
    settings.UPLOAD_GRACE_SECONDS = 600
    oscar.post(BUTTON)
    assert contest().revealed_at is None


def test_nothing_is_revealed_while_submissions_wait(cast, over, oscar):
    waiting = over["Red"].submission
    type(waiting).objects.filter(pk=waiting.pk).update(state="waiting")
    response = oscar.post(BUTTON, follow=True)
    assert "still waiting to be scored" in response.content.decode()
    assert contest().revealed_at is None


def test_nothing_is_revealed_while_a_team_may_be_late(cast, over, oscar):
    attack, now = contest().rounds.get(key="attack"), timezone.now()
    allowed = {"actor": cast.oscar, "team": cast.red, "round": attack, "reason": "r"}
    rulings.allow_late(until=now + timedelta(hours=1), **allowed)
    response = oscar.post(BUTTON, follow=True)
    assert "A team may still submit late" in response.content.decode()
    assert contest().revealed_at is None
    LateAllowance.objects.update(until=now - timedelta(days=1))
    oscar.post(BUTTON)
    assert contest().revealed_at is not None


def test_nobody_is_late_once_the_secret_is_known(cast, over, oscar):
    oscar.post(BUTTON)
    with pytest.raises(rulings.RulingRefused) as refused:
        rulings.allow_late(
            actor=cast.oscar,
            team=cast.red,
            round=contest().rounds.get(key="attack"),
            until=timezone.now() + timedelta(hours=1),
            reason="r",
        )
    assert refused.value.code == "late.revealed"
    assert not LateAllowance.objects.exists()


def test_a_round_that_opened_meanwhile_keeps_the_secret(cast, over, monkeypatch):
    """Between the page and the lock somebody has moved a round: nothing is left behind."""
    made = reveals.document

    def reopened(*arguments):
        now = arguments[-1]
        pipeline.move(
            cast.contest.rounds.last(),
            now - timedelta(days=365),
            now + timedelta(days=365),
        )
        return made(*arguments)

    monkeypatch.setattr(reveals, "document", reopened)
    before = set((django_settings.PRIVATE_ROOT / "published").iterdir())
    with pytest.raises(services.ContestRefused):
        reveals.publish_reveal(actor=cast.oscar, contest=contest())
    assert contest().revealed_at is None
    assert set((django_settings.PRIVATE_ROOT / "published").iterdir()) == before


@pytest.mark.parametrize("who", ["alice", "carol", "eve", None])
def test_only_organizers_publish_the_secret(cast, over, as_user, who):
    response = as_user(who and getattr(cast, who)).post(BUTTON)
    assert response.status_code == (302 if who is None else 404)
    assert contest().revealed_at is None


def test_an_older_page_publishes_nothing(cast, over, oscar):
    oscar.post(BUTTON, {"version": contest().version + 1})
    assert contest().revealed_at is None


def test_a_draft_reveals_to_nobody_else(cast, over, oscar, as_user):
    oscar.post(BUTTON)
    Contest.objects.update(is_published=False)
    assert as_user(cast.alice).get(REVEAL).status_code == 404
    assert oscar.get(REVEAL).status_code == 200
