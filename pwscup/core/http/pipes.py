# SPDX-License-Identifier: Apache-2.0
"""A file for code that writes to files, whose bytes are forwarded immediately."""

from __future__ import annotations

import io
from typing import Any


class Pipe(io.RawIOBase):
    """A write-only file that returns the bytes written so far."""

    def __init__(self) -> None:
        self._held: list[bytes] = []

    def writable(self) -> bool:
        return True

    def write(self, data: Any) -> int:
        self._held.append(bytes(data))
        return len(data)

    def taken(self) -> bytes:
        """The bytes written since the last call."""
        data = b"".join(self._held)
        self._held.clear()
        return data
