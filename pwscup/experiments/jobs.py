# SPDX-License-Identifier: Apache-2.0
"""Experiments as jobs: each ends with its files, or before its next step if its owner stops it."""

from __future__ import annotations

import logging
import time
import zlib
from collections.abc import Callable, Mapping
from itertools import count
from typing import Any

from pwscup.core import jobs
from pwscup.core.jobs import Claim, job
from pwscup.experiments import tables
from pwscup.experiments.models import Experiment, ResultFile
from pwscup.experiments.setup import plans

logger = logging.getLogger(__name__)


class Stopped(Exception):  # noqa: N818 — not an error of the program
    """The owner has stopped the experiment."""


@job(Experiment, queue="audits", limit="EXPERIMENT_TIME_LIMIT", at_once="EXPERIMENTS_AT_ONCE")
def run(claim: Claim) -> bool:
    """Run the experiment step by step."""
    experiment = Experiment.objects.get(pk=claim.pk)
    started, done_steps = time.perf_counter(), count()

    def step(_text: str) -> None:
        wanted = jobs.held(claim).filter(is_stopping=False)
        if not wanted.update(done_steps=next(done_steps)):
            raise Stopped

    try:
        result, files = compute(experiment, step)
    except Stopped:
        return jobs.finish(claim, Experiment.State.STOPPED)
    seconds = round(time.perf_counter() - started, 2)
    logger.info("experiment %s done in %.2f s", claim.pk, seconds)
    packed = {name: zlib.compress(data) for name, data in files.items()}
    ended = {"seconds": seconds, **result}
    return jobs.finish(claim, Experiment.State.DONE, lambda claim: _keep(claim, packed), **ended)


def _keep(claim: Claim, packed: Mapping[str, bytes]) -> None:
    ResultFile.objects.filter(experiment_id=claim.pk).delete()
    ResultFile.objects.bulk_create(
        ResultFile(experiment_id=claim.pk, name=name, packed=data) for name, data in packed.items()
    )


def compute(
    experiment: Experiment, step: Callable[[str], None]
) -> tuple[dict[str, Any], dict[str, bytes]]:
    """The result fields of the row, and its files."""
    import scoring
    from scoring.privacy.experiments import report, run  # imports scipy, which only workers need

    found = run.run(
        tables.from_json(experiment.counts), plans.setup_of(experiment.setup), step=step
    )
    files = report.files(found, step=step)
    return {"values": report.summary(found), "scoring_version": scoring.__version__}, files
