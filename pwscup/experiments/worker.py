"""Working on one experiment: claim it, keep the lease alive, write what came of it."""

from __future__ import annotations

import logging
import time
from collections.abc import Callable
from itertools import count
from typing import Any

from django.conf import settings

from pwscup.core.jobs.heartbeat import attend
from pwscup.core.jobs.rows import Claim
from pwscup.experiments import plans, queue, tables
from pwscup.experiments.models import Experiment

logger = logging.getLogger(__name__)


class Stopped(Exception):  # noqa: N818 — not an error of the program
    """Nobody wants the result any more."""


def work_on(experiment_id: int) -> bool:
    """Run it if it waits and its turn has come; False where not, or its result came too late."""
    claim = queue.claim(experiment_id)
    if claim is None:
        return False
    return attend(claim, _run, queue.finish_failed, settings.EXPERIMENT_TIME_LIMIT)


def _run(claim: Claim) -> bool:
    experiment = Experiment.objects.get(pk=claim.pk)
    started, done_steps = time.perf_counter(), count()

    def step(_text: str) -> None:
        if not queue.progress(claim, next(done_steps)):
            raise Stopped

    try:
        result, files = _result(experiment, step)
    except Stopped:
        return queue.finish_stopped(claim)
    seconds = round(time.perf_counter() - started, 2)
    logger.info("experiment %s done in %.2f s", claim.pk, seconds)
    return queue.finish_done(claim, files, seconds=seconds, **result)


def _result(
    experiment: Experiment, step: Callable[[str], None]
) -> tuple[dict[str, Any], dict[str, bytes]]:
    import scoring
    from scoring.privacy.experiments import report, run  # scipy, which only workers need

    found = run.run(
        tables.from_json(experiment.counts), plans.setup_of(experiment.setup), step=step
    )
    files = report.files(found, step=step)
    return {"values": report.summary(found), "scoring_version": scoring.__version__}, files
