# SPDX-License-Identifier: Apache-2.0
"""A real installation whose workers take as long as a note says, and whose disk is as slow as a file says."""

import os
import time
from collections.abc import Callable
from functools import wraps
from pathlib import Path
from typing import Any

from pwscup.settings import *  # noqa: F403

CELERY_IMPORTS = ["tests.distributed.slow"]
SLOW_STORAGE = DATA_DIR / "slow-storage"  # noqa: F405 — from the star


def _slowed(do: Callable[..., Any]) -> Callable[..., Any]:
    """The same, but longer by so many seconds as the file says while it is there."""

    @wraps(do)
    def slowly(*args: Any) -> Any:
        if SLOW_STORAGE.exists():
            time.sleep(float(SLOW_STORAGE.read_text() or 0))
        return do(*args)

    return slowly


os.fsync = _slowed(os.fsync)
Path.read_bytes = _slowed(Path.read_bytes)
