# SPDX-License-Identifier: Apache-2.0
"""The kinds of rounds and of files, one entry each, named as in `scoring.rulesets.kinds`."""

from __future__ import annotations

from typing import Any

from django.utils.translation import gettext_lazy as _

from pwscup.formats.files import CSV, JSON, PDF, ZIP, FileFormat
from pwscup.formats.rounds import RoundFormat, named

_LAST = _("The last one that was scored counts.")
_CHOSEN = _(
    "The submission that the team chooses counts; until it chooses, the latest that was scored."
)
_SHOWN_LATER = _("The values are shown after the round has closed.")
_TABLES: dict[str, Any] = {
    "counts": {"chosen_or_latest": _CHOSEN, "last": _LAST},
    "feedback": {
        "exact": _("The team sees every measure as soon as its submission is scored."),
        "coarse": _SHOWN_LATER,
        "after_close": _SHOWN_LATER,
    },
}
_GUESSES: dict[str, Any] = {
    "counts": {"last": _LAST},
    "feedback": {
        "exact": _("The attackers see the rate of a guess as soon as it is evaluated."),
        "ladder": _(
            "The attackers see the range of the best rate of their guesses so far about a table. Only a rate that is "
            "higher by a whole step changes it; for n records asked a step is 100 / ∛n percentage points. The "
            "exact rates are shown after the round has closed."
        ),
        "coarse": _(
            "The attackers see a range of ten percentage points for the rate as soon as a guess is scored, "
            "the exact one after the round has closed."
        ),
        "after_close": _(
            "The rates are shown after the round has closed: a rate after every guess would disclose "
            "too much."
        ),
    },
}
_COUNTS: dict[str, Any] = {
    "evaluated": "attacks.estimates:COUNTS",
    "checked": "attacks.checking:COUNTS",
    "content_type": CSV,
    "counts": {"chosen_or_latest": _CHOSEN, "last": _LAST},
    "feedback": {
        "after_close": _(
            "The errors of an estimate are shown after the last round about the hidden table has "
            "closed: shown "
            "earlier, they would disclose information about that table without cost."
        )
    },
}
ROUNDS = {
    format.kind: format
    for format in (
        RoundFormat(
            kind="anonymization",
            evaluated="common.evaluation:TABLES",
            played="common.bots:TABLES",
            tried="common.trying:TABLES",
            checked="common.checking:TABLES",
            content_type=CSV,
            todo=_(
                "Download the original table, anonymize it and submit the result with its row numbers."
            ),
            deletions={False: _("A record is deleted by leaving it out of the table.")},
            **_TABLES,
        ),
        RoundFormat(
            kind="aligned-anonymization",
            evaluated="per_team.evaluation:TABLES",
            played="per_team.bots:TABLES",
            tried="per_team.trying:TABLES",
            checked="per_team.checking:TABLES",
            released_as="candidate-attack",
            content_type=CSV,
            todo=_(
                "Download your team's own table, anonymize it and submit the result, its records in the "
                "same order."
            ),
            deletions={
                True: _(
                    "Records stay on their lines. A deleted record is a line whose cells are all empty; a "
                    "line with some "
                    "empty cells is not deleted."
                ),
                False: _("Records stay on their lines, and none can be deleted."),
            },
            **_TABLES,
        ),
        RoundFormat(
            kind="synthetic",
            evaluated="cohort.evaluation:TABLES",
            played="cohort.bots:TABLES",
            tried="cohort.trying:TABLES",
            checked="cohort.checking:TABLES",
            content_type=CSV,
            todo=_(
                "Download your team's own table, make a synthetic table from it and submit the result."
            ),
            deletions={
                False: _(
                    "There are no row numbers: no record of a synthetic table is made from a certain record."
                )
            },
            **_TABLES,
        ),
        RoundFormat(
            kind="series",
            evaluated="series.evaluation:SERIES",
            played="series.bots:SERIES",
            tried="series.trying:SERIES",
            content_type=ZIP,
            todo=_(
                "Download your team's tables, publish a release of each and submit all of them as one zip "
                "archive."
            ),
            deletions={
                False: _(
                    "An individual is left out by its identifier in D1.csv, D2.csv and so on: from that "
                    "release "
                    "on it has no row, "
                    "and it never comes back."
                )
            },
            **_TABLES,
        ),
        RoundFormat(
            kind="attack",
            evaluated="attacks.linkage:ROWS",
            played="common.bots:ROWS",
            tried="common.trying:ROWS",
            checked="attacks.checking:ROWS",
            content_type=CSV,
            todo=_("Download the other teams' tables and submit a guess for each."),
            published=_(
                "When the attack round opens, the submission that counts of every team is published: "
                "its table, the records shuffled. All attackers have it and the original table."
            ),
            hits=_(
                "The row numbers never leave the server. A guess is a hit if it names the row that the "
                "anonymizing team declared for the record."
            ),
            **_GUESSES,
        ),
        RoundFormat(
            kind="candidate-attack",
            evaluated="attacks.linkage:CANDIDATES",
            played="per_team.bots:CANDIDATES",
            tried="per_team.trying:CANDIDATES",
            checked="attacks.checking:CANDIDATES",
            content_type=CSV,
            todo=_(
                "Download the other teams' tables with their candidates and submit a guess for each."
            ),
            published=_(
                "When the attack round opens, the submission that counts of every team is published: "
                "its table, the records shuffled. All attackers have it and the team's table of candidates; "
                "only the team itself has its original table."
            ),
            hits=_(
                "The mapping of records to lines never leaves the server. A guess is a hit if it names the "
                "candidate that is the record's original; a decoy is always a miss."
            ),
            release_names=("anonymized", "candidate"),
            names_both_teams=True,
            **_GUESSES,
        ),
        RoundFormat(
            kind="question-attack",
            evaluated="attacks.questions:SHEETS",
            played="attacks.answering:ANSWERS",
            checked="attacks.checking:SHEETS",
            content_type=ZIP,
            todo=_(
                "Download the other teams' tables with their questions and submit answers for each."
            ),
            published=_(
                "When the attack round opens, the submission that counts of every team is published: its "
                "table and "
                "the sheets of questions about it, which the platform draws from the contest's secret."
            ),
            hits=_(
                "The true answers never leave the server. Questions are about records that were in the "
                "team's table, and "
                "about controls, which were never in it."
            ),
            rate=_("The section of each attack round says how its answers are scored."),
            release_names=("anonymized", "questions"),
            given_suffix="zip",
            **_GUESSES,
        ),
        RoundFormat(
            kind="value-attack",
            evaluated="attacks.values:VALUES",
            played="series.bots:VALUES",
            tried="series.trying:VALUES",
            checked="attacks.checking:VALUES",
            content_type=CSV,
            todo=_(
                "Download the other teams' releases with their individuals and submit a guess of the "
                "sensitive "
                "values for each."
            ),
            published=_(
                "When the attack round opens, the submission that counts of every team is published: its "
                "releases, "
                "rows sorted by group and value. All attackers have them and the team's individuals, the "
                "tables without the "
                "sensitive column: who was present at which time, with identifier and quasi-identifiers."
            ),
            hits=_(
                "The sensitive values never leave the server. A guess is a hit if it names the "
                "individual's own value."
            ),
            rate=_(
                "The rate of a guess file is its accuracy over the baseline: its hits less those of the "
                "baseline, divided by "
                "the number of all individuals in the tables, including those left out; 0 if the "
                "baseline has more hits. "
                "The baseline guesses for each individual the most frequent value of the rows whose "
                "region contains "
                "the individual in "
                "its first release, or of all rows of that release if no region does; of equally frequent "
                "ones the one that "
                "sorts first. It counts for at most one in m of the individuals: the rest was disclosed "
                "by the "
                "publisher."
            ),
            release_names=("series", "people"),
            **_GUESSES,
        ),
        RoundFormat(
            kind="presentation",
            evaluated="common.evaluation:SLIDES",
            played=None,
            content_type=PDF,
            todo=_("Check when your team presents, and submit your slides before."),
            counts={"last": _("The last file that was accepted counts.")},
            feedback={"after_close": _("The grades are shown after the round has closed.")},
        ),
        RoundFormat(
            kind="batch",
            played="hidden.bots:RELEASED",
            todo=_(
                "Download the released table, estimate the target table from it and submit the estimate."
            ),
            discloses=_(
                "The table is released once, over the columns %(columns)s: each value of each record is "
                "kept with "
                "some probability and otherwise drawn at random from all values of its column, such that the "
                "release as a whole is differentially private with ε = %(epsilon)s. All teams get the same."
            ),
            is_release=True,
            **_COUNTS,
        ),
        RoundFormat(
            kind="interactive",
            played="hidden.bots:ASKED",
            todo=_(
                "Ask for counts within your team's budget, estimate the target table and submit the estimate."
            ),
            discloses=_(
                "Each team has a budget of ε = %(epsilon)s for queries about the columns %(columns)s, and "
                "sees for each "
                "the cost of its answer. An answer is a table of counts with Laplace noise of scale 2/ε, "
                "or of a "
                "single count with noise of scale 1/ε. The same query at the same ε is repeated without cost."
            ),
            is_asked=True,
            **_COUNTS,
        ),
    )
}
FILES = {
    "table": FileFormat(
        _(
            "The columns of the table below under their names and in their order; one record per line. "
            "Numbers are plain digits with at most four decimals where the table does not say how many."
        )
    ),
    "row_numbers": FileFormat(
        _(
            "One number per line, as many lines as the anonymized table has records: the row of the original "
            "from which the record was made, counted from 1 without the header. Every row at most once. "
            "Instead of this file, the table may have an additional column source_row."
        ),
        unless=_("not needed with a column source_row"),
    ),
    "guess": FileFormat(
        _(
            "One number per line, as many lines as the published table has records: the row of the original "
            "from which you think the record was made, counted from 1. 0 or an empty line means no guess; "
            "rows may repeat."
        )
    ),
    "aligned_table": FileFormat(
        _(
            "The columns of the table below under their names and in their order; as many records as the "
            "team's original table, in its order, one per line. Numbers are plain digits with at most four "
            "decimals where the table does not say how many."
        )
    ),
    "synthetic_table": FileFormat(
        _(
            "The columns of the table below under their names and in their order; any number of records within the "
            "limits, in any order, one per line, without row numbers. Numbers are plain digits with at most four "
            "decimals where the table does not say how many."
        )
    ),
    "model": FileFormat(
        _(
            "A binary classifier of XGBoost as JSON (save_model), at most 1 MB. Its features are columns of the table "
            "by their names, other than the predicted one, and column_value for the values of a category. "
            "It is not published."
        ),
        JSON,
        _("“%(name)s” is empty — expected a model of XGBoost as JSON"),
    ),
    "candidate_guess": FileFormat(
        _(
            "No header; one number per line, as many lines as the published table has records: the line of "
            "the table of candidates to which you think the record belongs, counted from 1 without the "
            "header. 0 or an empty line means no guess; lines may repeat."
        )
    ),
    "answers": FileFormat(
        _(
            "A header with the column question and those of the answer; one line for each question of "
            "the sheet, in "
            "any order."
        ),
        empty=_("“%(name)s” is empty — expected a header line and a line for each question"),
    ),
    "slides": FileFormat(_("A PDF file."), PDF, _("“%(name)s” is empty — expected a PDF document")),
    "series": FileFormat(
        _(
            "A zip archive of CSV files, one of each kind for each of the team's tables; folders and "
            "upper or "
            "lower case do not matter. R1.csv is the release of T1.csv and so on: group, a whole "
            "number from 1; "
            "for every quasi-identifier two columns, its name with _low and with _high; and the "
            "sensitive column; "
            "one row per line. Optional are C1.csv, group and count: how many rows of each group are "
            "counterfeits, "
            "for all releases or for none; N1.csv, group: whose region does not contain its records; "
            "D1.csv, the "
            "identifier: who is left out from that release on. R, C and N are published when the "
            "attack opens, D "
            "is not."
        ),
        ZIP,
        _("“%(name)s” is empty — expected a zip archive of releases"),
    ),
    "value_guess": FileFormat(
        _(
            "The columns id and value, one line for each individual: the identifier in the background "
            "table, and the "
            "sensitive value that you guess. An individual without a line, or with an empty value, is "
            "not guessed, "
            "which is a miss; no individual may have two lines."
        )
    ),
    "estimate": FileFormat(
        _(
            "A header with the columns of the target table and count; one line for each combination of their "
            "values, in any order: the values and the estimated number of records, a whole number of "
            "at least 0. "
            "The template that can be downloaded has every line."
        )
    ),
}


def kinds_where(question: str) -> tuple[str, ...]:
    """The kinds of rounds for which the answer is yes, for a query of the database."""
    return tuple(kind for kind, format in ROUNDS.items() if getattr(format, question))


def load_evaluations() -> None:
    """Import the evaluation of every kind of round: a worker does so before it forks."""
    for format in ROUNDS.values():
        named(format.evaluated)
