# SPDX-License-Identifier: Apache-2.0
"""Preparations before the first page: tables, message catalogues, static files. Fast if nothing has changed."""

from __future__ import annotations

import hashlib
from pathlib import Path

from django.conf import settings
from django.contrib.staticfiles.finders import get_finders
from django.core.management import call_command
from django.db import connection
from django.db.migrations.executor import MigrationExecutor
from filelock import FileLock

from pwscup.core.installation import probe
from pwscup.core.installation.catalogs import compile_catalogs
from pwscup.env import make_private

STAMP = ".collected"


def prepare() -> None:
    """Run all preparations."""
    make_private(settings.DATA_DIR)
    migrate()
    probe.ensure()
    compile_catalogs()
    collect_static()


def n_migrations_due() -> int:
    """The number of unapplied migrations."""
    executor = MigrationExecutor(connection)
    return len(executor.migration_plan(executor.loader.graph.leaf_nodes()))


def migrate() -> bool:
    """Apply migrations; False if there are none."""
    if not n_migrations_due():
        return False
    call_command("migrate", verbosity=0, interactive=False)
    return True


def collect_static() -> bool:
    """Collect, hash and compress the static files; False if they are current."""
    root = Path(settings.STATIC_ROOT)
    root.mkdir(parents=True, exist_ok=True)
    with FileLock(root / ".lock"):
        if is_static_current():
            return False
        current = static_fingerprint()
        call_command("collectstatic", verbosity=0, interactive=False, clear=False)
        (root / STAMP).write_text(current)
    return True


def is_static_current() -> bool:
    """The collected static files are current."""
    stamp = Path(settings.STATIC_ROOT) / STAMP
    return stamp.exists() and stamp.read_text() == static_fingerprint()


def static_fingerprint() -> str:
    """A digest of the names, sizes and times of all static files."""
    digest = hashlib.sha256()
    for finder in get_finders():
        for path, storage in finder.list([]):
            status = Path(storage.path(path)).stat()
            digest.update(f"{path}\0{status.st_size}\0{status.st_mtime_ns}\n".encode())
    return digest.hexdigest()
