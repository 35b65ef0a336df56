# SPDX-License-Identifier: Apache-2.0
"""Downloaded files: names and archives of a site are checked before anything is written."""

from __future__ import annotations

import hashlib
import io
import re
import secrets
import zipfile
import zlib
from collections.abc import Callable, Iterator
from pathlib import Path

from pwscup.client.errors import FileError, Problem, UnsafeFileError
from pwscup.client.places import unwritable

MAX_NAME = 150
MAX_FILES = 20_000
MAX_BYTES = 2 * 1024**3
"""Of a download, and of all files of an archive together, unpacked."""
CHUNK = 64 * 1024
_RESERVED = re.compile(r"(?:con|prn|aux|nul|com\d|lpt\d)(?:\.|$)", re.IGNORECASE)
_FORBIDDEN = frozenset('/\\:*?"<>|')
_LINK = 0o120000
_KIND = 0o170000


def checked_name(name: str) -> str:
    """A name that a site proposes for a file, if it names a plain file in one folder on every system.

    Raises
    ------
    UnsafeFileError
        Where it is a path, hidden, reserved, too long, or not printable.

    Examples
    --------
    >>> checked_name("teamred_original.csv")
    'teamred_original.csv'
    >>> checked_name("../../.ssh/authorized_keys")
    Traceback (most recent call last):
    pwscup.client.errors.UnsafeFileError: the site names a file that must not be written — \
expected a plain name — got '../../.ssh/authorized_keys'
    """
    is_plain = (
        0 < len(name) <= MAX_NAME
        and name.isprintable()
        and not _FORBIDDEN & set(name)
        and not name.startswith((".", "-", "~"))
        and not name.endswith((".", " "))
        and not _RESERVED.match(name)
    )
    if not is_plain:
        raise unsafe(name)
    return name


def unsafe(name: str) -> UnsafeFileError:
    """The error for a name that must not be written."""
    text = "the site names a file that must not be written — expected a plain name — got "
    return UnsafeFileError([Problem("file.unsafe_name", f"{text}{name[:MAX_NAME]!r}", got=name)])


def save(
    chunks: Iterator[bytes],
    path: Path,
    *,
    sha256: str | None = None,
    note: Callable[[int], object] | None = None,
) -> str:
    """Write a download completely or not at all, next to its place first.

    Parameters
    ----------
    chunks : iterator of bytes
    path : Path
    sha256 : str, optional
        The digest that the bytes must have, in hexadecimal digits.
    note : callable, optional
        Called with the number of bytes of each chunk.

    Returns
    -------
    str
        Their digest.

    Raises
    ------
    FileError
        Where it cannot be written.
    UnsafeFileError
        Where it is too large, or has another digest.
    """
    beside = path.with_name(f".{path.name[:50]}.{secrets.token_hex(4)}")
    digest, n_bytes = hashlib.sha256(), 0
    try:
        path.parent.mkdir(parents=True, exist_ok=True)
        with beside.open("xb") as file:
            for chunk in chunks:
                digest.update(chunk)
                n_bytes += len(chunk)
                if n_bytes > MAX_BYTES:
                    raise UnsafeFileError(
                        f"{path.name}: too large — expected at most {MAX_BYTES:,} bytes"
                    )
                file.write(chunk)
                if note is not None:
                    note(len(chunk))
        found = digest.hexdigest()
        if sha256 is not None and found != sha256.lower():
            raise UnsafeFileError(
                f"{path.name}: damaged on its way — expected the SHA-256 {sha256} — got {found}",
                code="file.digest",
            )
        beside.replace(path)
    except OSError as error:
        raise unwritable(path, error) from error
    finally:
        beside.unlink(missing_ok=True)
    return found


def digest_of(path: Path) -> str | None:
    """The SHA-256 of a file; None where there is no file."""
    try:
        with path.open("rb") as file:
            return hashlib.file_digest(file, "sha256").hexdigest()
    except FileNotFoundError:
        return None
    except OSError as error:
        raise FileError(f"cannot read {path}: {error.strerror}", code="file.unreadable") from error


def unpacked(data: bytes) -> dict[str, bytes]:
    """The files of an archive by their names, each of which is a plain one; folders within it do not count.

    Raises
    ------
    UnsafeFileError
        Where a name leads elsewhere, two are equal, an entry is a link, or the whole is too large or damaged.
    """
    found: dict[str, bytes] = {}
    left = MAX_BYTES
    try:
        with zipfile.ZipFile(io.BytesIO(data)) as archive:
            entries = [one for one in archive.infolist() if not one.is_dir()]
            if len(entries) > MAX_FILES:
                raise UnsafeFileError(
                    f"the archive has too many files — expected at most {MAX_FILES:,}"
                )
            for entry in entries:
                name = _entry_name(entry)
                if name.casefold() in {one.casefold() for one in found}:
                    raise UnsafeFileError(f"the archive has two files that are called {name}")
                with archive.open(entry) as file:
                    content = file.read(left + 1)
                left -= len(content)
                if left < 0:
                    raise UnsafeFileError(
                        f"the archive is too large — expected at most {MAX_BYTES:,} bytes unpacked"
                    )
                found[name] = content
    except (zipfile.BadZipFile, zlib.error, EOFError, RuntimeError, NotImplementedError) as error:
        raise UnsafeFileError(
            "the archive is damaged — expected a zip archive", code="file.archive"
        ) from error
    return found


def _entry_name(entry: zipfile.ZipInfo) -> str:
    """The last part of its path; a path that leaves the archive's folder is refused."""
    path = entry.filename
    parts = path.replace("\\", "/").split("/")
    is_link = (entry.external_attr >> 16) & _KIND == _LINK
    if is_link or path.startswith("/") or ".." in parts or ":" in parts[0]:
        raise unsafe(path)
    return checked_name(parts[-1])
