# SPDX-License-Identifier: Apache-2.0
"""Celery tasks of bots, without logic."""

from django.conf import settings
from filelock import FileLock, Timeout

from pwscup.core.celery_app import app


@app.task(ignore_result=True)
def advance() -> None:
    """Let the baseline teams play on; called by the schedule, so that nothing is lost with a worker."""
    try:
        with FileLock(settings.DATA_DIR / "bots.lock", timeout=0):
            from pwscup.bots import live  # imports the numerical libraries, which only workers need

            live.advance()
    except Timeout:
        return  # another worker is playing
