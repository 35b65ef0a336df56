# SPDX-License-Identifier: Apache-2.0
"""From a checked archive to a contest: the files, then the rows in short transactions; a failure leaves nothing."""

from __future__ import annotations

import secrets
from collections.abc import Callable
from dataclasses import dataclass, field
from datetime import datetime
from pathlib import Path
from typing import TYPE_CHECKING, Any

from django.conf import settings
from django.db import DataError, IntegrityError, transaction
from django.template.defaultfilters import filesizeformat
from django.utils import timezone

from pwscup.accounts.models import User
from pwscup.archives import layout, standings
from pwscup.archives.layout import Column, Sheet
from pwscup.archives.models import Archive
from pwscup.archives.naming import called
from pwscup.archives.problems import ArchiveRefused
from pwscup.archives.reading import checking, rows, sense, unfinished
from pwscup.archives.reading.rows import Reader
from pwscup.archives.writing import history
from pwscup.contests.models import Contest
from pwscup.contests.services import free_slug
from pwscup.core.db.columns import field_of
from pwscup.core.db.slices import short_transaction, slices
from pwscup.core.files import space, storage
from pwscup.core.models import Job, StoredFile

if TYPE_CHECKING:
    from django.db.models import Model


@dataclass(slots=True)
class Imported:
    """The new contest, and the report about it."""

    contest: Contest
    differences: list[dict[str, Any]]
    history: StoredFile | None
    chain: dict[str, Any]


@dataclass(slots=True)
class Restoring:
    """The rows so far: the new keys by the keys in the archive."""

    reader: Reader
    prefix: str
    files: dict[str, StoredFile] = field(default_factory=dict)
    contest: Contest = field(default_factory=Contest)
    keys: dict[str, dict[str, int]] = field(default_factory=dict)
    later: list[tuple[Sheet, Column, int, str]] = field(default_factory=list)
    held: dict[type[Model], list[int]] = field(default_factory=dict)


def restore(
    path: Path,
    *,
    actor: User | None,
    prefix: str,
    begin: Callable[[Contest], bool],
    keep: Callable[[Imported], bool],
) -> Imported | None:
    """Create a contest from the archive at `path`; None if `begin` or `keep` reports that the import was cancelled.

    The rows are written in short transactions, so that others can write in between: until the last one the
    contest is a draft without organizers, and its jobs do not run. `begin` is called in the transaction that
    creates the contest, `keep` in the last one. Names of files begin with `prefix`, by which
    `unfinished.remove` finds them after a crash.

    Raises
    ------
    ArchiveRefused
        With the first problem; then nothing was created.
    """
    with checking.checked(path) as checked:
        reader = Reader(checked)
        rows.check_rows(reader)
        sense.check_sense(reader)
        _refuse_without_space(checked)
        work = Restoring(reader, prefix)
        try:
            _write_files(work)
            return _entered(work, actor, begin, keep)
        except _NotWanted:
            unfinished.remove(prefix, work.contest if work.contest.pk else None)
            return None
        except (IntegrityError, DataError) as error:
            unfinished.remove(prefix, work.contest if work.contest.pk else None)
            raise ArchiveRefused("contradiction", got=str(error).splitlines()[0]) from error
        except BaseException:
            unfinished.remove(prefix, work.contest if work.contest.pk else None)
            raise


def _refuse_without_space(checked: checking.Checked) -> None:
    """Before writing: the unpacked archive must leave the reserve free."""
    n_bytes = sum(entry.size_bytes for entry in checked.entries.values())
    if not space.has_room_for(n_bytes):
        wanted = filesizeformat(n_bytes + settings.DISK_RESERVE_BYTES)
        raise ArchiveRefused("space", expected=wanted, got=filesizeformat(space.free_bytes()))


# Files


def _write_files(work: Restoring) -> None:
    """Write the bytes to the disk; their rows are not saved yet."""
    reader, prefix = work.reader, work.prefix
    for row in rows.rows(reader, layout.FILES):
        known = {key: row[key] for key in ("sha256", "size_bytes", "erased_at", "created_at")}
        area, name = row["area"], row["name"]
        if row["erased_at"] is None:
            chunks = reader.chunks(f"files/{row['sha256']}")
            file = storage.write(chunks, area=area, name=name, prefix=prefix, can_wait=True)
            file.created_at = row["created_at"]
        else:
            path = f"{storage.ERASED}{prefix}{secrets.token_hex(16)}"
            file = StoredFile(area=area, name=name, path=path, **known)
        work.files[row["n"]] = file
    if layout.EVENTS in reader.checked.entries:
        name, chunks = layout.EVENTS, reader.chunks(layout.EVENTS)
        work.files[name] = storage.write(
            chunks, area=storage.Area.ARCHIVE, name=name, prefix=prefix, can_wait=True
        )


# Rows


class _NotWanted(Exception):  # noqa: N818 — it ends a transaction; not an error
    """Another worker has taken the import."""


def _entered(
    work: Restoring,
    actor: User | None,
    begin: Callable[[Contest], bool],
    keep: Callable[[Imported], bool],
) -> Imported:
    _save_files(work)
    with short_transaction():
        work.contest = _contest(work)
        if not begin(work.contest):
            raise _NotWanted
    for sheet in layout.SHEETS:
        if sheet not in (layout.FILES, layout.CONTEST_SHEET):
            _save_sheet(work, sheet)
    _set_later(work)
    events = work.files.get(layout.EVENTS)
    chain: dict[str, Any] = {}
    if events is not None:
        with work.reader.open(layout.EVENTS) as source:
            chain = history.verified(history.lines_of(source))
    imported = Imported(work.contest, _compared(work), events, chain)
    with transaction.atomic():
        _complete(work, actor)
        if not keep(imported):
            raise _NotWanted
    return imported


def _complete(work: Restoring, actor: User | None) -> None:
    """From now on it is a draft of the importing user, and its jobs run."""
    for model, held in work.held.items():
        for keys in slices(held):
            model._default_manager.filter(pk__in=keys).update(state=Job.WAITING)
    if actor is not None:
        work.contest.organizers.add(actor)


def _save_files(work: Restoring) -> None:
    keys = work.keys.setdefault("files", {})
    for batch in slices(work.files.items()):
        with short_transaction():
            saved = StoredFile.objects.bulk_create([file for _, file in batch])
        keys.update((key, file.pk) for (key, _), file in zip(batch, saved, strict=True))


def _contest(work: Restoring) -> Contest:
    """A draft with an unused slug and without organizers, so that it is invisible."""
    (row,) = rows.rows(work.reader, layout.CONTEST_SHEET)
    values = _resolved(work, layout.CONTEST_SHEET, row)
    values["slug"] = free_slug(values["slug"])
    rules = sense.holding(work.reader)
    text = work.reader.text(f"rules/{rules}.toml")
    return Contest.objects.create(ruleset_text=text, is_published=False, **values)


def _save_sheet(work: Restoring, sheet: Sheet) -> None:
    keys = work.keys.setdefault(sheet.name, {})
    for batch in slices(rows.rows(work.reader, sheet)):
        made = [_instance(work, sheet, row) for row in batch]
        with short_transaction():
            saved = sheet.model._default_manager.bulk_create(made)
        for row, instance in zip(batch, saved, strict=True):
            keys[row["n"] if sheet.key == "n" else str(row[sheet.key])] = instance.pk
            if getattr(instance, "state", None) == Job.RUNNING:
                work.held.setdefault(sheet.model, []).append(instance.pk)
            for column in sheet.columns:
                if column.later and row[column.name] is not None:
                    work.later.append((sheet, column, instance.pk, row[column.name]))


def _instance(work: Restoring, sheet: Sheet, row: dict[str, Any]) -> Model:
    if sheet is layout.JUDGES:
        return _placeholder(work.prefix, row["n"])
    values = _resolved(work, sheet, row)
    if sheet.has_contest:
        values["contest"] = work.contest
    for column in sheet.columns:
        if column.text:
            values[column.name] = work.reader.text(column.text.format(**row))
    if values.get("state") in Job.UNFINISHED:
        values["state"] = (
            Job.RUNNING
        )  # without a lease, so no worker claims it before the import is complete
    return sheet.model(**values)


def _placeholder(prefix: str, n: str) -> User:
    """A judge of the other installation: an account without log-in, so that grades stay separate."""
    user = User(
        email=f"{prefix}{secrets.token_hex(8)}{unfinished.NOBODY}",
        display_name=f"Judge {n}",
        is_active=False,
        deleted_at=timezone.now(),
    )
    user.set_unusable_password()
    return user


def _resolved(work: Restoring, sheet: Sheet, row: dict[str, Any]) -> dict[str, Any]:
    values: dict[str, Any] = {}
    for column in rows.columns_of(sheet, work.reader.checked.manifest):
        value = row[column.name]
        if not column.refers:
            values[column.name] = value
        elif not column.later:
            attname = field_of(sheet.model, column.name).attname
            values[attname] = None if value is None else work.keys[column.refers][value]
    return values


def _set_later(work: Restoring) -> None:
    """References to sheets that are read later."""
    for batch in slices(work.later):
        made = []
        for sheet, column, pk, key in batch:
            attname = field_of(sheet.model, column.name).attname
            made.append(sheet.model(pk=pk, **{attname: work.keys[column.refers][key]}))
        sheet, column = batch[0][:2]
        with short_transaction():
            sheet.model._default_manager.bulk_update(made, [column.name])


# Boards


def _compared(work: Restoring) -> list[dict[str, Any]]:
    """Differences between the boards of the new rows and those in the archive."""
    document = work.reader.standings
    moment = datetime.fromisoformat(document["as_of"])
    contest = Contest.objects.get(pk=work.contest.pk)
    teams = called(contest, Archive.Names.ALL)
    made = standings.boards_of(contest, moment, teams, is_final=True)
    return standings.differences(document["boards"], made)
