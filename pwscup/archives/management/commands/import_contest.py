# SPDX-License-Identifier: Apache-2.0

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Any

from django.core.management.base import BaseCommand, CommandError, CommandParser

from pwscup.accounts.models import User
from pwscup.archives import problems, services
from pwscup.archives.models import ContestImport
from pwscup.contests.services.common import ContestRefused
from pwscup.core import jobs
from pwscup.core.files.space import ReserveReachedError

CHUNK = 1024 * 1024


class Command(BaseCommand):
    help = (
        "Create a contest from an archive with the answer key, as a draft of the named organizer."
    )

    def add_arguments(self, parser: CommandParser) -> None:
        parser.add_argument("file", type=Path, help="an archive of another installation")
        parser.add_argument("--organizer", required=True, help="email address of the account")

    def handle(self, *args: Any, file: Path, organizer: str, **options: Any) -> None:
        user = User.objects.filter(email__iexact=organizer, deleted_at=None).first()
        if user is None:
            raise CommandError(f"{organizer}: no account has this address. Sign up first.")
        try:
            with file.open("rb") as handle:
                chunks = iter(lambda: handle.read(CHUNK), b"")
                job = _received(user, file, chunks)
        except OSError as error:
            raise CommandError(f"{file}: {error.strerror}") from error
        except ReserveReachedError as error:
            raise CommandError(f"{file}: {error}, as PWSCUP_DISK_RESERVE_BYTES asks.") from error
        except ContestRefused as refusal:
            raise CommandError(
                f"{organizer}: {refusal} Run `manage.py grant_organizer {organizer}`."
            ) from refusal
        jobs.work_on(ContestImport, job.pk)
        job.refresh_from_db()
        self._tell(job)

    def _tell(self, job: ContestImport) -> None:
        if job.state == ContestImport.State.REFUSED:
            raise CommandError("\n".join(problems.sentences(job.problems)))
        if job.state != ContestImport.State.DONE or job.contest is None:
            raise CommandError(
                f"Not imported; the log has details under {job.reference or job.state}."
            )
        self.stdout.write(f"Imported as the draft {job.contest.slug}.")
        for line in job.differences:
            what = f"{line['board']}: {line['team']}" if line["board"] else "a board"
            self.stdout.write(f"{what} — expected {line['expected']} — got {line['got']}")
        if not job.differences:
            self.stdout.write("All boards are equal to those in the archive.")
        if job.chain:
            broken = job.chain["broken_at"]
            told = f"does not hold at position {broken}" if broken else "holds"
            self.stdout.write(f"The history of {job.chain['n']} events {told}.")


def _received(user: User, file: Path, chunks: Iterator[bytes]) -> ContestImport:
    return services.receive_archive(actor=user, name=file.name, chunks=chunks, announces=False)
