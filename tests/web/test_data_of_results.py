# SPDX-License-Identifier: Apache-2.0
"""The data of a result: for those who may see exact rates, from the audit, and never what a contest hides."""

from __future__ import annotations

import csv
import io

import pytest
from django.urls import reverse

from pwscup.audits.models import Audit
from pwscup.contests.models import Contest
from pwscup.core import jobs
from pwscup.submissions.models import Submission
from tests.web import board_facts, lecture, pipeline, series
from tests.web.pipeline import hand_in, scored

pytestmark = [pytest.mark.django_db, pytest.mark.usefixtures("sent", "announced", "sketched")]


def url(submission) -> str:
    return reverse("submission-data", args=[submission.public_id])


def done(submission, client) -> None:
    assert client.post(url(submission)).status_code == 302
    jobs.work_on(Audit, Audit.objects.get(submission=submission).pk)


def test_the_page_starts_the_audit_and_then_compares(cast, round, as_user):
    submission = scored(hand_in(cast.alice, cast.red, round))
    alice = as_user(cast.alice)
    page = alice.get(url(submission)).text
    assert f'hx-post="{url(submission)}" hx-trigger="load"' in page
    assert "hx-post" not in as_user(cast.oscar).get(url(submission)).text.split('id="main"')[1]
    done(submission, alice)
    page = alice.get(url(submission))
    columns = {column.name: column for column in page.context["columns"]}
    # ORIGINAL has sa1 100 200 300 400, NOISY 110 220 280 390; the quasi-identifiers are unchanged.
    assert columns["qi1"].moved == 0
    assert [bin.label for bin in columns["qi1"].bins] == ["1", "2"]
    assert columns["sa1"].moved == 0.25
    assert page.context["pairs"][0]["columns"] == ["sa1", "sa2"]
    assert "Records that one column finds by itself" in page.text
    assert len(page.content) < 60_000


def test_the_csv_has_the_values_of_the_page(cast, round, as_user):
    submission = scored(hand_in(cast.alice, cast.red, round))
    alice = as_user(cast.alice)
    address = reverse("submission-data-csv", args=[submission.public_id])
    assert address not in alice.get(url(submission)).text
    assert alice.get(address).status_code == 404
    done(submission, alice)
    page = alice.get(url(submission))
    assert address in page.text
    rows = list(csv.DictReader(io.StringIO(alice.get(address).content.decode("utf-8-sig"))))
    shown = [
        (column.name, one.label, one.before, one.after)
        for column in page.context["columns"]
        for one in column.bins
    ]
    assert [
        (r["column"], r["value"], float(r["original"]), float(r["submission"])) for r in rows
    ] == shown
    assert as_user(cast.carol).get(address).status_code == 404


def test_only_those_who_may_audit_see_it(cast, round, as_user):
    """Canary: feedback after the end, hidden measures, other teams."""
    submission = scored(hand_in(cast.alice, cast.red, round))
    alice = as_user(cast.alice)
    done(submission, alice)
    for user in (None, cast.eve, cast.carol):
        assert as_user(user).get(url(submission)).status_code == 404
    tab = f'href="{url(submission)}"'
    assert tab in alice.get(reverse("submission", args=[submission.public_id])).text
    Contest.objects.filter(pk=cast.contest.pk).update(hidden_measures=["E2"])
    assert alice.get(url(submission)).status_code == 404
    assert tab not in alice.get(reverse("submission", args=[submission.public_id])).text
    Contest.objects.filter(pk=cast.contest.pk).update(hidden_measures=[])
    type(round).objects.filter(pk=round.pk).update(feedback="after_close")
    assert alice.get(url(submission)).status_code == 404
    assert as_user(cast.oscar).get(url(submission)).status_code == 200


def test_a_team_with_a_table_of_its_own_sees_that_table_only(cast, as_user):
    """Canary: the values of the organizer's table that are not the team's stay hidden."""
    cup = lecture.example(cast)
    submission = scored(lecture.hand_in(cast.alice, cup.red, lecture.ANONYMIZED))
    alice = as_user(cast.alice)
    assert submission.state == Submission.State.SCORED
    type(submission.round).objects.filter(pk=submission.round_id).update(feedback="exact")
    done(submission, alice)
    ages = next(
        one
        for one in Audit.objects.get().values["compared"]["histograms"]
        if one["column"] == "age"
    )
    # Red has the ages 20, 30, 40 and 50; the organizer's table goes up to 55.
    assert float(ages["labels"][-1].split(" – ")[-1]) <= 50
    assert alice.get(url(submission)).status_code == 200


def test_formats_without_rows_have_no_such_page(cast, as_user):
    cup = series.contest_of(cast)
    round = pipeline.round_of(cup.contest, "anonymization")
    submission = board_facts.scored(cup.red, round, {"n_people": 20})
    type(round).objects.filter(pk=round.pk).update(feedback="exact")
    alice = as_user(cast.alice)
    assert alice.get(url(submission)).status_code == 404
    assert alice.get(reverse("audit", args=[submission.public_id])).status_code == 200
    text = alice.get(reverse("audit", args=[submission.public_id])).text
    assert url(submission) not in text
