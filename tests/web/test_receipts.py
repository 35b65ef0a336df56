# SPDX-License-Identifier: Apache-2.0
"""Receipts: what a team handed in, when, and the place in the audit trail that holds organizers to it."""

from __future__ import annotations

import hashlib
import json
from datetime import UTC, datetime

import pytest
from django.db import connection
from django.test.utils import CaptureQueriesContext
from django.urls import reverse
from django.utils import timezone

from pwscup.core import audit_log, seals
from pwscup.core.models import Event, Seal
from pwscup.submissions.proof import receipts
from scoring.proof.reveals import checks_of_receipt, read_receipt
from scoring.proof.trail import read_trail
from tests import factories
from tests.web import pipeline
from tests.web.pipeline import hand_in, scored


@pytest.fixture
def url(submission) -> str:
    return reverse("receipt", args=[submission.public_id])


def test_a_receipt_names_team_time_and_files(cast, submission, url, as_user):
    page = as_user(cast.bob).get(url).content.decode()
    local = submission.arrived_at.astimezone(cast.contest.tz)
    for text in (
        "Test Cup",
        "Red",
        str(submission.public_id),
        f"{local:%Y-%m-%d %H:%M:%S} JST",
        f"{submission.arrived_at:%Y-%m-%d %H:%M:%S.%f} UTC",
        "y.csv",
        "rows.csv",
        hashlib.sha256(factories.NOISY).hexdigest(),
        hashlib.sha256(factories.ROWS).hexdigest(),
    ):
        assert text in page, text
    assert reverse("receipt-json", args=[submission.public_id]) in page
    result = as_user(cast.bob).get(reverse("submission", args=[submission.public_id]))
    assert url in result.content.decode()


def test_a_receipt_names_its_place_in_the_trail(cast, submission, url, as_user):
    assert not Seal.objects.exists()
    page = as_user(cast.alice).get(url).content.decode()
    event = Event.objects.get(kind="submission.received")
    assert event.seal.hash in page
    assert event.data["files"] == {
        "anonymized": hashlib.sha256(factories.NOISY).hexdigest(),
        "rows": hashlib.sha256(factories.ROWS).hexdigest(),
    }
    assert datetime.fromisoformat(event.data["arrived_at"]) == submission.arrived_at


def test_a_receipt_does_not_show_how_much_others_do(cast, submission, url, as_user):
    """The same before and after others were active, and without a number that grows with them."""
    client, address = as_user(cast.alice), reverse("receipt-json", args=[submission.public_id])
    before = client.get(address).content
    for _ in range(1234):
        audit_log.record("submission.received", contest_id=cast.contest.pk)
    seals.seal_all(cast.contest.pk)
    assert client.get(address).content == before
    event = Event.objects.get(subject=str(submission.public_id), kind="submission.received")
    assert json.loads(before)["trail"] == {"hash": event.seal.hash}
    assert "position" not in before.decode()
    assert "1,23" not in client.get(url).content.decode()


def test_where_the_trail_cannot_be_sealed_now_the_receipt_says_so(
    cast, submission, url, as_user, monkeypatch
):
    monkeypatch.setattr(seals, "sweep", lambda: 0)
    assert "hash of this event is not computed yet" in as_user(cast.alice).get(url).content.decode()
    found = as_user(cast.alice).get(reverse("receipt-json", args=[submission.public_id])).json()
    assert found["trail"] is None


def test_the_download_is_verified_against_the_export(cast, submission, oscar, as_user):
    response = as_user(cast.alice).get(reverse("receipt-json", args=[submission.public_id]))
    name = 'filename="cup-receipt-red-anonymization-1.json"'
    assert name in response["Content-Disposition"]
    assert "no-store" in response["Cache-Control"]
    receipt = read_receipt(response.content)
    assert receipt["arrived_at"] == submission.arrived_at.astimezone(UTC).isoformat(
        timespec="microseconds"
    )
    assert receipt["arrived_at_local"].endswith("+09:00")
    assert [file["size_bytes"] for file in receipt["files"]] == [
        len(factories.NOISY),
        len(factories.ROWS),
    ]
    audit_log.record("team.renamed", contest_id=cast.contest.pk)  # life goes on
    export = oscar.get("/organize/cup/events.jsonl")
    entries = read_trail(b"".join(export.streaming_content))
    checks = checks_of_receipt(receipt, entries)
    assert len(checks) == 2
    assert [check for check in checks if not check.holds] == []


def test_a_guess_names_its_target(cast, round, as_user):
    scored(hand_in(cast.alice, cast.red, round))
    scored(hand_in(cast.carol, cast.blue, round))
    target = pipeline.publish(cast.contest)["Red"]
    guess = pipeline.guess(cast.carol, cast.blue, target, b"1\n2\n3\n4\n")
    found = as_user(cast.carol).get(reverse("receipt-json", args=[guess.public_id])).json()
    assert (found["team"], found["target"], found["round"]) == ("blue", "red", "attack")
    assert (
        "→ Red"
        in as_user(cast.carol).get(reverse("receipt", args=[guess.public_id])).content.decode()
    )


@pytest.mark.parametrize("who", ["carol", "eve", None])
@pytest.mark.parametrize("name", ["receipt", "receipt-json"])
def test_strangers_find_no_receipt(cast, submission, as_user, who, name):
    client = as_user(who and getattr(cast, who))
    assert client.get(reverse(name, args=[submission.public_id])).status_code == 404


def test_a_receipt_asks_as_little_of_many_events_as_of_few(cast, submission, url, as_user):
    client = as_user(cast.alice)
    asked = []
    for _ in range(2):
        for n in range(60):
            audit_log.record("submission.received", contest_id=cast.contest.pk, subject=f"{n}")
        seals.seal_all(cast.contest.pk)
        with CaptureQueriesContext(connection) as queries:
            client.get(url)
        asked.append(len(queries))
    assert asked[0] == asked[1]


def test_what_came_before_there_were_seals_has_a_receipt_all_the_same(cast, submission):
    """Without its event there is no place in the trail, and nothing fails."""
    submission.public_id = "00000000-0000-4000-8000-000000000000"
    found = receipts.receipt_of(submission).to_dict()
    assert found["trail"] is None
    assert json.dumps(found)
    assert timezone.now() > submission.arrived_at
