"""Free space where uploads are kept, and the part of it that is left to them."""

from __future__ import annotations

import shutil
from collections.abc import Iterable, Iterator

from django.conf import settings

LOOK_BYTES = 8 * 1024 * 1024


class ReserveReachedError(RuntimeError):
    """What can wait would take space that is kept for the uploads of teams."""


def free_bytes() -> int:
    """What the file system of the data folder has left for this user."""
    return shutil.disk_usage(settings.DATA_DIR).free


def is_low() -> bool:
    """Twice the reserve is the time to warn the organizers: imports and archives still work."""
    try:
        return free_bytes() < 2 * settings.DISK_RESERVE_BYTES
    except OSError:
        return False  # the health check and `doctor` say what is wrong with the folder


def has_room_for(n_bytes: int) -> bool:
    """The reserve stays free after so many bytes more."""
    return free_bytes() - n_bytes >= settings.DISK_RESERVE_BYTES


def within_reserve(chunks: Iterable[bytes]) -> Iterator[bytes]:
    """The chunks of what can wait, as long as the reserve stays free.

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
