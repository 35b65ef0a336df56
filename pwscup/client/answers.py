# SPDX-License-Identifier: Apache-2.0
"""Answers of the API, named and typed as in its description (`/api/v1/openapi.json`); what nobody reads is left out."""

from __future__ import annotations

from dataclasses import dataclass, field
from datetime import datetime
from itertools import product
from typing import Any

from pwscup.client.errors import Problem
from pwscup.client.shown import Shown, Table


@dataclass(frozen=True, slots=True)
class Team:
    """A team: its short name and its name."""

    slug: str
    name: str

    def __str__(self) -> str:
        """The name."""
        return self.name


@dataclass(frozen=True, slots=True)
class Me:
    """The owner of a token, and the token: its name, its scopes, its end."""

    name: str
    token: str
    scopes: list[str]
    expires_at: datetime


@dataclass(frozen=True, slots=True)
class ContestLine:
    """A contest: its short name, its title, and draft, upcoming, running or finished."""

    slug: str
    title: str
    state: str


@dataclass(frozen=True, slots=True)
class RoundLine:
    """A round: when it is open, what it is about, and the attempts that are left to the team."""

    key: str
    title: str
    kind: str
    state: str
    opens_at: datetime
    closes_at: datetime
    is_open: bool
    has_targets: bool
    tries: int
    tries_left: int | None
    epsilon: str | None = None


@dataclass(frozen=True, slots=True)
class ContestInfo:
    """A contest with its rounds, as the caller may see it."""

    slug: str
    title: str
    state: str
    summary: str
    team: Team | None
    terms_accepted: bool
    rounds: list[RoundLine]


@dataclass(frozen=True, slots=True)
class FileRule:
    """A file of a submission: its key, its kind, and what it holds, in words."""

    key: str
    title: str
    kind: str
    format: str
    content_type: str
    is_required: bool


@dataclass(frozen=True, slots=True)
class AskedQuestion:
    """A question about each published table, with an answer file of its own."""

    key: str
    title: str
    header: str
    sentences: list[str]


@dataclass(frozen=True, slots=True)
class RoundInfo:
    """A round: what to submit, and in `not_now` why nothing can be submitted."""

    key: str
    title: str
    description: str
    files: list[FileRule]
    questions: list[AskedQuestion]
    max_file_bytes: int
    counts: str
    feedback: str
    not_now: str | None
    has_targets: bool
    tries_left: int | None


@dataclass(frozen=True, slots=True)
class Download:
    """A file of a contest."""

    name: str
    key: str
    is_available: bool
    file_name: str = ""
    size_bytes: int | None = None
    sha256: str | None = None
    n_records: int | None = None


@dataclass(frozen=True, slots=True)
class Material:
    """A material of a contest: a file, a link, or hierarchies."""

    number: int
    kind: str
    title: str
    url: str
    file_name: str


@dataclass(frozen=True, slots=True)
class Stored:
    """A stored file."""

    name: str
    size_bytes: int
    sha256: str
    erased: bool = False


@dataclass(frozen=True, slots=True)
class TargetInfo:
    """The published table of a team, and the attempts that are left against it."""

    id: str
    team: Team
    is_own: bool
    n_records: int
    table: Stored
    given: Stored | None
    is_available: bool
    tries_left: int | None
    is_guessed: bool


@dataclass(frozen=True, slots=True)
class SubmittedFile:
    """A file of a submission as the site has it."""

    key: str
    name: str
    size_bytes: int
    sha256: str


@dataclass(frozen=True, slots=True)
class SubmissionInfo:
    """A submission: its state, its problems, and its values once they are shown.

    Attributes
    ----------
    state : str
        waiting, running; finally scored, rejected, failed or cancelled.
    values : dict of str to float or None
        By measure, or the rate of a guess; None until the round's feedback is due.
    band : tuple of int or None
        The range of a rate in per cent, where only that is shown.
    """

    id: str
    contest: str
    round: str
    team: str
    number: int
    target: str | None
    state: str
    is_final: bool
    arrived_at: datetime
    finished_at: datetime | None
    note: str
    files: list[SubmittedFile]
    counts: bool
    may_choose: bool
    problems: list[Problem]
    n_problems: int
    values: dict[str, float | None] | None
    band: tuple[int, ...] | None
    band_title: str | None
    place: int | None = None
    notes: list[Problem] = field(default_factory=list)
    reference: str = ""


@dataclass(frozen=True, slots=True)
class GuessesInfo:
    """Guesses about several targets: those that were received, and why the others were not."""

    submissions: list[SubmissionInfo]
    not_received: list[str]
    problems: list[Problem]


@dataclass(frozen=True, slots=True)
class Titled:
    """A key and its title."""

    key: str
    title: str


@dataclass(frozen=True, slots=True)
class Boards:
    """The boards of a contest, its stages and its divisions."""

    first: str
    boards: list[Titled]
    stages: list[Titled]
    divisions: list[Titled]


@dataclass(frozen=True, slots=True, repr=False)
class Board(Shown):
    """A board as a table, as in its CSV file."""

    key: str
    name: str
    columns: list[str]
    rows: list[list[Any]]
    frozen_at: datetime | None
    as_of: datetime | None

    @classmethod
    def of(cls, data: Any) -> Board:
        """The board of an answer; its title is a name here."""
        from pwscup.client.records import record

        found = dict(data) if isinstance(data, dict) else data
        if isinstance(found, dict):
            found["name"] = found.get("title")
        board = record(cls, found)
        width = len(board.columns)
        rows = [(row + [None] * width)[:width] for row in board.rows]
        return cls(board.key, board.name, board.columns, rows, board.frozen_at, board.as_of)

    @property
    def title(self) -> str:
        """The title, the number of teams, and the time of a freeze."""
        n = len(self.rows)
        frozen = f", frozen at {self.frozen_at:%Y-%m-%d %H:%M %Z}" if self.frozen_at else ""
        return f"{self.name}: {n} row{'' if n == 1 else 's'}{frozen}"

    def cells(self) -> Table:
        """The board."""
        return self.columns, self.rows


@dataclass(frozen=True, slots=True)
class Column:
    """A column of a hidden table with its values."""

    name: str
    values: list[str]


@dataclass(frozen=True, slots=True)
class Domain:
    """The columns for queries, the target table, and the largest answer."""

    columns: list[Column]
    target: list[str]
    max_cells: int


@dataclass(frozen=True, slots=True)
class Budget:
    """The exact budget of the team, as decimals in texts."""

    total: str
    spent: str
    left: str


@dataclass(frozen=True, slots=True, repr=False)
class NoisyCounts(Shown):
    """An answer to a query: one noisy count for each combination of values.

    Attributes
    ----------
    is_new : bool
        False where the team had the answer already, and paid nothing.
    epsilon : str
        What it cost; a decimal.
    sensitivity : int
        Divided by ε, the scale of the noise.
    """

    number: int
    epsilon: str
    spent: str
    columns: list[str]
    values: list[list[str]]
    counts: list[int]
    sensitivity: int
    is_new: bool = False
    budget: Budget | None = None

    @property
    def title(self) -> str:
        """Columns and cost."""
        by = ", ".join(self.columns) or "all records"
        paid = "paid" if self.is_new else "had already"
        left = "" if self.budget is None else f"; {self.budget.left} of {self.budget.total} left"
        return f"answer {self.number} by {by}; {paid} ε = {self.epsilon}{left}"

    def cells(self) -> Table:
        """A row for each combination of values, with its count."""
        cells = list(product(*self.values))
        rows = [[*one, count] for one, count in zip(cells, self.counts, strict=False)]
        return [*self.columns, "count"], rows


@dataclass(frozen=True, slots=True)
class NewsLine:
    """Something that the organizers announced."""

    at: datetime
    title: str
    text: str
    is_important: bool
    withdrawn: str | None


@dataclass(frozen=True, slots=True)
class Question:
    """A question to the organizers, with its answer."""

    id: str
    subject: str
    text: str
    answer: str


@dataclass(frozen=True, slots=True)
class Terms:
    """The terms of participation."""

    exist: bool
    text: str
    digest: str
    accepted: bool


@dataclass(frozen=True, slots=True)
class Rank:
    """The value of a measure, its rank among the teams, and the best one."""

    measure: str
    value: float | None
    rank: int | None
    best: float | None


@dataclass(frozen=True, slots=True, repr=False)
class Ranks(Shown):
    """The ranks of a submission among those of the other teams that count."""

    are_shown: bool
    n_teams: int
    rank: int | None
    total: float | None
    measures: list[Rank]

    @property
    def title(self) -> str:
        """The rank."""
        if not self.are_shown:
            return "not shown yet"
        return f"rank {self.rank if self.rank is not None else '–'} of {self.n_teams} teams"

    def cells(self) -> Table:
        """A row for each measure."""
        rows = [[one.measure, one.value, one.rank, one.best] for one in self.measures]
        return ["measure", "value", "rank", "best"], rows
