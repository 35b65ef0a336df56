# SPDX-License-Identifier: Apache-2.0
"""The number of columns of an uploaded table: checked first, as it determines the work of all further checks."""

from __future__ import annotations

from django.conf import settings
from django.utils.translation import gettext_lazy as _

from pwscup.core.texts.refusals import Refused
from scoring.errors import ProblemsFound
from scoring.tables.text import decode, records


class TooManyColumns(Refused):
    """A table with more columns than a page can show and a process can check in time."""


def refuse_wide(data: bytes) -> None:
    """Refuse a file whose first line has more columns than the installation accepts; nothing else is read.

    Other problems of the file are left to its reader, which names their positions.

    Raises
    ------
    TooManyColumns
        With both numbers.
    """
    try:
        names = next(records(decode(data, file=""), file=""), [])
    except ProblemsFound:
        return
    if len(names) > settings.MAX_TABLE_COLUMNS:
        numbers = {"got": len(names), "expected": settings.MAX_TABLE_COLUMNS}
        raise TooManyColumns(
            _("The table has %(got)d columns — expected at most %(expected)d.") % numbers
        )
