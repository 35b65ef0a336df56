"""Keeping a job's lease alive beside the work, and ending what takes too long."""

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
"""How long a job tries to be put off where the database is away; then its lease has run out long ago."""
BUSY_SHARE = 0.9
"""Of the time limit that a process spent computing: below, it had to wait for the machine."""
Fail = Callable[[Claim, str], bool]
Overdue = Callable[[Claim, str, bool], bool]
"""What becomes of a claim that took too long, with a reference and whether it was computing all the time."""


def attend(
    claim: Claim,
    work: Callable[[Claim], bool],
    fail: Fail,
    time_limit: float,
    overdue: Overdue | None = None,
) -> bool:
    """Do the work of a claim under its lease; what it does not expect is our failure, and logged.

    Where the database or the storage does not work, the row waits again. What takes too long has failed, unless
    `overdue` decides.
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
    """An error of the database or the storage that may soon be gone; not of files that are to be gone or shut."""
    if isinstance(error, storage.SealedFileError | storage.ErasedFileError):
        return False
    return isinstance(error, (*AWAY, OSError))


def _put_off(claim: Claim, reference: str, fail: Fail) -> bool:
    """Put the row off as soon as the database takes it; after some time its lease brings it back."""
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
    """Renews the lease of a claim beside the work, and ends the process where that takes too long.

    The limit is kept here because Celery's own may be lost when the broker reconnects.
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
    """Leave at once: the thread that works cannot be stopped any other way, and the pool starts another."""
    logging.shutdown()
    os._exit(70)
