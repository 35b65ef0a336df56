# SPDX-License-Identifier: Apache-2.0
"""Locks that Django does not offer."""

from __future__ import annotations

from django.db import connection, models


def share(row: models.Model) -> None:
    """Prevent others from changing or locking the row until the transaction ends, except for those that share it.

    SQLite has one writer at a time, so it needs no such lock.
    """
    if not connection.features.has_select_for_update:
        return
    quoted = (
        connection.ops.quote_name(name) for name in (row._meta.db_table, row._meta.pk.column or "")
    )
    with connection.cursor() as cursor:
        share = "SELECT 1 FROM {} WHERE {} = %s FOR SHARE".format(*quoted)  # noqa: S608 — our own names
        cursor.execute(share, [row.pk])
