"""The words of rules and columns: a word or a sentence for each value that a ruleset or a schema may have."""

from __future__ import annotations

from django.utils.translation import gettext_lazy as _

from scoring.schema import Kind, Role

ROLES = {
    Role.QUASI_IDENTIFIER: _("quasi-identifier"),
    Role.SENSITIVE: _("sensitive"),
    Role.IDENTIFIER: _("identifier (hidden)"),
    Role.OTHER: _("other (not scored)"),
}
KINDS = {
    Kind.CATEGORY: _("category"),
    Kind.INTEGER: _("integer"),
    Kind.NUMBER: _("number"),
}

FILE_FORMATS = {
    "table": _(
        "The columns of the table below under their names and in their order; one record a line. "
        "Numbers are plain digits with at most four decimals."
    ),
    "row_numbers": _(
        "One number a line, as many lines as the anonymized table has records: the row of the original "
        "from which the record was made, counted from 1 without the header. Every row at most once. "
        "Instead of this file, the table may have a further column source_row."
    ),
    "guess": _(
        "One number a line, as many lines as the published table has records: the row of the original "
        "from which you think the record was made, counted from 1. 0 or an empty line is no guess; "
        "rows may repeat."
    ),
    "aligned_table": _(
        "The columns of the table below under their names and in their order; as many records as the "
        "team's original table, in its order, one a line. Numbers are plain digits with at most four "
        "decimals."
    ),
    "candidate_guess": _(
        "No header; one number a line, as many lines as the published table has records: the line of "
        "the table of candidates to which you think the record belongs, counted from 1 without the "
        "header. 0 or an empty line is no guess; lines may repeat."
    ),
    "slides": _("A PDF file."),
}
COUNTS = {
    "chosen_or_latest": _(
        "The submission that the team chooses counts; until it chooses, the latest that was scored."
    ),
    "last": _("The last one that was scored counts."),
}
FEEDBACK = {
    ("anonymization", "exact"): _(
        "The team sees every measure as soon as its submission is scored."
    ),
    ("anonymization", "coarse"): _("The values are shown after the round has closed."),
    ("anonymization", "after_close"): _("The values are shown after the round has closed."),
    ("attack", "exact"): _("The attackers see the rate of a guess as soon as it is marked."),
    ("attack", "coarse"): _(
        "The attackers see the rate to the nearest ten per cent below as soon as a guess is marked, "
        "the exact one after the round has closed."
    ),
    ("attack", "after_close"): _(
        "The rates are shown after the round has closed: a rate after every guess would tell too much."
    ),
    ("presentation", "after_close"): _("The marks are shown after the round has closed."),
}
"""By the phase of the round, and what the ruleset or the organizer says of it."""
OPTIONS = {
    ("ties", "expected"): _(
        "Where an attack finds several candidates equally good, it is scored as if it chose one of them "
        "at random: the expected rate counts, and the order of the rows decides nothing."
    ),
    ("ties", "strict"): _(
        "Where an attack finds several candidates equally good, the record counts as not found."
    ),
    ("ties", "first"): _(
        "Where an attack finds several candidates equally good, it takes the lowest row number."
    ),
    ("no_match", "miss"): _(
        "EUC1: a record whose quasi-identifiers occur nowhere in the original is not found."
    ),
    ("no_match", "own_row"): _(
        "EUC1: for a record whose quasi-identifiers occur nowhere in the original, the guess is its own row number."
    ),
    ("no_match", "all"): _(
        "EUC1: for a record whose quasi-identifiers occur nowhere in the original, all records are candidates."
    ),
    ("cells", "anonymized"): _("U2 and U3 look at the cells that occur in the anonymized table."),
    ("cells", "union"): _("U2 and U3 look at the cells that occur in either table."),
    ("denominator", "anonymized"): _("Rates are shares of the anonymized table's records."),
    ("denominator", "original"): _("Rates are shares of the original table's records."),
}
