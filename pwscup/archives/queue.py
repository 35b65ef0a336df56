"""Archives and imports as jobs: what `core.jobs` says of every row, and what is written when one ends."""

from __future__ import annotations

from datetime import datetime
from functools import partial
from typing import TYPE_CHECKING, Any

from django.db import transaction

from pwscup.archives import unfinished
from pwscup.archives.models import Archive, ContestImport
from pwscup.core import audit, storage
from pwscup.core.jobs import rows as jobs
from pwscup.core.jobs.rows import Claim
from pwscup.core.models import StoredFile

if TYPE_CHECKING:
    from collections.abc import Sequence

    from pwscup.archives.restoring import Imported
    from pwscup.contests.models import Contest


def announce_archive(archive_id: int) -> bool:
    """Tell the broker that an archive waits to be written."""
    from pwscup.archives import tasks  # the tasks import this module

    return jobs.announce(Archive, archive_id, tasks.send_write)


def announce_import(import_id: int) -> bool:
    """Tell the broker that an archive waits to be read."""
    from pwscup.archives import tasks  # the tasks import this module

    return jobs.announce(ContestImport, import_id, tasks.send_read)


# Archives


def progress(claim: Claim, **done: int) -> None:
    """Write how far the packing is, if the claim still holds."""
    jobs.held(claim).update(**done)


def finish_written(claim: Claim, file: StoredFile) -> bool:
    """Write that the archive is there, if the claim still holds."""
    with transaction.atomic():
        file.save()
        done = jobs.finish(claim, Archive.State.DONE, file=file)
        if done:
            _record(claim, "archive.written", sha256=file.sha256, size_bytes=file.size_bytes)
        else:
            file.delete()
    return done


def finish_archive_failed(claim: Claim, reference: str) -> bool:
    """Write that we failed, with a reference to the log, if the claim still holds."""
    record = partial(_record, kind="archive.failed", reference=reference)
    return jobs.finish_and(claim, Archive.State.FAILED, record, reference=reference)


def _record(claim: Claim, kind: str, **data: Any) -> None:
    contest_id = Archive.objects.values_list("contest_id", flat=True).get(pk=claim.pk)
    audit.record(kind, contest_id=contest_id, subject=f"archive {claim.pk}", **data)


# Imports


def note_contest(claim: Claim, contest: Contest) -> bool:
    """Name the contest that is being made, if the claim still holds, so that what a crash leaves of it is found."""
    return bool(jobs.held(claim).update(contest=contest))


def finish_imported(claim: Claim, imported: Imported) -> bool:
    """Write what came of an archive, if the claim still holds; inside the transaction that makes the contest."""
    done = jobs.finish(
        claim,
        ContestImport.State.DONE,
        contest=imported.contest,
        differences=imported.differences,
        history=imported.history,
        chain=imported.chain,
    )
    if done:
        job = _without_archive(claim)
        audit.record(
            "contest.imported",
            actor=job.requested_by,
            contest_id=imported.contest.pk,
            subject=imported.contest.slug,
            sha256=job.sha256,
            n_differences=len(imported.differences),
            history_holds=imported.chain.get("broken_at", 0) is None,
        )
    return done


def finish_refused(claim: Claim, problems: Sequence[dict[str, Any]], n_problems: int) -> bool:
    """Write what is wrong with an archive, if the claim still holds."""
    found = {"problems": list(problems), "n_problems": n_problems}
    record = partial(_record_import, kind="import.refused", n_problems=n_problems)
    return jobs.finish_and(claim, ContestImport.State.REFUSED, record, **found)


def finish_import_failed(claim: Claim, reference: str) -> bool:
    """Write that we failed, with a reference to the log, if the claim still holds."""

    def follow(claim: Claim) -> None:
        _record_import(claim, "import.failed", reference=reference)
        transaction.on_commit(partial(remove_partial, claim.pk))

    return jobs.finish_and(claim, ContestImport.State.FAILED, follow, reference=reference)


def _without_archive(claim: Claim) -> ContestImport:
    """What was uploaded is not needed any more."""
    job = ContestImport.objects.select_related("file", "requested_by").get(pk=claim.pk)
    if job.file is not None:
        storage.forget([job.file])
    return job


def _record_import(claim: Claim, kind: str, **data: Any) -> None:
    job = _without_archive(claim)
    audit.record(
        kind, actor=job.requested_by, subject=f"import {job.pk}", sha256=job.sha256, **data
    )


# Housekeeping


def remove_partial(import_id: int) -> None:
    """Remove what an import that failed has made of its contest; of one that is done nothing is removed."""
    job = ContestImport.objects.select_related("contest").get(pk=import_id)
    if job.state in (ContestImport.State.FAILED, ContestImport.State.REFUSED):
        unfinished.remove(unfinished.prefix_of(import_id), job.contest)


def sweep(now: datetime) -> None:
    """Take back what silent workers hold, send what waits unsent, delete archives of deleted data."""
    jobs.sweep(Archive, fail=finish_archive_failed, announce=announce_archive)
    jobs.sweep(ContestImport, fail=finish_import_failed, announce=announce_import)
    _erase_archives(now)
    given_up = (ContestImport.State.FAILED, ContestImport.State.REFUSED)
    left = ContestImport.objects.filter(state__in=given_up).exclude(contest=None)
    for import_id in list(left.values_list("pk", flat=True)):
        remove_partial(import_id)


def _erase_archives(now: datetime) -> None:
    """What was promised of a contest's data holds of its archives with the answer key, too."""
    kept = Archive.objects.filter(contest__erased_at__isnull=False, file__erased_at=None)
    files = kept.exclude(file=None).values("file")
    if files.exists():
        with transaction.atomic():
            storage.erase(StoredFile.objects.filter(pk__in=files), now)
