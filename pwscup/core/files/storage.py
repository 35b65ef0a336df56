# SPDX-License-Identifier: Apache-2.0
"""Files outside the web root, under random names; the name given by a participant is never a path.

Sealed files are written here and read only in `pwscup.contests.truth`.
"""

from __future__ import annotations

import hashlib
import os
import secrets
from collections.abc import Iterable
from datetime import datetime
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING

from django.conf import settings
from django.db import transaction

from pwscup.core.files.space import within_reserve
from pwscup.core.models import StoredFile
from scoring.tables.text import marked

if TYPE_CHECKING:
    from django.db.models import QuerySet

Area = StoredFile.Area


class SealedFileError(PermissionError):
    """Code other than the door to the answer key tried to read a sealed file."""


class ErasedFileError(FileNotFoundError):
    """The bytes of this file were deleted after the retention period; its row stays."""


ERASED = "erased/"  # the path of a row whose bytes are deleted


def write(
    chunks: bytes | Iterable[bytes],
    *,
    area: str,
    name: str,
    prefix: str = "",
    can_wait: bool = False,
) -> StoredFile:
    """Write the bytes and return their row unsaved, so that slow disks block no transaction.

    The name on the disk is random; it begins with `prefix`, by which related files can be found. A write that
    `can_wait` leaves the reserve free that `core.space` keeps for the uploads of teams.
    """
    path = f"{area}/{prefix}{secrets.token_hex(16)}"
    target = settings.PRIVATE_ROOT / path
    target.parent.mkdir(parents=True, exist_ok=True, mode=0o700)
    digest, size = hashlib.sha256(), 0
    beside = target.with_suffix(".part")
    try:
        with open(os.open(beside, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600), "wb") as handle:
            pieces = [chunks] if isinstance(chunks, bytes) else chunks
            for chunk in within_reserve(pieces) if can_wait else pieces:
                digest.update(chunk)
                size += len(chunk)
                handle.write(chunk)
            handle.flush()
            os.fsync(handle.fileno())
        beside.rename(target)
    except BaseException:
        beside.unlink(missing_ok=True)
        raise
    return StoredFile(
        area=area, path=path, name=name[:150], sha256=digest.hexdigest(), size_bytes=size
    )


def publish(data: bytes, *, name: str) -> StoredFile:
    """Write a file that people download, and return its row unsaved; see `for_people`."""
    return write(for_people(data, name), area=Area.PUBLISHED, name=name)


def for_people(data: bytes, name: str) -> bytes:
    """The file as people download it: a CSV begins with a byte order mark, by which Excel knows UTF-8.

    Examples
    --------
    >>> for_people(b"age\\n20\\n", "original.csv")
    b'\\xef\\xbb\\xbfage\\n20\\n'
    """
    return marked(data) if name.lower().endswith(".csv") else data


def store(chunks: bytes | Iterable[bytes], *, area: str, name: str) -> StoredFile:
    """Write the bytes, then the row: a crash between the two leaves an orphaned file, never a row without bytes."""
    file = write(chunks, area=area, name=name)
    file.save()
    return file


def discard(file: StoredFile) -> None:
    """Remove the bytes of a row that was never saved."""
    (settings.PRIVATE_ROOT / file.path).unlink(missing_ok=True)


def path_of(file: StoredFile) -> Path:
    """The path of a published file."""
    return _path_in(Area.PUBLISHED, file)


def read(file: StoredFile) -> bytes:
    """The bytes of a published file."""
    return path_of(file).read_bytes()


def archive_path(file: StoredFile) -> Path:
    """The path of an archive of a contest, which only its organizers may read."""
    return _path_in(Area.ARCHIVE, file)


def _path_in(area: str, file: StoredFile) -> Path:
    if file.area != area:
        raise SealedFileError(file.pk)
    refuse_erased(file)
    return settings.PRIVATE_ROOT / file.path


def read_draft(file: StoredFile) -> bytes:
    """The bytes of an organizer's upload that is not yet the table of a contest."""
    return _path_in(Area.DRAFT, file).read_bytes()


def discard_draft(file: StoredFile) -> None:
    """Delete a draft: the row, then, after the commit, the bytes."""
    _path_in(Area.DRAFT, file)  # refuses any other file
    forget([file])


def forget(files: Iterable[StoredFile]) -> None:
    """Delete rows that no other row needs and, after the commit, their bytes: drafts and dry runs."""
    for file in files:
        path = settings.PRIVATE_ROOT / file.path
        file.delete()
        transaction.on_commit(partial(path.unlink, missing_ok=True))


def refuse_erased(file: StoredFile) -> None:
    """Raise ErasedFileError where the bytes were deleted."""
    if file.erased_at is not None:
        raise ErasedFileError(f"file {file.pk} was erased at {file.erased_at.isoformat()}")


def erase(files: QuerySet[StoredFile], now: datetime) -> int:
    """Delete the bytes of these files after the commit; return their number. The rows stay."""
    n_files = files.filter(erased_at=None).update(erased_at=now)
    transaction.on_commit(remove_erased)
    return n_files


def remove_erased() -> int:
    """Remove files whose rows are erased from the disk; safe to repeat after an interruption."""
    marked = StoredFile.objects.filter(erased_at__isnull=False).exclude(path__startswith=ERASED)
    n_files = 0
    for pk, path in marked.values_list("pk", "path"):
        (settings.PRIVATE_ROOT / path).unlink(missing_ok=True)
        StoredFile.objects.filter(pk=pk).update(path=f"{ERASED}{pk}")
        n_files += 1
    return n_files


def paths_on_disk() -> set[str]:
    """The paths of all files on the disk, with or without a row."""
    root = settings.PRIVATE_ROOT
    return {str(path.relative_to(root)) for path in root.glob("*/*") if path.is_file()}


def remove_prefixed(prefix: str) -> None:
    """Remove the files of an incomplete import by the prefix of their names, with or without a row."""
    for path in settings.PRIVATE_ROOT.glob(f"*/{prefix}*"):
        path.unlink(missing_ok=True)


def is_there(file: StoredFile) -> bool:
    """The bytes of a row are on the disk."""
    return (settings.PRIVATE_ROOT / file.path).is_file()


def is_whole(file: StoredFile) -> bool:
    """The file on the disk has the recorded size."""
    path = settings.PRIVATE_ROOT / file.path
    return path.is_file() and path.stat().st_size == file.size_bytes


def _probe_path(token: str) -> Path:
    return settings.PRIVATE_ROOT / f"probe-{token}"


def write_probe(token: str) -> None:
    """Create an empty file under that name; see `core.probe`."""
    path = _probe_path(token)
    path.parent.mkdir(parents=True, exist_ok=True, mode=0o700)
    path.touch(mode=0o600)


def has_probe(token: str) -> bool:
    """That file exists."""
    return _probe_path(token).is_file()
