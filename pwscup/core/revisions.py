"""One number for everything that happened in a contest: while it is the same, so are its facts.

`audit.record` draws another one in the transaction of every service, so that a reader who knows the number
needs one query to learn that nothing has changed. The number is drawn at random: one of a transaction that
was rolled back, or of a database that was put back, never comes again.
"""

from __future__ import annotations

import secrets

from pwscup.core.models import Revision

BITS = 63


def touch(contest_id: int) -> None:
    """Say that facts of the contest change with this transaction."""
    made = Revision(contest_id=contest_id, number=secrets.randbits(BITS))
    Revision.objects.bulk_create(
        [made], update_conflicts=True, unique_fields=["contest_id"], update_fields=["number"]
    )


def current(contest_id: int) -> int | None:
    """The number of the contest; None where nothing was ever recorded, which says nothing."""
    found = Revision.objects.filter(contest_id=contest_id).values_list("number", flat=True)
    return found.first()
