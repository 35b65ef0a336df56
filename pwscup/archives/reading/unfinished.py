# SPDX-License-Identifier: Apache-2.0
"""Removal of incomplete imports after a failure or a killed worker, in short transactions."""

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
"""The domain of the addresses of judges of another installation."""


def prefix_of(import_id: int, attempt: int | None = None) -> str:
    """The prefix of the files of an import, in one attempt or in all."""
    return f"import-{import_id}-" + ("" if attempt is None else f"{attempt}-")


def remove(prefix: str, contest: Contest | None) -> None:
    """Remove the rows of an incomplete contest, and the files with the prefix; safe to repeat."""
    if contest is not None:
        _remove_rows(contest)
    _remove_all(User.objects.filter(email__startswith=prefix, email__endswith=NOBODY))
    areas = [*storage.Area.values, storage.ERASED.rstrip("/")]
    named = [Q(path__startswith=f"{area}/{prefix}") for area in areas]
    for found in named:
        _remove_all(StoredFile.objects.filter(found))
    storage.remove_prefixed(prefix)


def remove_of(import_id: int) -> None:
    """Remove the data of a failed or refused import; a completed one is not changed."""
    ended = ContestImport.objects.select_related("contest").get(pk=import_id)
    if ended.state in GIVEN_UP:
        remove(prefix_of(import_id), ended.contest)


def remove_left() -> None:
    """Remove the remains of failed or refused imports after a crash."""
    left = ContestImport.objects.filter(state__in=GIVEN_UP).exclude(contest=None)
    for import_id in list(left.values_list("pk", flat=True)):
        remove_of(import_id)


def _remove_rows(contest: Contest) -> None:
    """In reverse order of sheets: referenced rows are removed last."""
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
