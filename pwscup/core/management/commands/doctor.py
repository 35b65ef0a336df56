"""`manage.py doctor`: whether everything that an installation needs is there, and what to do where it is not."""

from __future__ import annotations

import os
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

from django.conf import settings
from django.core.management.base import BaseCommand, CommandParser
from django.db import DatabaseError, connection

from pwscup.core import broker, prepare, private, storage
from pwscup.core.models import StoredFile

Finding = tuple[bool, str]
"""Whether a thing is as it should be, and the sentence that says so or says what to do."""


def check_database() -> Iterator[Finding]:
    try:
        n_due = prepare.n_migrations_due()
    except DatabaseError as error:
        yield False, f"database: {type(error).__name__} — check DATABASE_URL"
        return
    if n_due:
        yield False, f"database: {n_due} migrations to apply — run `manage.py migrate`"
    else:
        yield True, f"database: {connection.vendor}, tables are current"


def check_files() -> Iterator[Finding]:
    folder = Path(settings.DATA_DIR)
    if not os.access(folder, os.W_OK):
        yield False, f"data folder: {folder} cannot be written"
        return
    yield True, f"data folder: {folder}"
    for path in private.exposed():
        yield False, f"permissions: other users can read {path} — run `chmod go= {path}`"


def check_stored() -> Iterator[Finding]:
    """Rows without bytes are a loss; bytes without a row are what a crash may leave."""
    try:
        kept = StoredFile.objects.filter(erased_at=None)  # of the others only the rows are kept
        known = set(kept.values_list("path", flat=True))
    except DatabaseError:
        return  # there is nothing to compare with, and the database has its own finding
    found = storage.paths_on_disk()
    missing, orphaned = len(known - found), len(found - known)
    if missing:
        yield (
            False,
            f"stored files: {missing} of {len(known)} are missing — restore them from a backup",
        )
    else:
        yield (
            True,
            f"stored files: {len(known)}, all there; {orphaned} left over by interrupted uploads",
        )


def check_broker() -> Iterator[Finding]:
    reason = broker.silence(settings.CELERY_BROKER_URL)
    if reason is None:
        yield True, "broker: answers"
    else:
        yield (
            False,
            f"broker: {reason} — start `manage.py up`, or a Redis server named in REDIS_URL",
        )


def check_static() -> Iterator[Finding]:
    if prepare.is_static_current():
        yield True, "static files: gathered"
    else:
        yield False, "static files: not gathered or out of date — run `manage.py collectstatic`"


CHECKS: dict[str, Callable[[], Iterator[Finding]]] = {
    "database": check_database,
    "files": check_files,
    "stored": check_stored,
    "broker": check_broker,
    "static": check_static,
}


class Command(BaseCommand):
    help = "Say whether everything that an installation needs is there; exit status 1 where not."
    requires_system_checks = []

    def add_arguments(self, parser: CommandParser) -> None:
        parser.add_argument("--only", nargs="+", choices=CHECKS, default=list(CHECKS))

    def handle(self, *args: Any, **options: Any) -> None:
        is_well = True
        for name in options["only"]:
            for fine, sentence in CHECKS[name]():
                is_well &= fine
                mark = self.style.SUCCESS("ok  ") if fine else self.style.ERROR("FIX ")
                self.stdout.write(f"{mark}{sentence}")
        if not is_well:
            raise SystemExit(1)
