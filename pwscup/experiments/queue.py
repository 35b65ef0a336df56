"""Experiments as jobs: what `core.jobs` says of every row, and what is written when one ends."""

from __future__ import annotations

import zlib
from collections.abc import Mapping
from datetime import datetime, timedelta
from typing import Any

from django.conf import settings
from django.db import transaction

from pwscup.core import jobs
from pwscup.core.jobs import Claim
from pwscup.experiments.models import Experiment, ResultFile, Upload

UPLOADS_KEPT = timedelta(days=1)


def announce(experiment_id: int) -> bool:
    """Tell the broker that an experiment waits."""
    from pwscup.experiments import tasks  # the tasks import this module

    return jobs.announce(Experiment, experiment_id, tasks.send_run)


def claim(experiment_id: int) -> Claim | None:
    """Take a waiting experiment unless as many as may be are being run: scoring goes on beside them."""
    with transaction.atomic():
        # Whoever claims at the same moment waits here, and counts what was taken meanwhile.
        waiting = Experiment.objects.select_for_update().filter(state=Experiment.State.WAITING)
        if not any(
            pk == experiment_id for pk in waiting.order_by("id").values_list("pk", flat=True)
        ):
            return None
        running = Experiment.objects.filter(state=Experiment.State.RUNNING).count()
        if running >= settings.EXPERIMENTS_AT_ONCE:
            return None
        return jobs.claim(Experiment, experiment_id)


def announce_next() -> None:
    """Tell the broker of the experiment that has waited longest: a place is free."""
    waiting = Experiment.objects.filter(state=Experiment.State.WAITING)
    pk = waiting.order_by(*Experiment.QUEUE_ORDER).values_list("pk", flat=True).first()
    if pk is not None:
        announce(pk)


def progress(claim: Claim, done_steps: int) -> bool:
    """Write how far it is; False where it is to end: the owner stops it, or the claim is lost."""
    wanted = jobs.held(claim).filter(is_stopping=False)
    return bool(wanted.update(done_steps=done_steps))


def finish_done(claim: Claim, files: Mapping[str, bytes], **result: Any) -> bool:
    """Write a result and its files, if the claim still holds."""
    packed = {name: zlib.compress(data) for name, data in files.items()}
    with transaction.atomic():
        if not _finish(claim, Experiment.State.DONE, **result):
            return False
        ResultFile.objects.filter(experiment_id=claim.pk).delete()
        ResultFile.objects.bulk_create(
            ResultFile(experiment_id=claim.pk, name=name, packed=data)
            for name, data in packed.items()
        )
    return True


def finish_stopped(claim: Claim) -> bool:
    """Write that it ended as its owner wanted, if the claim still holds."""
    return _finish(claim, Experiment.State.STOPPED)


def finish_failed(claim: Claim, reference: str) -> bool:
    """Write that we failed, with a reference to the log, if the claim still holds."""
    return _finish(claim, Experiment.State.FAILED, reference=reference)


def _finish(claim: Claim, state: str, **fields: Any) -> bool:
    with transaction.atomic():
        done = jobs.finish(claim, state, **fields)
        if done:
            transaction.on_commit(announce_next)
    return done


def sweep(now: datetime) -> None:
    """Take back what silent workers hold, send what waits unsent, forget what nobody waits for."""
    jobs.sweep(Experiment, fail=finish_failed, announce=announce)
    Upload.objects.filter(uploaded_at__lt=now - UPLOADS_KEPT).delete()
    for left in (Experiment, Upload):
        left.objects.filter(owner__deleted_at__isnull=False).delete()
