# SPDX-License-Identifier: Apache-2.0
"""The texts of rules and columns: a phrase or a sentence for each value of a ruleset or a schema."""

from __future__ import annotations

from django.utils.translation import gettext_lazy as _

from scoring.tables.schema import Kind, Role

ROLES = {
    Role.QUASI_IDENTIFIER: _("quasi-identifier"),
    Role.SENSITIVE: _("sensitive"),
    Role.IDENTIFIER: _("identifier (hidden)"),
    Role.OTHER: _("other (not scored)"),
}
COLUMN_KINDS = {
    Kind.CATEGORY: _("category"),
    Kind.INTEGER: _("integer"),
    Kind.NUMBER: _("number"),
}

OPTIONS = {
    ("ties", "expected"): _(
        "Where an attack finds several candidates equally good, it is scored as if it chose one of them "
        "at random: the expected rate counts, and the order of the rows has no effect."
    ),
    ("ties", "strict"): _(
        "Where an attack finds several candidates equally good, the record counts as not re-identified."
    ),
    ("ties", "first"): _(
        "Where an attack finds several candidates equally good, it takes the lowest row number."
    ),
    ("no_match", "miss"): _(
        "EUC1: a record whose quasi-identifiers do not occur in the original is not re-identified."
    ),
    ("no_match", "own_row"): _(
        "EUC1: for a record whose quasi-identifiers do not occur in the original, the guess is its own row number."
    ),
    ("no_match", "all"): _(
        "EUC1: for a record whose quasi-identifiers do not occur in the original, all records are candidates."
    ),
    ("cells", "anonymized"): _("U2 and U3 use the cells that occur in the anonymized table."),
    ("cells", "union"): _("U2 and U3 use the cells that occur in either table."),
    ("denominator", "anonymized"): _("Rates are shares of the anonymized table's records."),
    ("denominator", "original"): _("Rates are shares of the original table's records."),
}
CLOSENESS = {
    "anonymized": _("t-closeness compares a class with the whole anonymized table."),
    "original": _("t-closeness compares a class with the whole original table."),
}
SENSITIVE_HIERARCHIES = _(
    "For t-closeness the values of %(columns)s are as far apart as in their hierarchy."
)
POPULATION_FRACTION = _(
    "For %(measures)s the table counts as a sample of %(percent)s %% of the population."
)
WEIGHT_COLUMN = _(
    "For %(measures)s the column %(column)s says how many persons a record stands for."
)
TABLE_COLUMNS = {
    True: _("For %(measures)s the records are counted by %(columns)s."),
    False: _(
        "For %(measures)s the records are counted by all quasi-identifiers that are categories."
    ),
}
"""By whether the ruleset names the columns."""
OPTION_MEASURES = {"no_match": ("EUC1",), "cells": ("U2", "U3")}
"""The measures that an option concerns; all others concern the whole family linkage."""

CELL_VALUES = {
    "schema": _("A cell may hold any value that its column allows."),
    "original": _(
        "A cell may hold only a value that occurs in the same column of the team's original table: numbers "
        "and categories that do not occur in it are refused."
    ),
}

TRUTH = {
    "content": _(
        "The mapping of records to lines never leaves the server. A guess is a hit if it names a record that the "
        "published line shows by its content, whatever was declared: one that it equals in every cell, or is clearly "
        "nearer to than to any other."
    ),
    "either": _(
        "The mapping of records to lines never leaves the server. A guess is a hit if it names the record that the "
        "anonymizing team declared for the published line, or one that the line shows by its content: one that it "
        "equals in every cell, or is clearly nearer to than to any other. So true records are found in whatever order "
        "they are declared."
    ),
}

MARKING = {
    "all_records": _(
        "The re-identification rate of a guess file is its hits divided by the number of records "
        "of the published table."
    ),
    "kept_records": _(
        "The re-identification rate of a guess file is its hits divided by the number of records of the "
        "published table that were not deleted; guesses for deleted records are ignored."
    ),
}
