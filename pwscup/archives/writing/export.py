# SPDX-License-Identifier: Apache-2.0
"""Writing the entries of an archive into a folder, in the order of `layout`; and the list of its stored files."""

from __future__ import annotations

import contextlib
import re
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass, field
from datetime import datetime
from pathlib import Path, PurePosixPath
from typing import TYPE_CHECKING, Any

import tomli_w
from django.db import connection, transaction

from pwscup.accounts.models import Membership
from pwscup.archives import layout, standings
from pwscup.archives.layout import Column, Sheet
from pwscup.archives.models import Archive
from pwscup.archives.naming import Called, called, renamer
from pwscup.archives.row_texts import Row, dumped, plain, write_csv, write_json
from pwscup.contests.selectors import original_of, public_schema
from pwscup.core import seals
from pwscup.core.db.columns import field_of
from pwscup.core.models import Seal, StoredFile

if TYPE_CHECKING:
    from pwscup.contests.models import Contest

BATCH = 2_000
SUFFIX = re.compile(r"\.[a-z0-9]{1,5}$")


@dataclass(slots=True)
class Export:
    """An archive while it is written: its permitted content, the keys of its rows, and their files."""

    contest: Contest
    folder: Path
    names: str
    with_key: bool
    teams: dict[int, Called]
    now: datetime
    in_prose: Callable[[str], str]
    keys: dict[str, dict[int, Any]] = field(default_factory=dict)
    files: dict[int, int] = field(default_factory=dict)
    document: dict[str, Any] = field(default_factory=dict)

    @property
    def names_all(self) -> bool:
        return self.names == Archive.Names.ALL

    def path(self, entry: str) -> Path:
        """The path of an entry."""
        path = self.folder / entry
        path.parent.mkdir(parents=True, exist_ok=True)
        return path


@contextlib.contextmanager
def snapshot() -> Iterator[None]:
    """All reads inside see one snapshot, even if others write."""
    is_outermost = not connection.in_atomic_block
    mode = getattr(connection, "transaction_mode", None)
    if connection.vendor == "sqlite":
        connection.transaction_mode = "DEFERRED"  # type: ignore[attr-defined]  # a read-only transaction blocks nobody
    try:
        with transaction.atomic():
            if is_outermost and connection.vendor == "postgresql":
                with connection.cursor() as cursor:
                    cursor.execute("SET TRANSACTION ISOLATION LEVEL REPEATABLE READ, READ ONLY")
                    # Large files are written between two reads, and nobody waits for its locks.
                    cursor.execute("SET LOCAL idle_in_transaction_session_timeout = 0")
            yield
    finally:
        if connection.vendor == "sqlite":
            connection.transaction_mode = mode  # type: ignore[attr-defined]


def write_entries(archive: Archive, folder: Path, now: datetime) -> dict[str, StoredFile]:
    """Write every entry except the manifest; return the stored files to be packed, by entry."""
    contest = type(archive.contest).objects.get(pk=archive.contest_id)
    teams = called(contest, archive.names)
    in_prose = renamer(contest, teams)
    export = Export(contest, folder, archive.names, archive.with_key, teams, now, in_prose)
    if archive.with_key:
        seals.seal_all(contest.pk)
    with snapshot():
        _number_rows(export)
        for sheet in layout.SHEETS:
            if sheet is not layout.FILES:
                _write(export, sheet, _records(export, sheet))
        _write_schema(export)
        _write_standings(export)
        if archive.with_members:
            _write_members(export)
        if archive.with_key and export.names_all and archive.last_event_id:
            _write_events(export, archive.last_event_id)
        stored = _write_files(export)
    _write_contest(export)
    return stored


# Sheets


def _has(export: Export, sheet: Sheet) -> bool:
    return export.with_key or sheet.shown is not None


def _rows(export: Export, sheet: Sheet) -> Any:
    rows = sheet.rows(export.contest)
    return rows if export.with_key or sheet.shown is None else sheet.shown(rows)


def _number_rows(export: Export) -> None:
    """Number the rows that others refer to."""
    pointed_at = {column.refers for sheet in layout.SHEETS for column in sheet.columns}
    for name in pointed_at - {"", "files", "teams"}:
        sheet = layout.BY_NAME[name]
        if not _has(export, sheet):
            continue
        if sheet.key != "n":
            export.keys[name] = dict(_rows(export, sheet).values_list("pk", sheet.key))
            continue
        keys = _rows(export, sheet)
        keys = keys if sheet is layout.JUDGES else keys.values_list("pk", flat=True)
        export.keys[name] = {pk: n for n, pk in enumerate(keys.iterator(chunk_size=BATCH), 1)}
    export.keys["teams"] = {pk: team.slug for pk, team in export.teams.items()}


def _columns(export: Export, sheet: Sheet) -> tuple[Column, ...]:
    return layout.columns_of(sheet, with_key=export.with_key, names_all=export.names_all)


def _records(export: Export, sheet: Sheet) -> Iterator[Row]:
    """The rows of a sheet as written, numbered from 1."""
    if not _has(export, sheet):
        return
    if sheet is layout.JUDGES:
        yield from ({"n": n} for n in export.keys["judges"].values())
        return
    columns = _columns(export, sheet)
    fields = [field_of(sheet.model, column.name).attname for column in columns]
    rows = _in_order(export, sheet, _rows(export, sheet).values_list("pk", *fields))
    for n, (pk, *values) in enumerate(rows, start=1):
        row: Row = {"n": n}
        for column, value in zip(columns, values, strict=True):
            row[column.name] = _value(export, column, value)
        if sheet.name == "teams":
            row |= {"slug": export.teams[pk].slug, "name": export.teams[pk].name}
        yield _without_texts(export, columns, row)


def _in_order(export: Export, sheet: Sheet, rows: Any) -> Iterable[tuple[Any, ...]]:
    """Teams in the order of their names in the archive; without the answer key also the releases, whose order
    would reveal arrivals."""
    if sheet.name == "teams":
        return sorted(rows, key=lambda row: export.teams[row[0]].n)
    if sheet.name == "releases" and not export.with_key:
        places = {team.slug: team.n for team in export.teams.values()}
        rounds = list(export.keys["rounds"])
        team = export.keys["teams"]
        return sorted(rows, key=lambda row: (rounds.index(row[1]), places[team[row[2]]]))
    return rows.iterator(chunk_size=BATCH)


def _value(export: Export, column: Column, value: Any) -> Any:
    if column.prose and value:
        return export.in_prose(value)
    if value is None or not column.refers:
        return plain(value)
    if column.refers != "files":
        return export.keys[column.refers][value]
    return export.files.setdefault(value, len(export.files) + 1)


def _without_texts(export: Export, columns: Iterable[Column], row: Row) -> Row:
    """Long texts are separate entries."""
    for column in columns:
        if not column.text:
            continue
        text, path = row.pop(column.name), export.path(column.text.format(**row))
        if path.exists() and path.read_text(encoding="utf-8") != text:
            raise ValueError(f"{column.text} would hold two texts")
        path.write_bytes(text.encode())
    return row


def _write(export: Export, sheet: Sheet, records: Iterable[Row]) -> None:
    if not _has(export, sheet):
        return
    if sheet.is_toml:
        filled = [{k: v for k, v in row.items() if v is not None} for row in records]
        export.document[sheet.name] = filled
    elif sheet.entry.endswith(".csv"):
        texts = {column.name for column in sheet.columns if column.text}
        names = [c.name for c in _columns(export, sheet) if c.name not in texts]
        write_csv(export.path(sheet.entry), ["n", *names], records)
    else:
        write_json(export.path(sheet.entry), records)


def _write_contest(export: Export) -> None:
    (settings,) = export.document.pop("contest")
    applied = [rules for rules in export.document["rules"] if "applied_at" in rules]
    digest = export.contest.ruleset.digest
    held = [rules["number"] for rules in applied if rules["digest"] == digest]
    document = {
        "format": layout.FORMAT,
        "version": layout.VERSION,
        "contest": settings | {"rules": held[-1]},
        **{name: rows for name, rows in export.document.items() if rows},
    }
    export.path(layout.CONTEST).write_text(
        tomli_w.dumps(document, multiline_strings=False), encoding="utf-8", newline=""
    )


# Derived entries


def _write_schema(export: Export) -> None:
    """Without the answer key, only the columns that participants have."""
    dataset = original_of(export.contest)
    if dataset is not None and not export.with_key:
        export.path(layout.SCHEMA).write_bytes(public_schema(dataset))


def _write_standings(export: Export) -> None:
    moment = standings.moment_of(export.contest, export.now)
    made = standings.boards_of(export.contest, moment, export.teams, is_final=export.with_key)
    document = {"as_of": plain(moment), "boards": made}
    text = dumped(document, indent=1) + "\n"
    export.path(layout.STANDINGS).write_text(text, encoding="utf-8", newline="")
    if not export.with_key:
        values = standings.shown_values(export.contest, moment, export.teams)
        write_json(export.path(layout.EVALUATIONS), values)


def _write_members(export: Export) -> None:
    seats = Membership.objects.filter(contest=export.contest).order_by("team_id", "pk")
    rows = [
        {
            "n": n,
            "team": export.keys["teams"][seat.team_id],
            "display_name": seat.user.display_name,
            "email": "" if seat.user.is_guest else seat.user.email,
            "is_captain": seat.team.captain_id == seat.user_id,
            "joined_at": plain(seat.joined_at),
        }
        for n, seat in enumerate(seats.select_related("user", "team"), start=1)
    ]
    header = ("n", "team", "display_name", "email", "is_captain", "joined_at")
    write_csv(export.path(layout.MEMBERS), header, rows)


def _write_events(export: Export, last_event_id: int) -> None:
    """The chain up to the request for this archive, so that writing it again gives the same."""
    last = Seal.objects.get(event_id=last_event_id).position
    with export.path(layout.EVENTS).open("w", encoding="utf-8", newline="") as handle:
        for entry in seals.chain(export.contest.pk):
            if entry["position"] > last:
                break
            handle.write(dumped(entry) + "\n")


# Files


def _write_files(export: Export) -> dict[str, StoredFile]:
    stored: dict[str, StoredFile] = {}
    columns = _columns(export, layout.FILES)
    rows = []
    for file in _named_files(export):
        if file.area != layout.PUBLISHED and not export.with_key:
            raise ValueError(f"file {file.pk} is sealed")
        row: Row = {"n": export.files[file.pk]}
        rows.append(row | {column.name: plain(getattr(file, column.name)) for column in columns})
        if not export.names_all:
            row |= {"name": _neutral(file, row["n"])}
            rows[-1]["name"] = row["name"]
        if file.erased_at is None:
            stored[f"files/{file.sha256}"] = file
    rows.sort(key=lambda row: row["n"])
    write_csv(export.path(layout.FILES.entry), ["n", *(c.name for c in columns)], rows)
    return stored


def _named_files(export: Export) -> Iterator[StoredFile]:
    keys = list(export.files)
    for start in range(0, len(keys), BATCH):
        yield from StoredFile.objects.filter(pk__in=keys[start : start + BATCH]).order_by("pk")


def _neutral(file: StoredFile, n: int) -> str:
    """A name without the team's: teams choose the names of their files, and published tables contain them."""
    found = SUFFIX.search(PurePosixPath(file.name.lower()).suffix)
    return f"file-{n}{found.group() if found else ''}"
