"""Who plays in the demo contests: people to log in as, and house teams with their methods."""

from __future__ import annotations

from dataclasses import dataclass

PASSWORD = "try-the-demo"  # noqa: S105 — shown on purpose to whoever starts the demo


@dataclass(frozen=True, slots=True)
class Person:
    name: str
    is_organizer: bool = False

    @property
    def email(self) -> str:
        return f"{self.name.lower()}@example.org"


ORGANIZER = Person("Oscar", is_organizer=True)
TEAMS = {"Aoi": (Person("Alice"), Person("Bob")), "Midori": (Person("Carol"),)}
