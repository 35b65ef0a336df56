# SPDX-License-Identifier: Apache-2.0
"""Celery tasks of experiments other than jobs, without logic."""

from __future__ import annotations

from pwscup.core.celery_app import app
from pwscup.core.db.clock import read_db_clock
from pwscup.experiments import services


@app.task
def sweep() -> None:
    """Delete data that is no longer needed."""
    services.forget_left(read_db_clock())
