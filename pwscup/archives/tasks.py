# SPDX-License-Identifier: Apache-2.0
"""Celery tasks of archives other than jobs, without logic."""

from __future__ import annotations

from pwscup.archives import services
from pwscup.archives.reading import unfinished
from pwscup.core.celery_app import app
from pwscup.core.db.clock import read_db_clock


@app.task
def sweep() -> None:
    """Delete archives of deleted data, and the remains of failed imports."""
    services.erase_archives(read_db_clock())
    unfinished.remove_left()
