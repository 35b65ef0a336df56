# SPDX-License-Identifier: Apache-2.0
"""Uploads that use no attempt: bounded for a person and a team, and their bytes go when nothing needs them."""

from __future__ import annotations

import threading
from datetime import timedelta

import pytest
from django.db import connection
from django.urls import reverse
from django.utils import timezone

from pwscup.accounts import services as accounts
from pwscup.core import jobs
from pwscup.core.files import storage
from pwscup.core.models import Event, StoredFile
from pwscup.rescores import selectors as rescores
from pwscup.submissions import services, sweeper
from pwscup.submissions.decisions import appeals
from pwscup.submissions.jobs import finish_overdue
from pwscup.submissions.models import Rescore, Submission
from pwscup.submissions.services import SubmissionRefused
from pwscup.submissions.states import State
from tests import factories
from tests.web import pipeline

pytestmark = pytest.mark.usefixtures("sent")
WRONG = b"not,a,table\n1,2,3\n"


def wrong(user, team, round) -> Submission:
    return pipeline.scored(pipeline.hand_in(user, team, round, anonymized=WRONG))


def refusal(user, team, round) -> str:
    with pytest.raises(SubmissionRefused) as refused:
        pipeline.hand_in(user, team, round)
    return refused.value.code


# The bound


def test_another_team_brings_no_new_refusals(cast, round, settings):
    settings.MAX_WASTED_UPLOADS_PER_DAY = 3
    first = accounts.create_team(user=cast.eve, contest=cast.contest, name="First")
    for _ in range(3):
        assert wrong(cast.eve, first, round).state == State.REJECTED
    accounts.leave_team(user=cast.eve, team=first)
    second = accounts.create_team(user=cast.eve, contest=cast.contest, name="Second")

    assert refusal(cast.eve, second, round) == "tries.wasted"
    assert pipeline.hand_in(cast.alice, cast.red, round).state == State.WAITING


def test_another_account_brings_none_either(cast, round, settings):
    settings.MAX_WASTED_UPLOADS_PER_DAY = 2
    first = accounts.create_team(user=cast.eve, contest=cast.contest, name="First")
    for _ in range(2):
        wrong(cast.eve, first, round)
    accounts.delete_account(user=cast.eve)
    again = factories.make_user("eve")
    second = accounts.create_team(user=again, contest=cast.contest, name="Second")

    assert refusal(again, second, round) == "tries.wasted"


def test_the_members_of_a_team_have_one_bound_together(cast, round, settings):
    settings.MAX_WASTED_UPLOADS_PER_DAY = 2
    wrong(cast.alice, cast.red, round)
    wrong(cast.bob, cast.red, round)
    assert refusal(cast.alice, cast.red, round) == "tries.wasted"


def test_refusals_in_another_contest_do_not_count(cast, round, settings):
    settings.MAX_WASTED_UPLOADS_PER_DAY = 1
    other = factories.make_contest("other")
    team = factories.make_team(other, "Lone", cast.alice)
    wrong(cast.alice, team, other.rounds.get(key="anonymization"))
    assert pipeline.hand_in(cast.alice, cast.red, round).state == State.WAITING


def test_the_bytes_of_refused_files_are_bounded_too(cast, round, settings):
    settings.MAX_WASTED_BYTES_PER_DAY = 2 * (len(WRONG) + len(factories.ROWS))
    wrong(cast.alice, cast.red, round)
    assert wrong(cast.alice, cast.red, round).state == State.REJECTED
    assert refusal(cast.alice, cast.red, round) == "tries.wasted_bytes"


def test_what_was_too_slow_is_bounded_by_less(cast, round, settings):
    """Each has cost three times the time limit of a worker; also what is taken back after it has cost some."""
    settings.MAX_SLOW_UPLOADS_PER_DAY = 2
    rejected, cancelled = (pipeline.hand_in(cast.alice, cast.red, round) for _ in range(2))
    for _attempt in range(jobs.MAX_ATTEMPTS):
        finish_overdue(jobs.claim(Submission, rejected.pk), "abcdefghjk", True)
    services.cancel(user=cast.alice, submission=pipeline.hand_in(cast.alice, cast.red, round))
    assert pipeline.hand_in(cast.bob, cast.red, round).state == State.WAITING

    finish_overdue(jobs.claim(Submission, cancelled.pk), "abcdefghjk", True)
    services.cancel(user=cast.alice, submission=cancelled)
    assert refusal(cast.bob, cast.red, round) == "tries.slow"
    assert pipeline.hand_in(cast.carol, cast.blue, round).state == State.WAITING


# The bytes


def later(settings) -> timezone.datetime:
    return timezone.now() + timedelta(hours=settings.KEEP_REFUSED_HOURS, minutes=1)


def bytes_of(submission: Submission) -> int:
    files = StoredFile.objects.filter(pk__in=submission.files.values("file"))
    return sum((storage.settings.PRIVATE_ROOT / file.path).is_file() for file in files)


def test_the_bytes_of_what_was_refused_go_after_their_time(
    cast, round, settings, as_user, django_capture_on_commit_callbacks
):
    good = pipeline.scored(pipeline.hand_in(cast.alice, cast.red, round))
    rejected = wrong(cast.alice, cast.red, round)
    cancelled = pipeline.hand_in(cast.alice, cast.red, round)
    services.cancel(user=cast.alice, submission=cancelled)
    waiting = pipeline.hand_in(cast.carol, cast.blue, round)

    assert sweeper.drop_refused(timezone.now()) == 0
    with django_capture_on_commit_callbacks(execute=True):
        assert sweeper.drop_refused(later(settings)) == 4

    left = [bytes_of(submission) for submission in (good, rejected, cancelled, waiting)]
    assert left == [2, 0, 0, 2]
    event = Event.objects.get(kind="submission.files_deleted")
    assert event.contest_id == cast.contest.pk
    assert event.data["n_files"] == 4
    assert event.data["size_bytes"] == sum(
        map(len, (WRONG, factories.ROWS, factories.NOISY, factories.ROWS))
    )
    assert sweeper.drop_refused(later(settings)) == 0
    client = as_user(cast.alice)
    page = client.get(reverse("submission", args=[rejected.public_id])).content.decode()
    address = reverse("submission-file", args=[rejected.public_id, "anonymized"])
    assert address not in page
    assert "y.csv" in page
    assert client.get(address).status_code == 410


def test_what_an_appeal_is_about_stays(cast, round, settings):
    rejected = wrong(cast.alice, cast.red, round)
    appeals.write(user=cast.alice, submission=rejected, text="Why?")
    assert sweeper.drop_refused(later(settings)) == 0


@pytest.mark.parametrize("what", ["appeal", "re-scoring"])
def test_what_comes_while_files_are_looked_for_keeps_them(cast, round, settings, monkeypatch, what):
    rejected = wrong(cast.alice, cast.red, round)
    drop = sweeper._drop

    def drop_late(*args):
        if what == "appeal":
            appeals.write(user=cast.alice, submission=rejected, text="Why?")
        else:
            rules = cast.contest.ruleset_versions.create(number=1, text=cast.contest.ruleset_text)
            Rescore.objects.create(contest=cast.contest, rules=rules, scoring_version="1")
        return drop(*args)

    monkeypatch.setattr(sweeper, "_drop", drop_late)
    assert sweeper.drop_refused(later(settings)) == 0
    assert bytes_of(rejected) == 2
    assert not Event.objects.filter(kind="submission.files_deleted").exists()


@pytest.mark.django_db(transaction=True)
def test_files_are_not_deleted_while_an_appeal_is_being_written(cast, round, settings, monkeypatch):
    """The appeal is in its transaction when the sweeper has found the files."""
    rejected = wrong(cast.alice, cast.red, round)
    is_written, is_found = threading.Event(), threading.Event()
    drop, record = sweeper._drop, appeals.audit_log.record
    dropped: list[int] = []

    def drop_found(*args):
        is_found.set()
        return drop(*args)

    def record_late(*args, **kwargs):
        is_written.set()
        assert is_found.wait(30)
        return record(*args, **kwargs)

    def sweep():
        assert is_written.wait(30)
        dropped.append(sweeper.drop_refused(later(settings)))
        connection.close()

    monkeypatch.setattr(sweeper, "_drop", drop_found)
    monkeypatch.setattr(appeals.audit_log, "record", record_late)
    thread = threading.Thread(target=sweep)
    thread.start()
    appeals.write(user=cast.alice, submission=rejected, text="Why?")
    thread.join()

    assert dropped == [0]
    assert bytes_of(rejected) == 2


def test_what_a_rescoring_needs_stays(cast, round, settings):
    wrong(cast.alice, cast.red, round)
    rules = cast.contest.ruleset_versions.create(number=1, text=cast.contest.ruleset_text)
    rescore = Rescore.objects.create(contest=cast.contest, rules=rules, scoring_version="1")
    assert sweeper.drop_refused(later(settings)) == 0
    Rescore.objects.update(state=Rescore.State.DROPPED)
    assert rescores.missing(rescore).count() == 1

    assert sweeper.drop_refused(later(settings)) == 2

    assert not rescores.missing(rescore).exists()
