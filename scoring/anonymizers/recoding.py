# SPDX-License-Identifier: Apache-2.0
"""Global recoding along generalization hierarchies, and the parts shared with similar methods."""

from __future__ import annotations

from collections.abc import Sequence, Set
from typing import TYPE_CHECKING

import numpy as np

from scoring.anonymizers.base import Anonymized, Anonymizer, untouched
from scoring.anonymizers.chosen import chosen_columns
from scoring.anonymizers.domain import one_value_each
from scoring.errors import gettext_noop as _
from scoring.options import Option, refuse
from scoring.tables.hierarchies import Hierarchy, Intervals, hierarchies
from scoring.tables.hierarchy_files import Source
from scoring.tables.numbering import numbered
from scoring.tables.schema import Column, Schema

if TYPE_CHECKING:
    import pandas as pd

GLOBAL = "global-recoding"
VALUE, LABEL = "value", "label"

HIERARCHY_OPTIONS = (
    Option(
        "hierarchy",
        "hierarchy",
        "",
        _("JSON file of generalization hierarchies (attr_depth.json); made for all other columns"),
    ),
    Option(
        "intervals",
        "text",
        "quantile",
        _("hierarchies made for numbers: as many records in each interval, or equal widths"),
        choices=("quantile", "width"),
    ),
    Option(
        "write",
        "text",
        VALUE,
        _("an existing value for each group, or categories' labels where the schema allows them"),
        choices=(VALUE, LABEL),
    ),
)
"""The options of every method that generalizes along hierarchies."""


def global_recoding(
    table: pd.DataFrame,
    schema: Schema,
    *,
    rng: np.random.Generator,
    columns: tuple[str, ...] = (),
    levels: tuple[int, ...] = (),
    hierarchy: Source = "",
    intervals: Intervals = "quantile",
    write: str = VALUE,
) -> Anonymized:
    """Generalize whole columns to a level of their hierarchies, the same for all records.

    Protects against attackers who know the columns exactly: all values of a group look alike.
    Costs the differences within groups, for all records, also for those that were not unique.

    Parameters
    ----------
    columns
        The columns; by default all quasi-identifiers.
    levels
        Level of each column, or one for all; 0 leaves a column as it is. By default 1, where a
        column has different values.
    hierarchy
        A file of hierarchies, by its path or its content; level n is its depth_n or threshold_n.
    intervals
        How hierarchies of numbers are made that the file does not have: with equal numbers of
        records, or of equal width; 16 intervals at level 1, half as many at each further one.
    write
        `value`: the group's most frequent category, its (lower) median of numbers. `label`: of
        categories the label, which the schema has to allow.

    Raises
    ------
    ProblemsFound
        A column or a level does not exist, the hierarchy has problems, or a label is not allowed.

    Notes
    -----
    Generalization(data, attr, level) of the lecture's contest.
    """
    names = chosen_columns(GLOBAL, columns, schema.names, "columns") or schema.quasi_identifiers
    found = hierarchies(table, schema, names, hierarchy, intervals=intervals)
    wanted = _wanted(found, levels)
    if write == LABEL:
        check_labels(GLOBAL, found)
    return Anonymized(recoded(table, found, wanted, write), untouched(table))


def _wanted(found: Sequence[Hierarchy], levels: Sequence[int]) -> list[int]:
    """The level of each column; by default 1 where there is one."""
    if not levels:
        return [min(1, h.top) for h in found]
    if len(levels) not in (1, len(found)):
        expected = f"one level for all, or one for each of {len(found)} columns"
        raise refuse(GLOBAL, "levels", expected, tuple(levels))
    given = list(levels) if len(levels) > 1 else list(levels) * len(found)
    for h, level in zip(found, given, strict=True):
        if level > h.top:
            expected = f"levels from 0 to {h.top} ({h.column.name})"
            raise refuse(GLOBAL, "levels", expected, level)
    return given


def check_labels(method: str, found: Sequence[Hierarchy]) -> None:
    """Refuse to write hierarchies' labels where a column does not allow one of them."""
    for h in found:
        check_allowed(method, h.column, {label for level in h.labels for label in level})


def check_allowed(method: str, column: Column, labels: Set[str]) -> None:
    """Refuse to write labels that are no values of a column with a list of values."""
    if column.values is not None and not labels <= set(column.values):
        expected = f"{VALUE}, as column {column.name} holds nothing but its listed values"
        raise refuse(method, "write", expected, LABEL)


def recoded(
    table: pd.DataFrame, found: Sequence[Hierarchy], levels: Sequence[int], write: str = VALUE
) -> pd.DataFrame:
    """The table with each column at its level; the hierarchies are of the same records."""
    import pandas as pd

    result = table.copy()
    for h, level in zip(found, levels, strict=True):
        if level == 0:
            continue
        name, groups = h.column.name, h.groups[level][h.of_record]
        if write == LABEL and h.labels:
            labels = np.array(h.labels[level], dtype=object)
            result[name] = pd.Series(labels[groups], dtype=table[name].dtype)
        else:
            present = numbered(groups, len(h.values))
            result[name] = one_value_each(table[name], h.column, present)
    return result


GLOBAL_RECODING = Anonymizer(
    id=GLOBAL,
    title=_("Global recoding"),
    protects=_("Linkage by exact values of the recoded columns"),
    costs=_("Differences within groups, for all records"),
    function=global_recoding,
    options=(
        Option("columns", "columns", (), _("columns to recode; by default all quasi-identifiers")),
        Option(
            "levels",
            "integers",
            (),
            _("level of each column, or one for all; by default 1"),
            high=99,
        ),
        *HIERARCHY_OPTIONS,
    ),
)
