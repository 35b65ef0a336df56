"""A file for whoever wants to write one, whose bytes go on at once."""

from __future__ import annotations

import io
from typing import Any


class Pipe(io.RawIOBase):
    """A file that can only be written, and gives away what was written so far."""

    def __init__(self) -> None:
        self._held: list[bytes] = []

    def writable(self) -> bool:
        return True

    def write(self, data: Any) -> int:
        self._held.append(bytes(data))
        return len(data)

    def taken(self) -> bytes:
        """What was written since it was asked last."""
        data = b"".join(self._held)
        self._held.clear()
        return data
