"""The words of rules and columns: a word or a sentence for each value that a ruleset or a schema may have."""

from __future__ import annotations

from django.utils.translation import gettext_lazy as _

from scoring.tables.schema import Kind, Role

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
    "series": _(
        "A zip archive of CSV files, one of each kind for each of the team's tables; folders and upper or "
        "lower case do not matter. R1.csv is the release of T1.csv and so on: group, a whole number from 1; "
        "for every quasi-identifier two columns, its name with _low and with _high; and the sensitive column; "
        "one row a line. Optional are C1.csv, group and count: how many rows of each group are counterfeits, "
        "for all releases or for none; N1.csv, group: whose box does not hold its records; D1.csv, the "
        "identifier: who is left out from that release on. R, C and N are published when the attack opens, D "
        "is not."
    ),
    "value_guess": _(
        "The columns id and value, one line for each person: the identifier in the table of people, and the "
        "sensitive value that you think the person has. Whoever has no line, or an empty value, is not guessed, "
        "which is a miss; nobody may have two lines."
    ),
    "estimate": _(
        "A header with the columns of the target table and count; one line for each combination of their "
        "values, in any order: the values and the estimated number of records, a whole number of at least 0. "
        "The template that can be downloaded has every line."
    ),
}
_LAST = _("The last one that was scored counts.")
_CHOSEN = _(
    "The submission that the team chooses counts; until it chooses, the latest that was scored."
)
COUNTS = {
    ("anonymization", "chosen_or_latest"): _CHOSEN,
    ("anonymization", "last"): _LAST,
    ("attack", "last"): _LAST,
    ("presentation", "last"): _("The last file that was accepted counts."),
    ("disclosure", "chosen_or_latest"): _CHOSEN,
    ("disclosure", "last"): _LAST,
}
"""By the phase of the round and what the ruleset says of it."""
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
    ("disclosure", "after_close"): _(
        "How good an estimate is, is shown after the last round about the hidden table has closed: shown "
        "before, it would tell of that table what nobody has paid for."
    ),
}
"""By the phase of the round and what the organizer says of it."""
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
TABLE_COLUMNS = {
    True: _("For %(measures)s the records are counted by %(columns)s."),
    False: _(
        "For %(measures)s the records are counted by all quasi-identifiers that are categories."
    ),
}
"""By whether the ruleset names the columns."""
OPTION_MEASURES = {"no_match": ("EUC1",), "cells": ("U2", "U3")}
"""The measures that an option concerns; the others concern the whole family linkage."""

DATA = {
    "common": _("All teams anonymize the same table."),
    "per_team": _(
        "Every team has an original table of its own: %(sample)s records that the platform draws from one "
        "larger table."
    ),
    "series": _(
        "A table of people changes over time. Every team has tables of its own for all times, T1.csv, T2.csv "
        "and so on: those of %(sample)s people whom the platform draws from larger tables, with all their "
        "records. No person is given to two teams."
    ),
    "hidden": _(
        "The table stays hidden. Teams know its columns and the values that these can have, and learn what "
        "the rounds disclose."
    ),
}
TARGET = _(
    "What is estimated is the contingency table over %(target)s: how many records have each combination of "
    "their values."
)
DISCLOSES = {
    "batch": _(
        "The table is released once, over the columns %(columns)s: each value of each record is kept with "
        "some probability and otherwise drawn at random from all values of its column, such that the "
        "release as a whole is differentially private with ε = %(epsilon)s. All teams get the same."
    ),
    "interactive": _(
        "Each team has a budget of ε = %(epsilon)s for queries about the columns %(columns)s, and says for each "
        "what of it the answer costs. An answer is a table of counts with Laplace noise of scale 2/ε, or of a "
        "single count with noise of scale 1/ε. The same query at the same ε is repeated for nothing."
    ),
}
"""By the kind of the round."""
NEIGHBOURS = _(
    "Two tables are neighbours where they differ in the values of one record; the number of records is known "
    "to all."
)
CANDIDATES = _(
    "For every team there is a table of candidates: the %(sample)s records of its original and %(decoys)s "
    "decoys, further records of the same larger table, in shuffled order."
)
CANDIDATES_WITHOUT_DECOYS = _(
    "For every team there is a table of candidates: the %(sample)s records of its original in shuffled order."
)
VALUES = {
    "schema": _("A cell may hold any value that its column allows."),
    "original": _(
        "A cell may hold only a value that occurs in the same column of the team's original table: numbers "
        "and categories that occur nowhere in it are refused."
    ),
}
DELETED = {
    ("anonymization", False): _("A record is deleted by leaving it out of the table."),
    ("aligned-anonymization", True): _(
        "Records stay on their lines. A deleted record is a line whose cells are all empty; a line with some "
        "empty cells is not deleted."
    ),
    ("aligned-anonymization", False): _("Records stay on their lines, and none can be deleted."),
    ("series", False): _(
        "A person is left out by its identifier in D1.csv, D2.csv and so on: from that release on it has no row, "
        "and it never comes back."
    ),
}
"""By the kind of round and whether the ruleset has blank records."""

PUBLISHED = {
    "original": _(
        "When the attack round opens, the submission that counts of every team is published: "
        "its table, the records shuffled. Everybody who attacks has it and the original table."
    ),
    "candidates": _(
        "When the attack round opens, the submission that counts of every team is published: "
        "its table, the records shuffled. Everybody who attacks has it and the team's table of candidates; "
        "only the team itself has its original table."
    ),
    "people": _(
        "When the attack round opens, the submission that counts of every team is published: its releases, "
        "rows sorted by group and value. Everybody who attacks has them and the team's people, the tables without the "
        "sensitive column: who was there when, with identifier and quasi-identifiers."
    ),
}
"""By what attackers get."""
HITS = {
    "attack": _(
        "The row numbers never leave the server. A guess hits where it names the row that the "
        "anonymizing team declared for the record."
    ),
    "candidate-attack": _(
        "Which record stands on which line never leaves the server. A guess hits where it names the "
        "candidate that is the record's original; a decoy is always a miss."
    ),
    "value-attack": _(
        "The sensitive values never leave the server. A guess hits where it names the person's own value."
    ),
}
"""By the kind of the attack round."""
RATES = {
    "value-attack": _(
        "The rate of a guess file is its accuracy over the baseline: its hits less those of the baseline, divided by "
        "the number of all people in the tables, those who were left out among them; 0 where the baseline has more. "
        "The baseline guesses for each person the most frequent value of the rows whose box holds the person in "
        "the first release of its life, or of all its rows where no box does; of equally frequent ones the one that "
        "sorts first. It counts for at most one in m of the people: what it finds beyond that, the publisher has told."
    ),
}
"""By the kind of the attack round, where a rate is no plain share of what was attacked."""
MARKING = {
    "all_records": _(
        "The re-identification rate of a guess file is its hits divided by the number of records "
        "of the published table."
    ),
    "kept_records": _(
        "The re-identification rate of a guess file is its hits divided by the number of records of the "
        "published table that were not deleted; what is guessed for a deleted record is ignored."
    ),
}
