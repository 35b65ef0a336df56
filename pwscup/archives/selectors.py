# SPDX-License-Identifier: Apache-2.0
"""Queries for the pages of archives."""

from __future__ import annotations

from typing import TYPE_CHECKING

from django.db.models import QuerySet
from django.http import Http404

from pwscup.archives.models import Archive, ContestImport
from pwscup.core.models import StoredFile

if TYPE_CHECKING:
    from pwscup.accounts.models import User
    from pwscup.contests.models import Contest

MAX_IMPORTS = 20


def archives_of(contest: Contest) -> QuerySet[Archive]:
    """All requested archives, the newest first."""
    return contest.archives.select_related("file", "requested_by").order_by("-pk")


def newest(contest: Contest) -> Archive | None:
    """The archive requested last."""
    return archives_of(contest).first()


def get_archive(contest: Contest, number: int) -> tuple[Archive, StoredFile]:
    """An archive for download, and its file; Http404 if there is none with that number."""
    found = archives_of(contest).exclude(file=None).filter(pk=number, file__erased_at=None).first()
    if found is None or found.file is None:
        raise Http404
    return found, found.file


def imports_of(user: User) -> list[ContestImport]:
    """The imports of a user, including failed ones, the newest first."""
    found = ContestImport.objects.filter(requested_by=user).select_related("contest")
    return list(found.order_by("-pk")[:MAX_IMPORTS])


def newest_import(user: User) -> ContestImport | None:
    return ContestImport.objects.filter(requested_by=user).order_by("-pk").first()


def origin_of(contest: Contest) -> ContestImport | None:
    """The import that created a contest."""
    found = ContestImport.objects.filter(contest=contest)
    return found.select_related("history", "requested_by").first()
