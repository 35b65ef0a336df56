# SPDX-License-Identifier: Apache-2.0
"""Kinds of jobs: each job model has one function that does the work; everything else is shared.

    @job(Audit, queue="audits", limit="AUDIT_TIME_LIMIT", at_once="AUDITS_AT_ONCE", failed=_record)
    def run(claim: Claim) -> bool: ...

The function is in a module `jobs` of its app. It returns the value of `finish`: the result was accepted.
"""

from __future__ import annotations

import logging
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from functools import partial

from django.apps import apps
from django.conf import settings
from django.db import transaction
from django.db.models import Q

from pwscup.core.celery_app import app
from pwscup.core.db.clock import read_db_clock
from pwscup.core.jobs import heartbeat, rows
from pwscup.core.jobs.rows import AWAY, Claim
from pwscup.core.models import Job
from pwscup.core.sending import send_soon

logger = logging.getLogger(__name__)


@dataclass(frozen=True, slots=True, kw_only=True)
class Kind:
    """The jobs of one model."""

    model: type[Job]
    work: Callable[[Claim], bool]
    limit: str
    queue: str | None
    at_once: str | None
    failed: Callable[[Claim], object] | None
    overdue: heartbeat.Overdue | None


JOB_KINDS: dict[type[Job], Kind] = {}


def job(
    model: type[Job],
    *,
    limit: str,
    queue: str | None,
    at_once: str | None = None,
    failed: Callable[[Claim], object] | None = None,
    overdue: heartbeat.Overdue | None = None,
) -> Callable[[Callable[[Claim], bool]], Callable[[Claim], bool]]:
    """Register a function as the work of every row of a model.

    Parameters
    ----------
    limit, at_once
        Names of settings: the time limit of a job in seconds, and the number of concurrent jobs; None is unlimited.
    queue
        Of the message that names a row; None if workers poll for rows.
    failed
        Called in the same transaction when a row has failed.
    overdue
        Handles a row that exceeded its time limit; by default it has failed.
    """

    def register(work: Callable[[Claim], bool]) -> Callable[[Claim], bool]:
        JOB_KINDS[model] = Kind(
            model=model,
            work=work,
            limit=limit,
            queue=queue,
            at_once=at_once,
            failed=failed,
            overdue=overdue,
        )
        return work

    return register


# Sending


def announce(model: type[Job], pk: int) -> bool:
    """Send the message that a row waits; if the broker does not accept it, the sweep sends it later."""
    try:
        send_soon(run_job, model._meta.label_lower, pk, queue=JOB_KINDS[model].queue)
    except Exception as error:  # any error of the broker: the row is safe
        name = model._meta.verbose_name
        logger.warning("broker not notified of %s %s: %s", name, pk, type(error).__name__)
        model.objects.filter(pk=pk, state=Job.WAITING).update(sent_at=None)
        return False
    return True


def announce_next(model: type[Job]) -> None:
    """Send the message of the row that has waited longest: a slot is free."""
    waiting = model.objects.filter(state=Job.WAITING).order_by(*model.QUEUE_ORDER)
    if (pk := waiting.values_list("pk", flat=True).first()) is not None:
        announce(model, pk)


# Working


@app.task(name="pwscup.run_job")
def run_job(label: str, pk: int) -> None:
    """Do the work of a row if it still waits."""
    work_on(apps.get_model(label), pk)


def work_on(model: type[Job], pk: int) -> bool:
    """Do the work of a waiting row whose turn has come; False otherwise, or if its result came too late."""
    taken = claim(model, pk)
    return taken is not None and attend(taken)


def claim(model: type[Job], pk: int) -> Claim | None:
    """Claim a waiting row, unless the maximum number of its kind is running."""
    at_once = JOB_KINDS[model].at_once
    if at_once is None:
        return rows.claim(model, pk)
    return rows.claim_in_turn(model, pk, getattr(settings, at_once))


def attend(claim: Claim) -> bool:
    """Do the work of a claim under its lease and time limit."""
    kind = JOB_KINDS[claim.model]
    limit = getattr(settings, kind.limit)
    return heartbeat.attend(claim, kind.work, fail, limit, kind.overdue)


def finish(
    claim: Claim, state: str, then: Callable[[Claim], object] | None = None, **fields: object
) -> bool:
    """Write the final state and, in the same transaction, its consequences, if the claim is still valid."""
    with transaction.atomic(savepoint=False):
        done = rows.finish(claim, state, **fields)
        if done and then is not None:
            then(claim)
        if done and JOB_KINDS[claim.model].at_once is not None:
            transaction.on_commit(partial(announce_next, claim.model))
    return done


def fail(claim: Claim, reference: str) -> bool:
    """Write that the platform failed, with a reference to the log, if the claim is still valid."""
    return finish(claim, Job.FAILED, JOB_KINDS[claim.model].failed, reference=reference)


# Taking back


def sweep() -> None:
    """Reclaim the rows of silent workers, and send waiting rows again; a failure of one kind does not stop
    the others."""
    for model in JOB_KINDS:
        with _apart(model):
            for claim in rows.expired(model):
                take_back(claim)
    for model, kind in JOB_KINDS.items():
        with _apart(model):
            if kind.queue is not None and not resend_forgotten(model):
                break  # the broker is unavailable; every further message would wait for the time-out


@contextmanager
def _apart(model: type[Job]) -> Iterator[None]:
    try:
        yield
    except AWAY:
        raise  # the other kinds would fail too
    except Exception:
        logger.exception("the sweep of %s failed", model._meta.verbose_name_plural)


def take_back(claim: Claim) -> bool:
    """Make the row of a silent worker wait again; after the last attempt it has failed."""
    return rows.take_back(claim, fail)


def resend_forgotten(model: type[Job]) -> bool:
    """Send waiting rows again that were never sent, or long ago; False if the broker is unavailable."""
    now = read_db_clock()
    # A time in the future is that of a clock that was set back.
    long_ago = Q(sent_at=None) | Q(sent_at__lt=now - rows.resend_after()) | Q(sent_at__gt=now)
    forgotten = model.objects.filter(long_ago, state=Job.WAITING).order_by(*model.QUEUE_ORDER)
    for pk, sent_at in forgotten.values_list("pk", "sent_at"):
        # If two sweepers see the row, the one that updates its time sends it.
        moved = model.objects.filter(pk=pk, state=Job.WAITING, sent_at=sent_at)
        if moved.update(sent_at=now) and not announce(model, pk):
            return False
    return True
