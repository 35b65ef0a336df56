"""Working on one archive: writing it, or reading it."""

from __future__ import annotations

import logging
import tempfile
from functools import partial
from pathlib import Path

from django.conf import settings
from django.utils import timezone

from pwscup.archives import queue
from pwscup.archives.models import Archive, ContestImport
from pwscup.archives.problems import ArchiveRefused
from pwscup.core import jobs, storage
from pwscup.core.heartbeat import attend
from pwscup.core.jobs import Claim

logger = logging.getLogger(__name__)
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
