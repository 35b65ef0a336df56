"""How wide an uploaded table may be: looked at before anything else is, as its columns decide the work."""

from __future__ import annotations

from django.conf import settings
from django.utils.translation import gettext_lazy as _

from pwscup.core.texts.refusals import Refused
from scoring.errors import ProblemsFound
from scoring.tables.text import decode, records


class TooManyColumns(Refused):
    """A table with more columns than a page can show and a process can look at in time."""


def refuse_wide(data: bytes) -> None:
    """Refuse a file whose first line names more columns than the installation takes; nothing else is read.

    What is wrong with the file otherwise is left to its reader, who says where.

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
