# SPDX-License-Identifier: Apache-2.0
"""`manage.py wheel`: the library as a file for `pip install`, without the platform."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from django.core.management.base import BaseCommand, CommandError, CommandParser

from pwscup.core.installation import wheel


class Command(BaseCommand):
    help = "Write the wheel of the library, which is also offered on the pages of contests."
    requires_system_checks = []

    def add_arguments(self, parser: CommandParser) -> None:
        parser.add_argument("--out", default="dist", help="the folder to write to (default: dist)")

    def handle(self, *args: Any, **options: Any) -> None:
        path = Path(options["out"]) / wheel.file_name()
        try:
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_bytes(wheel.content())
        except OSError as error:
            raise CommandError(f"{path} cannot be written: {error.strerror or error}") from None
        self.stdout.write(str(path))
