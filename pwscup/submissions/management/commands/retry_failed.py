# SPDX-License-Identifier: Apache-2.0
"""`manage.py retry_failed`: retry all submissions whose scoring failed."""

from __future__ import annotations

from typing import Any

from django.core.management.base import BaseCommand, CommandError, CommandParser

from pwscup.contests.models import Contest
from pwscup.submissions import services
from pwscup.submissions.states import State


class Command(BaseCommand):
    help = "Retry every submission whose scoring failed because of the platform."

    def add_arguments(self, parser: CommandParser) -> None:
        parser.add_argument("--contest", metavar="SLUG", help="only those of this contest")

    def handle(self, *args: Any, **options: Any) -> None:
        contests = Contest.objects.filter(rounds__submissions__state=State.FAILED).distinct()
        if (slug := options["contest"]) is not None:
            if not Contest.objects.filter(slug=slug).exists():
                raise CommandError(f"--contest: expected the slug of a contest — got {slug}")
            contests = contests.filter(slug=slug)
        n_retried = 0
        for contest in contests:
            n_contest = services.retry_all(actor=None, contest=contest)
            n_retried += n_contest
            self.stdout.write(f"{contest.slug}: {n_contest} submissions wait again")
        if not n_retried:
            self.stdout.write("No failed submission can be retried.")
