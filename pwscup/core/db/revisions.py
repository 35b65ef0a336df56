"""Two numbers for everything that happened in a contest: while they are the same, so are its facts.

`audit_log.record` draws them again in the transaction of every service, so that a reader who knows them needs one query
to learn that nothing has changed. They are drawn at random: one of a transaction that was rolled back, or of a
database that was put back, never comes again.
"""

from __future__ import annotations

import secrets
from typing import TYPE_CHECKING, Any, NamedTuple

from pwscup.core.db.prepared import Prepared
from pwscup.core.models import Revision

if TYPE_CHECKING:
    from django.db.models import QuerySet

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


_CURRENT = Prepared(lambda contest_id: numbers_where(contest_id=contest_id), int)


def numbers_where(**conditions: Any) -> QuerySet[Revision, Any]:
    """The numbers of contests, as a query."""
    return Revision.objects.filter(**conditions).order_by().values_list("number", "gate")


def current(contest_id: int, query: Prepared = _CURRENT) -> Numbers | None:
    """The numbers of the contest; None where nothing was ever recorded, which says nothing, or by another query."""
    numbers = query.first(contest_id)
    return None if numbers is None else Numbers(*numbers)
