"""`manage.py doctor`: whether everything that an installation needs is there, and what to do where it is not."""

from __future__ import annotations

from typing import Any

from django.core.management.base import BaseCommand, CommandParser

from pwscup.core.diagnosis import CHECKS, Level


class Command(BaseCommand):
    help = "Say whether everything that an installation needs is there; exit status 1 where not."
    requires_system_checks = []

    def add_arguments(self, parser: CommandParser) -> None:
        parser.add_argument("--only", nargs="+", choices=CHECKS, default=list(CHECKS))

    def handle(self, *args: Any, **options: Any) -> None:
        labels = {
            Level.OK: self.style.SUCCESS("ok  "),
            Level.WARNING: self.style.WARNING("WARN"),
            Level.FAULT: self.style.ERROR("FIX "),
        }
        found = [finding for name in options["only"] for finding in self._told(name, labels)]
        if Level.FAULT in found:
            raise SystemExit(1)

    def _told(self, name: str, labels: dict[Level, str]) -> list[Level]:
        levels = []
        for level, sentence in CHECKS[name]():
            self.stdout.write(f"{labels[level]} {sentence}")
            levels.append(level)
        return levels
