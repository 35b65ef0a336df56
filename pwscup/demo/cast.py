"""Accounts of the demo contests, and the bots that played for them in finished ones."""

from __future__ import annotations

from dataclasses import dataclass

from pwscup.bots.cast import ANY_TABLE, Bot, Way

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
DEMO_SERIES = "demo-series"
GUESTS = {"Aoi": Bot("Aoi", ANY_TABLE, "EUC1", "record-deletion", series=Way(side="above"))}
"""Teams with members in the finished contest, and their bots."""
