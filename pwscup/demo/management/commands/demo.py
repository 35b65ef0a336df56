# SPDX-License-Identifier: Apache-2.0

from typing import Any

from django.core.management.base import BaseCommand

from pwscup.demo import cast, create


class Command(BaseCommand):
    help = "Create the demo contests; the worker then plays the baseline teams. Has no effect the second time."

    def handle(self, *args: Any, **options: Any) -> None:
        create.create()
        people = [cast.ORGANIZER, *(person for team in cast.TEAMS.values() for person in team)]
        for person in people:
            self.stdout.write(f"{person.email}  {cast.PASSWORD}")
