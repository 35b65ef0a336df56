# SPDX-License-Identifier: Apache-2.0
"""Celery tasks of contests, without logic."""

from __future__ import annotations

from django.conf import settings

from pwscup.accounts import invitations
from pwscup.contests.services import hints, retention
from pwscup.core.celery_app import app
from pwscup.core.db.clock import read_db_clock


@app.task
def mail_invitations() -> None:
    """Send the invitations that are due."""
    invitations.send_due(read_db_clock())


@app.task
def sweep() -> None:
    """Delete data after the retention period, publish hints that are due, and send waiting emails."""
    now = read_db_clock()
    retention.erase_due(now)
    hints.publish_due(now)
    if invitations.is_any_due(now):
        invitations.announce(send_mails)


def send_mails() -> None:
    """Send the hint that emails are due; the next sweep repeats it."""
    mail_invitations.apply_async(retry=False, expires=max(settings.SWEEP_SECONDS, 1))
