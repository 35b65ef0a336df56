# SPDX-License-Identifier: Apache-2.0
"""Suppression of the records, or of the columns, that keep a table from being k-anonymous."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

from scoring.anonymizers.base import Anonymized, Anonymizer, untouched
from scoring.anonymizers.chosen import check_group_size, chosen_columns
from scoring.anonymizers.domain import one_value_each
from scoring.anonymizers.recoding import LABEL, VALUE, check_allowed
from scoring.errors import gettext_noop as _
from scoring.options import Option, refuse
from scoring.tables.equivalence import Classes
from scoring.tables.hierarchies import EVERYTHING
from scoring.tables.numbering import combined
from scoring.tables.schema import Kind, Schema

if TYPE_CHECKING:
    import pandas as pd

RECORDS, ATTRIBUTES = "record-suppression", "attribute-suppression"


def record_suppression(
    table: pd.DataFrame,
    schema: Schema,
    *,
    rng: np.random.Generator,
    k: int = 2,
    columns: tuple[str, ...] = (),
    fraction: float = 1.0,
) -> Anonymized:
    """Remove the records in classes smaller than k; the others stay as they are.

    Protects against linkage by the columns: each record that is left shares them with k - 1
    others or more. Costs the removed records, which are the rare ones: counts and means shift.

    Parameters
    ----------
    k
        The smallest class that stays.
    columns
        The columns that form the classes; by default all quasi-identifiers.
    fraction
        The largest share of the records that may go.

    Raises
    ------
    ProblemsFound
        The table has fewer than k records, a column does not exist, more records than `fraction`
        would have to go, or none would be left.

    Notes
    -----
    Remove_record(data, attr, k) of the lecture's contest.
    """
    check_group_size(RECORDS, k, len(table))
    names = chosen_columns(RECORDS, columns, schema.names, "columns") or schema.quasi_identifiers
    classes = Classes.of(table, names)
    kept = np.flatnonzero(classes.sizes()[classes.of_row] >= k)
    n_removed = len(table) - len(kept)
    if not len(kept):
        expected = "a size that some class has: one record or more must be left"
        raise refuse(RECORDS, "k", expected, k)
    if n_removed > fraction * len(table):
        expected = f"at least {n_removed / len(table):.4g}, for {n_removed} of {len(table)} records"
        raise refuse(RECORDS, "fraction", expected, fraction)
    return Anonymized(table.iloc[kept].reset_index(drop=True), kept.astype(np.int64))


def attribute_suppression(
    table: pd.DataFrame,
    schema: Schema,
    *,
    rng: np.random.Generator,
    columns: tuple[str, ...] = (),
    k: int = 3,
    write: str = VALUE,
) -> Anonymized:
    """Set columns to one value, so that they disclose nothing: the named ones, or those that k
    needs.

    Protects against linkage by the columns. Costs all of their information.

    Parameters
    ----------
    columns
        The columns. By default quasi-identifiers, one after the other until the table is
        k-anonymous: each time the one without which fewest records are in classes smaller than k,
        the first of equally good ones.
    k
        The smallest equivalence class allowed where no columns are named.
    write
        `value`: the column's most frequent category, its (lower) median of numbers. `label`: "*"
        for categories, which the schema has to allow.

    Raises
    ------
    ProblemsFound
        A column does not exist, k is larger than the table, or "*" is not allowed.
    """
    import pandas as pd

    names = chosen_columns(ATTRIBUTES, columns, schema.names, "columns")
    if not names:
        check_group_size(ATTRIBUTES, k, len(table))
        names = tuple(columns_that_identify(table, schema, k))
    result = table.copy()
    for name in names:
        column = schema.column(name)
        if write == LABEL and column.kind is Kind.CATEGORY:
            check_allowed(ATTRIBUTES, column, {EVERYTHING})
            result[name] = pd.Series([EVERYTHING] * len(table), dtype=table[name].dtype)
        else:
            everybody = np.zeros(len(table), dtype=np.int64)
            result[name] = one_value_each(table[name], column, everybody)
    return Anonymized(result, untouched(table))


def columns_that_identify(table: pd.DataFrame, schema: Schema, k: int) -> list[str]:
    """The quasi-identifiers to suppress until no class is smaller than k, in the order found."""
    left = {n: Classes.of(table, [n]).of_row for n in schema.quasi_identifiers}
    chosen: list[str] = []
    while left and _in_small_classes(list(left.values()), len(table), k):
        without = {
            name: _in_small_classes([c for n, c in left.items() if n != name], len(table), k)
            for name in left
        }
        best = min(without, key=lambda name: without[name])
        chosen.append(best)
        del left[best]
    return chosen


def _in_small_classes(columns: list[NDArray[np.int64]], n_records: int, k: int) -> int:
    sizes = np.bincount(combined(columns, n_records))
    return int(sizes[sizes < k].sum())


RECORD_SUPPRESSION = Anonymizer(
    id=RECORDS,
    title=_("Suppression of rare records"),
    protects=_("Linkage by quasi-identifiers: each is shared by k records or more"),
    costs=_("The rare records, and with them counts and means"),
    function=record_suppression,
    options=(
        Option("k", "integer", 2, _("the smallest equivalence class that stays"), low=1),
        Option(
            "columns",
            "columns",
            (),
            _("columns that form the classes; by default all quasi-identifiers"),
        ),
        Option("fraction", "number", 1.0, _("largest share of the records that may go"), high=1),
    ),
)
ATTRIBUTE_SUPPRESSION = Anonymizer(
    id=ATTRIBUTES,
    title=_("Suppression of attributes"),
    protects=_("Linkage by the suppressed columns: they disclose nothing"),
    costs=_("All information of the columns"),
    function=attribute_suppression,
    options=(
        Option("columns", "columns", (), _("columns to suppress; by default as many as k needs")),
        Option(
            "k",
            "integer",
            3,
            _("the smallest equivalence class allowed where no columns are named"),
            low=1,
        ),
        Option(
            "write",
            "text",
            VALUE,
            _("an existing value, or * for categories where the schema allows it"),
            choices=(VALUE, LABEL),
        ),
    ),
)
