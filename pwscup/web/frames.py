# SPDX-License-Identifier: Apache-2.0
"""Room for the frames of deep calls.

CPython keeps the frames of Python functions in chunks of 16 KiB, and gives a chunk back as soon as the function at its
edge returns. A page that is made a hundred calls deep, in a loop at such an edge, then asks the system for memory at
every call: half of its time. A frame larger than a chunk gets a chunk several times as large, and all that is called
from it stays inside.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import ParamSpec, TypeVar

P = ParamSpec("P")
R = TypeVar("R")
N_PLACES = 40_000
"""Places for values in the frame, 320 KB of addresses that nothing uses: the rest of 512 KB is for calls."""


def with_room(call: Callable[P, R], *args: P.args, **options: P.kwargs) -> R:
    """Call a function in a chunk that holds the frames of some thousand calls."""
    return call(*args, **options)


with_room.__code__ = with_room.__code__.replace(co_stacksize=N_PLACES)
