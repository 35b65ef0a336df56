# SPDX-License-Identifier: Apache-2.0
"""Long writes in short transactions, so that others can write in between: SQLite has one writer at a time."""

from __future__ import annotations

import time
from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from itertools import islice
from typing import TypeVar

from django.db import connection, transaction

Item = TypeVar("Item")
SIZE = 500
LONGEST_PAUSE = 1.0


@contextmanager
def short_transaction() -> Iterator[None]:
    """One slice of a long write, followed by an equally long pause for others."""
    started = time.monotonic()
    with transaction.atomic():
        yield
    if not connection.in_atomic_block:
        pause(time.monotonic() - started)


def pause(seconds: float) -> None:
    """Leave the lock to others: they poll for it, and would miss a short gap."""
    if connection.vendor == "sqlite":
        time.sleep(min(seconds, LONGEST_PAUSE))


def slices(items: Iterable[Item]) -> Iterator[list[Item]]:
    """The items in lists, each small enough for one short transaction."""
    remaining = iter(items)
    while found := list(islice(remaining, SIZE)):
        yield found
