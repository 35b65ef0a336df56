"""Audits as jobs: what `core.jobs` says of every row, and what is written when one ends."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from django.conf import settings
from django.db import transaction

from pwscup.audits.models import Audit, AuditReport
from pwscup.core import audit as trail
from pwscup.core import jobs
from pwscup.core.jobs import Claim


def announce(audit_id: int) -> bool:
    """Tell the broker that an audit waits."""
    from pwscup.audits import tasks  # the tasks import this module

    return jobs.announce(Audit, audit_id, tasks.send_run)


def claim(audit_id: int) -> Claim | None:
    """Take a waiting audit unless as many as may be are being worked on: scoring goes on beside them."""
    with transaction.atomic():
        # Whoever claims at the same moment waits here, and counts what was taken meanwhile.
        waiting = Audit.objects.select_for_update().filter(state=Audit.State.WAITING)
        if not any(pk == audit_id for pk in waiting.order_by("id").values_list("pk", flat=True)):
            return None
        if Audit.objects.filter(state=Audit.State.RUNNING).count() >= settings.AUDITS_AT_ONCE:
            return None
        return jobs.claim(Audit, audit_id)


def announce_next() -> None:
    """Tell the broker of the audit that has waited longest: a place is free."""
    waiting = Audit.objects.filter(state=Audit.State.WAITING).order_by(*Audit.QUEUE_ORDER)
    if (pk := waiting.values_list("pk", flat=True).first()) is not None:
        announce(pk)


def progress(claim: Claim, done: int, n_steps: int, step: str) -> None:
    """Write how far it is, if the claim still holds."""
    jobs.held(claim).update(done_steps=done, n_steps=n_steps, step=step)


def finish_done(claim: Claim, reports: Mapping[str, str], **result: Any) -> bool:
    """Write a result and its reports by language, if the claim still holds."""
    with transaction.atomic():
        if not jobs.finish(claim, Audit.State.DONE, step="", **result):
            return False
        AuditReport.objects.filter(audit_id=claim.pk).delete()
        AuditReport.objects.bulk_create(
            AuditReport(audit_id=claim.pk, language=language, html=html)
            for language, html in reports.items()
        )
        _record(claim.pk)
        transaction.on_commit(announce_next)
    return True


def finish_failed(claim: Claim, reference: str) -> bool:
    """Write that we failed, with a reference to the log, if the claim still holds."""
    with transaction.atomic():
        done = jobs.finish(claim, Audit.State.FAILED, reference=reference)
        if done:
            _record(claim.pk)
            transaction.on_commit(announce_next)
    return done


def _record(audit_id: int) -> None:
    audit = Audit.objects.select_related("submission__round").get(pk=audit_id)
    trail.record(
        f"audit.{audit.state}",
        contest_id=audit.submission.round.contest_id,
        subject=str(audit.submission.public_id),
        **({"reference": audit.reference} if audit.reference else {}),
    )


def sweep() -> None:
    """Take back what silent workers hold, send what waits unsent."""
    jobs.sweep(Audit, fail=finish_failed, announce=announce)
