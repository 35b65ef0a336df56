# SPDX-License-Identifier: Apache-2.0
"""Tasks of the platform as a whole."""

from __future__ import annotations

import contextlib

from pwscup.core import jobs, seals
from pwscup.core.celery_app import app
from pwscup.core.installation import pulse
from pwscup.core.jobs import old_names  # noqa: F401 — registers them


@app.task
def seal() -> None:
    """Seal new events of the audit log, and record the heartbeat of beat and a worker."""
    with contextlib.suppress(OSError):  # `doctor` reports problems of the folder
        pulse.beat()
    seals.sweep()


@app.task
def sweep() -> None:
    """Reclaim lost jobs, and send forgotten ones again."""
    jobs.sweep()
