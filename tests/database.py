"""A migrated SQLite database for every process of tests: made once for these migrations, then copied."""

from __future__ import annotations

import hashlib
import shutil
from pathlib import Path

import django
from django.apps import apps
from django.core.management import call_command
from django.db import connection
from filelock import FileLock

KEPT = Path(__file__).resolve().parents[1] / ".pytest_cache" / "databases"


def copy_migrated(target: Path) -> None:
    """Put a migrated database at a path."""
    KEPT.mkdir(parents=True, exist_ok=True)
    kept = KEPT / f"{_digest()}.sqlite3"
    with FileLock(KEPT / "lock"):
        if not kept.exists():
            for former in KEPT.glob("*.sqlite3"):
                former.unlink()
            _migrate(kept)
        shutil.copyfile(kept, target)


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
    usual = connection.settings_dict["NAME"]
    connection.close()
    connection.settings_dict["NAME"] = str(unfinished)
    try:
        call_command("migrate", verbosity=0)
    finally:
        connection.close()
        connection.settings_dict["NAME"] = usual
    unfinished.rename(path)
