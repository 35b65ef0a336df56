# SPDX-License-Identifier: Apache-2.0
"""A form whose answer got lost is sent again: the second is the submission that the first was.

Runs on SQLite here, and on PostgreSQL from `tests/distributed`.
"""

from __future__ import annotations

import re
import threading
from datetime import timedelta
from pathlib import Path

import pytest
from django.conf import settings
from django.core.files.uploadedfile import SimpleUploadedFile
from django.db import connection
from django.urls import reverse
from django.utils import timezone

from pwscup.core.models import Event
from pwscup.submissions import services
from pwscup.submissions.models import Submission
from pwscup.submissions.services import SubmissionRefused
from tests import factories
from tests.web import pipeline
from tests.web.api import Program

NONCE = re.compile(r'name="nonce" value="(\w{32})"')
AGAIN = b"row\n4\n3\n2\n1\n"


def send(client, cast, nonce: str, rows: bytes = factories.ROWS):
    files = {
        "anonymized": SimpleUploadedFile("y.csv", factories.NOISY),
        "rows": SimpleUploadedFile("rows.csv", rows),
    }
    url = reverse("round", args=[cast.contest.slug, "anonymization"])
    return client.post(url, {"note": "", "nonce": nonce, **files})


def test_every_page_has_a_nonce_of_its_own(cast, as_user):
    client = as_user(cast.alice)
    url = reverse("round", args=[cast.contest.slug, "anonymization"])
    first, second = (NONCE.findall(client.get(url).content.decode()) for _ in range(2))
    assert len(first) == len(second) == 1
    assert first != second


def test_a_form_sent_twice_is_one_submission(cast, as_user):
    client = as_user(cast.alice)
    first = send(client, cast, "n1")
    stored = set(sealed())
    second = send(client, cast, "n1")

    assert (first.status_code, second.status_code) == (302, 302)
    assert set(sealed()) == stored
    assert first.url == second.url
    assert Submission.objects.count() == 1
    assert Event.objects.filter(kind="submission.received").count() == 1


def sealed() -> list[Path]:
    return list((settings.PRIVATE_ROOT / "sealed").iterdir())


def test_another_file_in_the_same_form_is_another_submission(cast, as_user):
    """Browsers keep pages: people go back, choose another file and send the form once more."""
    client = as_user(cast.alice)
    first, second = send(client, cast, "n1"), send(client, cast, "n1", AGAIN)
    assert first.url != second.url
    assert send(client, cast, "n1").url == first.url
    assert send(client, cast, "n1", AGAIN).url == second.url


def test_the_same_files_in_another_form_are_another_submission(cast, as_user):
    client = as_user(cast.alice)
    assert send(client, cast, "n1").url != send(client, cast, "n2").url
    assert send(client, cast, "").url != send(client, cast, "").url


def test_another_team_with_the_same_nonce_is_another_team(cast, as_user):
    assert send(as_user(cast.alice), cast, "n1").url != send(as_user(cast.carol), cast, "n1").url


def test_the_same_file_under_the_same_name_is_another_submission_in_another_round(cast):
    contest = factories.make_dp_contest(organizer=cast.oscar)
    factories.make_team(contest, "Red", cast.alice)
    program, found = Program(cast.alice), []
    now, hour = timezone.now(), timedelta(hours=1)
    for key in ("batch", "interactive"):
        pipeline.move(contest.rounds.get(key=key), now - hour, now + hour)
        url = f"/api/v1/contests/{contest.slug}/rounds/{key}/submissions"
        headers = {"Idempotency-Key": "digest"}
        answer = program.client.post(
            url, factories.DP_TRUTH, content_type="text/csv", headers=headers
        )
        assert answer.status_code == 201, answer.content
        found.append(answer.json()["id"])
    assert len(set(found)) == Submission.objects.count() == 2


def test_what_was_taken_back_can_be_sent_again_by_the_same_form(cast, as_user):
    client = as_user(cast.alice)
    first = send(client, cast, "n1")
    services.cancel(user=cast.alice, submission=Submission.objects.get())
    again = send(client, cast, "n1")
    assert again.url not in (first.url, "")
    assert send(client, cast, "n1").url == again.url
    assert sorted(Submission.objects.values_list("state", flat=True)) == ["cancelled", "waiting"]


@pytest.mark.parametrize("change", ["closed", "used"])
def test_a_repeat_is_answered_though_nothing_more_would_be_taken(cast, as_user, change):
    client = as_user(cast.alice)
    first = send(client, cast, "n1")
    round = cast.contest.rounds.get(key="anonymization")
    if change == "closed":
        pipeline.move(round, round.opens_at, timezone.now() - timedelta(seconds=1))
    else:
        round.tries = 1
        round.save()

    assert send(client, cast, "n1").url == first.url
    assert send(client, cast, "n2").status_code == 422


def test_a_guess_sent_twice_uses_one_attempt(cast, as_user):
    round = cast.contest.rounds.get(key="anonymization")
    for user, team in ((cast.alice, cast.red), (cast.carol, cast.blue)):
        pipeline.scored(pipeline.hand_in(user, team, round))
    target = pipeline.publish(cast.contest)["Blue"]
    target.round.tries = 1
    target.round.save()
    client, url = as_user(cast.alice), reverse("round", args=[cast.contest.slug, "attack"])
    nonces = NONCE.findall(client.get(url).content.decode())
    assert len(set(nonces)) == 1
    assert len(nonces) == 2  # in the form for all targets, and in that of the one

    def guess():
        file = SimpleUploadedFile("blue.csv", factories.ROWS)
        return client.post(url, {"nonce": nonces[0], "guess": file})

    first, second = guess(), guess()
    assert (first.status_code, first.url) == (second.status_code, second.url)
    assert Submission.objects.filter(target=target).count() == 1


def test_a_program_names_its_submission_by_a_header(cast):
    contest = factories.make_dp_contest(organizer=cast.oscar)
    factories.make_team(contest, "Red", cast.alice)
    program = Program(cast.alice)
    url = f"/api/v1/contests/{contest.slug}/rounds/interactive/submissions"

    def send(**headers: str):
        sent = {"content_type": "text/csv", "headers": headers}
        return program.client.post(url, factories.DP_TRUTH, **sent)

    key = {"Idempotency-Key": "mine"}
    first, second, other = send(**key), send(**key), send()

    assert (first.status_code, second.status_code, other.status_code) == (201, 201, 201)
    assert first.json()["id"] == second.json()["id"] != other.json()["id"]


def test_who_has_left_the_team_learns_nothing_by_a_nonce(cast, as_user):
    round = cast.contest.rounds.get(key="anonymization")
    given = {"team": cast.red, "round": round, "arrived_at": timezone.now(), "nonce": "n1"}
    files = {"anonymized": ("y.csv", factories.NOISY), "rows": ("rows.csv", factories.ROWS)}
    services.submit(user=cast.alice, files=files, **given)
    with pytest.raises(SubmissionRefused) as refused:
        services.submit(user=cast.carol, files=files, **given)
    assert refused.value.code == "not_allowed"


@pytest.mark.django_db(transaction=True)
@pytest.mark.usefixtures("sent")
def test_a_form_sent_twice_at_the_same_time_is_one_submission(cast):
    round = cast.contest.rounds.get(key="anonymization")
    together, found = threading.Barrier(4), []

    def chunks():
        yield factories.NOISY[:9]
        together.wait(60)
        yield factories.NOISY[9:]

    def submit():
        files = {"anonymized": ("y.csv", chunks()), "rows": ("rows.csv", factories.ROWS)}
        given = {"user": cast.alice, "team": cast.red, "round": round, "nonce": "n1"}
        found.append(services.submit(files=files, arrived_at=timezone.now(), **given).pk)
        connection.close()

    threads = [threading.Thread(target=submit) for _ in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()

    assert len(found) == 4
    assert set(found) == {Submission.objects.get().pk}
