"""The types of requests and responses of the API; its OpenAPI document is generated from them."""

from __future__ import annotations

from datetime import datetime
from typing import Annotated, Any
from uuid import UUID

from ninja import Field, Schema
from pydantic import ConfigDict, WithJsonSchema

Epsilon = Annotated[str, Field(description="An exact decimal of at most six places, such as 0.25.")]
QUERY = {
    "type": "object",
    "description": "Columns to count by, and a filter of values; without columns the answer is a single count.",
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
    """The position of a problem, as far as it is known."""

    field: str | None = Field(None, description="the key of the request")
    file: str | None = None
    row: int | None = Field(None, description="the record, from 1")
    column: str | None = None


class Problem(Schema):
    """One problem; the code is stable, the message in the requested language."""

    code: str
    where: Where
    expected: Any
    got: Any
    message: str


class Problems(Schema):
    """The reasons of a refusal; nothing was stored, changed or paid."""

    problems: list[Problem]
    n_problems: int = Field(description="the total number, if not all are listed")


class Team(Schema):
    slug: str
    name: str


class Round(Schema):
    key: str
    title: str
    kind: str = Field(
        description="batch and interactive rounds disclose a hidden table; series and value-attack rounds are about "
        "releases of tables of several times"
    )
    phase: str
    opens_at: datetime
    closes_at: datetime
    is_open: bool
    epsilon: Epsilon | None = Field(description="the budget of its disclosure, if any")
    tries: int
    tries_left: int | None = Field(
        description="of your team; null without a team, or if each target has its own"
    )


class ContestLine(Schema):
    slug: str
    title: str
    state: str = Field(description="draft, upcoming, running or finished")


class Contest(ContestLine):
    summary: str
    timezone: str
    team: Team | None = Field(description="yours")
    terms_accepted: bool = Field(description="by you, or there are none; required for data")
    rounds: list[Round]


class Column(Schema):
    name: str
    values: list[str]


class Domain(Schema):
    """The columns for queries, and the table to be estimated."""

    columns: list[Column]
    target: list[str]
    max_cells: int = Field(description="the largest answer")


class Budget(Schema):
    """The exact budget of your team."""

    total: Epsilon
    spent: Epsilon
    left: Epsilon


class AnswerLine(Schema):
    number: int = Field(description="numbers your team's answers in the round from 1")
    query: Query = Field(description="in its canonical form")
    epsilon: Epsilon = Field(description="its cost")
    spent: Epsilon = Field(description="the cumulative cost")
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
    is_new: bool = Field(description="false: your team already had the answer, and paid nothing")
    budget: Budget


class Asking(Schema):
    """A query, and the price of its answer."""

    model_config = ConfigDict(extra="forbid")

    query: Query
    epsilon: Epsilon


class Release(Schema):
    """The randomized table of a batch round, released once to everybody."""

    epsilon: Epsilon
    rho: float = Field(description="the probability that a value was kept")
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
    original: int | None = Field(
        description="the number of the original that its table was made from, if teams have several"
    )
    state: str = Field(
        description="waiting, running; finally scored, rejected, failed or cancelled"
    )
    arrived_at: datetime
    files: list[File]
    counts: bool = Field(description="true if this submission currently counts")
    problems: list[Problem]
    n_problems: int
    marks: dict[str, float | None] | None = Field(description="null until you may know them")
    band: tuple[int, int] | None = Field(description="of a rate in per cent, if only that is shown")
