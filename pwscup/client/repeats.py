# SPDX-License-Identifier: Apache-2.0
"""Keys of submissions whose answer has not come: sent again, also by another process, they are the same ones."""

from __future__ import annotations

import contextlib
import hashlib
import secrets
import time
from collections.abc import Iterator, Sequence
from pathlib import Path

from pwscup.client import places
from pwscup.client.errors import FileError, Refused, TokenError
from pwscup.client.uploads import Upload

HEADER = "Idempotency-Key"
KEPT_SECONDS = 24 * 3600.0
_LENGTH = 32


@contextlib.contextmanager
def key_for(address: Sequence[str], uploads: Sequence[Upload]) -> Iterator[str]:
    """The key under which files are sent: a new one, or that of the same files whose answer was lost.

    It is forgotten as soon as the site has taken or refused them: the same files may be submitted again then.

    Parameters
    ----------
    address : sequence of str
        Whatever distinguishes a submission from others: site, round, target, note.
    uploads : sequence of Upload
    """
    path = _folder() / _digest(address, uploads)
    key = _kept(path) or secrets.token_hex(_LENGTH // 2)
    with contextlib.suppress(
        FileError
    ):  # where nothing can be written, it lasts as long as the process
        _forget_old()
        places.write_private(path, key.encode())
    try:
        yield key
    except (Refused, TokenError):
        _forget(path)
        raise
    _forget(path)


def _digest(address: Sequence[str], uploads: Sequence[Upload]) -> str:
    found = hashlib.sha256(repr(tuple(address)).encode())
    for one in uploads:
        content = hashlib.sha256(one.data).hexdigest()
        found.update(repr((one.key, one.name, content)).encode())
    return found.hexdigest()


def _kept(path: Path) -> str | None:
    try:
        is_recent = time.time() - path.stat().st_mtime < KEPT_SECONDS
        key = path.read_text(encoding="ascii")
    except (OSError, ValueError):
        return None
    return key if is_recent and len(key) == _LENGTH and key.isalnum() else None


def _forget(path: Path) -> None:
    with contextlib.suppress(OSError):
        path.unlink()


def _forget_old() -> None:
    """Delete keys that no submission needs any more."""
    with contextlib.suppress(OSError):
        for path in _folder().iterdir():
            if _kept(path) is None:
                _forget(path)


def _folder() -> Path:
    return places.folder() / "unanswered"
