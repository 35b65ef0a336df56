# SPDX-License-Identifier: Apache-2.0
"""Celery tasks of debriefings other than jobs, without logic."""

from __future__ import annotations

from pwscup.core.celery_app import app
from pwscup.core.db.clock import read_db_clock
from pwscup.debriefings import services


@app.task
def sweep() -> None:
    """Start what is due."""
    services.sweep(read_db_clock())
