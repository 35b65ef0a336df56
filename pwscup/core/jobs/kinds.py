"""Kinds of jobs: each model of jobs has one function that does the work, and everything else is here once.

    @job(Audit, queue="audits", limit="AUDIT_TIME_LIMIT", at_once="AUDITS_AT_ONCE", failed=_record)
    def run(claim: Claim) -> bool: ...

The function is in a module `jobs` of its app. It returns what `finish` says: whether the result was taken.
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
    """The jobs that are rows of one model."""

    model: type[Job]
    work: Callable[[Claim], bool]
    limit: str
    queue: str | None
    at_once: str | None
    failed: Callable[[Claim], object] | None
    overdue: heartbeat.Overdue | None


KINDS: dict[type[Job], Kind] = {}


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
        Names of settings: for how many seconds one may be worked on, and how many at a time; None is any number.
    queue
        Of the message that names a row; None where workers look for rows themselves.
    failed
        What follows, in the same transaction, where a row has failed.
    overdue
        What becomes of a row that took too long; it has failed otherwise.
    """

    def register(work: Callable[[Claim], bool]) -> Callable[[Claim], bool]:
        KINDS[model] = Kind(
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
    """Send the message that a row waits; where the broker does not take it, the sweep sends it later."""
    try:
        send_soon(run_job, model._meta.label_lower, pk, queue=KINDS[model].queue)
    except Exception as error:  # whatever is wrong with the broker, the row is safe
        name = model._meta.verbose_name
        logger.warning("broker not told of %s %s: %s", name, pk, type(error).__name__)
        model.objects.filter(pk=pk, state=Job.WAITING).update(sent_at=None)
        return False
    return True


def announce_next(model: type[Job]) -> None:
    """Send the message of the row that has waited longest: a place is free."""
    waiting = model.objects.filter(state=Job.WAITING).order_by(*model.QUEUE_ORDER)
    if (pk := waiting.values_list("pk", flat=True).first()) is not None:
        announce(model, pk)


# Working


@app.task(name="pwscup.run_job")
def run_job(label: str, pk: int) -> None:
    """Do the work of a row, if it still waits."""
    work_on(apps.get_model(label), pk)


def work_on(model: type[Job], pk: int) -> bool:
    """Do the work of a row that waits and whose turn has come; False where not, or its result came too late."""
    taken = claim(model, pk)
    return taken is not None and attend(taken)


def claim(model: type[Job], pk: int) -> Claim | None:
    """Take a waiting row, unless as many of its kind as may be are being worked on."""
    at_once = KINDS[model].at_once
    if at_once is None:
        return rows.claim(model, pk)
    return rows.claim_in_turn(model, pk, getattr(settings, at_once))


def attend(claim: Claim) -> bool:
    """Do the work of a claim under its lease and time limit."""
    kind = KINDS[claim.model]
    limit = getattr(settings, kind.limit)
    return heartbeat.attend(claim, kind.work, fail, limit, kind.overdue)


def finish(
    claim: Claim, state: str, then: Callable[[Claim], object] | None = None, **fields: object
) -> bool:
    """Write how it ended and, in the same transaction, what follows from that, if the claim still holds."""
    with transaction.atomic(savepoint=False):
        done = rows.finish(claim, state, **fields)
        if done and then is not None:
            then(claim)
        if done and KINDS[claim.model].at_once is not None:
            transaction.on_commit(partial(announce_next, claim.model))
    return done


def fail(claim: Claim, reference: str) -> bool:
    """Write that we failed, with a reference to the log, if the claim still holds."""
    return finish(claim, Job.FAILED, KINDS[claim.model].failed, reference=reference)


# Taking back


def sweep() -> None:
    """Take back what silent workers hold, and send what waits unsent; what fails of one kind stops no other."""
    for model in KINDS:
        with _apart(model):
            for claim in rows.expired(model):
                take_back(claim)
    for model, kind in KINDS.items():
        with _apart(model):
            if kind.queue is not None and not resend_forgotten(model):
                break  # the broker is away; the rest would wait for its silence one by one


@contextmanager
def _apart(model: type[Job]) -> Iterator[None]:
    try:
        yield
    except AWAY:
        raise  # the others would not get further
    except Exception:
        logger.exception("the sweep of %s failed", model._meta.verbose_name_plural)


def take_back(claim: Claim) -> bool:
    """Let a row wait again whose worker went silent; after the last attempt it has failed."""
    return rows.take_back(claim, fail)


def resend_forgotten(model: type[Job]) -> bool:
    """Send again what waits though it was sent long ago, or never; False where the broker is away."""
    now = read_db_clock()
    # A time to come is that of a clock set back.
    long_ago = Q(sent_at=None) | Q(sent_at__lt=now - rows.resend_after()) | Q(sent_at__gt=now)
    forgotten = model.objects.filter(long_ago, state=Job.WAITING).order_by(*model.QUEUE_ORDER)
    for pk, sent_at in forgotten.values_list("pk", "sent_at"):
        # Of two sweepers that see the row, the one that moves its time sends it.
        moved = model.objects.filter(pk=pk, state=Job.WAITING, sent_at=sent_at)
        if moved.update(sent_at=now) and not announce(model, pk):
            return False
    return True
