# SPDX-License-Identifier: Apache-2.0
"""Actions on archives: each in one transaction, each with an event."""

from __future__ import annotations

from collections.abc import Iterable
from datetime import datetime
from functools import partial
from typing import TYPE_CHECKING

from django.conf import settings
from django.db import transaction
from django.db.models import Sum
from django.template.defaultfilters import filesizeformat
from django.utils import timezone
from django.utils.translation import gettext_lazy as _

from pwscup.accounts.models import Team
from pwscup.accounts.policies import is_captain, is_over
from pwscup.accounts.services import RefusedError
from pwscup.archives.models import Archive, ContestImport
from pwscup.contests import policies
from pwscup.contests.branding.shown import files_of as files_of_branding
from pwscup.contests.models import Contest
from pwscup.contests.services.common import ContestRefused, lock
from pwscup.contests.services.retention import files_of
from pwscup.contests.services.rule_versions import holding_rules
from pwscup.core import audit_log, jobs
from pwscup.core.files import space, storage
from pwscup.core.models import StoredFile

if TYPE_CHECKING:
    from django.utils.functional import _StrPromise

    from pwscup.accounts.models import User

MOST_KEPT = 5


# Export


@transaction.atomic
def request_archive(
    *,
    actor: User,
    contest: Contest,
    version: int | None = None,
    names: str = Archive.Names.NONE,
    with_key: bool = False,
    with_members: bool = False,
    address: str = "",
    now: datetime | None = None,
) -> Archive:
    """Request an archive of the contest.

    `address` is the contest's, typed if the answer key is exported before the end.
    """
    now = now or timezone.now()
    held = lock(contest, version)
    if reasons := _blockers(held, names, with_key, with_members, address, now):
        raise ContestRefused(*reasons)
    holding_rules(held)  # an archive contains all versions
    archive = Archive.objects.create(
        contest=held,
        names=names,
        with_key=with_key,
        with_members=with_members,
        requested_by=actor,
        sent_at=now,
    )
    event = audit_log.record(
        "archive.requested",
        actor=actor,
        contest_id=held.pk,
        subject=f"archive {archive.pk}",
        names=names,
        with_key=with_key,
        with_members=with_members,
    )
    Archive.objects.filter(pk=archive.pk).update(last_event_id=event.pk)
    transaction.on_commit(partial(jobs.announce, Archive, archive.pk))
    return archive


def _blockers(
    contest: Contest,
    names: str,
    with_key: bool,
    with_members: bool,
    address: str,
    now: datetime,
) -> list:
    found: list[str | _StrPromise] = []
    if contest.archives.filter(state__in=Archive.UNFINISHED).exists():
        found.append(_("An archive is already being written. Wait until it is done."))
    if contest.archives.exclude(file=None).count() >= MOST_KEPT:
        found.append(
            _(
                "%(n)d archives of this contest are kept. Delete one that you do not need, then ask again."
            )
            % {"n": MOST_KEPT}
        )
    if not space.has_room_for(_largest_size(contest)):
        found.append(
            _(
                "Too little disk space: an archive must leave %(reserve)s of the disk free for the uploads of "
                "teams. Delete archives that are not needed, or ask the operators to free space."
            )
            % {"reserve": filesizeformat(settings.DISK_RESERVE_BYTES)}
        )
    if with_members and not (with_key and names == Archive.Names.ALL):
        found.append(
            _(
                "The members are written only into an archive with the answer key and the names of all teams. "
                "Choose both, or leave the members out."
            )
        )
    if with_key and not is_over(contest, now) and address.strip() != contest.slug:
        found.append(
            _(
                "The contest is not over, and anyone with the answer key can win it. To move the contest to "
                "another installation, type its address “%(slug)s”; otherwise export without the answer key."
            )
            % {"slug": contest.slug}
        )
    return found


def _largest_size(contest: Contest) -> int:
    """An upper bound of the size of an archive: the files of the contest, uncompressed."""
    files = files_of(contest) | files_of_branding(contest)
    kept = files.filter(erased_at=None)
    return kept.aggregate(total=Sum("size_bytes"))["total"] or 0


@transaction.atomic
def delete_archive(*, actor: User, contest: Contest, number: int) -> None:
    """Delete an archive; its requester and its digest stay recorded."""
    lock(contest)
    archive = contest.archives.select_related("file").filter(pk=number).first()
    if archive is None or archive.file is None:
        raise ContestRefused(_("This archive is already deleted."))
    file = archive.file
    Archive.objects.filter(pk=archive.pk).update(file=None)
    storage.forget([file])
    audit_log.record(
        "archive.deleted",
        actor=actor,
        contest_id=contest.pk,
        subject=f"archive {archive.pk}",
        sha256=file.sha256,
    )


def erase_archives(now: datetime) -> None:
    """Delete the archives of contests whose data are deleted: the promise of deletion includes them."""
    kept = Archive.objects.filter(contest__erased_at__isnull=False, file__erased_at=None)
    files = kept.exclude(file=None).values("file")
    if files.exists():
        with transaction.atomic():
            storage.erase(StoredFile.objects.filter(pk__in=files), now)


def note_download(*, actor: User, archive: Archive) -> None:
    """Record the download of an archive."""
    audit_log.record(
        "archive.downloaded",
        actor=actor,
        contest_id=archive.contest_id,
        subject=f"archive {archive.pk}",
        with_key=archive.with_key,
    )


# Import


def receive_archive(
    *, actor: User, name: str, chunks: bytes | Iterable[bytes], announces: bool = True
) -> ContestImport:
    """Store an uploaded archive until it is imported or refused."""
    if not policies.may_create_contests(actor):
        raise ContestRefused(_("Only users with permission of the operators may create contests."))
    file = storage.write(chunks, area=storage.Area.ARCHIVE, name=name, can_wait=True)
    try:
        with transaction.atomic():
            file.save()
            job = ContestImport.objects.create(
                name=file.name,
                sha256=file.sha256,
                size_bytes=file.size_bytes,
                file=file,
                requested_by=actor,
                sent_at=timezone.now(),
            )
            audit_log.record(
                "import.requested", actor=actor, subject=f"import {job.pk}", sha256=file.sha256
            )
    except BaseException:
        storage.discard(file)
        raise
    if announces:
        transaction.on_commit(partial(jobs.announce, ContestImport, job.pk))
    return job


# Consent


@transaction.atomic
def set_consent(*, user: User, team: Team, is_named: bool) -> None:
    """Record the captain's consent that a published archive names the team."""
    held = Team.objects.select_for_update(no_key=True).get(pk=team.pk)
    if not is_captain(user, held):
        raise RefusedError("captain_only")
    if held.is_named_in_archive == is_named:
        return
    held.is_named_in_archive = team.is_named_in_archive = is_named
    held.save(update_fields=["is_named_in_archive"])
    audit_log.record(
        "team.archive_consent",
        actor=user,
        contest_id=held.contest_id,
        subject=f"team {held.slug}",
        is_named=[not is_named, is_named],
    )
