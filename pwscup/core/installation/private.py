# SPDX-License-Identifier: Apache-2.0
"""Private paths: the data folder, its database and its key must not be readable by other users."""

from __future__ import annotations

import stat
from pathlib import Path

from django.conf import settings
from django.db import connection

from pwscup.env import HOME

OTHERS = 0o077
ENV_FILE = HOME / ".env"


def exposed() -> list[Path]:
    """The private paths that other users of this machine can access; the data folder comes first."""
    folder = Path(settings.DATA_DIR)
    paths = [folder, folder / "secret-key", ENV_FILE]
    if connection.vendor == "sqlite":
        name = str(connection.settings_dict["NAME"])
        paths += [Path(name + suffix) for suffix in ("", "-wal", "-shm")]
    return [path for path in paths if is_exposed(path)]


def is_exposed(path: Path) -> bool:
    """Group or others can read, write or enter the path."""
    try:
        return bool(stat.S_IMODE(path.stat().st_mode) & OTHERS)
    except OSError:
        return False  # missing, or not accessible to this user either


def tighten() -> list[Path]:
    """Remove the access of other users to the private paths; return the changed paths."""
    found = exposed()
    for path in found:
        path.chmod(stat.S_IMODE(path.stat().st_mode) & ~OTHERS)
    return found
