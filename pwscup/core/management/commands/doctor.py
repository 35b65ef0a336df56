# SPDX-License-Identifier: Apache-2.0
"""`manage.py doctor`: checks everything that an installation needs, and gives advice."""

from __future__ import annotations

from typing import Any

from django.core.management.base import BaseCommand, CommandParser

from pwscup.core.installation.diagnosis import CHECKS, Level


class Command(BaseCommand):
    help = "Check everything that an installation needs; exit status 1 if something is missing."
    requires_system_checks = []

    def add_arguments(self, parser: CommandParser) -> None:
        parser.add_argument("--only", nargs="+", choices=CHECKS, default=list(CHECKS))

    def handle(self, *args: Any, **options: Any) -> None:
        labels = {
            Level.OK: self.style.SUCCESS("ok  "),
            Level.WARNING: self.style.WARNING("WARN"),
            Level.FAULT: self.style.ERROR("FIX "),
        }
        levels = set()
        for name in options["only"]:
            for level, sentence in CHECKS[name]():
                self.stdout.write(f"{labels[level]} {sentence}")
                levels.add(level)
        if Level.FAULT in levels:
            raise SystemExit(1)
