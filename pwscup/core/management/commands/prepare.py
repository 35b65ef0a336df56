# SPDX-License-Identifier: Apache-2.0
"""`manage.py prepare`: preparations before the first page; `manage.py up` runs them itself."""

from __future__ import annotations

from typing import Any

from django.core.management.base import BaseCommand, CommandParser

from pwscup.core.installation import prepare
from pwscup.core.installation.catalogs import compile_catalogs


class Command(BaseCommand):
    help = "Bring the database up to date, compile the catalogues, gather the static files."
    requires_system_checks = []

    def add_arguments(self, parser: CommandParser) -> None:
        parser.add_argument(
            "--without-database", action="store_true", help="only the steps for building an image"
        )

    def handle(self, *args: Any, **options: Any) -> None:
        if not options["without_database"]:
            prepare.migrate()
        compile_catalogs()
        prepare.collect_static()
