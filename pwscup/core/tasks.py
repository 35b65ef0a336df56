"""What workers run for the platform as a whole."""

from __future__ import annotations

import contextlib

from pwscup.core import jobs, seals
from pwscup.core.celery_app import app
from pwscup.core.installation import pulse
from pwscup.core.jobs import old_names  # noqa: F401 — registers them


@app.task
def seal() -> None:
    """Link new events of the audit trail into their chains, and say that beat and a worker live."""
    with contextlib.suppress(OSError):  # `doctor` says what is wrong with the folder
        pulse.beat()
    seals.sweep()


@app.task
def sweep() -> None:
    """Find the jobs that were lost, send those that were forgotten."""
    jobs.sweep()
