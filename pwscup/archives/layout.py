# SPDX-License-Identifier: Apache-2.0
"""The format of archives: one table of sheets and columns for export and import.

A row refers to another by the `key` of that one's sheet. Archives contain neither database ids nor users:
rows are numbered, and actors appear in the events only.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

from django.db.models import Model, Q, QuerySet

from pwscup.accounts.models import Team, User
from pwscup.archives.reading import laws
from pwscup.contests.models import (
    Branding,
    Contest,
    Dataset,
    Division,
    Interruption,
    Material,
    Round,
    RoundHint,
    RulesetVersion,
    Sample,
    Sponsor,
)
from pwscup.core.models import StoredFile
from pwscup.disclosure.models import Answer, BatchRelease
from pwscup.notices.models import Announcement, Question
from pwscup.submissions.judging.models import JudgeComment, TalkChoice, TalkVote
from pwscup.submissions.models import (
    AppealMessage,
    Choice,
    Evaluation,
    JudgeMark,
    LateAllowance,
    Release,
    Rescore,
    Ruling,
    Submission,
    SubmissionFile,
)

FORMAT, VERSION = "pwscup-archive", 9
"""The written version; older ones can be read. Version 2 adds series of tables, 3 the final values, 4 notes of
evaluations, 5 materials, hints, comments of judges and votes, 6 the records that guesses got right, 7 the original of a
submission, 8 the appearance of the contest and its sponsors."""
MANIFEST, STANDINGS, EVENTS, MEMBERS = (
    "MANIFEST.json",
    "standings.json",
    "events.jsonl",
    "members.csv",
)
CONTEST, SCHEMA, EVALUATIONS = "contest.toml", "schema.toml", "evaluations.json"
SEALED, PUBLISHED = StoredFile.Area.SEALED, StoredFile.Area.PUBLISHED


@dataclass(frozen=True, slots=True)
class Column:
    """A field of a sheet's model.

    `refers` names the sheet that it refers to, and `area` the area of a file; `sealed` columns are written
    only with the answer key, `named` ones only if all teams are named; `text` is the entry of a long text;
    `later` is set when every sheet is read; `law` is a predicate of valid values; `since` is the version of
    the format that introduced it. `prose` is written by users: if teams are anonymous, their names are
    replaced.
    """

    name: str
    refers: str = ""
    area: str = ""
    sealed: bool = False
    named: bool = False
    text: str = ""
    later: bool = False
    law: Callable[[Any], bool] | None = None
    since: int = 1
    prose: bool = False


Rows = Callable[[Contest], QuerySet]


@dataclass(frozen=True, slots=True)
class Sheet:
    """The rows of one model: their entry, their order, and their key for other rows.

    `shown` are the rows of an archive without the answer key; None if it has none. The columns of each item
    of `unique` are unique together; `law` is a predicate of valid rows; `since` is the version of the format
    that introduced it.
    """

    name: str
    entry: str
    model: type[Model]
    columns: tuple[Column, ...]
    rows: Rows
    key: str = "n"
    shown: Callable[[QuerySet], QuerySet] | None = None
    unique: tuple[tuple[str, ...], ...] = ()
    law: Callable[[dict[str, Any]], bool] | None = None
    has_contest: bool = False
    since: int = 1

    @property
    def is_toml(self) -> bool:
        return self.entry == CONTEST


def _columns(names: str, *others: Column) -> tuple[Column, ...]:
    return (*others, *(Column(name) for name in names.split()))


def _prose(names: str) -> tuple[Column, ...]:
    return tuple(Column(name, prose=True) for name in names.split())


def _of(path: str, *order: str) -> Callable[[type[Model]], Rows]:
    def for_model(model: type[Model]) -> Rows:
        return lambda contest: model._default_manager.filter(**{path: contest}).order_by(
            *order, "pk"
        )

    return for_model


def _sheet(
    name: str, entry: str, model: type[Model], path: str, columns: tuple[Column, ...], **more: Any
) -> Sheet:
    has_contest = path == "contest"
    return Sheet(name, entry, model, columns, _of(path)(model), has_contest=has_contest, **more)


def _all(rows: QuerySet) -> QuerySet:
    return rows


def _judges(contest: Contest) -> QuerySet:
    """The judges who gave grades or wrote comments, in the order of their accounts."""
    given = [
        model.objects.filter(round__contest=contest).exclude(judge=None).values("judge")
        for model in (JudgeMark, JudgeComment)
    ]
    judges = User.objects.filter(Q(pk__in=given[0]) | Q(pk__in=given[1]))
    return judges.order_by("pk").values_list("pk", flat=True)


TEAM, ROUND = Column("team", refers="teams"), Column("round", refers="rounds")
SUBMISSION = Column("submission", refers="submissions")
JOB = "state attempts fence finished_at reference"

FILES = Sheet(
    "files",
    "files.csv",
    StoredFile,
    (
        Column("area", law=laws.is_area),
        Column("name", law=laws.is_file_name),
        Column("sha256", law=laws.is_digest),
        *_columns("size_bytes erased_at"),
        Column("created_at", sealed=True),
    ),
    lambda contest: StoredFile.objects.none(),  # those that other sheets refer to
    shown=_all,
)
JUDGES = Sheet("judges", "judges.csv", User, (), _judges)
CONTEST_SHEET = Sheet(
    "contest",
    CONTEST,
    Contest,
    (
        *_columns(
            "slug title title_ja summary summary_ja max_team_size admission board_audience "
            "paused_at created_at frozen_at terms terms_ja retention_days erased_at commitment"
        ),
        Column("timezone", law=laws.is_timezone),
        Column("hidden_measures", law=laws.are_measures),
        Column("mixes", law=lambda v: v is None or laws.is_mapping(v), since=9),
        Column("known_games", law=laws.are_games, since=9),
        Column("secret", refers="files", area=SEALED, sealed=True),
        Column("reveal", refers="files", area=PUBLISHED, named=True),
        Column("revealed_at", named=True),
    ),
    lambda contest: Contest.objects.filter(pk=contest.pk),
    shown=_all,
)

SHEETS: tuple[Sheet, ...] = (
    FILES,
    CONTEST_SHEET,
    _sheet(
        "rules",
        CONTEST,
        RulesetVersion,
        "contest",
        (
            *_columns("number digest note created_at applied_at"),
            Column("text", text="rules/{number}.toml"),
        ),
        key="number",
        shown=lambda rows: rows.exclude(applied_at=None),
    ),
    _sheet(
        "divisions",
        CONTEST,
        Division,
        "contest",
        _columns("key title title_ja position"),
        key="key",
        shown=_all,
    ),
    _sheet(
        "rounds",
        CONTEST,
        Round,
        "contest",
        _columns("key kind position opens_at closes_at tries tries_per_day feedback"),
        key="key",
        shown=_all,
        law=laws.closes_after_it_opens,
    ),
    _sheet(
        "interruptions",
        CONTEST,
        Interruption,
        "contest",
        (*_columns("kind started_at ended_at"), *_prose("reason"), Column("created_at")),
        shown=_all,
    ),
    JUDGES,
    _sheet(
        "teams",
        "teams.csv",
        Team,
        "contest",
        (
            Column("slug"),
            Column("name", law=laws.is_team_name),
            *_columns("is_house is_named_in_archive"),
            Column("division", refers="divisions"),
            Column("created_at", sealed=True),
        ),
        key="slug",
        shown=_all,
        unique=(("name",),),
    ),
    _sheet(
        "tables",
        "tables.csv",
        Dataset,
        "contest",
        (
            TEAM,
            *_columns("key n_records created_at"),
            Column("sealed", refers="files", area=SEALED),
            Column("public", refers="files", area=PUBLISHED),
            Column("schema_text", text=SCHEMA),
            *(Column(name, since=2) for name in ("n_tables", "n_people", "part")),
        ),
        unique=(("team", "key"),),
        law=laws.is_table,
    ),
    _sheet(
        "samples",
        "samples.csv",
        Sample,
        "contest",
        (Column("key"), Column("file", refers="files", area=PUBLISHED)),
        unique=(("key",),),
    ),
    _sheet(
        "submissions",
        "submissions.csv",
        Submission,
        "round__contest",
        (
            TEAM,
            ROUND,
            Column("target", refers="releases", later=True),
            *_columns(f"number note arrived_at n_problems {JOB}"),
            Column("problems", law=laws.are_problems),
            Column("original", law=laws.is_original, since=7),
        ),
        unique=(("team", "round", "number"),),
    ),
    _sheet(
        "uploads",
        "uploads.csv",
        SubmissionFile,
        "submission__round__contest",
        (SUBMISSION, Column("key"), Column("file", refers="files", area=SEALED)),
        unique=(("submission", "key"),),
    ),
    _sheet(
        "releases",
        "releases.csv",
        Release,
        "round__contest",
        (
            ROUND,
            TEAM,
            Column("submission", refers="submissions", sealed=True),
            Column("table", refers="files", area=PUBLISHED),
            Column("candidates", refers="files", area=PUBLISHED),
            Column("key", refers="files", area=SEALED, sealed=True),
            *_columns("n_records created_at"),
        ),
        shown=_all,
        unique=(("round", "team"),),
    ),
    _sheet(
        "batches",
        "batches.csv",
        BatchRelease,
        "round__contest",
        (
            ROUND,
            Column("table", refers="files", area=PUBLISHED),
            *_columns("cost n_records created_at"),
        ),
        shown=_all,
        unique=(("round",),),
    ),
    _sheet(
        "answers",
        "answers.json",
        Answer,
        "round__contest",
        (
            TEAM,
            ROUND,
            *_columns("number digest cost spent budget asked_at"),
            Column("query", law=laws.is_mapping),
            Column("counts", law=laws.are_counts),
        ),
        unique=(("team", "round", "number"), ("team", "round", "digest", "cost")),
        law=laws.is_paid,
    ),
    _sheet(
        "rescores",
        "rescores.csv",
        Rescore,
        "contest",
        (
            Column("rules", refers="rules"),
            *_columns(f"scoring_version requested_at n_total n_done decided_at {JOB}"),
        ),
    ),
    _sheet(
        "evaluations",
        EVALUATIONS,
        Evaluation,
        "submission__round__contest",
        (
            SUBMISSION,
            Column("rescore", refers="rescores"),
            *_columns("fence ruleset_digest scoring_version seed seconds created_at"),
            Column("input_hashes", law=laws.is_mapping),
            Column("values", law=laws.are_values),
            Column("final_values", law=laws.are_values, since=3),
            Column("problems", law=laws.are_problems),
            Column("notes", law=laws.are_problems, since=4),
            Column("right", law=laws.is_bitmap, since=6, sealed=True),
        ),
        law=laws.is_evaluation,
    ),
    _sheet(
        "choices",
        "choices.csv",
        Choice,
        "round__contest",
        (SUBMISSION, TEAM, ROUND, Column("chosen_at")),
    ),
    _sheet(
        "marks",
        "marks.csv",
        JudgeMark,
        "round__contest",
        (
            ROUND,
            TEAM,
            Column("judge", refers="judges"),
            *_columns("criterion given_at"),
            Column("points", law=laws.is_mark),
        ),
    ),
    _sheet(
        "rulings",
        "rulings.csv",
        Ruling,
        "team__contest",
        (TEAM, SUBMISSION, Column("kind"), *_prose("reason"), Column("decided_at")),
    ),
    _sheet(
        "late",
        "late.csv",
        LateAllowance,
        "round__contest",
        (TEAM, ROUND, Column("until"), *_prose("reason"), Column("granted_at")),
    ),
    _sheet(
        "appeals",
        "appeals.json",
        AppealMessage,
        "submission__round__contest",
        (SUBMISSION, Column("is_organizer"), *_prose("text"), *_columns("closes written_at")),
    ),
    _sheet(
        "questions",
        "questions.json",
        Question,
        "contest",
        (
            TEAM,
            Column("asked_at"),
            *_prose("subject text answer"),
            *_columns("answered_at corrected_at"),
        ),
    ),
    _sheet(
        "announcements",
        "announcements.json",
        Announcement,
        "contest",
        (
            Column("question", refers="questions", sealed=True),
            *_prose("title title_ja text text_ja"),
            *_columns("is_pinned created_at edited_at"),
            Column("withdrawn_at", sealed=True),
            Column("withdrawn_reason", sealed=True, prose=True),
        ),
        shown=lambda rows: rows.filter(withdrawn_at=None),
        unique=(("question",),),
    ),
    _sheet(
        "comments",
        "comments.json",
        JudgeComment,
        "round__contest",
        (ROUND, TEAM, Column("judge", refers="judges"), *_prose("text"), Column("given_at")),
        since=5,
    ),
    _sheet(
        "votes",
        "votes.csv",
        TalkVote,
        "round__contest",
        (ROUND, Column("most", law=laws.is_choice), *_columns("opened_at ended_at n_voters")),
        unique=(("round",),),
        since=5,
    ),
    _sheet(
        "voted",
        "voted.csv",
        TalkChoice,
        "vote__round__contest",
        (Column("vote", refers="votes"), TEAM),
        since=5,
    ),
    _sheet(
        "hints",
        "hints.json",
        RoundHint,
        "round__contest",
        (
            ROUND,
            *_prose("text text_ja"),
            Column("after_percent", law=laws.is_share),
            *_columns("published_at added_at"),
        ),
        shown=lambda rows: rows.exclude(published_at=None),
        since=5,
    ),
    _sheet(
        "materials",
        "materials.csv",
        Material,
        "contest",
        (
            *_columns("kind audience position url added_at"),
            *_prose("title title_ja"),
            Column("file", refers="files", area=PUBLISHED),
        ),
        shown=lambda rows: rows.filter(audience=Material.Audience.EVERYBODY),
        unique=(("file",),),
        law=laws.is_material,
        since=5,
    ),
    _sheet(
        "branding",
        "branding.csv",
        Branding,
        "contest",
        (
            *_columns("colour logo_width logo_height picture_width picture_height"),
            *_prose("logo_alt logo_alt_ja picture_alt picture_alt_ja"),
            Column("logo", refers="files", area=PUBLISHED),
            Column("picture", refers="files", area=PUBLISHED),
        ),
        shown=_all,
        unique=(("logo",), ("picture",)),
        since=8,
    ),
    _sheet(
        "sponsors",
        "sponsors.csv",
        Sponsor,
        "contest",
        (
            *_columns("position name logo_width logo_height"),
            Column("url", law=laws.is_link_or_nothing),
            Column("logo", refers="files", area=PUBLISHED),
        ),
        shown=_all,
        unique=(("logo",),),
        since=8,
    ),
)
BY_NAME = {sheet.name: sheet for sheet in SHEETS}


def columns_of(
    sheet: Sheet, *, with_key: bool, names_all: bool, version: int = VERSION
) -> tuple[Column, ...]:
    """The columns of an archive of that kind, including those of long texts."""
    return tuple(
        column
        for column in sheet.columns
        if (with_key or not column.sealed)
        and (names_all or not column.named)
        and column.since <= version
    )
