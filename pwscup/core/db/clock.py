"""The clock that all processes and machines of an installation share: that of the database.

Leases and the times of messages go by it, so that a worker whose own clock is wrong takes nothing from others
and loses nothing. SQLite is a library in each process of one machine, and so the machine's clock is its clock.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from django.db import connection
from django.db.models.functions import Now
from django.utils import timezone

if TYPE_CHECKING:
    from datetime import datetime


def db_now() -> Now | datetime:
    """The time now, to be used in a query: `lease_until=db_now() + lease()`."""
    return timezone.now() if connection.vendor == "sqlite" else Now()


def read_db_clock() -> datetime:
    """The time now, as a value."""
    if connection.vendor == "sqlite":
        return timezone.now()
    with connection.cursor() as cursor:
        cursor.execute("SELECT STATEMENT_TIMESTAMP()")
        return cursor.fetchone()[0]
