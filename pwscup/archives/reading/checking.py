# SPDX-License-Identifier: Apache-2.0
"""Checks that a file is an archive of a contest: its entries, sizes and digests, before a row is read.

No name, declared size or declared count is trusted.
"""

from __future__ import annotations

import hashlib
import json
import re
from collections import Counter
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from django.conf import settings
from django.template.defaultfilters import filesizeformat

from pwscup.archives import layout
from pwscup.archives.problems import ArchiveRefused
from scoring.errors import ProblemsFound
from scoring.tables import archives

MAX_ENTRIES = 400_000
MAX_MANIFEST_BYTES = 96 * 1024 * 1024
UNPACKED_TIMES = 20
"""The maximum compression ratio: tables compress well."""
MAX_SIZE = 2**63
"""The maximum size in a manifest: larger numbers do not fit a float, which is used for display."""
FIXED = {sheet.entry for sheet in layout.SHEETS} | {
    layout.SCHEMA,
    layout.STANDINGS,
    layout.EVENTS,
    layout.MEMBERS,
}
NUMBERED = re.compile(r"rules/[1-9][0-9]{0,8}\.toml|files/[0-9a-f]{64}")
OPTIONAL = {layout.SCHEMA, layout.EVENTS, layout.MEMBERS}
"""Optional entries of archives with the answer key."""
NOT_OPENED = {"bundle.too_many": "too_many", "bundle.broken": "not_zip"}


@dataclass(frozen=True, slots=True)
class ManifestEntry:
    """A line of the manifest: an entry with its digest and size."""

    name: str
    sha256: str
    size_bytes: int


@dataclass(frozen=True, slots=True)
class Checked:
    """An open archive whose bytes match its manifest; no row was read yet."""

    manifest: dict[str, Any]
    entries: dict[str, ManifestEntry]
    files: dict[str, archives.Entry]


@contextmanager
def checked(path: Path) -> Iterator[Checked]:
    """The archive at `path`, after every entry was unpacked once, open for reading.

    Raises
    ------
    ArchiveRefused
        With its first problem.
    """
    size = path.stat().st_size
    if size > settings.MAX_ARCHIVE_BYTES:
        raise ArchiveRefused("too_large", **_sizes(settings.MAX_ARCHIVE_BYTES, size))
    with _opened(path) as archive:
        yield _checked(archive)


def _opened(path: Path) -> archives.Archive:
    limits = archives.Limits(MAX_ENTRIES, _max_unpacked(), by_products=0)
    try:
        return archives.Archive(path, limits, name=path.name)
    except ProblemsFound as found:
        raise ArchiveRefused(NOT_OPENED[found.problems[0].code], expected=MAX_ENTRIES) from found


def _max_unpacked() -> int:
    return UNPACKED_TIMES * settings.MAX_ARCHIVE_BYTES


def _sizes(expected: int, got: int) -> dict[str, str]:
    return {"expected": filesizeformat(expected), "got": filesizeformat(got)}


def _checked(archive: archives.Archive) -> Checked:
    files = {file.path: file for file in archive.entries}
    manifest = _manifest(files)  # a newer version may have other names
    _check_names(archive)
    entries = {line[0]: ManifestEntry(*line) for line in _listed(manifest)}
    if missing := entries.keys() - files.keys():
        raise ArchiveRefused("missing", entry=min(missing))
    if unlisted := files.keys() - entries.keys() - {layout.MANIFEST}:
        raise ArchiveRefused("unlisted", entry=min(unlisted))
    if not manifest["with_key"]:
        raise ArchiveRefused("no_key")
    if missing := _fixed(manifest["version"]) - OPTIONAL - entries.keys():
        raise ArchiveRefused("missing", entry=min(missing))
    _check_total(entries)
    for name in sorted(entries):
        _check_bytes(files[name], entries[name])
    return Checked(manifest, entries, files)


def _fixed(version: int) -> set[str]:
    """The entries of an archive of that version."""
    return FIXED - {sheet.entry for sheet in layout.SHEETS if sheet.since > version}


def _check_names(archive: archives.Archive) -> None:
    """Refuse a name that is not in the format, whatever path it contains."""
    names = Counter(file.path for file in archive.entries)
    for file in archive.entries:
        name = file.path
        if names[name] > 1:
            raise ArchiveRefused("duplicate", entry=name)
        if name not in FIXED | {layout.MANIFEST} and not NUMBERED.fullmatch(name):
            raise ArchiveRefused("unknown", entry=name)
        if file.packing is not None:
            raise ArchiveRefused("method", entry=name)


def _manifest(files: dict[str, archives.Entry]) -> dict[str, Any]:
    """The manifest; that of a newer version cannot be interpreted."""
    file = files.get(layout.MANIFEST)
    if file is None:
        raise ArchiveRefused("missing", entry=layout.MANIFEST)
    if file.packing is not None:
        raise ArchiveRefused("method", entry=layout.MANIFEST)
    try:
        data = b"".join(file.chunks(MAX_MANIFEST_BYTES))
        manifest = json.loads(data) if _is_lean(data) else None
    except (archives.DamagedFile, ValueError, RecursionError):
        manifest = None
    if not isinstance(manifest, dict) or manifest.get("format") != layout.FORMAT:
        raise ArchiveRefused("manifest", entry=layout.MANIFEST)
    version = manifest.get("version")
    if isinstance(version, int) and version > layout.VERSION:
        raise ArchiveRefused("newer", expected=layout.VERSION, got=version)
    if type(version) is not int or version < 1 or not _is_complete(manifest):
        raise ArchiveRefused("manifest", entry=layout.MANIFEST)
    return manifest


def _is_lean(data: bytes) -> bool:
    """Its size in memory is bounded: an empty list takes two bytes here and sixty there."""
    n_containers = data.count(b"{") + data.count(b"[")
    return len(data) <= MAX_MANIFEST_BYTES and n_containers <= MAX_ENTRIES + 10


def _is_complete(manifest: dict[str, Any]) -> bool:
    entries = manifest.get("entries")
    return (
        isinstance(manifest.get("with_key"), bool)
        and isinstance(manifest.get("names"), str)
        and isinstance(manifest.get("made_by"), dict)
        and isinstance(entries, list)
        and all(_is_entry(entry) for entry in entries)
        and len({entry["name"] for entry in entries}) == len(entries)
    )


def _is_entry(entry: Any) -> bool:
    return (
        isinstance(entry, dict)
        and isinstance(entry.get("name"), str)
        and re.fullmatch("[0-9a-f]{64}", str(entry.get("sha256"))) is not None
        and type(entry.get("size_bytes")) is int
        and 0 <= entry["size_bytes"] <= MAX_SIZE
    )


def _listed(manifest: dict[str, Any]) -> list[tuple[str, str, int]]:
    return [(e["name"], e["sha256"], e["size_bytes"]) for e in manifest["entries"]]


def _check_total(entries: dict[str, ManifestEntry]) -> None:
    most = _max_unpacked()
    total = sum(entry.size_bytes for entry in entries.values())
    if total > most:
        raise ArchiveRefused("unpacked", **_sizes(most, total))


def _check_bytes(file: archives.Entry, entry: ManifestEntry) -> None:
    """Unpack an entry without storing it, up to its declared size."""
    if file.declared_bytes != entry.size_bytes:
        sizes = {"expected": entry.size_bytes, "got": file.declared_bytes}
        raise ArchiveRefused("size", entry=entry.name, **sizes)
    digest = hashlib.sha256()
    try:
        for chunk in file.chunks(entry.size_bytes):
            digest.update(chunk)
    except archives.DamagedFile as error:
        raise ArchiveRefused("damaged", entry=entry.name) from error
    if digest.hexdigest() != entry.sha256:
        raise ArchiveRefused(
            "hash", entry=entry.name, expected=entry.sha256, got=digest.hexdigest()
        )
