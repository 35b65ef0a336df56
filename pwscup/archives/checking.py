"""Whether a file is an archive of a contest: its entries, sizes and digests, before a row of it is read.

Nothing here trusts a name, a declared size or a declared count.
"""

from __future__ import annotations

import hashlib
import json
import re
import zipfile
from collections import Counter
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from django.conf import settings
from django.template.defaultfilters import filesizeformat

from pwscup.archives import layout
from pwscup.archives.problems import ArchiveRefused, Findings
from pwscup.submissions.uploads import BROKEN, ENTRY_SIGNATURE, METHODS

CHUNK = 64 * 1024
MAX_ENTRIES = 400_000
MAX_MANIFEST_BYTES = 96 * 1024 * 1024
UNPACKED_TIMES = 20
"""How many times an archive's largest size may come out of it: tables pack well."""
FIXED = {sheet.entry for sheet in layout.SHEETS} | {
    layout.SCHEMA,
    layout.STANDINGS,
    layout.EVENTS,
    layout.MEMBERS,
}
NUMBERED = re.compile(r"rules/[1-9][0-9]{0,8}\.toml|files/[0-9a-f]{64}")
OPTIONAL = {layout.SCHEMA, layout.EVENTS, layout.MEMBERS}
"""What not every archive with the answer key has."""
ENCRYPTED = 0x1


@dataclass(frozen=True, slots=True)
class Entry:
    """What the manifest says of an entry."""

    name: str
    sha256: str
    size_bytes: int


@dataclass(frozen=True, slots=True)
class Checked:
    """An archive whose every byte is what its manifest says; no row of it was read yet."""

    path: Path
    manifest: dict[str, Any]
    entries: dict[str, Entry]


def check(path: Path) -> Checked:
    """The archive at `path`, every entry unpacked once.

    Raises
    ------
    ArchiveRefused
        With everything that is wrong with it.
    """
    findings = Findings()
    if path.stat().st_size > settings.MAX_ARCHIVE_BYTES:
        sizes = (settings.MAX_ARCHIVE_BYTES, path.stat().st_size)
        findings.add("too_large", **_sizes(*sizes))
    elif _n_listed(path) > MAX_ENTRIES:
        findings.add("too_many", expected=MAX_ENTRIES)
    findings.refuse_if_any()
    try:
        with zipfile.ZipFile(path) as archive:
            return _checked(path, archive, findings)
    except BROKEN as error:
        if isinstance(error, ArchiveRefused):
            raise
        findings.add("not_zip")
        raise ArchiveRefused(findings.problems, findings.n_total) from error


def _sizes(expected: int, got: int) -> dict[str, str]:
    return {"expected": filesizeformat(expected), "got": filesizeformat(got)}


def _n_listed(path: Path) -> int:
    """How many entries are listed at most, counted before the list is read into memory."""
    with path.open("rb") as handle:
        return sum(
            chunk.count(ENTRY_SIGNATURE) for chunk in iter(lambda: handle.read(1 << 20), b"")
        )


def _checked(path: Path, archive: zipfile.ZipFile, findings: Findings) -> Checked:
    infos = _named(archive, findings)
    manifest = _manifest(archive, infos, findings)
    findings.refuse_if_any()
    entries = {name: Entry(name, *rest) for name, *rest in _listed(manifest)}
    for name in sorted(entries.keys() - infos.keys()):
        findings.add("missing", entry=name)
    for name in sorted(infos.keys() - entries.keys() - {layout.MANIFEST}):
        findings.add("unlisted", entry=name)
    if not manifest["with_key"]:
        findings.add("no_key")
    else:
        for name in sorted(FIXED - OPTIONAL - entries.keys() - (infos.keys() ^ entries.keys())):
            findings.add("missing", entry=name)
    _check_total(entries, findings)
    for name in sorted(entries.keys() & infos.keys()):
        _check_bytes(archive, infos[name], entries[name], findings)
    findings.refuse_if_any()
    return Checked(path, manifest, entries)


def _named(archive: zipfile.ZipFile, findings: Findings) -> dict[str, zipfile.ZipInfo]:
    """The entries by name; a name that the format does not have is wrong, whatever path it would be."""
    infos = archive.infolist()
    for name, times in Counter(info.orig_filename for info in infos).items():
        if times > 1:
            findings.add("duplicate", entry=name)
    for info in infos:
        name = info.orig_filename
        if name not in FIXED | {layout.MANIFEST} and not NUMBERED.fullmatch(name):
            findings.add("unknown", entry=name)
        elif info.flag_bits & ENCRYPTED or info.compress_type not in METHODS:
            findings.add("method", entry=name)
    return {info.orig_filename: info for info in infos}


def _manifest(
    archive: zipfile.ZipFile, infos: dict[str, zipfile.ZipInfo], findings: Findings
) -> dict[str, Any]:
    """The manifest; what a newer version means by it this one does not know."""
    info = infos.get(layout.MANIFEST)
    if info is None:
        findings.add("missing", entry=layout.MANIFEST)
        return {}
    if findings.n_total and any(p["code"] == "method" for p in findings.problems):
        return {}
    try:
        with archive.open(info) as handle:
            data = handle.read(MAX_MANIFEST_BYTES + 1)
        manifest = json.loads(data) if _is_lean(data) else None
    except (*BROKEN, RecursionError):
        manifest = None
    if not isinstance(manifest, dict) or manifest.get("format") != layout.FORMAT:
        findings.add("manifest", entry=layout.MANIFEST)
        return {}
    version = manifest.get("version")
    if isinstance(version, int) and version > layout.VERSION:
        raise ArchiveRefused(
            [{"code": "newer", "params": {"expected": layout.VERSION, "got": version}}], 1
        )
    if type(version) is not int or version < 1 or not _is_complete(manifest):
        findings.add("manifest", entry=layout.MANIFEST)
    return manifest


def _is_lean(data: bytes) -> bool:
    """Whether it is no larger in memory than a manifest is: an empty list takes two bytes here and sixty there."""
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
        and entry["size_bytes"] >= 0
    )


def _listed(manifest: dict[str, Any]) -> list[tuple[str, str, int]]:
    return [(e["name"], e["sha256"], e["size_bytes"]) for e in manifest["entries"]]


def _check_total(entries: dict[str, Entry], findings: Findings) -> None:
    most = UNPACKED_TIMES * settings.MAX_ARCHIVE_BYTES
    total = sum(entry.size_bytes for entry in entries.values())
    if total > most:
        findings.add("unpacked", **_sizes(most, total))
        findings.refuse_if_any()


def _check_bytes(
    archive: zipfile.ZipFile, info: zipfile.ZipInfo, entry: Entry, findings: Findings
) -> None:
    """Unpack an entry and keep nothing, no further than its size goes."""
    if info.compress_type not in METHODS or info.flag_bits & ENCRYPTED:
        return
    if info.file_size != entry.size_bytes:
        findings.add("size", entry=entry.name, expected=entry.size_bytes, got=info.file_size)
        return
    digest, size = hashlib.sha256(), 0
    try:
        with archive.open(info) as handle:
            while size <= entry.size_bytes and (chunk := handle.read(CHUNK)):
                digest.update(chunk)
                size += len(chunk)
    except BROKEN:
        findings.add("damaged", entry=entry.name)
        return
    if digest.hexdigest() != entry.sha256:
        findings.add("hash", entry=entry.name, expected=entry.sha256, got=digest.hexdigest())
