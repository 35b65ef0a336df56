"""What the API takes and gives, as types: its OpenAPI document is made of them."""

from __future__ import annotations

from datetime import datetime
from typing import Annotated, Any
from uuid import UUID

from ninja import Field, Schema
from pydantic import ConfigDict, WithJsonSchema

Epsilon = Annotated[str, Field(description="An exact decimal of at most six places, such as 0.25.")]
QUERY = {
    "type": "object",
    "description": "Columns that are counted by, and values that pass; no columns ask for a single count.",
    "properties": {
        "columns": {"type": "array", "items": {"type": "string"}},
        "where": {
            "type": "object",
            "additionalProperties": {"type": "array", "items": {"type": "string"}},
        },
    },
    "required": ["columns"],
    "additionalProperties": False,
}
Query = Annotated[Any, WithJsonSchema(QUERY)]


class Where(Schema):
    """Where a problem is, as far as it is known."""

    field: str | None = Field(None, description="the key of the request")
    file: str | None = None
    row: int | None = Field(None, description="the record, from 1")
    column: str | None = None


class Problem(Schema):
    """One thing that is wrong; the code is stable, the message in the language asked for."""

    code: str
    where: Where
    expected: Any
    got: Any
    message: str


class Problems(Schema):
    """Why a request was refused; then nothing was taken, changed or paid."""

    problems: list[Problem]
    n_problems: int = Field(description="all of them, where not all are listed")


class Team(Schema):
    slug: str
    name: str


class Round(Schema):
    key: str
    title: str
    kind: str = Field(
        description="batch and interactive rounds disclose a hidden table, series and value-attack rounds are about "
        "releases of tables of several times"
    )
    phase: str
    opens_at: datetime
    closes_at: datetime
    is_open: bool
    epsilon: Epsilon | None = Field(description="what it discloses for, where it does")
    tries: int
    tries_left: int | None = Field(
        description="of your team; null without one, and where each target has its own"
    )


class ContestLine(Schema):
    slug: str
    title: str
    state: str = Field(description="draft, upcoming, running or finished")


class Contest(ContestLine):
    summary: str
    timezone: str
    team: Team | None = Field(description="yours")
    terms_accepted: bool = Field(
        description="by you, or there are none; without it there is no data"
    )
    rounds: list[Round]


class Column(Schema):
    name: str
    values: list[str]


class Domain(Schema):
    """What may be asked for, and the table that is to be estimated."""

    columns: list[Column]
    target: list[str]
    max_cells: int = Field(description="the largest answer")


class Budget(Schema):
    """What your team has, exactly."""

    total: Epsilon
    spent: Epsilon
    left: Epsilon


class AnswerLine(Schema):
    number: int = Field(description="counts your team's answers in the round from 1")
    query: Query = Field(description="in its canonical form")
    epsilon: Epsilon = Field(description="what it cost")
    spent: Epsilon = Field(description="this cost and all before it")
    asked_at: datetime
    asked_by: str | None


class Answer(AnswerLine):
    columns: list[str]
    values: list[list[str]] = Field(description="of each column")
    counts: list[int] = Field(
        description="noisy, one for each combination of values, the last column's changing fastest"
    )
    sensitivity: int = Field(description="divided by ε, the scale of the discrete Laplace noise")


class Asked(Answer):
    is_new: bool = Field(description="false: your team had the answer already, and paid nothing")
    budget: Budget


class Asking(Schema):
    """A query, and what your team pays for its answer."""

    model_config = ConfigDict(extra="forbid")

    query: Query
    epsilon: Epsilon


class Release(Schema):
    """The table of a batch round as it was randomized, once, for everybody."""

    epsilon: Epsilon
    rho: float = Field(description="with what probability each value was kept as it was")
    columns: list[str]
    n_records: int
    size_bytes: int
    sha256: str
    created_at: datetime


class File(Schema):
    key: str
    name: str
    size_bytes: int
    sha256: str


class Submission(Schema):
    id: UUID
    contest: str
    round: str
    team: str
    number: int
    state: str = Field(
        description="waiting, running; then scored, rejected, failed or cancelled for good"
    )
    arrived_at: datetime
    files: list[File]
    counts: bool = Field(description="whether this one counts at present")
    problems: list[Problem]
    n_problems: int
    marks: dict[str, float | None] | None = Field(description="null until you may know them")
    band: tuple[int, int] | None = Field(description="of a rate in per cent, where no more is told")
