"""Working on one submission: claim it, keep the lease alive, write what came of it."""

from __future__ import annotations

import dataclasses
import logging
import os
import threading
import time

from django.conf import settings
from django.db import InterfaceError, OperationalError, connection

from pwscup.submissions import queue
from scoring.errors import ProblemsFound

logger = logging.getLogger(__name__)


def work_on(submission_id: int) -> bool:
    """Score a submission if it waits; False where it does not, or its result came too late."""
    claim = queue.claim(submission_id)
    if claim is None:
        return False
    with Heartbeat(claim):
        return _evaluate(claim)


def _evaluate(claim: queue.Claim) -> bool:
    from pwscup.submissions import evaluation  # pandas, which only workers need

    try:
        result = evaluation.evaluate(claim.submission_id)
    except ProblemsFound as found:
        problems = [problem.to_dict() for problem in found.problems]
        return queue.finish_rejected(claim, problems, found.n_total)
    except (OperationalError, InterfaceError):
        raise  # the database went away: nothing can be written now, and the lease will run out
    except Exception:
        reference = queue.new_reference()
        logger.exception("submission %s failed [%s]", claim.submission_id, reference)
        return queue.finish_failed(claim, reference)
    logger.info("submission %s evaluated in %.2f s", claim.submission_id, result.seconds)
    return queue.finish_scored(claim, **dataclasses.asdict(result))


class Heartbeat:
    """Renews the lease of a claim beside the scoring, and ends the process where that takes too long.

    The limit is kept here because Celery's own may be lost when the broker reconnects.
    """

    def __init__(self, claim: queue.Claim) -> None:
        self._claim = claim
        self._done = threading.Event()
        self._deadline = time.monotonic() + settings.SCORING_TIME_LIMIT
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
            queue.renew(self._claim)
        except (OperationalError, InterfaceError) as error:
            logger.warning("lease not renewed: %s", type(error).__name__)
            connection.close()

    def _give_up(self) -> None:
        reference = queue.new_reference()
        logger.error(
            "submission %s failed [%s]: not scored within %s s",
            self._claim.submission_id,
            reference,
            settings.SCORING_TIME_LIMIT,
        )
        try:
            queue.finish_failed(self._claim, reference)
        finally:
            end_process()


def end_process() -> None:
    """Leave at once: the thread that scores cannot be stopped any other way, and the pool starts another."""
    logging.shutdown()
    os._exit(70)
