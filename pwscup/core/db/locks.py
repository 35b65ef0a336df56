"""Locks that Django has no words for."""

from __future__ import annotations

from django.db import connection, models


def share(row: models.Model) -> None:
    """Let nobody change or lock the row until the transaction ends, but for others that share it.

    SQLite has one writer at a time, who shares nothing.
    """
    if not connection.features.has_select_for_update:
        return
    quoted = (connection.ops.quote_name(name) for name in (row._meta.db_table, row._meta.pk.column))
    with connection.cursor() as cursor:
        share = "SELECT 1 FROM {} WHERE {} = %s FOR SHARE".format(*quoted)  # noqa: S608 — names of ours
        cursor.execute(share, [row.pk])
