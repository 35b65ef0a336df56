# SPDX-License-Identifier: Apache-2.0
"""Free disk space for uploads, and the reserve that is kept for them."""

from __future__ import annotations

import shutil
from collections.abc import Iterable, Iterator

from django.conf import settings

LOOK_BYTES = 8 * 1024 * 1024


class ReserveReachedError(RuntimeError):
    """A write that can wait would use space that is reserved for the uploads of teams."""


def free_bytes() -> int:
    """The free space in the file system of the data folder for this user."""
    return shutil.disk_usage(settings.DATA_DIR).free


def is_low() -> bool:
    """Less than twice the reserve is free: organizers are warned, but imports and archives still work."""
    try:
        return free_bytes() < 2 * settings.DISK_RESERVE_BYTES
    except OSError:
        return False  # the health check and `doctor` report problems of the folder


def has_room_for(n_bytes: int) -> bool:
    """The reserve stays free after writing this number of bytes."""
    return free_bytes() - n_bytes >= settings.DISK_RESERVE_BYTES


def within_reserve(chunks: Iterable[bytes]) -> Iterator[bytes]:
    """The chunks of a write that can wait, as long as the reserve stays free.

    Raises
    ------
    ReserveReachedError
        Before the reserve is used.
    """
    looked_at = -LOOK_BYTES
    n_bytes = 0
    for chunk in chunks:
        n_bytes += len(chunk)
        if n_bytes - looked_at >= LOOK_BYTES:
            looked_at = n_bytes
            if not has_room_for(LOOK_BYTES):
                raise ReserveReachedError(f"less than {settings.DISK_RESERVE_BYTES} bytes are free")
        yield chunk
