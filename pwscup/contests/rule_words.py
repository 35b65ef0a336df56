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
FAMILIES = {
    "utility": _("Utility: what was lost"),
    "anonymity": _("Safety: how large the crowd is"),
    "linkage": _("Attacks: how many records are found"),
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
}
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
NOTHING_LOST = _("0: nothing is lost")
NO_END = _("no upper end")
FOUND_NONE = _("0: no record is found")
FOUND_ALL = _("1: every record is found")
UNIQUE = _("1: somebody is unique")
ALL_UNIQUE = _("1: everybody is unique")
ALL_ALIKE = _("number of records: all look alike")
WORDS = {
    "U1": _(
        "How far the mean of an amount moves, averaged over the sensitive columns. Swapping, and averaging "
        "within a class, move no mean."
    ),
    "U2": _(
        "The records are tabulated by the cross columns; how far the mean amounts of a cell move."
    ),
    "U3": _("The same cells: how far the number of records in a cell moves."),
    "U4": _("How far the correlation of two amounts moves, averaged over all pairs."),
    "U5": _(
        "How far an amount lies from that of the declared original record, as a share of the column's range. "
        "The one measure that follows the row numbers."
    ),
    "U6": _("How many records were deleted."),
    "S1": _("How many records share their quasi-identifiers in the smallest such class (k)."),
    "S2": _("How many records share their quasi-identifiers on average."),
    "E1": _("Any original record with the same quasi-identifiers."),
    "E2": _(
        "Among the original records with the same quasi-identifiers, the nearest in one column; "
        "where there are none, the nearest of all."
    ),
    "E3": _("Both tables sorted by the sum of the amounts; equal ranks belong together."),
    "E4": _("The nearest original record in one column, quasi-identifiers ignored."),
    "EUC1": _(
        "Among the original records with the same quasi-identifiers, the nearest over all amounts "
        "(Euclidean distance)."
    ),
    "EUC2": _("As EUC1; where no original record has the quasi-identifiers, the nearest of all."),
}
ENDS = {
    "U4": (NOTHING_LOST, _("2: every correlation is reversed")),
    "U5": (NOTHING_LOST, _("no upper end; 1 is a column's whole range")),
    "U6": (_("0: none deleted"), _("number of records: all deleted")),
    "S1": (ALL_ALIKE, UNIQUE),
    "S2": (ALL_ALIKE, ALL_UNIQUE),
}
