# SPDX-License-Identifier: Apache-2.0
"""Retention of the data of a contest, and their deletion: bytes are deleted; hashes, results and boards stay."""

from __future__ import annotations

import logging
from datetime import datetime, timedelta

from django.db import transaction
from django.db.models import Q, QuerySet, Sum
from django.utils import timezone
from django.utils.translation import gettext_lazy as _

from pwscup.accounts.guests import delete_guests
from pwscup.accounts.models import User
from pwscup.accounts.policies import is_over
from pwscup.contests import faults
from pwscup.contests.models import Contest, Dataset, Material, Round, Sample
from pwscup.contests.services.common import ContestRefused, lock
from pwscup.contests.services.table import drop_draft, drop_preparation
from pwscup.core import audit_log
from pwscup.core.files import storage
from pwscup.core.models import Job, StoredFile

logger = logging.getLogger(__name__)

LONGEST_DAYS = 3650


def erased_from(contest: Contest) -> datetime | None:
    """The time when the data must be deleted; None without a retention period, or without rounds."""
    ends = [round.closes_at for round in contest.rounds.all()]
    if contest.retention_days is None or not ends:
        return None
    return max(ends) + timedelta(days=contest.retention_days)


@transaction.atomic
def set_retention(
    *,
    actor: User,
    contest: Contest,
    version: int | None = None,
    days: int | None,
    now: datetime | None = None,
) -> None:
    """Keep the data for this number of days after the last round; None keeps them until an organizer deletes them."""
    now = now or timezone.now()
    held = lock(contest, version)
    if held.erased_at is not None:
        raise ContestRefused(_("The data of this contest are deleted already."))
    before, held.retention_days = held.retention_days, days
    due = erased_from(held)
    if due is not None and due <= now:
        raise ContestRefused(
            _(
                "The last round closed longer ago than that, so the data would be deleted immediately. "
                "Choose more days, or delete the data below."
            )
        )
    if before == days:
        return
    contest.retention_days = days
    held.save(update_fields=["retention_days"])
    audit_log.record(
        "contest.retention_changed",
        actor=actor,
        contest_id=contest.pk,
        subject=contest.slug,
        days=[before, days],
    )


@transaction.atomic
def erase(
    *,
    actor: User | None,
    contest: Contest,
    version: int | None = None,
    now: datetime | None = None,
) -> int:
    """Delete the bytes of tables, uploads, releases and their keys, the hashes that identify users, and the
    accounts of guests.

    Returns the number of files.
    """
    now = now or timezone.now()
    held = lock(contest, version)
    if held.erased_at is not None:
        raise ContestRefused(_("The data of this contest are deleted already."))
    if not is_over(held, now):
        raise ContestRefused(
            _("The contest is not over: its data can be deleted when the last round has closed.")
        )
    if _is_scored_now(held):
        raise ContestRefused(_("Some files are still being scored. Try again in a few minutes."))
    drop_draft(held)
    drop_preparation(held)
    files = files_of(held)
    size_bytes = files.filter(erased_at=None).aggregate(sum=Sum("size_bytes"))["sum"] or 0
    n_files = storage.erase(files, now)
    for round in held.rounds.all():
        round.trials.filter(state__in=Job.UNFINISHED).update(state=Job.FAILED)
        round.trials.update(facts={})  # they hold records of the tables
    delete_guests(held)
    held.former_addresses.all().delete()
    held.readmissions.all().delete()
    held.seat_sources.all().delete()
    held.erased_at = contest.erased_at = now
    held.save(update_fields=["erased_at"])
    audit_log.record(
        "contest.data_erased",
        actor=actor,
        contest_id=contest.pk,
        subject=contest.slug,
        n_files=n_files,
        size_bytes=size_bytes,
    )
    return n_files


def files_of(contest: Contest) -> QuerySet[StoredFile]:
    """All files with data of the contest, including its dry runs: uploaded, generated and submitted ones."""
    its_own = Q(contest=contest) | Q(contest__rehearsal_of=contest)
    datasets, samples = Dataset.objects.filter(its_own), Sample.objects.filter(its_own)
    rounds = Round.objects.filter(its_own)
    materials = Material.objects.filter(its_own).exclude(file=None)
    return StoredFile.objects.filter(
        Q(pk__in=datasets.values("sealed"))
        | Q(pk__in=datasets.exclude(public=None).values("public"))
        | Q(pk__in=samples.values("file"))
        | Q(pk__in=materials.values("file"))
        | Q(pk__in=rounds.exclude(submissions__files=None).values("submissions__files__file"))
        | Q(pk__in=rounds.exclude(trials__files=None).values("trials__files__file"))
        | Q(pk__in=rounds.exclude(releases=None).values("releases__table"))
        | Q(pk__in=rounds.exclude(releases=None).values("releases__key"))
        | Q(pk__in=rounds.exclude(batch_release=None).values("batch_release__table"))
        | Q(pk__in=rounds.exclude(releases__candidates=None).values("releases__candidates"))
    )


def _is_scored_now(contest: Contest) -> bool:
    unfinished = Q(submissions__state__in=Job.UNFINISHED)
    return contest.rounds.filter(unfinished).exists()


def erase_due(now: datetime) -> int:
    """Delete the data of every contest after its retention period; return the number of contests."""
    kept = Contest.objects.filter(Contest.PUBLIC, erased_at=None, retention_days__isnull=False)
    n_contests = 0
    for contest in kept.prefetch_related("rounds"):
        due = erased_from(contest)
        if due is None or due > now:
            continue
        with faults.alone(contest, faults.ERASE):
            n_contests += _erased(contest, now)
    storage.remove_erased()
    return n_contests


def _erased(contest: Contest, now: datetime) -> bool:
    try:
        erase(actor=None, contest=contest, now=now)
    except ContestRefused as refusal:  # paused, being scored, or done by another worker
        logger.info("data of contest %s not deleted yet: %s", contest.pk, refusal)
        return False
    return True
