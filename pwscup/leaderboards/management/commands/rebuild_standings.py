# SPDX-License-Identifier: Apache-2.0

from __future__ import annotations

from typing import Any

from django.core.management.base import BaseCommand, CommandError, CommandParser
from django.utils import timezone

from pwscup.contests.models import Contest
from pwscup.leaderboards import services


class Command(BaseCommand):
    help = "Rebuild the leaderboards from submissions, evaluations and releases."

    def add_arguments(self, parser: CommandParser) -> None:
        parser.add_argument("slug", nargs="*", help="contests (default: all)")

    def handle(self, *args: Any, **options: Any) -> None:
        contests = Contest.objects.order_by("slug")
        wanted = set(options["slug"])
        if wanted:
            contests = contests.filter(slug__in=wanted)
            unknown = wanted - {contest.slug for contest in contests}
            if unknown:
                raise CommandError(f"no contest {', '.join(sorted(unknown))}")
        for contest in contests:
            made = services.rebuild(contest, timezone.now())
            self.stdout.write(f"{contest.slug}: {made.data['n_teams']} teams")
