# SPDX-License-Identifier: Apache-2.0

from __future__ import annotations

from datetime import UTC, datetime
from pathlib import Path
from typing import Any
from zoneinfo import available_timezones

from django.core.management.base import BaseCommand, CommandError, CommandParser
from django.utils import timezone as clock

from pwscup.accounts.models import User
from pwscup.archives.codabench import services
from pwscup.archives.codabench.notes import BundleRefused
from pwscup.archives.codabench.plan import Draft, draft_of
from pwscup.archives.codabench.reading import read_bundle
from pwscup.contests.services.common import ContestRefused
from pwscup.core.files.names import plain_name
from pwscup.core.files.space import ReserveReachedError


class Command(BaseCommand):
    help = "Create the draft of a contest from a Codabench bundle, and list all that it leaves out."

    def add_arguments(self, parser: CommandParser) -> None:
        parser.add_argument("bundle", type=Path, help="a zip archive with a competition.yaml")
        parser.add_argument("--owner", required=True, help="email address of the organizer")
        parser.add_argument("--program", default="", help="the allowed program that scores")
        parser.add_argument(
            "--starts-at",
            type=_time,
            help="opening of the first round, such as 2030-01-31T10:00+09:00; all others move with it",
        )
        parser.add_argument("--timezone", default="Asia/Tokyo", help="in which pages show times")
        parser.add_argument(
            "--preview", action="store_true", help="create nothing, only list what would be"
        )

    def handle(self, *args: Any, bundle: Path, owner: str, **options: Any) -> None:
        user = User.objects.filter(email__iexact=owner, deleted_at=None).first()
        if user is None:
            raise CommandError(f"{owner}: no account has this address. Sign up first.")
        if options["timezone"] not in available_timezones():
            raise CommandError(f"{options['timezone']}: no such time zone.")
        try:
            self._import(user, bundle, **options)
        except OSError as error:
            raise CommandError(f"{bundle}: {error.strerror}") from error
        except ReserveReachedError as error:
            raise CommandError(f"{bundle}: {error}, as PWSCUP_DISK_RESERVE_BYTES asks.") from error
        except BundleRefused as refused:
            raise CommandError(str(refused)) from refused
        except ContestRefused as refusal:
            raise CommandError(
                f"{owner}: {refusal} Run `manage.py grant_organizer {owner}`."
            ) from refusal

    def _import(self, user: User, bundle: Path, **options: Any) -> None:
        name = plain_name(bundle.name)
        draft = draft_of(
            read_bundle(bundle, name),
            now=clock.now(),
            allowed=services.allowed_programs(),
            program=options["program"],
            starts_at=options["starts_at"],
        )
        if options["preview"]:
            self.stdout.write(f"Would be created: {draft.title}")
        else:
            received = services.receive(actor=user, name=name, source=bundle)
            contest = services.make_draft(
                actor=user, bundle=received, draft=draft, timezone=options["timezone"]
            )
            self.stdout.write(f"Created as the draft {contest.slug}: {draft.title}")
        self._list(draft)

    def _list(self, draft: Draft) -> None:
        for plan in draft.rounds:
            opens, closes = (f"{t:%Y-%m-%d %H:%M}" for t in (plan.opens_at, plan.closes_at))
            self.stdout.write(f"Round {plan.key}: {opens} to {closes} UTC")
        for measure in draft.ruleset.measures:
            self.stdout.write(
                f"Measure {measure}, {draft.ruleset.measure(measure).direction} is better"
            )
        for page in draft.pages:
            self.stdout.write(f"Material {page.title}")
        self.stdout.write("Left out:")
        for note in draft.left_out:
            self.stdout.write(f"{note.where} — {note.what} — {note.instead}")
            for line in note.file.splitlines():
                self.stdout.write(f"    {line}")


def _time(text: str) -> datetime:
    found = datetime.fromisoformat(text)
    return found if found.tzinfo else found.replace(tzinfo=UTC)
