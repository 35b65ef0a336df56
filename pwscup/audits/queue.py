"""Audits as jobs: what `core.jobs` says of every row, and what is written when one ends."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from django.conf import settings
from django.db import transaction

from pwscup.audits.models import Audit, AuditReport
from pwscup.core import audit as trail
from pwscup.core.jobs import rows as jobs
from pwscup.core.jobs.rows import Claim


def announce(audit_id: int) -> bool:
    """Tell the broker that an audit waits."""
    from pwscup.audits import tasks  # the tasks import this module

    return jobs.announce(Audit, audit_id, tasks.send_run)


def claim(audit_id: int) -> Claim | None:
    """Take a waiting audit, unless as many as may be are being worked on."""
    return jobs.claim_in_turn(Audit, audit_id, settings.AUDITS_AT_ONCE)


def announce_next() -> None:
    """Tell the broker of the audit that has waited longest: a place is free."""
    jobs.announce_next(Audit, announce)


def progress(claim: Claim, done: int, n_steps: int, step: str) -> None:
    """Write how far it is, if the claim still holds."""
    jobs.held(claim).update(done_steps=done, n_steps=n_steps, step=step)


def finish_done(claim: Claim, reports: Mapping[str, str], **result: Any) -> bool:
    """Write a result and its reports by language, if the claim still holds."""

    def follow(claim: Claim) -> None:
        AuditReport.objects.filter(audit_id=claim.pk).delete()
        AuditReport.objects.bulk_create(
            AuditReport(audit_id=claim.pk, language=language, html=html)
            for language, html in reports.items()
        )
        _follow(claim)

    return jobs.finish_and(claim, Audit.State.DONE, follow, step="", **result)


def finish_failed(claim: Claim, reference: str) -> bool:
    """Write that we failed, with a reference to the log, if the claim still holds."""
    return jobs.finish_and(claim, Audit.State.FAILED, _follow, reference=reference)


def _follow(claim: Claim) -> None:
    audit = Audit.objects.select_related("submission__round").get(pk=claim.pk)
    trail.record(
        f"audit.{audit.state}",
        contest_id=audit.submission.round.contest_id,
        subject=str(audit.submission.public_id),
        **({"reference": audit.reference} if audit.reference else {}),
    )
    transaction.on_commit(announce_next)


def sweep() -> None:
    """Take back what silent workers hold, send what waits unsent."""
    jobs.sweep(Audit, fail=finish_failed, announce=announce)
