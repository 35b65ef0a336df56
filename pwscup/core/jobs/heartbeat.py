# SPDX-License-Identifier: Apache-2.0
"""The heartbeat of a job: renews its lease during the work, and ends work that exceeds its time limit."""

from __future__ import annotations

import logging
import os
import threading
import time
from collections.abc import Callable

from django.conf import settings
from django.db import connection

from pwscup.core.files import storage
from pwscup.core.jobs import rows
from pwscup.core.jobs.rows import AWAY, Claim

logger = logging.getLogger(__name__)

PATIENCE_SECONDS = 120
"""The time limit for putting a job off if the database is unavailable; by then its lease has expired."""
BUSY_SHARE = 0.9
"""The share of the time limit spent computing; below it, the process had to wait for the machine."""
Fail = Callable[[Claim, str], bool]
Overdue = Callable[[Claim, str, bool], bool]
"""Handles a claim that exceeded its time limit; gets a reference and whether the process was computing all
the time."""


def attend(
    claim: Claim,
    work: Callable[[Claim], bool],
    fail: Fail,
    time_limit: float,
    overdue: Overdue | None = None,
) -> bool:
    """Do the work of a claim under its lease; an unexpected error is a failure of the platform, and logged.

    If the database or the storage fails, the row waits again. Work that exceeds its time limit has failed,
    unless `overdue` decides otherwise.
    """
    with Heartbeat(claim, overdue or (lambda late, ref, _busy: fail(late, ref)), time_limit):
        try:
            return work(claim)
        except Exception as error:
            reference = rows.new_reference()
            if is_passing(error):
                logger.exception("%s put off [%s]", claim.name, reference)
                return _put_off(claim, reference, fail)
            logger.exception("%s failed [%s]", claim.name, reference)
            return fail(claim, reference)


def is_passing(error: Exception) -> bool:
    """A possibly temporary error of the database or the storage; not one about files that are erased or sealed."""
    if isinstance(error, storage.SealedFileError | storage.ErasedFileError):
        return False
    return isinstance(error, (*AWAY, OSError))


def _put_off(claim: Claim, reference: str, fail: Fail) -> bool:
    """Put the row off as soon as the database accepts it; otherwise the row waits again when its lease expires."""
    until = time.monotonic() + PATIENCE_SECONDS
    while True:
        try:
            return rows.put_off(claim, reference, fail)
        except AWAY:
            if time.monotonic() > until or connection.in_atomic_block:
                raise
            connection.close()
            time.sleep(1)


class Heartbeat:
    """Renews the lease of a claim during the work, and ends the process if the work takes too long.

    The limit is enforced here because Celery's own may be lost when the broker reconnects.
    """

    def __init__(self, claim: Claim, overdue: Overdue, time_limit: float) -> None:
        self._claim = claim
        self._overdue = overdue
        self._done = threading.Event()
        self._time_limit = time_limit
        self._deadline = time.monotonic() + time_limit
        self._began = time.process_time()
        self._thread = threading.Thread(target=self._beat, daemon=True, name="heartbeat")

    def __enter__(self) -> Heartbeat:
        self._thread.start()
        return self

    def __exit__(self, *_: object) -> None:
        self._done.set()
        self._thread.join()

    def _beat(self) -> None:
        try:
            while not self._done.wait(self._pause()):
                if time.monotonic() >= self._deadline:
                    self._give_up()
                    return
                self._renew()
        finally:
            connection.close()

    def _pause(self) -> float:
        left = self._deadline - time.monotonic()
        return max(0.0, min(settings.SCORING_HEARTBEAT_SECONDS, left))

    def _renew(self) -> None:
        try:
            rows.renew(self._claim)
        except AWAY as error:
            logger.warning("lease not renewed: %s", type(error).__name__)
            connection.close()

    def _give_up(self) -> None:
        reference, computed = rows.new_reference(), time.process_time() - self._began
        logger.error(
            "%s not done within %s s, of which it computed %.0f s [%s]",
            self._claim.name,
            self._time_limit,
            computed,
            reference,
        )
        try:
            self._overdue(self._claim, reference, computed >= BUSY_SHARE * self._time_limit)
        finally:
            end_process()


def end_process() -> None:
    """Exit immediately: the working thread cannot be stopped otherwise, and the pool starts another process."""
    logging.shutdown()
    os._exit(70)
