# SPDX-License-Identifier: Apache-2.0
"""Archives as jobs: writing one, or importing one; and their events in the audit trail."""

from __future__ import annotations

import logging
import tempfile
from collections.abc import Iterable, Mapping
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Any

from django.db import transaction
from django.utils import timezone

from pwscup.archives.models import Archive, ContestImport
from pwscup.archives.problems import ArchiveRefused
from pwscup.archives.reading import unfinished
from pwscup.contests import faults
from pwscup.core import audit_log, jobs
from pwscup.core.files import storage
from pwscup.core.jobs import Claim, job

if TYPE_CHECKING:
    from pwscup.archives.reading.restoring import Imported
    from pwscup.contests.models import Contest
    from pwscup.core.models import StoredFile

logger = logging.getLogger(__name__)
MOST_NAMED = 10
EVERY = 50
"""The number of entries between two updates of the progress."""


# Writing


def _record_failed(claim: Claim) -> None:
    failed = Archive.objects.get(pk=claim.pk)
    _record(failed, "archive.failed", reference=failed.reference)


def _record(archive: Archive, kind: str, **data: Any) -> None:
    subject = f"archive {archive.pk}"
    audit_log.record(kind, contest_id=archive.contest_id, subject=subject, **data)


@job(Archive, queue="audits", limit="ARCHIVE_TIME_LIMIT", failed=_record_failed)
def write(claim: Claim) -> bool:
    """Write the contest into one file."""
    from pwscup.archives.writing import export, packing
    from pwscup.submissions import (
        evaluation,
    )  # imports the numerical libraries, which only workers need

    archive = Archive.objects.select_related("contest", "requested_by").get(pk=claim.pk)
    contest = archive.contest
    with tempfile.TemporaryDirectory(prefix="pwscup-archive-") as name:
        folder = Path(name)
        stored = export.write_entries(archive, folder, timezone.now())
        if damaged := _damaged(contest, stored):
            return _give_up(claim, contest, damaged)
        packing.add_manifest(archive, contest.slug, folder, stored)
        n_total = len(stored) + sum(path.is_file() for path in folder.rglob("*"))
        jobs.note(claim, n_total=n_total, n_done=0)
        read_sealed = partial(evaluation.archived_file, contest=contest, actor=archive.requested_by)
        chunks = packing.packed(folder, stored, read_sealed, partial(_note, claim))
        called = f"{contest.slug}-archive-{archive.pk}.zip"
        file = storage.write(chunks, area=storage.Area.ARCHIVE, name=called, can_wait=True)
    if not _finish_written(claim, archive, file):
        storage.discard(file)
        return False
    logger.info("archive %s written, %s entries", claim.pk, n_total)
    return True


def _damaged(contest: Contest, stored: Mapping[str, StoredFile]) -> set[str]:
    """The files of the contest whose bytes are missing or have the wrong size, as names for organizers."""
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
    """End without an archive, and name the files to the organizers; waiting would not restore them."""
    reference = jobs.new_reference()
    logger.error(
        "%s failed [%s]: missing or damaged: %s", claim.name, reference, ", ".join(damaged)
    )
    for subject in sorted(damaged)[:MOST_NAMED]:
        faults.note(contest, faults.ARCHIVE, subject)
    return jobs.fail(claim, reference)


def _note(claim: Claim, n_done: int) -> None:
    if n_done % EVERY == 0:
        jobs.note(claim, n_done=n_done)


def _finish_written(claim: Claim, archive: Archive, file: StoredFile) -> bool:
    """Write that the archive exists, if the claim is still valid."""
    with transaction.atomic():
        file.save()
        done = jobs.finish(claim, Archive.State.DONE, file=file)
        if done:
            sizes = {"sha256": file.sha256, "size_bytes": file.size_bytes}
            _record(archive, "archive.written", **sizes)
        else:
            file.delete()
    return done


# Reading


def _fail_import(claim: Claim) -> None:
    failed = _without_archive(claim)
    _record_import(failed, "import.failed", reference=failed.reference)
    transaction.on_commit(partial(unfinished.remove_of, claim.pk))


def _without_archive(claim: Claim) -> ContestImport:
    """The import without its upload, which is no longer needed."""
    ended = ContestImport.objects.select_related("file", "requested_by").get(pk=claim.pk)
    if ended.file is not None:
        storage.forget([ended.file])
    return ended


def _record_import(ended: ContestImport, kind: str, **data: Any) -> None:
    subject = f"import {ended.pk}"
    audit_log.record(kind, actor=ended.requested_by, subject=subject, sha256=ended.sha256, **data)


@job(ContestImport, queue="audits", limit="ARCHIVE_TIME_LIMIT", failed=_fail_import)
def read(claim: Claim) -> bool:
    """Create a contest from the archive."""
    from pwscup.archives.reading import restoring

    row = ContestImport.objects.select_related("file", "requested_by", "contest").get(pk=claim.pk)
    if row.file is None:
        raise LookupError(f"import {row.pk} has no archive")
    unfinished.remove(unfinished.prefix_of(row.pk), row.contest)  # left by an earlier attempt
    try:
        imported = restoring.restore(
            storage.archive_path(row.file),
            actor=row.requested_by,
            prefix=unfinished.prefix_of(row.pk, claim.fence),
            # So that remains of the contest can be found after a crash.
            begin=lambda contest: jobs.note(claim, contest=contest),
            keep=partial(_finish_imported, claim),
        )
    except ArchiveRefused as refused:
        return _finish_refused(claim, refused)
    if imported is not None:
        logger.info("import %s became contest %s", claim.pk, imported.contest.pk)
    return imported is not None


def _finish_imported(claim: Claim, imported: Imported) -> bool:
    """Write the result of the import, inside the transaction that completes the contest."""

    def record(claim: Claim) -> None:
        ended = _without_archive(claim)
        audit_log.record(
            "contest.imported",
            actor=ended.requested_by,
            contest_id=imported.contest.pk,
            subject=imported.contest.slug,
            sha256=ended.sha256,
            n_differences=len(imported.differences),
            history_holds=imported.chain.get("broken_at", 0) is None,
        )

    return jobs.finish(
        claim,
        ContestImport.State.DONE,
        record,
        contest=imported.contest,
        differences=imported.differences,
        history=imported.history,
        chain=imported.chain,
    )


def _finish_refused(claim: Claim, refused: ArchiveRefused) -> bool:
    def record(claim: Claim) -> None:
        _record_import(_without_archive(claim), "import.refused", n_problems=1)

    found = {"problems": [refused.problem], "n_problems": 1}
    return jobs.finish(claim, ContestImport.State.REFUSED, record, **found)
