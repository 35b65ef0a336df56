# SPDX-License-Identifier: Apache-2.0
"""Celery tasks of notices, without logic."""

from __future__ import annotations

import logging

from django.conf import settings

from pwscup.core.celery_app import app
from pwscup.core.db.clock import read_db_clock
from pwscup.notices import jobs, sweeper

logger = logging.getLogger(__name__)


@app.task
def work() -> None:
    """Send what is due."""
    if jobs.work():
        send_work()


@app.task
def sweep() -> None:
    """Find events for notices, and send them."""
    if sweeper.sweep(read_db_clock()):
        send_work()


def send_work() -> None:
    """Send the hint that something is due; the next sweep repeats it if the broker is unavailable."""
    try:
        work.apply_async(retry=False, expires=max(settings.SWEEP_SECONDS, 1))
    except Exception as error:  # any error of the broker: the rows are safe
        logger.warning("broker not notified of notices: %s", type(error).__name__)
