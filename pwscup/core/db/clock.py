# SPDX-License-Identifier: Apache-2.0
"""The clock shared by all processes and machines of an installation: that of the database.

Leases and the times of messages use it, so that a worker with a wrong clock neither takes rows from others
nor loses its own. SQLite runs in each process of one machine, so its clock is the machine's.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from django.db import connection
from django.db.models.functions import Now
from django.utils import timezone

if TYPE_CHECKING:
    from datetime import datetime


def db_now() -> Now | datetime:
    """The current time, for use in a query: `lease_until=db_now() + lease()`."""
    return timezone.now() if connection.vendor == "sqlite" else Now()


def read_db_clock() -> datetime:
    """The current time as a value."""
    if connection.vendor == "sqlite":
        return timezone.now()
    with connection.cursor() as cursor:
        cursor.execute("SELECT STATEMENT_TIMESTAMP()")
        return cursor.fetchone()[0]
