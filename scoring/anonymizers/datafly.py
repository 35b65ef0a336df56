# SPDX-License-Identifier: Apache-2.0
"""Datafly: columns are generalized one level at a time, each time the one with the most different values."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from scoring.anonymizers.base import Anonymized, Anonymizer
from scoring.anonymizers.chosen import chosen_columns
from scoring.anonymizers.constraints import Constraints
from scoring.anonymizers.lattice import without_failing
from scoring.anonymizers.recoding import HIERARCHY_OPTIONS, LABEL, VALUE, check_labels
from scoring.errors import ProblemsFound
from scoring.errors import gettext_noop as _
from scoring.options import Option, refuse
from scoring.tables.hierarchies import Hierarchy, Intervals, hierarchies
from scoring.tables.hierarchy_files import Source
from scoring.tables.numbering import combined
from scoring.tables.schema import Schema

if TYPE_CHECKING:
    import pandas as pd

ID = "datafly"


def datafly(
    table: pd.DataFrame,
    schema: Schema,
    *,
    rng: np.random.Generator,
    k: int = 3,
    fraction: float = 0.05,
    columns: tuple[str, ...] = (),
    hierarchy: Source = "",
    intervals: Intervals = "quantile",
    write: str = VALUE,
) -> Anonymized:
    """Generalize the column with the most different values until the table is k-anonymous.

    Protects against linkage by the columns. Costs the differences within groups, for all records, and the
    records in classes smaller than k, which are suppressed. It looks at as many combinations of levels as the
    columns have levels, and the result may be far from the one of least loss, which `lattice` finds.

    Parameters
    ----------
    k
        The smallest class allowed.
    fraction
        The largest share of the records that may be suppressed.
    columns
        The columns to recode; by default all quasi-identifiers.
    hierarchy, intervals, write
        As for global recoding.

    Raises
    ------
    ProblemsFound
        k is larger than the table, a column does not exist, or the hierarchy has problems and its highest
        levels do not suffice.

    Notes
    -----
    Sweeney, "Guaranteeing Anonymity when Sharing Medical Data, the Datafly System": the attribute with the most
    distinct values is generalized until at most k records are in classes smaller than k; here at most a
    share of them. Of equally many values the first column.
    """
    names = chosen_columns(ID, columns, schema.names, "columns") or schema.quasi_identifiers
    bounds = Constraints(k)
    if problems := bounds.problems(ID, len(table), None):
        raise ProblemsFound(problems)
    found = hierarchies(table, schema, names, hierarchy, intervals=intervals)
    found = [h.ascending() for h in found]
    if write == LABEL:
        check_labels(ID, found)
    levels = greedy_levels(found, len(table), k, int(fraction * len(table) + 1e-9))
    if levels is None:
        raise refuse(ID, "k", "a size of classes that the highest levels reach", k)
    return without_failing(table, found, levels, bounds, None, write)


def greedy_levels(
    found: list[Hierarchy], n_records: int, k: int, max_suppressed: int
) -> tuple[int, ...] | None:
    """The levels at which the method ends; None where not even the highest suffice."""
    levels = [0] * len(found)
    while True:
        groups = [h.groups[level][h.of_record] for h, level in zip(found, levels, strict=True)]
        sizes = np.bincount(combined(groups, n_records))
        if int(sizes[sizes < k].sum()) <= max_suppressed and (sizes >= k).any():
            return tuple(levels)
        n_values = [
            int(h.groups[level].max()) + 1 if level < h.top else 0
            for h, level in zip(found, levels, strict=True)
        ]
        if not any(n_values):
            return None
        levels[int(np.argmax(n_values))] += 1


DATAFLY = Anonymizer(
    id=ID,
    title=_("Full-domain generalization (Datafly)"),
    protects=_("Linkage by quasi-identifiers: each is shared by k records or more"),
    costs=_("Differences within groups, for all records, and the suppressed records"),
    function=datafly,
    options=(
        Option("k", "integer", 3, _("the smallest equivalence class allowed"), low=1),
        Option("fraction", "number", 0.05, _("largest share of suppressed records"), high=1),
        Option("columns", "columns", (), _("columns to recode; by default all quasi-identifiers")),
        *HIERARCHY_OPTIONS,
    ),
)
