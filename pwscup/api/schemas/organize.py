# SPDX-License-Identifier: Apache-2.0
"""The types of requests and responses of organizers."""

from __future__ import annotations

from datetime import datetime
from typing import Any
from uuid import UUID

from ninja import Field, Schema
from pydantic import AwareDatetime, ConfigDict

from pwscup.api.schemas import PRINTABLE, Award, Decisions, Problem, Sponsor

STRICT = ConfigDict(extra="forbid")


class Given(Schema):
    """A body without other keys than these."""

    model_config = STRICT


class OrganizedRound(Schema):
    key: str
    title: str
    kind: str
    state: str = Field(description="upcoming, open, paused or closed")
    opens_at: datetime
    closes_at: datetime
    tries: int = Field(description="in the round, or against each target")
    tries_per_day: int | None
    feedback: str = Field(description="ladder, exact, coarse or after_close")


class OrganizedContestLine(Schema):
    slug: str
    title: str
    state: str = Field(description="draft, upcoming, running or finished")
    n_teams: int


class OrganizedContest(Schema):
    """A contest as its organizers see it; every change answers with it."""

    slug: str
    version: int = Field(description="incremented by every change of an organizer")
    state: str = Field(description="draft, upcoming, running or finished")
    is_published: bool
    title: str
    title_ja: str
    summary: str
    summary_ja: str
    timezone: str
    max_team_size: int
    admission: str = Field(description="open or invited")
    has_late_teams: bool
    has_trials: bool
    epsilon_cap: str | None
    paused_at: datetime | None
    frozen_at: datetime | None
    revealed_at: datetime | None
    erased_at: datetime | None
    n_teams: int
    missing: list[str] = Field(description="what keeps it from being published")
    rounds: list[OrganizedRound]


class Format(Schema):
    name: str
    title: str
    summary: str


class NewContest(Given):
    """A contest of a format of the library, or of rules of your own."""

    ruleset: str | None = Field(default=None, description="the name of a format of the library")
    ruleset_text: str | None = Field(default=None, description="rules of your own, as TOML")
    title: str = ""
    title_ja: str = ""
    slug: str = Field(default="", description="made from the title if left out")
    summary: str = ""
    summary_ja: str = ""
    timezone: str = "Asia/Tokyo"
    max_team_size: int | None = Field(default=None, description="that of the rules if left out")
    starts_at: AwareDatetime = Field(description="when the first round opens")


class Settings(Given):
    """The settings to change; the others stay."""

    title: str | None = None
    title_ja: str | None = None
    summary: str | None = None
    summary_ja: str | None = None
    timezone: str | None = None
    max_team_size: int | None = None
    admission: str | None = None
    has_late_teams: bool | None = None
    has_trials: bool | None = None
    epsilon_cap: str | None = Field(default=None, description="a decimal; empty for none")


class Person(Schema):
    number: int
    name: str


class OfficeOffer(Schema):
    number: int
    office: str
    email: str
    expires_at: datetime


class Staff(Schema):
    organizers: list[Person]
    judges: list[Person]
    invited: list[OfficeOffer]


class NewOffice(Given):
    office: str = Field(description="organizer or judge")
    email: str


class Event(Schema):
    """An event of the audit trail."""

    at: datetime
    actor: str
    kind: str
    text: str
    subject: str
    details: list[tuple[str, str]]


# The table


class DraftColumn(Schema):
    name: str
    n_distinct: int | None


class Draft(Schema):
    """An uploaded table whose columns are not confirmed."""

    file_name: str
    sha256: str
    n_records: int
    schema_toml: str = Field(description="the suggested columns, as a schema file")
    columns: list[DraftColumn]
    ticked: dict[str, list[str]] = Field(description="columns by choice, where the format has any")


class Table(Schema):
    """The contest's table, without its records."""

    n_records: int
    sha256: str
    schema_toml: str
    created_at: datetime


class Data(Schema):
    table: Table | None
    draft: Draft | None
    may_replace: bool
    choices: dict[str, str] = Field(description="choices of columns that become part of the rules")
    warnings: list[str]


class PreparedColumn(Schema):
    """A column after all steps."""

    name: str
    kind: str
    role: str = Field(description="as chosen, else a first guess")
    n_missing: int
    n_distinct: int


class StepEffect(Schema):
    """The effect of a step, or the problems because of which it was left out."""

    n: int | None = None
    unit: str | None = Field(default=None, description="cells, records or columns")
    left: int | None = Field(default=None, description="cells to which the step does not apply")
    n_records: int | None = None
    n_columns: int | None = None
    problems: list[str] = []


class Find(Schema):
    """The records that one quasi-identifier finds."""

    name: str
    n_alone: int = Field(description="records that are unique by it, without any other column")
    n_without: int = Field(description="records that are unique by the other quasi-identifiers")


class Risk(Schema):
    n_records: int
    n_unique: int
    n_classes: int
    smallest: int = Field(description="records in the smallest class (k)")
    cross: list[str]
    n_cells: int = Field(description="cells of a cross table of these columns")
    n_filled: int
    finds: list[Find]


class Preparation(Schema):
    """A raw table and its steps, without records and without the seeds of samples."""

    file_name: str
    sha256: str
    n_raw: int
    n_records: int
    reading: dict[str, str | int]
    sheets: list[str]
    notes: list[str]
    steps: list[dict[str, Any]]
    steps_toml: str
    effects: list[StepEffect]
    columns: list[PreparedColumn]
    risk: Risk
    revision: int


class Steps(Given):
    """Changes of a preparation; the rest stays."""

    reading: dict[str, str | int] | None = Field(
        default=None, description="encoding, separator, sheet, header"
    )
    steps: list[dict[str, Any]] | None = Field(
        default=None, description="all steps, in their order"
    )
    roles: dict[str, str] | None = Field(default=None, description="roles of columns, by name")
    revision: int | None = Field(
        default=None, description="that was read: refuses changes of others"
    )


class Generate(Given):
    n_records: int | None = Field(default=None, description="that of the format if left out")
    n_tables: int | None = Field(
        default=None, description="where a contest has tables of several times"
    )


class Columns(Given):
    """The columns of the draft: as suggested, or as in a schema file of the same columns."""

    schema_toml: str | None = Field(default=None, description="the suggestion if left out")
    ticked: dict[str, list[str]] | None = Field(default=None, description="columns by choice")
    confirm: bool = Field(
        default=False, description="make it the contest's table; otherwise only check it"
    )


class Checked(Schema):
    """The result of a check: every cell fits its column."""

    is_confirmed: bool
    notes: list[str]
    data: Data


# Dates


class RoundChange(Given):
    """Changes of a round; the rest stays."""

    key: str
    opens_at: AwareDatetime | None = None
    closes_at: AwareDatetime | None = None
    tries: int | None = None
    tries_per_day: int | None = Field(default=None, description="0 for no limit")
    feedback: str | None = None


class Rounds(Given):
    rounds: list[RoundChange] = Field(max_length=100)


class Opening(Given):
    keeps_end: bool = Field(
        default=False, description="only the opening moves, not the end and later rounds"
    )


class Reason(Given):
    reason: str = Field(pattern=PRINTABLE, description="shown to the teams")


class OptionalReason(Given):
    reason: str = Field(default="", pattern=PRINTABLE, description="shown to the teams")


class Lengthening(Given):
    """A round longer by hours and minutes, or until a time."""

    until: AwareDatetime | None = None
    hours: int | None = None
    minutes: int | None = None
    moves_later: bool = Field(default=False, description="move the later rounds by the same time")
    reason: str = Field(pattern=PRINTABLE, description="shown to the teams")


class Outage(Given):
    started_at: AwareDatetime
    ended_at: AwareDatetime | None = Field(
        default=None, description="it continues if left out: a pause"
    )
    reason: str = Field(pattern=PRINTABLE, description="shown to the teams")


class PublicValue(Given):
    source: str = Field(default="", pattern=PRINTABLE)
    due_at: AwareDatetime | None = None
    text: str = Field(default="", pattern=PRINTABLE, description="once it is published")


# Teams


class TeamInvitation(Schema):
    number: int
    email: str
    state: str = Field(description="open, used or revoked")
    url: str = Field(description="of an open one")
    mailed_at: datetime | None


class TeamLine(Schema):
    slug: str
    name: str
    division: str | None
    captain: str | None
    n_members: int
    has_seat: bool
    may_be_removed: bool
    may_be_shortened: bool
    invitations: list[TeamInvitation]


class Division(Schema):
    key: str
    title: str
    title_ja: str
    n_teams: int


class ClassCode(Schema):
    code: str
    url: str
    seats: int
    n_joined: int


class BaselineTeam(Schema):
    name: str
    plays: bool


class Teams(Schema):
    teams: list[TeamLine]
    divisions: list[Division]
    class_code: ClassCode | None
    baseline_teams: list[BaselineTeam]
    n_left: int | None = Field(description="for how many further teams there are individuals")


class TeamList(Given):
    """Teams with the addresses of their members, as CSV."""

    text: str = Field(pattern=PRINTABLE, description="as in the file of the page Teams")
    is_preview: bool = Field(default=False, description="read it only")


class ListedTeam(Schema):
    name: str
    short_name: str
    division: str | None
    emails: list[str]


class TeamListRead(Schema):
    teams: list[ListedTeam]
    is_done: bool


class OrganizedTeamChange(Given):
    division: str | None = Field(default=None, description="its key; empty for none")
    short_name: str | None = None


class NewDivision(Given):
    title: str
    title_ja: str = ""


class Address(Given):
    email: str


class Seats(Given):
    seats: int = 60


# Terms and retention


class Acceptance(Schema):
    name: str
    team: str
    accepted_at: datetime | None
    is_current: bool


class OrganizedTerms(Schema):
    terms: str
    terms_ja: str
    retention_days: int | None
    erased_from: datetime | None
    acceptances: list[Acceptance]


class NewTerms(Given):
    terms: str = ""
    terms_ja: str = ""


class Retention(Given):
    days: int | None = Field(description="after the last round; null keeps the data")


class Erasure(Given):
    address: str = Field(description="the slug of the contest, to prevent an accident")


# Submissions


class SubmissionLine(Schema):
    """A submission in the list of all."""

    id: UUID
    team: str
    round: str
    number: int
    target: str | None
    state: str = Field(description="waiting, running, scored, rejected, failed or cancelled")
    is_final: bool
    arrived_at: datetime
    finished_at: datetime | None
    submitted_by: str | None
    note: str
    n_problems: int
    problems: list[Problem]
    can_be_retried: bool
    reference: str = Field(description="of a failure, as in the logs")
    values: dict[str, Any] | None


class Count(Schema):
    n: int


class AppealAnswer(Given):
    text: str = Field(pattern=PRINTABLE)
    closes: bool = Field(default=False, description="the answer ends the thread")


class OrganizedDecisions(Decisions):
    open_appeals: list[UUID] = Field(description="submissions with an unanswered appeal")


class NewLate(Given):
    """A team may submit in a round until a later time."""

    round: str = Field(pattern=PRINTABLE)
    until: AwareDatetime
    reason: str = Field(pattern=PRINTABLE, description="shown to the teams")


class Grade(Schema):
    criterion: str
    judge: str
    points: str


class Comment(Schema):
    judge: str
    text: str


class GradedTeam(Schema):
    team: str
    means: dict[str, float | None]
    grades: list[Grade]
    comments: list[Comment]


class NewVote(Given):
    most: int = Field(
        default=1, ge=1, le=3, description="the most presentations that one may choose"
    )
    has_guests: bool = Field(default=False, description="guests vote by a link")


class OpenedVote(Schema):
    most: int
    guests_token: str | None = Field(description="the last part of the link for guests")
    ended_at: datetime | None
    award: Award | None


# Leaderboard


class Display(Schema):
    audience: str = Field(description="public or teams; judges and organizers always see it")
    hidden_measures: list[str]
    measures: list[str]
    frozen_at: datetime | None
    version: int


class NewDisplay(Given):
    audience: str
    hidden_measures: list[str] = Field(default=[], max_length=100)


class Freeze(Given):
    at: AwareDatetime | None = Field(default=None, description="now if left out")


class NewCeremony(Given):
    stage: str | None = Field(
        default=None, description="its key; the season, or the only stage if left out"
    )
    division: str = Field(default="", description="its key; all teams if left out")


class Move(Given):
    to: str = Field(description="next, back or all")
    step: int = Field(
        ge=0, description="the step that you have read; at another one nothing is done"
    )


class CeremonyEnd(Given):
    keeps_frozen: bool = Field(
        default=False, description="the boards stay frozen as before the ceremony"
    )


# News, questions and webhooks


class Announcement(Schema):
    number: int
    version: int
    title: str
    title_ja: str
    text: str
    text_ja: str
    is_important: bool
    created_at: datetime
    edited_at: datetime | None
    withdrawn_at: datetime | None
    withdrawn_reason: str


class NewAnnouncement(Given):
    """A title and a text in English, in Japanese, or in both."""

    title: str = ""
    text: str = ""
    title_ja: str = ""
    text_ja: str = ""
    is_important: bool = False


class Correction(NewAnnouncement):
    version: int = Field(ge=0, description="of the announcement that you have read")


class NewAnswer(Given):
    answer: str


class Clarification(NewAnnouncement):
    name_is_a_word: bool = Field(
        default=False, description="the team's name is an ordinary word in the text"
    )


class Webhook(Schema):
    id: UUID
    url: str
    n_failures: int = Field(description="consecutive ones")
    disabled_at: datetime | None = Field(description="after too many failures")


class NewWebhook(Webhook):
    secret: str = Field(description="signs the calls")


class Call(Schema):
    kind: str
    webhook: UUID | None
    state: str
    error: str


class Webhooks(Schema):
    webhooks: list[Webhook]
    calls: list[Call] = Field(description="the newest ones")


class Url(Given):
    url: str


# Materials and hints


class Shades(Schema):
    """The shades of the colour in one theme, in which text can be read."""

    accent: str
    strong: str
    soft: str
    on_accent: str


class OrganizedPicture(Schema):
    url: str
    width: int
    height: int
    size_bytes: int
    alt: str
    alt_ja: str


class OrganizedSponsor(Sponsor):
    number: int


class Appearance(Schema):
    """The appearance of a contest; every change answers with it."""

    version: int = Field(description="of the contest")
    colour: str = Field(description="blank for the colour of the site")
    light: Shades | None
    dark: Shades | None
    logo: OrganizedPicture | None
    picture: OrganizedPicture | None
    sponsors: list[OrganizedSponsor]


class AppearanceChange(Given):
    """Changes of the appearance; the rest stays."""

    colour: str | None = Field(default=None, description="such as #2457c5; blank removes it")
    logo_alt: str | None = None
    logo_alt_ja: str | None = None
    picture_alt: str | None = None
    picture_alt_ja: str | None = None


class SponsorChange(Given):
    """Changes of a sponsor; the rest stays."""

    name: str | None = None
    url: str | None = None


class OrganizedMaterial(Schema):
    number: int
    kind: str = Field(description="file, link or hierarchies")
    title: str
    title_ja: str
    audience: str
    url: str
    file_name: str


class NewLink(Given):
    title: str
    title_ja: str = ""
    audience: str
    url: str


class MaterialChange(Given):
    """Changes of a material; the rest stays."""

    title: str | None = None
    title_ja: str | None = None
    audience: str | None = None


class OrganizedHint(Schema):
    number: int
    round: str
    text: str
    text_ja: str
    after_percent: int | None
    published_at: datetime | None


class NewHint(Given):
    round: str = Field(description="its key")
    text: str = ""
    text_ja: str = ""
    after_percent: int | None = Field(
        default=None, description="of the round's time; only when you publish it if left out"
    )


# Rules, re-scoring, dry run


class RulesVersion(Schema):
    number: int
    digest: str
    note: str
    created_by: str | None
    created_at: datetime
    applied_at: datetime | None


class RulesText(Schema):
    text: str = Field(description="TOML")
    digest: str
    version: int = Field(description="of the contest")
    has_begun: bool = Field(description="there are submissions: new rules need a re-scoring")
    versions: list[RulesVersion]


class NewRules(Given):
    text: str = Field(description="TOML")
    note: str = Field(
        default="", description="of the change; shown to teams after the first submission"
    )


class RankEffect(Schema):
    team: str
    rank_before: int | None
    rank_after: int | None
    total_before: float | None
    total_after: float | None


class BoardEffect(Schema):
    title: str
    rows: list[RankEffect]


class ValueEffect(Schema):
    name: str
    before: str
    after: str


class ResultEffect(Schema):
    submission: UUID
    state_before: str
    state_after: str
    values: list[ValueEffect]


class RescoreLine(Schema):
    state: str = Field(description="waiting, running, done, failed, applied or dropped")
    rules: int = Field(description="the number of their version")
    library: str
    requested_at: datetime
    decided_at: datetime | None


class Effect(RescoreLine):
    """The effect of applying a re-scoring, once everything is computed."""

    n_done: int
    n_total: int
    is_final: bool
    reference: str = Field(description="of a failure, as in the logs")
    n_missing: int = Field(description="submissions to compute before the decision")
    boards: list[BoardEffect]
    changed: list[ResultEffect]


class Rescoring(Schema):
    version: int = Field(description="of the contest")
    installed: str = Field(description="the version of the library")
    made_by: list[str] = Field(description="the versions of the library behind current results")
    current: Effect | None = Field(description="the one that is not decided")
    past: list[RescoreLine]


class RefusedBot(Schema):
    who: str
    why: str


class DryRound(Schema):
    title: str
    n_files: int
    n_scored: int
    n_published: int
    seconds: float
    refused: list[RefusedBot]


class DryRun(Schema):
    state: str = Field(description="none, waiting, running, done or failed")
    is_final: bool
    step: str = Field(description="the key of the current round")
    seconds: float | None
    reference: str
    n_bots: int
    missing: list[str] = Field(description="what keeps bots from playing")
    played_on: str | None = Field(description="the slug of the copy")
    rounds: list[DryRound]


# Reports and debriefings


class FinalReport(Schema):
    state: str = Field(description="none, waiting, running, done or failed")
    is_final: bool
    reference: str
    published_at: list[datetime]
    hindered: list[str] = Field(description="why no report can be written now")
    certificates_hindered: list[str] = Field(description="why there are no certificates yet")
    version: int = Field(description="of the contest")


class NewReport(Given):
    names_disqualified: bool = False


class DebriefedTeam(Schema):
    team: str
    round: str
    sentence: str
    shown: str = Field(description="to the class: named, unnamed, or empty")


class OrganizedDebriefing(Schema):
    after_stages: bool
    discloses_table: bool
    state: str
    done_parts: int
    n_parts: int
    parts: list[DebriefedTeam]
    version: int = Field(description="of the contest")


class DebriefingChange(Given):
    """Changes of settings; the rest stays."""

    after_stages: bool | None = Field(default=None, description="of a contest with several stages")
    discloses_table: bool | None = Field(
        default=None, description="of a contest with a hidden table"
    )


class Example(Given):
    team: str
    round: str
    names_team: bool = False


class Examples(Given):
    """All examples: others are no longer shown."""

    examples: list[Example] = Field(max_length=1000)


class Spending(Schema):
    team: str
    spent: str
    left: str
    n_answers: int
    last_at: datetime | None


class Disclosing(Schema):
    round: str
    epsilon: str
    released_at: datetime | None
    teams: list[Spending]


# Archives and imports


class Archive(Schema):
    number: int
    state: str = Field(description="waiting, running, done or failed")
    is_final: bool
    names: str = Field(description="all, consent or none")
    with_key: bool
    n_done: int
    n_total: int
    requested_at: datetime
    reference: str
    sha256: str | None = Field(description="of the file, if there is one")
    size_bytes: int | None


class NewArchive(Given):
    names: str = Field(default="consent", description="names of teams: all, consent or none")


class Import(Schema):
    number: int
    sha256: str
    state: str = Field(description="waiting, running, done, refused or failed")
    is_final: bool
    contest: str | None
    problems: list[Problem]
    n_problems: int
    differences: list[Any] = Field(description="of recomputed boards to those in the archive")
    reference: str


class BundleLine(Schema):
    number: int
    name: str
    sha256: str
    contest: str | None = Field(description="the slug of the draft made from it")


class BundleRound(Schema):
    key: str
    opens_at: datetime
    closes_at: datetime


class LeftOut(Schema):
    where: str
    what: str
    instead: str


class Bundle(BundleLine):
    title: str
    program: str | None = Field(description="the proposed name of the scoring program")
    programs: list[str] = Field(description="the programs that the administrator allows")
    rounds: list[BundleRound]
    left_out: list[LeftOut]


class NewDraft(Given):
    timezone: str = "Asia/Tokyo"
    starts_at: AwareDatetime | None = Field(
        default=None, description="the dates of the bundle stay if left out"
    )
    program: str | None = Field(default=None, description="the proposed one if left out")


class LiveHour(Schema):
    starts_at: datetime
    n_received: int
    n_rejected: int


class LiveCode(Schema):
    code: str
    text: str = Field(description="of the newest refusal with this code")
    n: int


class LiveDeadline(Schema):
    text: str
    at: datetime


class LiveAlert(Schema):
    code: str = Field(
        description="silent_worker, slow_queue, failed, many_refusals, paused or disk"
    )
    text: str


class Live(Schema):
    """The figures of a running contest; only `is_running` while it does not run."""

    is_running: bool
    round: str | None = Field(
        default=None, description="the open round, or the latest that has opened"
    )
    is_open: bool = False
    n_teams: int = Field(default=0, description="teams of people")
    n_active: int = Field(default=0, description="those with a submission in the round")
    silent: list[str] = Field(default=[], description="names of the others, at most 30")
    n_waiting: int = 0
    n_being_scored: int = 0
    oldest_at: datetime | None = Field(
        default=None, description="when the oldest waiting one arrived"
    )
    n_decided: int = Field(
        default=0, description="submissions of the last 24 hours that are decided"
    )
    n_rejected: int = Field(default=0, description="those of them that were refused")
    codes: list[LiveCode] = Field(default=[], description="the commonest reasons, at most 5")
    hours: list[LiveHour] = Field(default=[], description="the last 24 hours, the oldest first")
    deadlines: list[LiveDeadline] = []
    alerts: list[LiveAlert] = []
