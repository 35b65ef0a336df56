# SPDX-License-Identifier: Apache-2.0
"""The kinds of rounds and tables that a ruleset may name, and the other words that it chooses from.

A further kind of round adds an entry here and the class that evaluates it; the loader needs no change.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from scoring.questions.asked import LINKS

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from scoring.questions.asked import QuestionSpec
    from scoring.rulesets.base import Text

PHASES = ("anonymization", "attack", "presentation", "disclosure")
"""The phase of a round: tables are submitted, they are attacked, the work is presented, or counts of a hidden
table are estimated from what the platform discloses under differential privacy."""
FORMAT_NAMES = COMMON, PER_TEAM, HIDDEN, SERIES, COHORT = (
    "common",
    "per_team",
    "hidden",
    "series",
    "cohort",
)
"""Distribution of the organizer's table: all teams get the same one, each its own part, or nobody any of it; of a
series of tables of several times, each team the records of its own people; of a cohort, each team records of its own
for a synthetic table of any number of rows."""
OWN_TABLES = (PER_TEAM, SERIES, COHORT)
"""Formats in which each team has a part of its own, which is drawn for it."""
DRAWING_RECORDS = (PER_TEAM, COHORT)
"""Those in which records are drawn, independently for each team."""
CANDIDATES = DRAWN, WHOLE, NO_CANDIDATES = "drawn", "whole", "none"
"""Records that attackers of a cohort may choose from: the team's records and its decoys, shuffled; the organizer's
whole table; or nothing, where questions are asked about records that the platform names."""
WITHOUT_ROWS = (COHORT,)
"""Formats whose tables have no row numbers: no record of a table is made from a certain record of the original."""
BATCH, INTERACTIVE = "batch", "interactive"
"""The kinds of rounds of disclosure: the table is released once, or asked by teams."""
MODEL_FILE = "model"
"""The kind of file of a model that is submitted with a synthetic table, for the measures that read it."""


@dataclass(frozen=True, slots=True)
class RoundKind:
    """RoundKind: the requirements of a kind of round.

    `phase` says what the round is for. `tables` names the tables it works with (None: any), `files`
    maps every file key that it understands to the kind of that file, and `required` names those
    that no ruleset may leave out. Of `tries_keys`, the settings that limit the attempts, the first
    must be set. `gives` is what attackers get in addition to the published table. A kind that `asks_questions`
    has an answer file for each of its questions, and no others.
    """

    id: str
    phase: str
    tables: str | tuple[str, ...] | None
    files: Mapping[str, str]
    required: tuple[str, ...]
    tries_keys: tuple[str, ...]
    counts: tuple[str, ...]
    feedback: tuple[str, ...]
    gives: tuple[str, ...] = ()
    asks_questions: bool = False

    @property
    def formats(self) -> tuple[str, ...]:
        """The formats of tables that it works with; none for any."""
        if self.tables is None:
            return ()
        return (self.tables,) if isinstance(self.tables, str) else self.tables

    @property
    def tries_key(self) -> str:
        """The setting that limits the attempts in the whole round."""
        return self.tries_keys[0]


ROUND_KINDS: dict[str, RoundKind] = {
    kind.id: kind
    for kind in (
        RoundKind(
            id="anonymization",
            phase="anonymization",
            tables=COMMON,
            files={"anonymized": "table", "rows": "row_numbers"},
            required=("anonymized", "rows"),
            tries_keys=("tries", "tries_per_day"),
            counts=("chosen_or_latest", "last"),
            feedback=("exact", "coarse", "after_close"),
        ),
        RoundKind(
            id="aligned-anonymization",
            phase="anonymization",
            tables=PER_TEAM,
            files={"anonymized": "aligned_table"},
            required=("anonymized",),
            tries_keys=("tries", "tries_per_day"),
            counts=("chosen_or_latest", "last"),
            feedback=("exact", "coarse", "after_close"),
        ),
        RoundKind(
            id="synthetic",
            phase="anonymization",
            tables=COHORT,
            files={"synthetic": "synthetic_table", "model": MODEL_FILE},
            required=("synthetic",),
            tries_keys=("tries", "tries_per_day"),
            counts=("chosen_or_latest", "last"),
            feedback=("exact", "coarse", "after_close"),
        ),
        RoundKind(
            id="series",
            phase="anonymization",
            tables=SERIES,
            files={"series": "series"},
            required=("series",),
            tries_keys=("tries", "tries_per_day"),
            counts=("chosen_or_latest", "last"),
            feedback=("exact", "coarse", "after_close"),
        ),
        RoundKind(
            id="attack",
            phase="attack",
            tables=COMMON,
            files={"guess": "guess"},
            required=("guess",),
            tries_keys=("tries_per_target", "tries_per_day", "tries_in_all"),
            counts=("last",),
            feedback=("ladder", "exact", "coarse", "after_close"),
            gives=("original",),
        ),
        RoundKind(
            id="candidate-attack",
            phase="attack",
            tables=PER_TEAM,
            files={"guess": "candidate_guess"},
            required=("guess",),
            tries_keys=("tries_per_target", "tries_per_day", "tries_in_all"),
            counts=("last",),
            feedback=("ladder", "exact", "coarse", "after_close"),
            gives=("candidates",),
        ),
        RoundKind(
            id="value-attack",
            phase="attack",
            tables=SERIES,
            files={"guess": "value_guess"},
            required=("guess",),
            tries_keys=("tries_per_target", "tries_per_day", "tries_in_all"),
            counts=("last",),
            feedback=("ladder", "exact", "after_close"),
            gives=("people",),
        ),
        RoundKind(
            id="question-attack",
            phase="attack",
            tables=(COMMON, PER_TEAM, COHORT),
            files={},
            required=(),
            tries_keys=("tries_per_target", "tries_per_day", "tries_in_all"),
            counts=("last",),
            feedback=("ladder", "exact", "coarse", "after_close"),
            gives=("questions",),
            asks_questions=True,
        ),
        RoundKind(
            id="presentation",
            phase="presentation",
            tables=None,
            files={"slides": "slides"},
            required=("slides",),
            tries_keys=("tries",),
            counts=("last",),
            feedback=("after_close",),
        ),
        *(
            RoundKind(
                id=disclosure,
                phase="disclosure",
                tables=HIDDEN,
                files={"estimate": "estimate"},
                required=("estimate",),
                tries_keys=("tries", "tries_per_day"),
                counts=("chosen_or_latest", "last"),
                feedback=(
                    "after_close",
                ),  # of the last such round: errors disclose the table at no cost
            )
            for disclosure in (BATCH, INTERACTIVE)
        ),
    )
}


def kinds_of(phase: str) -> tuple[str, ...]:
    """The kinds of rounds of one of the `PHASES`."""
    return tuple(kind.id for kind in ROUND_KINDS.values() if kind.phase == phase)


BASELINE_TEAMS = ("Noise", "Unify", "Average", "Swap", "Yamaoka", "Mondrian")
"""The teams that the platform can play in a contest."""
ROW_ATTACKS = ("attack", "candidate-attack")
"""The kinds of rounds in which baseline teams run attacks of the library or of plugins."""


def names_records(kind: str, questions: Sequence[QuestionSpec]) -> bool:
    """True for rounds whose guesses say which record became which published line."""
    return kind in ROW_ATTACKS or any(question.asks == LINKS for question in questions)


TRIES_KEYS = ("tries", "tries_per_target", "tries_per_day", "tries_in_all")
PLAYED_BY = TEAMS, ORGANIZER = "teams", "organizer"
"""Submitters of tables in a round of anonymization: the teams, or only those that the platform plays."""
ANSWERS = "answers"
"""The kind of the answer files to questions."""
MARKING = ("all_records", "kept_records")
VALUE_SOURCES = ("schema", "original")
ONLY_STAGE = "contest"
"""The key of the one stage of a ruleset that names none."""
ONLY_STAGE_TITLE: Text = {"en": "Contest", "ja": "コンテスト"}
