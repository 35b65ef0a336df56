# SPDX-License-Identifier: Apache-2.0
"""Celery tasks of submissions other than jobs, without logic."""

from __future__ import annotations

from django.utils import timezone

from pwscup.core.celery_app import app
from pwscup.submissions import sweeper


@app.task
def sweep() -> None:
    """Publish and draw what is due."""
    sweeper.sweep()


@app.task
def drop_refused() -> None:
    """Delete the bytes of refused files that are no longer needed."""
    sweeper.drop_refused(timezone.now())
