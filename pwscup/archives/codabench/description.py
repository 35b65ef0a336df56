# SPDX-License-Identifier: Apache-2.0
"""A competition as a bundle describes it; dates in UTC, limits for each participant."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import datetime

from pwscup.archives.codabench.notes import Note


@dataclass(frozen=True, slots=True)
class Page:
    """A page of the competition as plain text or Markdown."""

    title: str
    path: str
    text: str


@dataclass(frozen=True, slots=True)
class Phase:
    """A phase; None for an end or a limit that it does not have."""

    name: str
    description: str
    starts_at: datetime
    ends_at: datetime | None
    per_day: int | None
    in_all: int | None
    seconds: int
    """The time limit of the program."""


@dataclass(frozen=True, slots=True)
class Column:
    """A column of the leaderboard; `direction` is "higher" or "lower".

    The scoring program writes its value, unless it is computed `of` the columns with the keys `parts`: "sum", "mean",
    "min" or "max".
    """

    key: str
    title: str
    direction: str
    precision: int
    is_hidden: bool
    of: str = ""
    parts: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class Leaderboard:
    """The leaderboard of all phases; `rule` says which submissions are on it."""

    title: str
    rule: str
    columns: tuple[Column, ...]


@dataclass(frozen=True, slots=True)
class Program:
    """A scoring program: a folder or a zip archive of the bundle, and the command of its metadata."""

    path: str
    command: str
    files: tuple[str, ...]
    sha256: str


@dataclass(frozen=True, slots=True)
class Competition:
    """A competition; `left_out` are the parts of the bundle that no other field holds."""

    title: str
    description: str
    terms: str
    pages: tuple[Page, ...]
    phases: tuple[Phase, ...]
    leaderboard: Leaderboard
    program: Program | None
    left_out: tuple[Note, ...]
