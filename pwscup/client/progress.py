# SPDX-License-Identifier: Apache-2.0
"""Progress bars by tqdm, where that is installed, of what takes longer than two seconds."""

from __future__ import annotations

import io
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from importlib import import_module
from typing import Any

SECONDS = 2.0


@contextmanager
def bytes_of(
    name: str, total: int | None, *, progress: bool, show: Callable[..., Any] | None = None
) -> Iterator[Callable[[int], object]]:
    """Show bytes on their way on standard error.

    Parameters
    ----------
    name : str
        Of what is sent or downloaded.
    total : int or None
        Its bytes, where they are known.
    progress : bool
        Without it, and without tqdm, nothing is shown.
    show : callable, optional
        In place of tqdm.

    Yields
    ------
    callable
        To be called with the number of further bytes.
    """
    make = (show or _bars()) if progress else None
    if make is None:
        yield lambda _n: None
        return
    with make(total=total, desc=name, unit="B", unit_scale=True, delay=SECONDS, leave=False) as bar:
        yield bar.update


class Sent(io.BytesIO):
    """The bytes of a body, which says how many were read from it."""

    def __init__(self, data: bytes, note: Callable[[int], object]) -> None:
        super().__init__(data)
        self._note = note

    def read(self, size: int | None = -1, /) -> bytes:
        """Read as usual."""
        found = super().read(size)
        self._note(len(found))
        return found


def _bars() -> Callable[..., Any] | None:
    try:
        made: Callable[..., Any] = import_module("tqdm").tqdm
    except ImportError:
        return None
    return made
