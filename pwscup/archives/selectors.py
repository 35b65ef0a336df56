"""What the pages of archives read."""

from __future__ import annotations

from typing import TYPE_CHECKING

from django.db.models import QuerySet
from django.http import Http404

from pwscup.archives.models import Archive, ContestImport

if TYPE_CHECKING:
    from pwscup.accounts.models import User
    from pwscup.contests.models import Contest

MAX_IMPORTS = 20


def archives_of(contest: Contest) -> QuerySet[Archive]:
    """All that were asked for, the newest first."""
    return contest.archives.select_related("file", "requested_by").order_by("-pk")


def newest(contest: Contest) -> Archive | None:
    """The archive that was asked for last."""
    return archives_of(contest).first()


def get_archive(contest: Contest, number: int) -> Archive:
    """An archive that can be downloaded; Http404 where there is none under that number."""
    found = archives_of(contest).exclude(file=None).filter(pk=number, file__erased_at=None).first()
    if found is None:
        raise Http404
    return found


def imports_of(user: User) -> list[ContestImport]:
    """What a person has imported or tried to, the newest first."""
    found = ContestImport.objects.filter(requested_by=user).select_related("contest")
    return list(found.order_by("-pk")[:MAX_IMPORTS])


def newest_import(user: User) -> ContestImport | None:
    return ContestImport.objects.filter(requested_by=user).order_by("-pk").first()


def origin_of(contest: Contest) -> ContestImport | None:
    """Where an imported contest comes from."""
    found = ContestImport.objects.filter(contest=contest)
    return found.select_related("history", "requested_by").first()
