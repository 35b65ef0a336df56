# SPDX-License-Identifier: Apache-2.0
"""Summaries of the attacks, each one sentence without a full stop, for references, the command line and reports."""

from __future__ import annotations

from scoring.errors import gettext_noop as _

SUMMARIES = {
    "E1": _("A random original among those with the record's quasi-identifiers"),
    "E2": _(
        "The nearest in one sensitive column among the originals with the record's quasi-identifiers"
    ),
    "E3": _("Sort both tables by the sum of the sensitive columns, match equal ranks"),
    "E4": _("The nearest original in one sensitive column"),
    "EUC1": _(
        "The nearest by Euclidean distance among the originals with the record's quasi-identifiers"
    ),
    "EUC2": _("As EUC1, and without a match the nearest of all originals"),
    "E4-rank": _("Sort both tables by one sensitive column, match equal ranks"),
    "nearest-scaled": _("The nearest by Euclidean distance, with every column on one scale"),
    "gower": _(
        "The nearest by Gower's distance over quasi-identifiers and sensitive columns of any kind"
    ),
    "one-candidate": _("One of the nearest candidates each, with or without duplicates"),
    "greedy-assignment": _(
        "One original each: link the nearest pair of both tables, then the nearest of the rest"
    ),
    "optimal-assignment": _("One original each, with the smallest sum of distances"),
    "learned-linkage": _(
        "The likeliest of the nearest originals, by a classifier trained on imitated anonymizations"
    ),
    "replay": _(
        "The rows declared by the anonymizers and the seed that reproduce the table, if they are found"
    ),
    "nearest-candidates": _("List the n nearest originals of each record"),
    "membership": _(
        "Infer who is in a table from the nearest record, relative to the nearest other person"
    ),
}
