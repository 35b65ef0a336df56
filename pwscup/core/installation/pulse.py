"""A sign of life: beat sends `seal` every few seconds, a worker runs it, and this file says when that was last."""

from __future__ import annotations

import time
from pathlib import Path

from django.conf import settings


def path() -> Path:
    """In the folder that all processes share."""
    return settings.PRIVATE_ROOT.parent / "pulse"


def beat() -> None:
    """Note that beat, broker and a worker have just worked together."""
    path().touch(mode=0o600)


def seconds_since() -> float | None:
    """How long ago that was; None where it never was."""
    try:
        return max(0.0, time.time() - path().stat().st_mtime)
    except OSError:
        return None
