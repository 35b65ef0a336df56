# SPDX-License-Identifier: Apache-2.0
"""Two revision numbers for the facts of a contest: while they stay the same, so do its facts.

`audit_log.record` draws new ones in the transaction of every service, so that a reader needs one query to
check that nothing has changed. They are random: the number of a transaction that was rolled back, or of a
database that was restored, never occurs again.
"""

from __future__ import annotations

import secrets
from typing import TYPE_CHECKING, Any, NamedTuple

from pwscup.core.db.prepared import Prepared, insert
from pwscup.core.models import Revision

if TYPE_CHECKING:
    from django.db.models import QuerySet

BITS = 63


class Numbers(NamedTuple):
    """`number` changes with every event, `gate` with every event except results, which may be shown with a delay."""

    number: int
    gate: int


def touch(contest_id: int, *, is_result: bool = False) -> None:
    """Note that this transaction changes facts of the contest."""
    made = Revision(
        contest_id=contest_id, number=secrets.randbits(BITS), gate=secrets.randbits(BITS)
    )
    insert(made, replaces=("number",) if is_result else ("number", "gate"))


_CURRENT = Prepared(lambda contest_id: numbers_where(contest_id=contest_id), int)


def numbers_where(**conditions: Any) -> QuerySet[Revision, Any]:
    """The revision numbers of contests, as a query."""
    return Revision.objects.filter(**conditions).order_by().values_list("number", "gate")


def current(contest_id: int, query: Prepared = _CURRENT) -> Numbers | None:
    """The revision numbers of the contest; None if nothing was ever recorded, which implies nothing; or by
    another query."""
    numbers = query.first(contest_id)
    return None if numbers is None else Numbers(*numbers)
