"""Two numbers for everything that happened in a contest: while they are the same, so are its facts.

`audit.record` draws them again in the transaction of every service, so that a reader who knows them needs one query
to learn that nothing has changed. They are drawn at random: one of a transaction that was rolled back, or of a
database that was put back, never comes again.
"""

from __future__ import annotations

import secrets
from typing import Any, NamedTuple

from pwscup.core.models import Revision

BITS = 63


class Numbers(NamedTuple):
    """`number` changes with every event, `gate` with all but results: those may be shown a little later."""

    number: int
    gate: int


def touch(contest_id: int, *, is_result: bool = False) -> None:
    """Say that facts of the contest change with this transaction."""
    made = Revision(
        contest_id=contest_id, number=secrets.randbits(BITS), gate=secrets.randbits(BITS)
    )
    Revision.objects.bulk_create(
        [made],
        update_conflicts=True,
        unique_fields=["contest_id"],
        update_fields=["number"] if is_result else ["number", "gate"],
    )


def current(contest_id: int, *conditions: Any) -> Numbers | None:
    """The numbers of the contest; None where nothing was ever recorded, which says nothing, or a condition fails."""
    found = Revision.objects.filter(*conditions, contest_id=contest_id)
    numbers = found.order_by().values_list("number", "gate").first()
    return None if numbers is None else Numbers(*numbers)
