# SPDX-License-Identifier: Apache-2.0
"""Packing entries and stored files into one zip archive, deterministically."""

from __future__ import annotations

import hashlib
import zipfile
from collections.abc import Callable, Iterable, Iterator, Mapping
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pwscup
import scoring
from pwscup.archives import layout
from pwscup.archives.row_texts import dumped
from pwscup.core.files import storage
from pwscup.core.http.pipes import Pipe

if TYPE_CHECKING:
    from pwscup.archives.models import Archive
    from pwscup.core.models import StoredFile

CHUNK = 64 * 1024
BEGINNING = (1980, 1, 1, 0, 0, 0)
"""The date of every entry: the earliest that the format allows."""

Sealed = Callable[["StoredFile"], bytes]


class DamagedFileError(RuntimeError):
    """The bytes of a stored file do not match its row."""


def add_manifest(
    archive: Archive, slug: str, folder: Path, stored: Mapping[str, StoredFile]
) -> None:
    """Add the manifest: every entry with its size and digest, and the software version."""
    entries = [_described(folder, path) for path in _paths(folder)]
    entries += [
        {"name": name, "sha256": file.sha256, "size_bytes": file.size_bytes}
        for name, file in stored.items()
    ]
    entries.sort(key=lambda entry: entry["name"])
    manifest = {
        "format": layout.FORMAT,
        "version": layout.VERSION,
        "made_by": {"pwscup": pwscup.__version__, "scoring": scoring.__version__},
        "contest": slug,
        "names": archive.names,
        "with_key": archive.with_key,
        "with_members": archive.with_members,
        "entries": entries,
    }
    (folder / layout.MANIFEST).write_text(dumped(manifest, indent=1) + "\n", encoding="utf-8")


def _paths(folder: Path) -> list[Path]:
    return [path for path in folder.rglob("*") if path.is_file()]


def _described(folder: Path, path: Path) -> dict[str, Any]:
    with path.open("rb") as handle:
        digest = hashlib.file_digest(handle, "sha256").hexdigest()
    name = path.relative_to(folder).as_posix()
    return {"name": name, "sha256": digest, "size_bytes": path.stat().st_size}


def packed(
    folder: Path,
    stored: Mapping[str, StoredFile],
    read_sealed: Sealed,
    progress: Callable[[int], None],
) -> Iterator[bytes]:
    """The archive in pieces, its entries ordered by name; one piece in memory at a time."""
    written = {path.relative_to(folder).as_posix(): path for path in _paths(folder)}
    pipe = Pipe()
    with zipfile.ZipFile(pipe, "w", zipfile.ZIP_DEFLATED, compresslevel=6) as archive:
        for number, name in enumerate(sorted([*written, *stored]), start=1):
            entry = zipfile.ZipInfo(name, BEGINNING)
            entry.compress_type = zipfile.ZIP_DEFLATED
            entry.create_system, entry.external_attr = 3, 0o644 << 16
            chunks = _read(written[name]) if name in written else _stored(stored[name], read_sealed)
            with archive.open(entry, "w", force_zip64=True) as out:
                for chunk in chunks:
                    out.write(chunk)
                    yield pipe.taken()
            yield pipe.taken()
            progress(number)
    yield pipe.taken()


def _read(path: Path) -> Iterator[bytes]:
    with path.open("rb") as handle:
        while chunk := handle.read(CHUNK):
            yield chunk


def _stored(file: StoredFile, read_sealed: Sealed) -> Iterator[bytes]:
    """The bytes of a stored file; if they do not match its row, no archive is written."""
    digest = hashlib.sha256()
    chunks: Iterable[bytes] = (
        _read(storage.path_of(file)) if file.area == layout.PUBLISHED else [read_sealed(file)]
    )
    for chunk in chunks:
        digest.update(chunk)
        yield chunk
    if digest.hexdigest() != file.sha256:
        raise DamagedFileError(f"file {file.pk} is not what its digest says")
