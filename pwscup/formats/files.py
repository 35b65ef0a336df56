"""The kinds of files that rounds take: one entry a kind, named as in `scoring.rulesets.kinds`."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from django.utils.translation import gettext_lazy as _

if TYPE_CHECKING:
    from pwscup.formats.spec import Text

CSV, ZIP, PDF = "text/csv", "application/zip", "application/pdf"
SUFFIXES = {CSV: "csv", ZIP: "zip", PDF: "pdf"}


EMPTY = _("“%(name)s” is empty — expected a header line and at least one record")


@dataclass(frozen=True, slots=True)
class FileFormat:
    """A kind of file: its description in the rules, and the message where one is empty."""

    text: Text
    content_type: str = CSV
    empty: Text = EMPTY

    @property
    def suffix(self) -> str:
        return SUFFIXES[self.content_type]

    @property
    def accept(self) -> str:
        """What a browser's file dialog offers."""
        return f".{self.suffix},{self.content_type}"


FILES = {
    "table": FileFormat(
        _(
            "The columns of the table below under their names and in their order; one record a line. "
            "Numbers are plain digits with at most four decimals."
        )
    ),
    "row_numbers": FileFormat(
        _(
            "One number a line, as many lines as the anonymized table has records: the row of the original "
            "from which the record was made, counted from 1 without the header. Every row at most once. "
            "Instead of this file, the table may have a further column source_row."
        )
    ),
    "guess": FileFormat(
        _(
            "One number a line, as many lines as the published table has records: the row of the original "
            "from which you think the record was made, counted from 1. 0 or an empty line is no guess; "
            "rows may repeat."
        )
    ),
    "aligned_table": FileFormat(
        _(
            "The columns of the table below under their names and in their order; as many records as the "
            "team's original table, in its order, one a line. Numbers are plain digits with at most four "
            "decimals."
        )
    ),
    "candidate_guess": FileFormat(
        _(
            "No header; one number a line, as many lines as the published table has records: the line of "
            "the table of candidates to which you think the record belongs, counted from 1 without the "
            "header. 0 or an empty line is no guess; lines may repeat."
        )
    ),
    "slides": FileFormat(_("A PDF file."), PDF, _("“%(name)s” is empty — expected a PDF document")),
    "series": FileFormat(
        _(
            "A zip archive of CSV files, one of each kind for each of the team's tables; folders and upper or "
            "lower case do not matter. R1.csv is the release of T1.csv and so on: group, a whole number from 1; "
            "for every quasi-identifier two columns, its name with _low and with _high; and the sensitive column; "
            "one row a line. Optional are C1.csv, group and count: how many rows of each group are counterfeits, "
            "for all releases or for none; N1.csv, group: whose box does not hold its records; D1.csv, the "
            "identifier: who is left out from that release on. R, C and N are published when the attack opens, D "
            "is not."
        ),
        ZIP,
        _("“%(name)s” is empty — expected a zip archive of releases"),
    ),
    "value_guess": FileFormat(
        _(
            "The columns id and value, one line for each person: the identifier in the table of people, and the "
            "sensitive value that you think the person has. Whoever has no line, or an empty value, is not guessed, "
            "which is a miss; nobody may have two lines."
        )
    ),
    "estimate": FileFormat(
        _(
            "A header with the columns of the target table and count; one line for each combination of their "
            "values, in any order: the values and the estimated number of records, a whole number of at least 0. "
            "The template that can be downloaded has every line."
        )
    ),
}
