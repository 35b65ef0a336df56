# SPDX-License-Identifier: Apache-2.0
"""Audits in the browser: who may ask, what a worker makes of it, what is shown."""

from __future__ import annotations

import json
from datetime import timedelta

import pytest
from django.conf import settings
from django.test import Client
from django.urls import reverse
from django.utils import timezone
from django.utils.html import escape

from pwscup.audits import services
from pwscup.audits.models import Audit
from pwscup.contests.models import Round
from pwscup.core import jobs
from pwscup.core.jobs import kinds
from pwscup.core.models import Event
from pwscup.formats.common import audits
from scoring.registry import ATTACKS, MEASURES
from tests.web.pipeline import hand_in, scored

pytestmark = [pytest.mark.django_db, pytest.mark.usefixtures("announced")]
LANGUAGES = settings.LANGUAGES


@pytest.fixture
def submission(cast, round, sent):
    return scored(hand_in(cast.alice, cast.red, round))


@pytest.fixture
def quick(monkeypatch, settings, sketched):
    """Two attackers and a report in English are enough where it does not matter what they find."""
    settings.LANGUAGES = [("en", "English")]
    from scoring.audits import audit

    monkeypatch.setattr(audit, "ATTACKS", {id_: ATTACKS[id_] for id_ in ("EUC2", "E4")})
    monkeypatch.setattr(audit, "MEASURES", {"S1": audit.MEASURES["S1"]})


def client(user) -> Client:
    found = Client()
    found.force_login(user)
    return found


def url(submission, name="audit") -> str:
    return reverse(name, args=[submission.public_id])


def done(audit: Audit) -> Audit:
    jobs.work_on(Audit, audit.pk)
    audit.refresh_from_db()
    return audit


def test_a_team_asks_a_worker_works_and_the_page_says_who_hurts_most(
    submission, cast, announced, django_capture_on_commit_callbacks
):
    alice = client(cast.alice)
    asked = alice.get(url(submission)).text
    assert "Run audit" in asked
    assert "Only the official measures in the rules count for ranks." in asked
    with django_capture_on_commit_callbacks(execute=True):
        assert alice.post(url(submission)).status_code == 302
    audit = Audit.objects.get(submission=submission)
    assert announced == [audit.pk]
    assert "waiting" in alice.get(url(submission)).text

    assert done(audit).state == Audit.State.DONE
    assert audit.done_steps == audit.n_steps - 1  # the last step had begun
    page = alice.get(url(submission)).text
    worst = ATTACKS[audit.values["worst"]]
    assert f"{worst.id} ({worst.title}) is the strongest attack: it finds" in page
    assert all(f'<th scope="row">{id_} ' in page for id_ in ATTACKS)
    assert escape(MEASURES["S1"].description.splitlines()[0]) in page
    kinds = Event.objects.filter(kind__startswith="audit.").values_list("kind", flat=True)
    assert list(kinds) == ["audit.requested", "audit.done"]


@pytest.mark.parametrize("feedback", [Round.Feedback.AFTER_CLOSE, Round.Feedback.COARSE])
def test_the_submission_leads_to_its_audit_where_it_may_be_asked_for(
    submission, cast, quick, feedback
):
    link = url(submission)
    page = reverse("submission", args=[submission.public_id])
    assert link in client(cast.alice).get(page).text
    Round.objects.update(feedback=feedback)
    assert link not in client(cast.alice).get(page).text
    assert client(cast.alice).get(link).status_code == 404
    assert client(cast.alice).post(link).status_code == 404
    assert not Audit.objects.exists()
    assert client(cast.oscar).get(link).status_code == 200


def test_rates_that_the_rules_hide_are_not_shown_by_an_audit_that_an_organizer_asked_for(
    submission, cast, quick
):
    done(services.request_audit(user=cast.oscar, submission=submission))
    Round.objects.update(feedback=Round.Feedback.AFTER_CLOSE)
    for name in ("audit", "audit-status", "audit-report"):
        assert client(cast.alice).get(url(submission, name)).status_code == 404
        assert client(cast.carol).get(url(submission, name)).status_code == 404
        assert client(cast.oscar).get(url(submission, name)).status_code == 200


def test_what_is_not_scored_is_not_audited(cast, round, sent):
    waiting = hand_in(cast.alice, cast.red, round)
    assert client(cast.alice).post(url(waiting)).status_code == 404
    assert not Audit.objects.exists()


def test_asking_twice_makes_one_audit(submission, cast, quick):
    first = services.request_audit(user=cast.alice, submission=submission)
    assert services.request_audit(user=cast.bob, submission=submission) == first
    assert Event.objects.filter(kind="audit.requested").count() == 1
    assert jobs.work_on(Audit, first.pk)
    assert not jobs.work_on(Audit, first.pk)
    services.request_audit(user=cast.alice, submission=submission)
    first.refresh_from_db()
    assert first.state == Audit.State.DONE


def test_a_team_has_one_audit_at_a_time(submission, cast, round, quick):
    other = scored(hand_in(cast.alice, cast.red, round))
    alice = client(cast.alice)
    alice.post(url(submission))
    page = alice.post(url(other), follow=True).text
    assert (
        page.count("The audit of submission 1 comes first") == 2
    )  # said at once, and from then on
    assert "Run audit" not in page
    first = Audit.objects.get()
    assert done(first).submission == submission
    alice.post(url(other))
    assert Audit.objects.count() == 2


def test_audits_of_all_teams_run_one_after_the_other(
    submission, cast, round, quick, announced, settings, django_capture_on_commit_callbacks
):
    blue = scored(hand_in(cast.carol, cast.blue, round))
    first = services.request_audit(user=cast.carol, submission=blue)
    second = services.request_audit(user=cast.alice, submission=submission)
    claim = jobs.claim(Audit, first.pk)
    assert claim
    assert not jobs.work_on(Audit, second.pk)
    assert "1 audit is ahead of it" in client(cast.alice).get(url(submission, "audit-status")).text
    settings.AUDITS_AT_ONCE = 2
    assert jobs.claim(Audit, second.pk)
    settings.AUDITS_AT_ONCE = 1
    Audit.objects.filter(pk=second.pk).update(state=Audit.State.WAITING)
    with django_capture_on_commit_callbacks(execute=True):
        assert jobs.fail(claim, "reference")
    assert announced == [second.pk]
    with django_capture_on_commit_callbacks(execute=True):
        services.request_audit(user=cast.carol, submission=blue)
    assert announced == [second.pk, first.pk]
    kinds.announce_next(Audit)
    assert announced[-1] == second.pk  # who failed and asks again stands at the end
    assert done(second).state == Audit.State.DONE


def test_measures_and_sizes_keep_their_order_whatever_the_database_made_of_it(
    submission, cast, quick
):
    audit = done(services.request_audit(user=cast.alice, submission=submission))
    in_order = audits.results(audit.values)
    shuffled = json.loads(json.dumps(audit.values, sort_keys=True))
    assert list(shuffled["records_by_class_size"]) != list(audit.values["records_by_class_size"])
    assert audits.results(shuffled) == in_order
    assert [size.label for size in in_order["class_sizes"]][:3] == ["1", "2", "3–4"]


def test_the_status_is_polled_cheaply_and_ends_with_the_whole_page(submission, cast, quick):
    audit = services.request_audit(user=cast.alice, submission=submission)
    alice = client(cast.alice)
    first = alice.get(url(submission, "audit-status"))
    again = alice.get(url(submission, "audit-status"), headers={"If-None-Match": first["ETag"]})
    assert again.status_code == 304
    done(audit)
    last = alice.get(
        url(submission, "audit-status"),
        headers={"If-None-Match": first["ETag"], "HX-Request": "true"},
    )
    assert (last.status_code, last["HX-Refresh"]) == (200, "true")


def test_progress_is_shown(submission, cast, quick):
    audit = services.request_audit(user=cast.alice, submission=submission)
    claim = jobs.claim(Audit, audit.pk)
    assert jobs.note(claim, done_steps=3, n_steps=12, step="EUC2")
    text = client(cast.alice).get(url(submission, "audit-status")).text
    assert 'value="25"' in text
    assert "EUC2" in text


def test_the_report_is_a_download_in_the_readers_language(submission, cast, quick, settings):
    settings.LANGUAGES = LANGUAGES
    done(services.request_audit(user=cast.alice, submission=submission))
    alice = client(cast.alice)
    english = alice.get(url(submission, "audit-report"))
    assert english["Content-Disposition"].startswith("attachment; ")
    assert english["Content-Type"] == "application/octet-stream"
    assert '<html lang="en">' in english.text
    assert "Red" in english.text
    keys = dict(submission.files.values_list("key", "file__sha256"))
    assert keys["anonymized"] in english.text
    assert keys["rows"] not in english.text
    japanese = alice.get(url(submission, "audit-report"), headers={"Accept-Language": "ja"})
    assert '<html lang="ja">' in japanese.text
    assert "元データのレコードのうち、1つの機微属性の値が最も近いものを選ぶ" in japanese.text
    assert "The nearest original in one" not in japanese.text


def test_where_we_fail_the_page_says_so_and_one_may_try_again(submission, cast, quick, monkeypatch):
    from pwscup.submissions import evaluation

    audit = services.request_audit(user=cast.alice, submission=submission)
    with monkeypatch.context() as patch:
        patch.setattr(evaluation, "audited", lambda *_: 1 / 0)
        assert done(audit).state == Audit.State.FAILED
    alice = client(cast.alice)
    text = alice.get(url(submission)).text
    assert audit.reference in text
    assert "ZeroDivisionError" not in text
    alice.post(url(submission))
    assert done(audit).state == Audit.State.DONE


def test_a_silent_worker_loses_the_audit_and_its_late_result(submission, cast, quick, announced):
    audit = services.request_audit(user=cast.alice, submission=submission)
    late = jobs.claim(Audit, audit.pk)
    Audit.objects.update(lease_until=timezone.now() - timedelta(seconds=1))
    jobs.sweep()
    assert announced == [audit.pk]
    assert not jobs.attend(late)
    assert not Audit.objects.get().reports.exists()
    assert done(audit).state == Audit.State.DONE


def test_three_silent_workers_are_enough(submission, cast, quick):
    audit = services.request_audit(user=cast.alice, submission=submission)
    for _ in range(jobs.MAX_ATTEMPTS):
        assert jobs.claim(Audit, audit.pk)
        Audit.objects.update(lease_until=timezone.now() - timedelta(seconds=1))
        jobs.sweep()
    audit.refresh_from_db()
    assert (audit.state, bool(audit.reference)) == (Audit.State.FAILED, True)


def test_a_column_that_finds_nearly_everybody_by_itself_is_named(submission, cast, quick, as_user):
    audit = done(services.request_audit(user=cast.alice, submission=submission))
    assert [column["column"] for column in audit.values["columns"]][-1] == "sa2"
    text = as_user(cast.alice).get(url(submission)).text
    assert "sa1 by itself finds 100" in text
    audit.values.pop("columns")  # an audit of an earlier release
    audit.save()
    assert "by itself finds" not in as_user(cast.alice).get(url(submission)).text
