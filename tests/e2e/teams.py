# SPDX-License-Identifier: Apache-2.0
"""What a team has at home in every kind of contest."""

from __future__ import annotations

from dataclasses import dataclass, field
from pathlib import Path

from tests.e2e.browser import Person


@dataclass
class HomeTeam:
    """A team's files at home, and what its own command line says of them."""

    name: str
    captain: Person
    folder: Path
    scores: dict[str, float] = field(default_factory=dict, kw_only=True)

    @property
    def slug(self) -> str:
        return self.name.lower()

    def file(self, name: str) -> Path:
        return self.folder / name
