"""Dry runs as jobs: what `core.jobs` says of every row, and what is written when one ends."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from pwscup.bots.models import Rehearsal
from pwscup.core import audit, jobs
from pwscup.core.jobs import Claim

if TYPE_CHECKING:
    from pwscup.contests.models import Contest


def announce(rehearsal_id: int) -> bool:
    """Tell the broker that a dry run waits."""
    from pwscup.bots import tasks  # the tasks import this module

    return jobs.announce(Rehearsal, rehearsal_id, tasks.send_run)


def claim(rehearsal_id: int) -> Claim | None:
    """Take a waiting dry run; None where it does not wait."""
    return jobs.claim(Rehearsal, rehearsal_id)


def plays_on(claim: Claim, copy: Contest) -> bool:
    """Write on which copy the bots play, if the claim still holds."""
    return bool(jobs.held(claim).update(played_on=copy))


def progress(claim: Claim, step: str) -> None:
    """Write which round is being played, if the claim still holds."""
    jobs.held(claim).update(step=step)


def finish_done(claim: Claim, **result: Any) -> bool:
    """Write how it went, if the claim still holds."""
    return jobs.finish_and(claim, Rehearsal.State.DONE, _record, step="", **result)


def finish_failed(claim: Claim, reference: str) -> bool:
    """Write that we failed, with a reference to the log, if the claim still holds."""
    return jobs.finish_and(claim, Rehearsal.State.FAILED, _record, reference=reference)


def _record(claim: Claim) -> None:
    rehearsal = Rehearsal.objects.get(pk=claim.pk)
    audit.record(
        f"contest.dry_run_{rehearsal.state}",
        contest_id=rehearsal.contest_id,
        **({"reference": rehearsal.reference} if rehearsal.reference else {}),
    )


def sweep() -> None:
    """Take back what silent workers hold, send what waits unsent."""
    jobs.sweep(Rehearsal, fail=finish_failed, announce=announce)
