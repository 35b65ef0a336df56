# SPDX-License-Identifier: Apache-2.0
"""Celery tasks of disclosures, without logic."""

from __future__ import annotations

from pwscup.core.celery_app import app
from pwscup.core.db.clock import read_db_clock
from pwscup.disclosure import services


@app.task
def sweep() -> None:
    """Release the table of every batch round that has opened."""
    services.release_due(read_db_clock())
