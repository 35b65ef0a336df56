# SPDX-License-Identifier: Apache-2.0
"""Requesting an audit, and requesting it again after a failure."""

from __future__ import annotations

from functools import partial
from typing import TYPE_CHECKING

from django.db import transaction
from django.utils import timezone
from django.utils.translation import gettext as _

from pwscup.accounts.models import Team
from pwscup.audits import selectors
from pwscup.audits.models import Audit
from pwscup.core import audit_log, jobs
from pwscup.core.texts.refusals import Refused

if TYPE_CHECKING:
    from pwscup.accounts.models import User
    from pwscup.submissions.models import Submission


class AuditRefused(Refused):
    """Another audit of the team comes first."""


def request_audit(*, user: User, submission: Submission) -> Audit:
    """The audit of a submission: the existing one, or a new one; a failed one waits again.

    Only one audit of a team waits or runs at a time, so that all teams get their turn.
    """
    with transaction.atomic():
        Team.objects.select_for_update(no_key=True).get(pk=submission.team_id)
        if (other := selectors.before(submission)) is not None:
            raise AuditRefused(
                _("The audit of submission %(n)s comes first: request this one when it is done.")
                % {"n": other.number}
            )
        audit, is_new = Audit.objects.select_for_update().get_or_create(
            submission=submission, defaults={"requested_by": user, "sent_at": timezone.now()}
        )
        waits_again = not is_new and audit.state == Audit.State.FAILED
        if waits_again:
            audit.state, audit.sent_at = Audit.State.WAITING, timezone.now()
            audit.attempts, audit.reference = 0, ""
            audit.requested_by, audit.requested_at = user, timezone.now()
            audit.step, audit.done_steps = "", 0
            audit.save()
        if is_new or waits_again:
            audit_log.record(
                "audit.requested",
                actor=user,
                contest_id=submission.round.contest_id,
                subject=str(submission.public_id),
            )
            transaction.on_commit(partial(jobs.announce, Audit, audit.pk))
    return audit
