"""Who plays in the demo contests: people to log in as, and house teams with their methods."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

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


@dataclass(frozen=True, slots=True)
class House:
    """A team played by the platform: a chain of anonymizers, and one attacker."""

    name: str
    methods: tuple[tuple[str, dict[str, Any]], ...]
    attacker: str
    note: str


HOUSES = (
    House("Noise", (("sa-noise", {}),), "EUC1", "sa-noise"),
    House(
        "Unify",
        (("record-deletion", {}), ("qi-unification", {})),
        "EUC2",
        "record-deletion, qi-unification",
    ),
    House(
        "Average",
        (("qi-unification", {}), ("class-average", {})),
        "E2",
        "qi-unification, class-average",
    ),
    House("Swap", (("class-swap", {}),), "E3", "class-swap"),
    House("Yamaoka", (("qi-unification", {}), ("yamaoka", {})), "E4", "qi-unification, yamaoka"),
    House("Mondrian", (("mondrian", {}), ("class-average", {})), "E1", "mondrian, class-average"),
)
