# SPDX-License-Identifier: Apache-2.0
"""Accounts of the demo contests, and the bots that played for them in finished ones."""

from __future__ import annotations

from dataclasses import dataclass

from pwscup.bots.cast import ANY_TABLE, Bot, Way
from pwscup.demo import lesson

PASSWORD = "try-the-demo"  # noqa: S105 — shown on purpose to users who start the demo


@dataclass(frozen=True, slots=True)
class Person:
    name: str
    is_organizer: bool = False

    @property
    def email(self) -> str:
        return f"{self.name.lower()}@example.org"


ORGANIZER = Person("Oscar", is_organizer=True)
TEAMS = {"Aoi": (Person("Alice"), Person("Bob")), "Midori": (Person("Carol"),)}
CLASSMATES = {"Akane": (Person("Dan"),), "Kohaku": (Person("Erin"),)}
"""Further teams of the lesson."""
JUDGES = (Person("Judy"), Person("Ken"))
DEMO_SERIES = "demo-series"
GUESTS = {
    DEMO_SERIES: {
        "Aoi": Bot("Aoi", ANY_TABLE, "EUC1", "record-deletion", series=Way(side="above"))
    },
    lesson.LECTURE: lesson.TEAMS,
}
"""By finished contest, teams with members and their bots."""
