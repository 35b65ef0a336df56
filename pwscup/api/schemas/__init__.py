# SPDX-License-Identifier: Apache-2.0
"""The types of requests and responses of the API; its OpenAPI document is generated from them."""

from __future__ import annotations

from datetime import datetime
from typing import Annotated, Any
from uuid import UUID

from ninja import Field, Schema
from pydantic import ConfigDict, WithJsonSchema

Epsilon = Annotated[str, Field(description="An exact decimal of at most six places, such as 0.25.")]
PRINTABLE = r"^[^\x00]*$"  # PostgreSQL cannot store NUL
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

    field: str | None = Field(default=None, description="the key of the request")
    file: str | None = None
    row: int | None = Field(default=None, description="the record, from 1")
    column: str | None = None


class Problem(Schema):
    """One problem; the code is stable, the message in the requested language."""

    code: str
    where: Where
    expected: Any
    got: Any
    message: str


class Problems(Schema):
    """The reasons of a refusal (RFC 9457); nothing was stored, changed or paid."""

    type: str
    title: str = Field(description="of the status")
    status: int
    detail: str = Field(description="the messages of the problems")
    problems: list[Problem]
    n_problems: int = Field(description="the total number, if not all are listed")


class Team(Schema):
    slug: str
    name: str


class Me(Schema):
    """The owner of a token, and the token."""

    name: str
    may_create_contests: bool
    token: str = Field(description="its name")
    scopes: list[str] = Field(description="read, and possibly team and organize")
    expires_at: datetime


class Round(Schema):
    key: str
    title: str
    kind: str = Field(
        description="batch and interactive rounds disclose a hidden table; series and value-attack rounds are about "
        "releases of tables of several times"
    )
    phase: str = Field(description="anonymization, attack, presentation or disclosure")
    state: str = Field(description="upcoming, open, paused or closed")
    opens_at: datetime
    closes_at: datetime
    is_open: bool
    is_settled: bool = Field(
        description="it is over, and every upload that began in time is stored"
    )
    epsilon: Epsilon | None = Field(description="the budget of its disclosure, if any")
    has_targets: bool = Field(description="guesses are about published tables of other teams")
    tries: int = Field(description="in the round, or against each target")
    tries_per_day: int | None
    tries_left: int | None = Field(
        description="of your team; null without a team, or if each target has its own"
    )


class FileRule(Schema):
    """A file of a submission."""

    key: str
    title: str
    kind: str = Field(description="of the file, as the rules name it, such as row_numbers")
    format: str = Field(description="what it holds, in words")
    content_type: str
    is_required: bool


class AskedQuestion(Schema):
    """A question about each published table, with an answer file of its own."""

    key: str
    title: str
    header: str
    sentences: list[str]


class Hint(Schema):
    text: str
    published_at: datetime


class RoundDetail(Round):
    description: str
    files: list[FileRule]
    questions: list[AskedQuestion]
    content_types: list[str] = Field(description="of a body with the files of one submission")
    max_file_bytes: int
    counts: str = Field(description="which submission counts, in words")
    feedback: str = Field(description="when values are shown, in words")
    left_today: int | None = Field(description="attempts of your team, if days have a limit")
    left_in_all: int | None = Field(description="attempts against all targets together, if limited")
    not_now: str | None = Field(description="why your team cannot submit now; null if it can")
    hints: list[Hint]


class ContestLine(Schema):
    slug: str
    title: str
    state: str = Field(description="draft, upcoming, running or finished")


class Interruption(Schema):
    """Time that did not count; without an end it continues."""

    started_at: datetime
    ended_at: datetime | None
    reason: str


class Picture(Schema):
    """A picture of a contest, without metadata."""

    url: str = Field(description="another one for another picture")
    width: int
    height: int
    alt: str = Field(description="the text alternative")
    size_bytes: int


class Sponsor(Schema):
    name: str
    url: str
    logo: Picture | None


class Mix(Schema):
    """What the seeds of some draws depend on, next to the secret."""

    name: str = Field(description="start, questions, or release/ and the key of a round")
    sha256: str = Field(description="blank until a draw has needed it")
    contributions: list[dict[str, str]] = Field(description="team and SHA-256 of its text")
    public: str | None = Field(description="the public value in it")


class Contest(ContestLine):
    summary: str
    timezone: str
    team: Team | None = Field(description="yours")
    n_teams: int
    max_team_size: int
    is_organizer: bool
    is_judge: bool
    terms_accepted: bool = Field(description="by you, or there are none; required for data")
    paused_at: datetime | None
    interruptions: list[Interruption]
    commitment: str = Field(description="the fingerprint of the secret behind every draw")
    mixes: list[Mix] = Field(description="of contributions to draws; none if the secret is all")
    colour: str = Field(description="the accent colour, such as #2457c5; blank for the site's")
    logo: Picture | None
    picture: Picture | None = Field(description="the banner of the overview")
    sponsors: list[Sponsor]
    rounds: list[Round]


class ColumnRule(Schema):
    name: str
    role: str
    kind: str
    domain: str


class RoundRule(Schema):
    key: str
    title: str
    sentences: list[str]


class MeasureRule(Schema):
    id: str
    title: str
    family: str
    is_measured: bool = Field(description="false if the table has no columns for it")


class Part(Schema):
    """A board or a part of it, in words."""

    name: str
    text: str


class Rules(Schema):
    """The rules in words, as on their page."""

    title: str
    version: str
    digest: str
    summary: str
    data: list[str]
    limits: list[str]
    columns: list[ColumnRule]
    rounds: list[RoundRule]
    measures: list[MeasureRule]
    options: list[str]
    ranking: list[Part]


class Terms(Schema):
    exist: bool
    text: str
    digest: str = Field(description="names this text when you accept it")
    accepted: bool
    may_accept: bool = Field(description="only members of teams do")


class Accepting(Schema):
    """The acceptance of terms that were read."""

    model_config = ConfigDict(extra="forbid")

    digest: str = Field(max_length=64, pattern=PRINTABLE)


class Stored(Schema):
    name: str
    size_bytes: int
    sha256: str
    erased: bool = Field(description="deleted after the time to keep it")


class Download(Schema):
    """A file of the contest."""

    name: str = Field(description="the last part of its address")
    key: str
    file_name: str = ""
    size_bytes: int | None = None
    sha256: str | None = None
    n_records: int | None = None
    n_columns: int | None = None
    is_available: bool = Field(description="you may download it now")


class Material(Schema):
    number: int
    kind: str = Field(description="file, link or hierarchies")
    title: str
    audience: str = Field(description="everybody or teams")
    url: str = Field(description="of a link")
    file_name: str
    needs_terms: bool


class Target(Schema):
    """The published table of a team."""

    id: UUID = Field(description="of the release")
    team: Team
    is_own: bool
    n_records: int
    table: Stored
    given: Stored | None = Field(description="candidates, question sheets or individuals")
    is_available: bool
    tries_left: int | None = Field(description="of your team against it")
    left_today: int | None
    is_guessed: bool = Field(description="a guess of your team counts")


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
    erased: bool = Field(
        default=False, description="the bytes were deleted after the time to keep them"
    )


class Submission(Schema):
    id: UUID
    contest: str
    round: str
    team: str
    number: int = Field(description="numbers your team's submissions in the round from 1")
    target: str | None = Field(description="the team that guesses are about")
    original: int | None = Field(
        description="the number of the original that its table was made from, if teams have several"
    )
    state: str = Field(
        description="waiting, running; finally scored, rejected, failed or cancelled"
    )
    is_final: bool
    place: int | None = Field(default=None, description="in the queue while it waits, from 1")
    arrived_at: datetime
    finished_at: datetime | None
    submitted_by: str | None
    note: str
    files: list[File]
    counts: bool = Field(description="true if this submission currently counts")
    may_choose: bool = Field(description="your team may choose it as the one that counts")
    problems: list[Problem]
    n_problems: int
    notes: list[Problem] = Field(
        default=[],
        description="remarks on its files that do not reject them; in a single submission only",
    )
    values: dict[str, float | None] | None = Field(
        description="of the measures, or the rate of a guess; null until you may know them"
    )
    band: tuple[int, int] | None = Field(description="of a rate in per cent, if only that is shown")
    band_title: str | None = Field(description="the name of its band, if the rules name bands")
    reference: str = Field(description="leads the organizers to the log if scoring failed")


class Guesses(Schema):
    """Guesses about several targets, each a submission of its own."""

    submissions: list[Submission] = Field(description="those that were received")
    not_received: list[str] = Field(description="the targets of the others, by short name")
    problems: list[Problem] = Field(description="why the first of these was not received")
    n_problems: int


class Note(Schema):
    """A note for the own team."""

    model_config = ConfigDict(extra="forbid")

    note: str = Field(pattern=PRINTABLE)


class Sealed(Schema):
    hash: str


class Receipt(Schema):
    """A proof of a submission and its time, for `python -m scoring verify --receipt`."""

    format: str
    version: int
    contest: str
    round: str
    team: str
    number: int
    submission: UUID
    target: str | None
    original: int | None = Field(default=None, description="missing if there is one original")
    arrived_at: datetime
    arrived_at_local: datetime
    timezone: str
    files: list[File]
    trail: Sealed | None = Field(description="null until its event is sealed")


class Titled(Schema):
    key: str
    title: str


class Boards(Schema):
    first: str = Field(description="the key of the main board")
    boards: list[Titled]
    stages: list[Titled]
    divisions: list[Titled]
    frozen_at: datetime | None = Field(description="the boards show the state of this time")


class TeamPlace(Schema):
    """The place of a team on one board."""

    board: str
    rank: int = Field(description="1 is the best")
    n_ranked: int = Field(description="teams with a rank")
    total: float | None = Field(description="null if the board has no total")
    total_low: float | None = Field(description="95 % interval over the records; null if unknown")
    total_high: float | None
    rank_low: int | None = Field(description="the best rank that the data admit")
    rank_high: int | None
    separable: bool | None = Field(
        description="the total differs from that of the next better rank, of the first from the second"
    )


class PastPlace(Schema):
    """The place of a team on the main board at an earlier time."""

    at: datetime
    rank: int
    n_ranked: int
    total: float | None


class Entries(Schema):
    """The scored submissions of a team in a round whose values everybody may see."""

    round: str
    n_scored: int
    last_at: datetime


class TeamPage(Schema):
    number: int = Field(description="identifies the team on boards")
    slug: str
    name: str
    affiliation: str
    is_baseline: bool
    members: list[str] = Field(description="names that you may see")
    n_members: int
    places: list[TeamPlace]
    entries: list[Entries]
    history: list[PastPlace] = Field(description="the oldest first")
    frozen_at: datetime | None


class Board(Schema):
    """A board as a table, as in its CSV file."""

    key: str
    title: str
    columns: list[str]
    rows: list[list[Any]] = Field(description="of the same length; null is no value")
    frozen_at: datetime | None
    as_of: datetime | None = Field(description="its time, if newer facts are being added")
    shown_at: datetime | None = Field(description="from when a hidden board is shown")
    is_live: bool = Field(description="it may still change")


class Rank(Schema):
    measure: str
    value: float | None
    rank: int | None
    best: float | None


class Ranks(Schema):
    are_shown: bool = Field(description="false until the values of the round are shown")
    n_teams: int
    is_frozen: bool
    rank: int | None = Field(description="on the board of the round, if it makes one")
    total: float | None
    measures: list[Rank]


class Placed(Schema):
    name: str
    total: float | None


class Place(Schema):
    rank: int | None = Field(description="null: did not take part")
    teams: list[Placed]


class Ceremony(Schema):
    exists: bool
    is_finished: bool
    title: str
    step: int = Field(description="the number of revealed places")
    n_steps: int
    revealed: list[Place] = Field(default=[], description="the best place first")
    waiting: list[str] = Field(
        default=[], description="the others, in the order of the frozen board"
    )


class News(Schema):
    key: str
    at: datetime
    changed_at: datetime
    title: str
    text: str
    is_important: bool
    withdrawn: str | None = Field(description="why the organizers have withdrawn it")


class Question(Schema):
    id: UUID
    team: str
    subject: str
    text: str
    asked_at: datetime
    asked_by: str | None
    answer: str
    answered_at: datetime | None
    is_published: bool = Field(description="the organizers have published a clarification")


class Ask(Schema):
    """A question to the organizers."""

    model_config = ConfigDict(extra="forbid")

    subject: str
    text: str


class Mail(Schema):
    """The emails of a contest."""

    model_config = ConfigDict(extra="forbid")

    wanted: str = Field(description="all, important or none")
    language: str = Field(description="en or ja")


class Member(Schema):
    number: int
    name: str
    is_captain: bool
    joined_at: datetime


class Invitation(Schema):
    """A link that opens the team; anyone who has it may join."""

    token: str
    url: str
    expires_at: datetime


class OwnTeam(Team):
    division: str | None
    members: list[Member]
    seats: int
    is_captain: bool = Field(description="you are")
    may_rename: bool
    may_shorten: bool
    is_named_in_archive: bool
    affiliation: str
    contribution: str | None = Field(description="the SHA-256 of its text for the draws")
    invitation: Invitation | None = Field(description="the current link, for its captain")


class NewTeam(Schema):
    model_config = ConfigDict(extra="forbid")

    name: str
    short_name: str | None = Field(default=None, description="made from the name if left out")
    division: str | None = Field(default=None, description="its key, if the contest has divisions")


class TeamChange(Schema):
    """The values to change; the others stay."""

    model_config = ConfigDict(extra="forbid")

    name: str | None = None
    short_name: str | None = None
    division: str | None = None
    is_named_in_archive: bool | None = None
    affiliation: str | None = None
    shows_name: bool | None = Field(
        default=None, description="yours, on the public page of the team"
    )
    contribution: str | None = Field(
        default=None, description="a random text for the draws; its SHA-256 is kept, once"
    )


class Invited(Schema):
    contest: str
    team: str
    n_members: int
    reason: str | None = Field(description="why you cannot join; null if you can")


class JoinByCode(Schema):
    """A class code with an open team of its contest, or with the names of a new one."""

    model_config = ConfigDict(extra="forbid")

    code: str = Field(max_length=50, pattern=PRINTABLE)
    team: str = Field(default="", pattern=PRINTABLE, description="the short name of an open team")
    name: str = Field(default="", description="of a new team")
    short_name: str = ""
    division: str = ""
    digest: str = Field(
        default="", max_length=64, pattern=PRINTABLE, description="of the terms, accepted"
    )


class Office(Schema):
    contest: str
    office: str = Field(description="organizer or judge")
    reason: str | None = Field(description="why you cannot accept it; null if you can")


class Ruling(Schema):
    kind: str = Field(description="disqualified, withdrawn or reinstated")
    team: str
    submission: UUID | None
    reason: str
    decided_at: datetime
    decided_by: str | None


class Late(Schema):
    """A team may submit late in a round."""

    team: str
    round: str
    until: datetime
    reason: str
    granted_at: datetime


class Decisions(Schema):
    disqualified: list[str]
    rulings: list[Ruling]
    late: list[Late]


class Message(Schema):
    model_config = ConfigDict(extra="forbid")

    text: str = Field(pattern=PRINTABLE)


class AppealMessage(Schema):
    text: str
    written_at: datetime
    written_by: str | None
    is_organizer: bool
    closes: bool


class Appeal(Schema):
    is_open: bool
    is_withdrawn: bool = Field(description="the submission, by the organizers")
    messages: list[AppealMessage]


class Audit(Schema):
    state: str = Field(description="waiting, running, done or failed")
    is_final: bool
    done_steps: int
    n_steps: int
    n_before: int = Field(description="audits that run or wait before it")
    summary: dict[str, Any] | None
    reference: str


class DebriefingPart(Schema):
    team: str | None = Field(description="null: an example without a name")
    round: str
    sentence: str
    details: dict[str, Any] = Field(description="as on the page; they depend on the format")


class Debriefing(Schema):
    state: str = Field(description="none, waiting, running, done or failed")
    done_parts: int
    n_parts: int
    own: list[DebriefingPart]
    examples: list[DebriefingPart]


class Slider(Schema):
    name: str
    title: str
    low: float
    high: float
    step: float
    default: float


class Method(Schema):
    key: str
    title: str
    summary: str
    values: list[Slider]


class ChosenOriginal(Schema):
    model_config = ConfigDict(extra="forbid")

    original: int = Field(description="its number, from 1")


class NewTrial(Schema):
    model_config = ConfigDict(extra="forbid")

    method: str
    values: dict[str, float] = Field(
        default={}, description="a number for each of the method's values"
    )
    base: int | None = Field(default=None, description="the number of a trial to continue")
    target: str | None = Field(
        default=None, description="the short name of a team, in an attack round"
    )
    original: int | None = Field(default=None, description="if teams have several originals")


class TrialStep(Schema):
    method: str
    values: dict[str, float]


class Trial(Schema):
    id: UUID
    number: int
    round: str
    state: str = Field(description="waiting, running; finally done, refused or failed")
    is_final: bool
    requested_at: datetime
    original: int | None
    target: str | None
    steps: list[TrialStep]
    values: dict[str, float | None]
    attack_rate: float | None = Field(description="of the strongest built-in attack")
    problems: list[Problem]
    files: list[File]
    submission: UUID | None = Field(description="that was made of it")
    reference: str


class Talk(Schema):
    position: int
    team: Team
    has_slides: bool
    is_available: bool


class OwnGrades(Schema):
    are_shown: bool = Field(description="after the round has closed")
    means: dict[str, float | None] = Field(description="by criterion")
    comments: list[str]


class TeamGrades(Schema):
    model_config = ConfigDict(extra="forbid")

    team: str
    points: dict[str, str] = Field(
        default={}, description="0 to 100 by criterion, with two decimals"
    )
    comment: str | None = Field(
        default=None, description="replaces the one before; empty takes it back"
    )


class GradesGiven(Schema):
    model_config = ConfigDict(extra="forbid")

    seen: int = Field(description="of the grades that you have read: another change refuses yours")
    teams: list[TeamGrades] = Field(max_length=1000)


class Grades(Schema):
    seen: int
    may_grade: bool
    criteria: list[Titled]
    teams: list[TeamGrades] = Field(description="in the order of the presentations")


class Award(Schema):
    winners: list[str] = Field(description="several if they are equal")
    n_votes: int
    n_voters: int


class Ballot(Schema):
    state: str = Field(description="none, open or ended")
    most: int = Field(description="the most presentations to choose")
    candidates: list[Team]
    chosen: list[str]
    award: Award | None


class Choice(Schema):
    model_config = ConfigDict(extra="forbid")

    teams: list[str] = Field(max_length=100)
