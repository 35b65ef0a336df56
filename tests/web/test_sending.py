# SPDX-License-Identifier: Apache-2.0
"""A message follows each job at once, from any thread, over a connection that is kept."""

from __future__ import annotations

import os
import subprocess
import sys
import threading
from multiprocessing import get_context

import pytest
import redis
from celery import Celery
from django.test import TestCase
from django.utils import timezone

import scoring
from pwscup.archives import services as archives
from pwscup.archives.models import Archive, ContestImport
from pwscup.audits import services as audits
from pwscup.audits.models import Audit
from pwscup.bots import services as dry_runs
from pwscup.bots.models import Rehearsal
from pwscup.contests.models import Contest, Round
from pwscup.core import sending
from pwscup.core.models import Job
from pwscup.debriefings import services as debriefings
from pwscup.debriefings.models import Debriefing
from pwscup.experiments.models import Experiment
from pwscup.notices.models import Delivery
from pwscup.reports import services as reports
from pwscup.reports.models import FinalReport
from pwscup.rescores import services as rescores
from pwscup.submissions.models import Rescore, Submission
from pwscup.trials import services as trials
from pwscup.trials.models import Trial
from tests import services as servers
from tests.web import experiments
from tests.web.conftest import hear
from tests.web.pipeline import hand_in, scored

# Which kinds there are


def new_submission(cast, **_):
    return hand_in(cast.alice, cast.red, cast.contest.rounds.get(key="anonymization"))


def new_audit(cast, submission, **_):
    return audits.request_audit(user=cast.alice, submission=scored(submission))


def new_rescore(cast, submission, monkeypatch):
    scored(submission)
    monkeypatch.setattr(scoring, "__version__", "9.9.9")
    return rescores.start(actor=cast.oscar, contest=cast.contest)


def new_dry_run(cast, **_):
    return dry_runs.request_dry_run(actor=cast.oscar, contest=cast.contest)


def new_report(cast, monkeypatch, **_):
    monkeypatch.setattr(reports.selectors, "report_blockers", lambda *_: [])
    return reports.request_report(actor=cast.oscar, contest=cast.contest)


def new_archive(cast, **_):
    return archives.request_archive(actor=cast.oscar, contest=cast.contest)


def new_import(cast, **_):
    return archives.receive_archive(actor=cast.oscar, name="cup.zip", chunks=[b"PK"])


def new_experiment(cast, **_):
    return experiments.requested(cast.eve)


def new_trial(cast, **_):
    Contest.objects.update(has_trials=True)
    round = Round.objects.get(contest=cast.contest, key="anonymization")
    (method, *_others) = round.format.trying.methods(round)
    chosen = {"method": method, "values": {s.name: s.default for s in method.sliders}}
    return trials.request_trial(
        user=cast.alice, team=cast.red, round=round, arrived_at=timezone.now(), **chosen
    )


def new_debriefing(cast, monkeypatch, **_):
    monkeypatch.setattr(debriefings.facts, "rounds_of", lambda *_: ["a round that is over"])
    monkeypatch.setattr(debriefings.facts, "sources_of", lambda *_: [])
    return debriefings.ensure(cast.contest, timezone.now())


KINDS = {
    Submission: new_submission,
    Audit: new_audit,
    Rescore: new_rescore,
    Rehearsal: new_dry_run,
    FinalReport: new_report,
    Archive: new_archive,
    ContestImport: new_import,
    Experiment: new_experiment,
    Trial: new_trial,
    Debriefing: new_debriefing,
}


def test_every_kind_of_job_is_here():
    assert set(Job.__subclasses__()) == {*KINDS, Delivery}  # notices are sent in batches


@pytest.mark.parametrize("model", KINDS, ids=lambda model: model.__name__)
def test_a_new_job_is_sent_when_it_is_committed(model, cast, submission, monkeypatch):
    sent = hear(monkeypatch, model)
    with TestCase.captureOnCommitCallbacks() as callbacks:
        job = KINDS[model](cast, submission=submission, monkeypatch=monkeypatch)
        assert sent == []
    for callback in callbacks:
        callback()
    assert sent == [job.pk]


def test_every_task_is_sent_by_our_application_from_every_thread_of_a_web_process():
    """Tasks that are shared between applications belong to the one that is current, in each thread its own."""
    code = """
import threading, pwscup.wsgi
from pwscup.contests.tasks import mail_invitations
from pwscup.core.celery_app import app
from pwscup.core.jobs.kinds import run_job
found = []
thread = threading.Thread(target=lambda: found.extend([run_job.app, mail_invitations.app]))
thread.start(); thread.join()
print(found == [app, app], app.conf.broker_url)
"""
    env = os.environ | {"DJANGO_SETTINGS_MODULE": "pwscup.settings_test"}
    done = subprocess.run(
        [sys.executable, "-W", "ignore", "-c", code],
        capture_output=True,
        text=True,
        env=env,
        check=False,
    )
    assert done.stdout == "True memory://\n", done.stderr


# The connection


def work(pk):
    """Nothing: no worker takes it."""


@pytest.fixture
def broker():
    server = servers.Redis()
    yield server
    server.kill()


@pytest.fixture
def task(broker):
    """A task of an application of its own at a broker of its own."""
    app = Celery("sending", broker=broker.url, set_as_current=False)
    app.conf.broker_transport_options = {"socket_timeout": 5}
    sending._connection.close()
    yield app.task(name="sending.task")(work)
    sending._connection.close()


def n_waiting(broker) -> int:
    with redis.Redis.from_url(broker.url) as client:
        return client.llen("celery")


def n_connected(broker) -> int:
    """How many connections were ever made, but for those that ask."""
    with redis.Redis.from_url(broker.url) as client:
        return client.info("stats")["total_connections_received"]


def test_messages_go_over_one_connection_of_the_thread(broker, task):
    sending.send_soon(task, 1)
    before = n_connected(broker)
    for pk in range(2, 12):
        sending.send_soon(task, pk)
    assert n_connected(broker) == before + 1  # the one that asks
    assert n_waiting(broker) == 11


def test_a_request_has_a_patience_of_its_own_with_the_broker(task):
    sending.send_soon(task, 1)
    with sending._connection.producer.connection.channel() as channel:
        limits = channel.connection.client.transport_options
    assert limits["socket_timeout"] == sending.PATIENCE_SECONDS
    assert limits["socket_connect_timeout"] == sending.PATIENCE_SECONDS


def test_a_broker_that_was_restarted_or_forgot_everything_gets_the_next_message(broker, task):
    sending.send_soon(task, 1)
    broker.kill()
    with pytest.raises(Exception):  # noqa: B017, PT011 — whatever the library calls it
        sending.send_soon(task, 2)
    broker.start()
    sending.send_soon(task, 3)
    assert n_waiting(broker) == 1
    broker.kill()
    broker.start()
    sending.send_soon(task, 4)  # the connection that was kept is of no use
    assert n_waiting(broker) == 1
    broker.flush()
    sending.send_soon(task, 5)
    assert n_waiting(broker) == 1


def test_every_thread_and_every_process_has_its_own(broker, task):
    sending.send_soon(task, 1)
    kept = sending._connection.get(task.app)
    others = []
    thread = threading.Thread(target=lambda: others.append(sending._connection.get(task.app)))
    thread.start()
    thread.join()
    assert sending._connection.get(task.app) is kept
    assert others[0] is not kept

    def child():
        sending.send_soon(task, 2)
        os._exit(sending._connection.get(task.app) is kept)

    process = get_context("fork").Process(target=child)
    process.start()
    process.join()
    assert process.exitcode == 0
    sending.send_soon(task, 3)
    assert n_waiting(broker) == 3
