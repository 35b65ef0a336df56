"""Working on one archive: writing it, or reading it."""

from __future__ import annotations

import logging
import tempfile
from collections.abc import Iterable, Mapping
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING

from django.conf import settings
from django.utils import timezone

from pwscup.archives import queue
from pwscup.archives.models import Archive, ContestImport
from pwscup.archives.problems import ArchiveRefused
from pwscup.contests import faults
from pwscup.core import storage
from pwscup.core.jobs import rows as jobs
from pwscup.core.jobs.heartbeat import attend
from pwscup.core.jobs.rows import Claim

if TYPE_CHECKING:
    from pwscup.contests.models import Contest
    from pwscup.core.models import StoredFile

logger = logging.getLogger(__name__)
MOST_NAMED = 10
EVERY = 50
"""After how many entries the page is told."""


def write(archive_id: int) -> bool:
    """Write an archive if it waits; False where it does not, or its result came too late."""
    claim = jobs.claim(Archive, archive_id)
    if claim is None:
        return False
    return attend(claim, _write, queue.finish_archive_failed, settings.ARCHIVE_TIME_LIMIT)


def _write(claim: Claim) -> bool:
    from pwscup.archives import export, packing
    from pwscup.submissions import evaluation  # the numerical libraries, which only workers need

    archive = Archive.objects.select_related("contest", "requested_by").get(pk=claim.pk)
    contest = archive.contest
    with tempfile.TemporaryDirectory(prefix="pwscup-archive-") as name:
        folder = Path(name)
        stored = export.write_entries(archive, folder, timezone.now())
        if damaged := _damaged(contest, stored):
            return _give_up(claim, contest, damaged)
        packing.add_manifest(archive, contest.slug, folder, stored)
        n_total = len(stored) + sum(path.is_file() for path in folder.rglob("*"))
        queue.progress(claim, n_total=n_total, n_done=0)
        read_sealed = partial(evaluation.archived_file, contest=contest, actor=archive.requested_by)
        chunks = packing.packed(folder, stored, read_sealed, partial(_tell, claim))
        called = f"{contest.slug}-archive-{archive.pk}.zip"
        file = storage.write(chunks, area=storage.Area.ARCHIVE, name=called, can_wait=True)
    if not queue.finish_written(claim, file):
        storage.discard(file)
        return False
    logger.info("archive %s written, %s entries", claim.pk, n_total)
    return True


def _damaged(contest: Contest, stored: Mapping[str, StoredFile]) -> set[str]:
    """What organizers call the files of the contest whose bytes are gone or not as long as they were."""
    wrong = {
        f"“{file.name}” ({file.sha256[:12]}…)"
        for file in stored.values()
        if not storage.is_whole(file)
    }
    for subject in contest.faults.filter(task=faults.ARCHIVE).values_list("subject", flat=True):
        if subject not in wrong:
            faults.forget(contest, faults.ARCHIVE, subject)
    return wrong


def _give_up(claim: Claim, contest: Contest, damaged: Iterable[str]) -> bool:
    """End without an archive, and name the files to the organizers; to wait would bring none of them back."""
    reference = jobs.new_reference()
    logger.error(
        "%s failed [%s]: missing or damaged: %s", claim.name, reference, ", ".join(damaged)
    )
    for subject in sorted(damaged)[:MOST_NAMED]:
        faults.note(contest, faults.ARCHIVE, subject)
    return queue.finish_archive_failed(claim, reference)


def _tell(claim: Claim, n_done: int) -> None:
    if n_done % EVERY == 0:
        queue.progress(claim, n_done=n_done)


def read(import_id: int) -> bool:
    """Make a contest of an archive if it waits; False where it does not, or its result came too late."""
    claim = jobs.claim(ContestImport, import_id)
    if claim is None:
        return False
    return attend(claim, _read, queue.finish_import_failed, settings.ARCHIVE_TIME_LIMIT)


def _read(claim: Claim) -> bool:
    from pwscup.archives import restoring, unfinished

    job = ContestImport.objects.select_related("file", "requested_by", "contest").get(pk=claim.pk)
    if job.file is None:
        raise LookupError(f"import {job.pk} has no archive")
    unfinished.remove(unfinished.prefix_of(job.pk), job.contest)  # what an attempt before left
    try:
        imported = restoring.restore(
            storage.archive_path(job.file),
            actor=job.requested_by,
            prefix=unfinished.prefix_of(job.pk, claim.fence),
            begin=partial(queue.note_contest, claim),
            keep=partial(queue.finish_imported, claim),
        )
    except ArchiveRefused as refused:
        return queue.finish_refused(claim, refused.problems, refused.n_total)
    if imported is not None:
        logger.info("import %s became contest %s", claim.pk, imported.contest.pk)
    return imported is not None
