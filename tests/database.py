# SPDX-License-Identifier: Apache-2.0
"""A migrated SQLite database, made once for these migrations and then copied: they take seconds of processor time."""

from __future__ import annotations

import hashlib
import os
import shutil
import subprocess
import sys
from pathlib import Path

import django
from django.apps import apps
from filelock import FileLock

ROOT = Path(__file__).resolve().parents[1]
KEPT = ROOT / ".pytest_cache" / "databases"


def copy_migrated(target: Path) -> None:
    """Put a migrated database at a path."""
    shutil.copyfile(migrated(), target)


def migrated() -> Path:
    """The migrated database, made at the first call; other processes wait for it."""
    KEPT.mkdir(parents=True, exist_ok=True)
    kept = KEPT / f"{_digest()}.sqlite3"
    with FileLock(KEPT / "lock"):
        if not kept.exists():
            for former in KEPT.glob("*.sqlite3"):
                former.unlink()
            _migrate(kept)
    return kept


def _digest() -> str:
    """Another one for every change of a migration."""
    found = hashlib.sha256(django.get_version().encode())
    for app in apps.get_app_configs():
        for path in sorted(Path(app.path).glob("migrations/*.py")):
            found.update(path.read_bytes())
    return found.hexdigest()[:16]


def _migrate(path: Path) -> None:
    unfinished = path.with_suffix(".part")
    unfinished.unlink(missing_ok=True)
    own = {
        "DATABASE_URL": f"sqlite:///{unfinished}",
        "DJANGO_SETTINGS_MODULE": "pwscup.settings_test",
    }
    command = [sys.executable, "manage.py", "migrate", "--verbosity", "0"]
    subprocess.run(command, cwd=ROOT, env=os.environ | own, check=True)
    unfinished.rename(path)
