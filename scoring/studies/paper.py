# SPDX-License-Identifier: Apache-2.0
"""The paper's figures: numbers and signs of its tables, under the tables' numbers."""

from __future__ import annotations

import tomllib
from dataclasses import dataclass
from functools import cache
from importlib.resources import files

Values = dict[str, float]
Signs = dict[str, str]

METHODS = {
    "A": "k-anonymization",
    "B": "SA noise",
    "C": "Yamaoka",
    "D": "QI unification outside the cross columns",
    "E": "QI unification inside the cross columns",
    "F": "SA averaging",
    "G": "swap within classes",
    "H": "record deletion",
}
"""Table 7: a letter for each single method."""

SHORT_NAMES = {
    "A": "k-anonymity",
    "B": "noise",
    "C": "Yamaoka",
    "D": "unified outside",
    "E": "unified inside",
    "F": "averages",
    "G": "swap",
    "H": "deletion",
}
"""The same for the heads of tables."""

SIGNED = ("U1", "U2", "U3", "U4", "U5", "U6", "S1", "S2", "E1", "E2", "E3", "E4", "EUC1")
"""The rows of Tables 10, 12, 13 and 14; Table 11 has EUC2 as well."""

ATTACKED = ("E1", "E2", "E3", "E4", "EUC1")
"""The columns of Table 15."""


@dataclass(frozen=True, slots=True)
class Team:
    """The team of a table, and its place in the contest if it is printed."""

    team: str
    place: int | None = None

    def __str__(self) -> str:
        return self.team if self.place is None else f"{self.team}, place {self.place}"


@dataclass(frozen=True, slots=True)
class Summary:
    """The last rows of Table 15 for one attack: its mean, its standard deviation, and in how many tables it is best."""

    mean: float
    deviation: float
    best: int


@dataclass(frozen=True, slots=True)
class PaperFigures:
    """The printed tables: `table10` by method, `table11` by single table, `table15_summary` by
    attack, the others by D_1 to D_12."""

    table6: dict[str, Team]
    table10: dict[str, Signs]
    table11: dict[str, Values]
    table12: dict[str, Values]
    table13: dict[str, Signs]
    table13_methods: dict[str, frozenset[str]]
    table14: dict[str, Signs]
    table15: dict[str, Values]
    table15_summary: dict[str, Summary]
    section46: dict[int, Values]


@cache
def paper_figures() -> PaperFigures:
    """The figures as the paper prints them, impossible ones among them."""
    data = tomllib.loads(
        files("scoring.studies").joinpath("data/pwscup2015.toml").read_text(encoding="utf-8")
    )
    guessed = data["table13"]
    return PaperFigures(
        table6={name: Team(**made) for name, made in data["table6"].items()},
        table10=data["table10"],
        table11=data["table11"],
        table12=data["table12"],
        table13={name: {m: marks[m] for m in SIGNED} for name, marks in guessed.items()},
        table13_methods={name: frozenset(marks["methods"]) for name, marks in guessed.items()},
        table14=data["table14"],
        table15=data["table15"],
        table15_summary={m: Summary(**row) for m, row in data["table15_summary"].items()},
        section46={int(q): values for q, values in data["section46"].items()},
    )
