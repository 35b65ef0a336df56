# SPDX-License-Identifier: Apache-2.0
"""The state changes of a job row: claim, lease, finish under its fencing number, put off, reclaim."""

from __future__ import annotations

import logging
import secrets
from collections.abc import Callable
from dataclasses import dataclass
from datetime import timedelta
from typing import Any

from django.conf import settings
from django.db import InterfaceError, OperationalError, transaction
from django.db.models import Q

from pwscup.core.db.clock import db_now, read_db_clock
from pwscup.core.db.prepared import update
from pwscup.core.models import Job

logger = logging.getLogger(__name__)

MAX_ATTEMPTS = 3
BACK_OFF = timedelta(seconds=15)
PATIENCE = timedelta(minutes=10)
"""The time that a job waits repeatedly for an unavailable database or storage before it has failed."""
AWAY = (OperationalError, InterfaceError)
"""Errors of a database that restarts or does not answer."""
ALPHABET = "23456789abcdefghjkmnpqrstuvwxyz"


@dataclass(frozen=True, slots=True)
class Claim:
    """A worker's claim to a row: valid while `fence` is the row's."""

    model: type[Job]
    pk: int
    fence: int

    @property
    def name(self) -> str:
        """The name of the row in the log."""
        return f"{self.model._meta.verbose_name} {self.pk}"


def lease() -> timedelta:
    return timedelta(seconds=settings.SCORING_LEASE_SECONDS)


def new_reference() -> str:
    """Ten characters that lead from a page to the log, without look-alikes."""
    return "".join(secrets.choice(ALPHABET) for _ in range(10))


# Working


def claim(model: type[Job], pk: int) -> Claim | None:
    """Claim a waiting row; None if it does not wait: claimed, finished or withdrawn."""
    taken = update(
        model,
        {"id": pk, "state": Job.WAITING},
        add_one=("fence", "attempts"),
        state=Job.RUNNING,
        lease_until=db_now() + lease(),
        reference="",
    )
    return Claim(model, pk, taken[0]) if taken else None


def claim_in_turn(model: type[Job], pk: int, at_once: int) -> Claim | None:
    """Claim a waiting row, unless the maximum number is running."""
    with transaction.atomic():
        # Concurrent claims wait here, and count what was claimed in the meantime.
        waiting = model.objects.select_for_update().filter(state=Job.WAITING).order_by("id")
        if pk not in list(waiting.values_list("pk", flat=True)):
            return None
        if model.objects.filter(state=Job.RUNNING).count() >= at_once:
            return None
        return claim(model, pk)


def held(claim: Claim) -> Any:
    """The row of a valid claim: a query that finds it, or nothing."""
    return claim.model.objects.filter(**_held_as(claim))


def _held_as(claim: Claim) -> dict[str, Any]:
    return {"id": claim.pk, "state": Job.RUNNING, "fence": claim.fence}


def note(claim: Claim, **fields: Any) -> bool:
    """Write the progress, if the claim is still valid."""
    return bool(held(claim).update(**fields))


def renew(claim: Claim) -> bool:
    """Extend the lease; False if the claim is no longer valid."""
    return bool(held(claim).update(lease_until=db_now() + lease()))


def finish(claim: Claim, state: str, **fields: Any) -> bool:
    """Write the final state, if the claim is still valid."""
    ended = fields | {"state": state, "finished_at": db_now(), "lease_until": None}
    done = update(claim.model, _held_as(claim), **ended)
    if not done:
        logger.warning(
            "late result of %s refused: claim %s is no longer valid", claim.name, claim.fence
        )
    return bool(done)


def give_back(claim: Claim) -> bool:
    """Make the row wait again: the computed result is no longer needed."""
    return bool(held(claim).update(state=Job.WAITING, lease_until=None, sent_at=None))


def try_again(claim: Claim) -> bool:
    """Make the row wait again, after the rows that wait already; False after the last attempt."""
    again = held(claim).filter(attempts__lt=MAX_ATTEMPTS)
    return bool(again.update(state=Job.WAITING, lease_until=None, sent_at=db_now()))


def put_off(claim: Claim, reference: str, fail: Callable[[Claim, str], bool]) -> bool:
    """Make the row wait again because the database or the storage failed; that uses no attempt.

    It is sent again soon, and has failed if that continues for too long. Its reference leads to the log meanwhile.
    """
    with transaction.atomic():
        row = held(claim).select_for_update().first()
        if row is None:
            return False
        now = read_db_clock()
        since = row.put_off_at or now
        if now - since > PATIENCE:
            return fail(claim, reference)
        held(claim).update(
            state=Job.WAITING,
            lease_until=None,
            attempts=max(0, row.attempts - 1),
            put_off_at=since,
            reference=reference,
            sent_at=now - max(timedelta(), resend_after() - BACK_OFF),
        )
    return False


def wait_again(model: type[Job], pk: int, state: str = Job.FAILED, **fields: Any) -> bool:
    """Make a failed row wait again, with all its attempts; False if its state is another one."""
    ended = model.objects.filter(pk=pk, state=state)
    return bool(
        ended.update(
            state=Job.WAITING,
            attempts=0,
            sent_at=db_now(),
            finished_at=None,
            put_off_at=None,
            reference="",
            **fields,
        )
    )


# Taking back


def is_expired() -> Q:
    """A lease that has expired, or that ends later than any lease can: a clock was set back."""
    return Q(lease_until__lt=db_now()) | Q(lease_until__gt=db_now() + 2 * lease())


def take_back(claim: Claim, fail: Callable[[Claim, str], bool]) -> bool:
    """Make the row of a silent worker wait again; after the last attempt it has failed."""
    expired = held(claim).filter(is_expired())
    with transaction.atomic():
        row = expired.select_for_update().first()  # the lease may have been renewed
        if row is None:
            return False
        if row.attempts < MAX_ATTEMPTS:
            held(claim).update(state=Job.WAITING, lease_until=None, sent_at=None)
            logger.warning("%s taken back from a silent worker", claim.name)
            return True
        reference = new_reference()
        logger.error(
            "%s failed [%s]: its worker went silent in each of %s attempts",
            claim.name,
            reference,
            MAX_ATTEMPTS,
        )
        return fail(claim, reference)


def expired(model: type[Job]) -> list[Claim]:
    """The claims with an expired lease."""
    rows = model.objects.filter(is_expired(), state=Job.RUNNING)
    return [Claim(model, pk, fence) for pk, fence in rows.values_list("pk", "fence")]


def resend_after() -> timedelta:
    """A row is sent again after this time without a claim."""
    return timedelta(seconds=settings.RESEND_SECONDS)
