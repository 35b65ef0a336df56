# SPDX-License-Identifier: Apache-2.0
"""A heartbeat: beat sends `seal` every few seconds, a worker runs it, and this file has the time of the last run."""

from __future__ import annotations

import time
from pathlib import Path

from django.conf import settings

LATE_SECONDS = 60


def path() -> Path:
    """In the folder shared by all processes."""
    return settings.PRIVATE_ROOT.parent / "pulse"


def beat() -> None:
    """Record that beat, broker and a worker have worked."""
    path().touch(mode=0o600)


def late_after() -> float:
    """Seconds without a heartbeat after which something is wrong."""
    return max(LATE_SECONDS, 3 * settings.SWEEP_SECONDS)


def seconds_since() -> float | None:
    """Seconds since the last heartbeat; None if there was none."""
    try:
        return max(0.0, time.time() - path().stat().st_mtime)
    except OSError:
        return None
