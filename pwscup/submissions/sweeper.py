# SPDX-License-Identifier: Apache-2.0
"""Periodic work that is due: depends on the rows only, and may run anywhere, any number of times."""

from __future__ import annotations

from datetime import datetime, timedelta

from django.conf import settings
from django.db import transaction
from django.db.models import Sum

from pwscup.accounts.models import Team
from pwscup.contests.models import Contest
from pwscup.core import audit_log
from pwscup.core.db.clock import read_db_clock
from pwscup.core.files import storage
from pwscup.core.models import StoredFile
from pwscup.submissions import draws, releases, selectors
from pwscup.submissions.intake import inflight
from pwscup.submissions.models import SubmissionFile

AT_ONCE = 1_000  # per task, so that workers have time for other tasks


def sweep(now: datetime | None = None) -> None:
    """Record which uploads are complete; publish and draw what is due."""
    now = now or read_db_clock()
    inflight.note_complete(now)
    releases.publish_due(now)
    draws.draw_due(now)


def drop_refused(now: datetime) -> int:
    """Delete the bytes of submissions rejected or cancelled long ago; return the number of files.

    Names, sizes and hashes stay. An event of each contest records the number.
    """
    before = now - timedelta(hours=settings.KEEP_REFUSED_HOURS)
    refused = list(selectors.refused_files(before).values_list("pk", "round__contest")[:AT_ONCE])
    n_files = 0
    for contest_id in sorted({contest_id for _pk, contest_id in refused}):
        keys = [pk for pk, of in refused if of == contest_id]
        n_files += _drop(contest_id, keys, before, now)
    return n_files


@transaction.atomic
def _drop(contest_id: int, keys: list[int], before: datetime, now: datetime) -> int:
    """Check again under the locks of re-scorings and appeals, one of which may have been added in the meantime."""
    list(Contest.objects.select_for_update(no_key=True).filter(pk=contest_id))
    teams = Team.objects.filter(submissions__in=keys).values("pk")
    list(Team.objects.select_for_update(no_key=True).filter(pk__in=teams).order_by("pk"))
    submissions = list(
        selectors.refused_files(before).filter(pk__in=keys).values_list("pk", flat=True)
    )
    ids = SubmissionFile.objects.filter(submission__in=submissions).values("file")
    files = StoredFile.objects.filter(pk__in=ids, erased_at=None)
    size_bytes = files.aggregate(sum=Sum("size_bytes"))["sum"] or 0
    n_files = storage.erase(files, now)
    if n_files:
        audit_log.record(
            "submission.files_deleted",
            contest_id=contest_id,
            n_submissions=len(submissions),
            n_files=n_files,
            size_bytes=size_bytes,
        )
    return n_files
