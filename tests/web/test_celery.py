# SPDX-License-Identifier: Apache-2.0
"""The settings that survived every kill, as Celery understands them."""

from __future__ import annotations

from django.conf import settings

from pwscup.archives.models import Archive, ContestImport
from pwscup.audits.models import Audit
from pwscup.bots.models import Rehearsal
from pwscup.celery import app
from pwscup.core import jobs
from pwscup.core import tasks as core_tasks
from pwscup.core.jobs import old_names
from pwscup.core.management.commands import up
from pwscup.debriefings.models import Debriefing
from pwscup.experiments.models import Experiment
from pwscup.notices import tasks as notice_tasks
from pwscup.notices.models import Delivery
from pwscup.reports.models import FinalReport
from pwscup.submissions import tasks
from pwscup.submissions.models import Rescore, Submission
from pwscup.trials.models import Trial
from tools.image_test import commands_of_compose


def test_each_queue_has_its_own_key():
    queues = app.amqp.queues
    assert list(queues) == [
        "housekeeping",
        "scoring",
        "trials",
        "audits",
        "notices",
    ]  # in order of priority
    assert all(queue.routing_key == name for name, queue in queues.items())


def test_sweeps_go_before_scoring():
    route = app.amqp.router.route
    assert route({}, core_tasks.seal.name)["queue"].name == "housekeeping"
    assert route({}, tasks.sweep.name)["queue"].name == "housekeeping"
    assert route({}, core_tasks.sweep.name)["queue"].name == "housekeeping"
    assert route({}, notice_tasks.sweep.name)["queue"].name == "housekeeping"
    assert route({}, notice_tasks.work.name)["queue"].name == "notices"
    assert app.conf.task_default_queue == "scoring"
    assert app.conf.broker_transport_options["queue_order_strategy"] == "priority"


def test_a_task_that_kills_its_process_is_not_started_again_by_the_broker():
    assert app.conf.task_acks_late is True
    assert app.conf.task_reject_on_worker_lost is False


def test_workers_take_no_more_than_they_work_on_and_wait_for_the_broker_for_ever():
    assert app.conf.worker_prefetch_multiplier == 1
    assert app.conf.broker_connection_max_retries is None
    assert app.conf.result_backend is None


def test_recovery_is_the_leases_work_not_the_brokers():
    options = app.conf.broker_transport_options
    assert options["visibility_timeout"] == 6 * 3600
    assert (options["unacked_restore_interval"], options["unacked_restore_throttle"]) == (5, 1)
    assert settings.SCORING_HEARTBEAT_SECONDS * 4 < settings.SCORING_LEASE_SECONDS
    assert settings.RESEND_SECONDS >= 60


def test_sweeps_that_nobody_had_time_for_are_dropped():
    for entry in app.conf.beat_schedule.values():
        assert entry["options"]["expires"] == entry["schedule"]


def test_everything_that_has_a_sweep_is_swept():
    app.loader.import_default_modules()
    sweeps = {name for name in app.tasks if name.endswith(".tasks.sweep")} - set(old_names.SWEEPS)
    assert len(sweeps) >= 6
    scheduled = {entry["task"] for entry in app.conf.beat_schedule.values()}
    others = {
        core_tasks.seal.name,
        "pwscup.submissions.tasks.drop_refused",
        "pwscup.bots.tasks.advance",
    }
    assert scheduled - {"demo.advance"} == sweeps | others


def taken_by(command: list[str]) -> set[str]:
    return set(command[command.index("-Q") + 1].split(","))


def test_a_slot_is_always_left_for_scoring_and_nothing_is_left_to_nobody():
    """What takes minutes has a worker of its own, which takes nothing else; in both modes."""
    commands = commands_of_compose()
    embedded = {name: set(queues.split(",")) for name, queues in up.QUEUES.items()}
    containers = {name: taken_by(commands[name]) for name in ("worker", "long")}
    assert embedded == containers
    assert embedded["long"] == {"audits"}
    assert embedded["worker"] | embedded["long"] == set(settings.CELERY_TASK_QUEUES)
    assert not embedded["worker"] & embedded["long"]


def test_what_takes_minutes_waits_in_the_queue_of_the_worker_for_long_jobs():
    queues = {model: kind.queue for model, kind in jobs.JOB_KINDS.items()}
    assert queues == {
        Audit: "audits",
        Archive: "audits",
        ContestImport: "audits",
        Debriefing: "audits",
        Delivery: None,  # the task `work` looks for what is due
        Experiment: "audits",
        FinalReport: "audits",
        Rehearsal: "audits",
        Rescore: "audits",
        Submission: "scoring",
        Trial: "trials",
    }
