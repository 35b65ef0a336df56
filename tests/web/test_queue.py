# SPDX-License-Identifier: Apache-2.0
"""The row is the job: one claim at a time, a lease, a fence that refuses late results."""

from __future__ import annotations

import threading
from datetime import timedelta
from functools import partial

import pytest
from django.db import connection
from django.utils import timezone

from pwscup.core import jobs
from pwscup.core.db import clock
from pwscup.core.jobs import kinds, rows
from pwscup.core.models import Event
from pwscup.submissions import selectors
from pwscup.submissions.jobs import finish_rejected, finish_scored, withdraw
from pwscup.submissions.models import Evaluation, Submission
from pwscup.submissions.states import FINAL, UNFINISHED, State
from scoring.rulesets import load_ruleset
from tests.web.pipeline import hand_in

RESULT = {
    "ruleset_digest": load_ruleset("pwscup2015").digest,
    "scoring_version": "1",
    "seed": "1",
    "input_hashes": {},
    "values": {"U1": 0.0},
    "seconds": 0.1,
}


pytestmark = pytest.mark.usefixtures("sent")


def state_of(submission) -> str:
    submission.refresh_from_db()
    return submission.state


def expire(submission) -> None:
    past = timezone.now() - timedelta(seconds=1)
    Submission.objects.filter(pk=submission.pk).update(lease_until=past)


def test_every_state_is_unfinished_or_final():
    assert set(State) == UNFINISHED | FINAL
    assert not UNFINISHED & FINAL


def test_a_claim_is_given_once(submission):
    before = timezone.now()
    claim = jobs.claim(Submission, submission.pk)
    after = timezone.now()
    assert (claim.pk, claim.fence) == (submission.pk, 1)
    assert jobs.claim(Submission, submission.pk) is None
    assert state_of(submission) == State.RUNNING
    assert submission.attempts == 1
    lease = timedelta(seconds=30)
    assert before + lease <= submission.lease_until <= after + lease


@pytest.mark.django_db(transaction=True)
def test_of_many_workers_at_once_one_gets_the_claim(submission):
    barrier, claims = threading.Barrier(6), []

    def work():
        try:
            barrier.wait()
            claims.append(jobs.claim(Submission, submission.pk))
        finally:
            connection.close()

    threads = [threading.Thread(target=work) for _ in range(6)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert sum(claim is not None for claim in claims) == 1
    assert len(claims) == 6


@pytest.mark.django_db(transaction=True)
def test_taking_back_and_claiming_at_once_have_one_winner(cast, round):
    for _ in range(5):
        submission = hand_in(cast.alice, cast.red, round)
        barrier, won = threading.Barrier(2), []

        def race(name, action, pk=submission.pk, barrier=barrier, won=won):
            try:
                barrier.wait()
                if action(pk):
                    won.append(name)
            finally:
                connection.close()

        threads = [
            threading.Thread(target=race, args=pair)
            for pair in (
                (State.CANCELLED, withdraw),
                (State.RUNNING, partial(jobs.claim, Submission)),
            )
        ]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()
        assert won == [state_of(submission)]


def test_a_result_is_written_once_with_its_event(submission):
    claim = jobs.claim(Submission, submission.pk)
    assert finish_scored(claim, **RESULT)
    assert not finish_scored(claim, **RESULT)
    assert state_of(submission) == State.SCORED
    assert submission.finished_at is not None
    assert submission.lease_until is None
    assert Evaluation.objects.filter(submission=submission, fence=1).count() == 1
    assert Event.objects.filter(kind="submission.scored").count() == 1


def test_a_late_result_is_refused_while_the_row_waits_again(submission):
    late = jobs.claim(Submission, submission.pk)
    expire(submission)
    assert jobs.take_back(late)
    assert state_of(submission) == State.WAITING
    assert not jobs.renew(late)
    assert not finish_scored(late, **RESULT)
    assert state_of(submission) == State.WAITING
    assert not Evaluation.objects.exists()


@pytest.mark.parametrize(
    "finish",
    [
        lambda claim: finish_scored(claim, **RESULT),
        lambda claim: finish_rejected(claim, [], 0),
        lambda claim: jobs.fail(claim, "reference"),
    ],
)
def test_a_late_result_is_refused_after_somebody_else_took_over(submission, finish):
    late = jobs.claim(Submission, submission.pk)
    expire(submission)
    jobs.take_back(late)
    current = jobs.claim(Submission, submission.pk)
    assert current.fence == late.fence + 1
    assert not finish(late)
    assert state_of(submission) == State.RUNNING
    assert finish_scored(current, **RESULT)
    assert Evaluation.objects.get().fence == current.fence


def test_a_lease_that_was_renewed_is_not_taken_back(submission):
    claim = jobs.claim(Submission, submission.pk)
    expire(submission)
    assert jobs.renew(claim)
    assert not jobs.take_back(claim)
    assert state_of(submission) == State.RUNNING


def test_a_lease_further_away_than_any_lease_is_that_of_a_clock_set_back(submission):
    claim = jobs.claim(Submission, submission.pk)
    Submission.objects.update(lease_until=timezone.now() + timedelta(hours=1))
    assert jobs.expired(Submission) == [claim]
    assert jobs.take_back(claim)


def test_a_worker_whose_clock_is_wrong_holds_its_lease_by_the_databases(submission, monkeypatch):
    """On PostgreSQL; SQLite has no clock of its own, and its processes share that of their machine."""
    if connection.vendor == "sqlite":
        assert clock.db_now() <= timezone.now()
        return
    true = timezone.now()
    with monkeypatch.context() as skewed:
        skewed.setattr(timezone, "now", lambda: true - timedelta(seconds=60))
        claim = jobs.claim(Submission, submission.pk)
        assert jobs.renew(claim)
    assert jobs.expired(Submission) == []
    with monkeypatch.context() as skewed:
        skewed.setattr(timezone, "now", lambda: true + timedelta(seconds=60))
        assert jobs.expired(Submission) == []
    submission.refresh_from_db()
    assert submission.lease_until > true


def test_after_three_silent_workers_it_has_failed_with_a_reference(submission, caplog):
    for attempt in (1, 2, 3):
        claim = jobs.claim(Submission, submission.pk)
        assert claim.fence == attempt
        expire(submission)
        jobs.sweep()
    assert state_of(submission) == State.FAILED
    assert len(submission.reference) == 10
    assert submission.reference in caplog.text
    assert jobs.claim(Submission, submission.pk) is None


def test_references_differ_and_are_readable():
    references = {jobs.new_reference() for _ in range(200)}
    assert len(references) == 200
    assert all(set(reference) <= set(rows.ALPHABET) for reference in references)


# The sweeper


def test_what_was_just_sent_is_left_alone(submission, sent):
    jobs.resend_forgotten(Submission)
    assert sent == []


def test_what_was_sent_a_minute_ago_is_sent_once_more(submission, sent):
    now = timezone.now()
    Submission.objects.update(sent_at=now - timedelta(seconds=61))
    jobs.resend_forgotten(Submission)
    jobs.resend_forgotten(Submission)
    assert sent == [submission.pk]


def test_what_was_sent_at_a_time_to_come_is_sent_again(submission, sent):
    Submission.objects.update(sent_at=timezone.now() + timedelta(hours=1))
    jobs.resend_forgotten(Submission)
    jobs.resend_forgotten(Submission)
    assert sent == [submission.pk]


def test_what_could_not_be_sent_is_sent_at_the_next_sweep(submission, sent):
    Submission.objects.update(sent_at=None)
    jobs.resend_forgotten(Submission)
    assert sent == [submission.pk]


def test_only_what_waits_is_sent(cast, round, sent):
    for state in State:
        pk = hand_in(cast.alice, cast.red, round).pk
        Submission.objects.filter(pk=pk).update(state=state, sent_at=None)
    jobs.resend_forgotten(Submission)
    assert sent == list(Submission.objects.filter(state="waiting").values_list("pk", flat=True))


def test_a_broker_that_is_away_is_asked_once_in_a_sweep(cast, round, monkeypatch):
    asked = []

    def fail(_task, _label, pk, **_):
        asked.append(pk)
        raise ConnectionError

    for _ in range(3):
        hand_in(cast.alice, cast.red, round)
    Submission.objects.update(sent_at=None)
    monkeypatch.setattr(kinds, "send_soon", fail)
    assert not jobs.resend_forgotten(Submission)
    assert len(asked) == 1
    assert Submission.objects.filter(sent_at=None).count() == 3


def test_a_sweep_takes_back_and_sends_in_one_go(submission, sent):
    jobs.claim(Submission, submission.pk)
    expire(submission)
    jobs.sweep()
    assert sent == [submission.pk]
    assert state_of(submission) == State.WAITING


# The place in the queue


def test_the_place_counts_what_waits_before(cast, round):
    first, second = hand_in(cast.alice, cast.red, round), hand_in(cast.carol, cast.blue, round)
    assert [selectors.queue_place(s) for s in (first, second)] == [1, 2]
    jobs.claim(Submission, first.pk)
    first.refresh_from_db()
    assert [selectors.queue_place(s) for s in (first, second)] == [None, 1]
