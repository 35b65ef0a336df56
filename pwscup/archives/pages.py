# SPDX-License-Identifier: Apache-2.0
"""Contexts of the pages of archives."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from pwscup.archives import problems, selectors
from pwscup.archives.models import Archive, ContestImport
from pwscup.core.http.polling import etag

if TYPE_CHECKING:
    from pwscup.accounts.models import User
    from pwscup.archives.forms import ArchiveForm
    from pwscup.contests.models import Contest


def archives(contest: Contest, form: ArchiveForm) -> dict[str, Any]:
    """Every requested archive, the progress of the newest one, and the origin of the contest."""
    found = list(selectors.archives_of(contest))
    return {
        "form": form,
        "archives": found,
        "origin": selectors.origin_of(contest),
        **(status_of(found[0]) if found else {"is_final": True}),
    }


def status_of(archive: Archive) -> dict[str, Any]:
    """The progress of an archive."""
    return {
        "archive": archive,
        "is_final": archive.is_final,
        "share": round(100 * archive.n_done / max(1, archive.n_total)),
        "etag": etag(archive.pk, archive.state, archive.n_done, archive.n_total),
    }


def imports(user: User) -> dict[str, Any]:
    """The imports of a user, the newest first, with all problems."""
    found = selectors.imports_of(user)
    return {"lines": [_line(job) for job in found]} | (
        import_status(found[0]) if found else {"is_final": True}
    )


def import_status(job: ContestImport) -> dict[str, Any]:
    """The progress of an import."""
    return {
        "job": job,
        "is_final": job.is_final,
        "etag": etag(job.pk, job.state),
    }


def _line(job: ContestImport) -> dict[str, Any]:
    return {
        "job": job,
        "problems": problems.sentences(job.problems),
    }
