# SPDX-License-Identifier: Apache-2.0
"""One mechanism for every kind of job: a message leads to the work, a sweep to what was lost."""

from __future__ import annotations

from dataclasses import replace
from datetime import timedelta

import pytest
from django.conf import settings
from django.db import OperationalError, transaction
from django.test import TestCase
from django.utils import timezone

from pwscup.celery import app
from pwscup.core import jobs
from pwscup.core.jobs import kinds, old_names, rows
from pwscup.core.models import Event, Job
from pwscup.reports.models import FinalReport
from tests import factories
from tests.web.conftest import hear

LABEL = "reports.finalreport"


@pytest.fixture
def row(db) -> FinalReport:
    """A row of any kind of job; what it is about does not matter here."""
    return FinalReport.objects.create(contest=factories.make_contest(), sent_at=timezone.now())


@pytest.fixture
def kind(monkeypatch):
    """Give the kind of that row other parts."""

    def change(**parts) -> None:
        changed = replace(jobs.JOB_KINDS[FinalReport], **parts)
        monkeypatch.setitem(jobs.JOB_KINDS, FinalReport, changed)

    change(work=lambda claim: jobs.finish(claim, FinalReport.State.DONE))
    return change


def another(row: FinalReport) -> FinalReport:
    contest = factories.make_contest(f"cup-{FinalReport.objects.count()}")
    return FinalReport.objects.create(contest=contest, sent_at=timezone.now())


def state_of(row: FinalReport) -> str:
    row.refresh_from_db()
    return row.state


def expire(row: FinalReport) -> None:
    past = timezone.now() - timedelta(seconds=1)
    FinalReport.objects.filter(pk=row.pk).update(lease_until=past)


# Registration


def test_every_model_of_jobs_is_registered():
    assert set(jobs.JOB_KINDS) == set(Job.__subclasses__())


def test_every_kind_names_settings_and_a_queue_that_exist():
    for kind in jobs.JOB_KINDS.values():
        assert getattr(settings, kind.limit) > 0
        assert kind.at_once is None or getattr(settings, kind.at_once) > 0
        assert kind.queue in {*settings.CELERY_TASK_QUEUES, None}


# A message


def test_a_message_names_the_row_and_goes_to_the_queue_of_its_kind(row, monkeypatch):
    sent = []
    monkeypatch.setattr(kinds, "send_soon", lambda *what, **where: sent.append((what, where)))
    assert jobs.announce(FinalReport, row.pk)
    assert sent == [((kinds.run_job, LABEL, row.pk), {"queue": "audits"})]


def test_a_message_leads_to_the_work(row, kind):
    kinds.run_job.apply([LABEL, row.pk])
    assert state_of(row) == FinalReport.State.DONE
    assert row.attempts == 1
    kinds.run_job.apply([LABEL, row.pk])
    kinds.run_job.apply([LABEL, 999_999])
    assert state_of(row) == FinalReport.State.DONE
    assert row.attempts == 1


def test_a_broker_that_is_away_leaves_the_row_unsent(row, monkeypatch, caplog):
    def fail(*_, **__):
        raise ConnectionError

    monkeypatch.setattr(kinds, "send_soon", fail)
    assert not jobs.announce(FinalReport, row.pk)
    row.refresh_from_db()
    assert row.sent_at is None
    assert f"broker not notified of final report {row.pk}: ConnectionError" in caplog.text


# The work


def test_what_follows_from_an_end_is_written_with_it_or_neither(row, kind):
    claim = jobs.claim(FinalReport, row.pk)

    def breaks(_claim):
        raise RuntimeError

    with pytest.raises(RuntimeError), transaction.atomic():
        jobs.finish(claim, FinalReport.State.DONE, breaks)
    assert state_of(row) == Job.RUNNING
    followed = []
    assert jobs.finish(claim, FinalReport.State.DONE, followed.append, key="k")
    assert not jobs.finish(claim, FinalReport.State.DONE, followed.append)
    assert (state_of(row), row.key, followed) == (FinalReport.State.DONE, "k", [claim])


def test_what_the_work_does_not_expect_has_failed_and_its_kind_says_what_follows(row, kind):
    followed = []
    kind(work=lambda _claim: 1 / 0, failed=followed.append)
    assert jobs.work_on(FinalReport, row.pk)
    assert state_of(row) == Job.FAILED
    assert len(row.reference) == 10
    assert [claim.pk for claim in followed] == [row.pk]


def test_the_time_limit_and_what_comes_of_it_are_those_of_the_kind(row, kind, monkeypatch):
    given = []
    monkeypatch.setattr(kinds.heartbeat, "attend", lambda *parts: bool(given.append(parts)))
    kind(limit="RESCORE_TIME_LIMIT", overdue=print)
    claim = jobs.claim(FinalReport, row.pk)
    assert not jobs.attend(claim)
    work = jobs.JOB_KINDS[FinalReport].work
    assert given == [(claim, work, jobs.fail, settings.RESCORE_TIME_LIMIT, print)]


def test_how_far_it_is_is_written_while_the_claim_holds(row):
    claim = jobs.claim(FinalReport, row.pk)
    assert jobs.note(claim, key="half")
    FinalReport.objects.update(fence=claim.fence + 1)
    assert not jobs.note(claim, key="late")
    row.refresh_from_db()
    assert row.key == "half"


# Some at a time


def test_of_some_kinds_some_are_worked_on_at_a_time_and_each_end_calls_the_next(
    row, kind, monkeypatch, settings
):
    settings.AUDITS_AT_ONCE = 1
    kind(at_once="AUDITS_AT_ONCE", failed=None)
    sent = hear(monkeypatch, FinalReport)
    second, third = another(row), another(row)
    claim = jobs.claim(FinalReport, row.pk)
    assert not jobs.work_on(FinalReport, second.pk)
    assert state_of(second) == Job.WAITING
    with TestCase.captureOnCommitCallbacks(execute=True):
        assert jobs.fail(claim, "reference")
    assert sent == [second.pk]
    with TestCase.captureOnCommitCallbacks(execute=True):
        assert jobs.work_on(FinalReport, second.pk)
    assert sent == [second.pk, third.pk]


def test_an_end_that_was_refused_calls_nobody(row, kind, monkeypatch):
    kind(at_once="AUDITS_AT_ONCE")
    sent = hear(monkeypatch, FinalReport)
    claim = jobs.claim(FinalReport, row.pk)
    another(row)
    FinalReport.objects.filter(pk=row.pk).update(fence=claim.fence + 1)
    with TestCase.captureOnCommitCallbacks(execute=True) as callbacks:
        assert not jobs.finish(claim, FinalReport.State.DONE)
    assert (sent, callbacks) == ([], [])


# The sweep


def test_the_sweep_takes_back_and_sends_again(row, monkeypatch):
    sent = hear(monkeypatch, FinalReport)
    late = jobs.claim(FinalReport, row.pk)
    expire(row)
    jobs.sweep()
    assert sent == [row.pk]
    assert state_of(row) == Job.WAITING
    assert not jobs.finish(late, FinalReport.State.DONE)


def test_after_three_silent_workers_it_has_failed_as_its_kind_fails(row, monkeypatch, caplog):
    hear(monkeypatch, FinalReport)
    for _ in range(jobs.MAX_ATTEMPTS):
        assert jobs.claim(FinalReport, row.pk)
        expire(row)
        jobs.sweep()
    assert state_of(row) == Job.FAILED
    assert row.reference in caplog.text
    assert Event.objects.get(kind="contest.report_failed").data == {"reference": row.reference}


def test_a_kind_whose_sweep_fails_stops_no_other(row, monkeypatch, caplog):
    sent = hear(monkeypatch, FinalReport)
    FinalReport.objects.update(sent_at=None)
    expired = rows.expired
    first = next(iter(jobs.JOB_KINDS))
    assert first is not FinalReport
    monkeypatch.setattr(rows, "expired", lambda m: 1 / 0 if m is first else expired(m))
    jobs.sweep()
    assert sent == [row.pk]
    assert f"the sweep of {first._meta.verbose_name_plural} failed" in caplog.text


def test_a_sweep_without_a_database_asks_once(db, monkeypatch):
    asked = []

    def away(model):
        asked.append(model)
        raise OperationalError

    monkeypatch.setattr(rows, "expired", away)
    with pytest.raises(OperationalError):
        jobs.sweep()
    assert len(asked) == 1


def test_a_sweep_without_a_broker_asks_once(row, monkeypatch):
    asked = []

    def away(*what, **_):
        asked.append(what)
        raise ConnectionError

    another(row)
    FinalReport.objects.update(sent_at=None)
    monkeypatch.setattr(kinds, "send_soon", away)
    jobs.sweep()
    assert len(asked) == 1
    assert FinalReport.objects.filter(sent_at=None).count() == 2


def test_of_a_kind_without_messages_the_sweep_sends_none(row, kind, monkeypatch):
    kind(queue=None)
    sent = hear(monkeypatch, FinalReport)
    jobs.claim(FinalReport, row.pk)
    expire(row)
    jobs.sweep()
    assert (state_of(row), sent) == (Job.WAITING, [])


# Messages of the release before


@pytest.mark.parametrize("name", old_names.LABELS)
def test_a_message_under_an_old_name_leads_to_the_work(db, monkeypatch, name):
    done = []
    monkeypatch.setattr(kinds, "work_on", lambda model, pk: done.append((model, pk)))
    app.loader.import_default_modules()
    app.tasks[name].apply([7]).get()
    ((model, pk),) = done
    assert (model._meta.label_lower, pk) == (old_names.LABELS[name], 7)
    assert model in jobs.JOB_KINDS


@pytest.mark.parametrize("name", old_names.SWEEPS)
def test_an_old_sweep_is_the_one_sweep(row, monkeypatch, name):
    sent = hear(monkeypatch, FinalReport)
    FinalReport.objects.update(sent_at=None)
    app.loader.import_default_modules()
    app.tasks[name].apply().get()
    assert sent == [row.pk]
