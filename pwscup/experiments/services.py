# SPDX-License-Identifier: Apache-2.0
"""Requesting, stopping and deleting an experiment; storing its file in the meantime."""

from __future__ import annotations

import zlib
from datetime import datetime, timedelta
from functools import partial
from typing import TYPE_CHECKING, Any

from django.db import transaction
from django.utils import timezone
from django.utils.translation import gettext as _

from pwscup.accounts.models import User
from pwscup.core import jobs
from pwscup.core.texts.refusals import Refused
from pwscup.experiments import selectors, tables
from pwscup.experiments.models import Experiment, Upload

if TYPE_CHECKING:
    from collections.abc import Sequence

    from scoring.privacy.experiments.counts import Counts

UPLOADS_KEPT = timedelta(days=1)


class ExperimentRefused(Refused):
    """Another experiment must be finished or deleted first."""


def keep_upload(*, user: User, name: str, columns: Sequence[str], data: bytes) -> Upload:
    """Store a file until its experiment is requested; it replaces the previous one."""
    kept = {
        "name": name,
        "columns": list(columns),
        "packed": zlib.compress(data),
        "uploaded_at": timezone.now(),
    }
    return Upload.objects.update_or_create(owner=user, defaults=kept)[0]


@transaction.atomic
def request_experiment(
    *,
    user: User,
    name: str,
    source: str,
    origin: dict[str, Any],
    counts: Counts,
    setup: dict[str, Any],
) -> Experiment:
    """Request an experiment. Only the counts of the data are stored, not the records."""
    User.objects.select_for_update().get(pk=user.pk)
    if found := selectors.blockers(user):
        raise ExperimentRefused(*found)
    experiment = Experiment.objects.create(
        owner=user,
        number=selectors.next_number(user),
        name=name,
        source=source,
        origin=origin,
        counts=tables.to_json(counts),
        setup=setup,
        sent_at=timezone.now(),
    )
    Upload.objects.filter(owner=user).delete()
    transaction.on_commit(partial(jobs.announce, Experiment, experiment.pk))
    return experiment


def stop(*, experiment: Experiment) -> None:
    """Stop it: immediately if it waits, otherwise before its next step; a worker is not interrupted."""
    waiting = Experiment.objects.filter(pk=experiment.pk, state=Experiment.State.WAITING)
    stopped = {"state": Experiment.State.STOPPED, "finished_at": timezone.now()}
    if not waiting.update(**stopped):
        running = Experiment.objects.filter(pk=experiment.pk, state=Experiment.State.RUNNING)
        running.update(is_stopping=True)


@transaction.atomic
def delete(*, experiment: Experiment) -> None:
    """Delete an experiment with all its files; a running one must be stopped first, as it occupies a worker."""
    held = Experiment.objects.select_for_update().filter(pk=experiment.pk).first()
    if held is None:
        return
    if not held.is_final:
        raise ExperimentRefused(_("It is not done yet: stop it first."))
    held.delete()


def forget_left(now: datetime) -> None:
    """Delete uploads that were unused for a day, and remains of deleted accounts."""
    Upload.objects.filter(uploaded_at__lt=now - UPLOADS_KEPT).delete()
    for left in (Experiment, Upload):
        left.objects.filter(owner__deleted_at__isnull=False).delete()
