"""Long writes in short transactions, between which others write: SQLite lets one write at a time."""

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
    """One slice of a long write; afterwards others have as long as it took."""
    started = time.monotonic()
    with transaction.atomic():
        yield
    if not connection.in_atomic_block:
        pause(time.monotonic() - started)


def pause(seconds: float) -> None:
    """Leave the lock to others: those who wait for it look for it now and then, and would miss it."""
    if connection.vendor == "sqlite":
        time.sleep(min(seconds, LONGEST_PAUSE))


def slices(items: Iterable[Item]) -> Iterator[list[Item]]:
    """The items in lists that one short transaction can take."""
    remaining = iter(items)
    while found := list(islice(remaining, SIZE)):
        yield found
