"""What an import has written before it failed or its worker was killed: removed in short transactions."""

from __future__ import annotations

from typing import TYPE_CHECKING

from django.db.models import Q, QuerySet

from pwscup.accounts.models import User
from pwscup.archives import layout
from pwscup.archives.models import ContestImport
from pwscup.core.db.slices import SIZE, short_transaction
from pwscup.core.files import storage
from pwscup.core.models import StoredFile

if TYPE_CHECKING:
    from pwscup.contests.models import Contest

GIVEN_UP = (ContestImport.State.FAILED, ContestImport.State.REFUSED)
NOBODY = "@imported.invalid"
"""The end of the addresses of judges of another installation."""


def prefix_of(import_id: int, attempt: int | None = None) -> str:
    """What the names of files begin with that an import writes, in one attempt or in any."""
    return f"import-{import_id}-" + ("" if attempt is None else f"{attempt}-")


def remove(prefix: str, contest: Contest | None) -> None:
    """Remove the rows of a contest that is not complete, and the files under the prefix; safe to repeat."""
    if contest is not None:
        _remove_rows(contest)
    _remove_all(User.objects.filter(email__startswith=prefix, email__endswith=NOBODY))
    areas = [*storage.Area.values, storage.ERASED.rstrip("/")]
    named = [Q(path__startswith=f"{area}/{prefix}") for area in areas]
    for found in named:
        _remove_all(StoredFile.objects.filter(found))
    storage.remove_prefixed(prefix)


def remove_of(import_id: int) -> None:
    """Remove what an import that failed or was refused has made; of one that is done nothing is removed."""
    ended = ContestImport.objects.select_related("contest").get(pk=import_id)
    if ended.state in GIVEN_UP:
        remove(prefix_of(import_id), ended.contest)


def remove_left() -> None:
    """Remove what a crash has left of imports that failed or were refused."""
    left = ContestImport.objects.filter(state__in=GIVEN_UP).exclude(contest=None)
    for import_id in list(left.values_list("pk", flat=True)):
        remove_of(import_id)


def _remove_rows(contest: Contest) -> None:
    """The last sheets first: what others point at goes after them."""
    for sheet in layout.SHEETS:
        for column in sheet.columns:
            if column.later:
                with short_transaction():
                    sheet.rows(contest).order_by().update(**{column.name: None})
    for sheet in reversed(layout.SHEETS):
        if sheet.model not in (StoredFile, User) and sheet is not layout.CONTEST_SHEET:
            _remove_all(sheet.rows(contest))
    with short_transaction():
        type(contest).objects.filter(pk=contest.pk).delete()


def _remove_all(rows: QuerySet) -> None:
    while keys := list(rows.order_by("pk").values_list("pk", flat=True)[:SIZE]):
        with short_transaction():
            rows.model._default_manager.filter(pk__in=keys).delete()
