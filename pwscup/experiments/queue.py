"""Experiments as jobs: what `core.jobs` says of every row, and what is written when one ends."""

from __future__ import annotations

import zlib
from collections.abc import Mapping
from datetime import datetime, timedelta
from typing import Any

from django.conf import settings
from django.db import transaction

from pwscup.core.jobs import rows as jobs
from pwscup.core.jobs.rows import Claim
from pwscup.experiments.models import Experiment, ResultFile, Upload

UPLOADS_KEPT = timedelta(days=1)


def announce(experiment_id: int) -> bool:
    """Tell the broker that an experiment waits."""
    from pwscup.experiments import tasks  # the tasks import this module

    return jobs.announce(Experiment, experiment_id, tasks.send_run)


def claim(experiment_id: int) -> Claim | None:
    """Take a waiting experiment, unless as many as may be are being run."""
    return jobs.claim_in_turn(Experiment, experiment_id, settings.EXPERIMENTS_AT_ONCE)


def announce_next() -> None:
    """Tell the broker of the experiment that has waited longest: a place is free."""
    jobs.announce_next(Experiment, announce)


def progress(claim: Claim, done_steps: int) -> bool:
    """Write how far it is; False where it is to end: the owner stops it, or the claim is lost."""
    wanted = jobs.held(claim).filter(is_stopping=False)
    return bool(wanted.update(done_steps=done_steps))


def finish_done(claim: Claim, files: Mapping[str, bytes], **result: Any) -> bool:
    """Write a result and its files, if the claim still holds."""
    packed = {name: zlib.compress(data) for name, data in files.items()}

    def follow(claim: Claim) -> None:
        ResultFile.objects.filter(experiment_id=claim.pk).delete()
        ResultFile.objects.bulk_create(
            ResultFile(experiment_id=claim.pk, name=name, packed=data)
            for name, data in packed.items()
        )
        _follow(claim)

    return jobs.finish_and(claim, Experiment.State.DONE, follow, **result)


def finish_stopped(claim: Claim) -> bool:
    """Write that it ended as its owner wanted, if the claim still holds."""
    return jobs.finish_and(claim, Experiment.State.STOPPED, _follow)


def finish_failed(claim: Claim, reference: str) -> bool:
    """Write that we failed, with a reference to the log, if the claim still holds."""
    return jobs.finish_and(claim, Experiment.State.FAILED, _follow, reference=reference)


def _follow(_claim: Claim) -> None:
    transaction.on_commit(announce_next)


def sweep(now: datetime) -> None:
    """Take back what silent workers hold, send what waits unsent, forget what nobody waits for."""
    jobs.sweep(Experiment, fail=finish_failed, announce=announce)
    Upload.objects.filter(uploaded_at__lt=now - UPLOADS_KEPT).delete()
    for left in (Experiment, Upload):
        left.objects.filter(owner__deleted_at__isnull=False).delete()
