# SPDX-License-Identifier: Apache-2.0
"""Local recoding: generalizes only records in small classes."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from scoring.anonymizers.base import Anonymized, Anonymizer, untouched
from scoring.anonymizers.chosen import check_group_size, chosen_columns
from scoring.anonymizers.domain import one_value_each
from scoring.anonymizers.recoding import HIERARCHY_OPTIONS, LABEL, VALUE, check_labels
from scoring.errors import gettext_noop as _
from scoring.options import Option, refuse
from scoring.tables.hierarchies import Hierarchy, Intervals, hierarchies
from scoring.tables.hierarchy_files import Source
from scoring.tables.numbering import combined
from scoring.tables.schema import Schema

if TYPE_CHECKING:
    import pandas as pd

ID = "local-recoding"
Ints = NDArray[np.int64]


def local_recoding(
    table: pd.DataFrame,
    schema: Schema,
    *,
    rng: np.random.Generator,
    k: int = 3,
    columns: tuple[str, ...] = (),
    hierarchy: Source = "",
    intervals: Intervals = "quantile",
    write: str = VALUE,
) -> Anonymized:
    """Generalize the records in classes smaller than k, step by step; all others stay as they are.

    Protects against linkage by the columns: each record shares them with k - 1 others or more.
    Costs less than recoding whole columns, but a column then mixes levels.

    Each step raises one column by a level, for the records that are still in classes smaller than k: the column that
    leaves most records in large enough classes for the information that they lose. If classes are still too small at
    the highest levels, the records of the most general class that shares their groups are merged with them.

    Parameters
    ----------
    k
        The smallest class allowed.
    columns
        The columns; by default all quasi-identifiers.
    hierarchy, intervals, write
        As for global recoding.

    Raises
    ------
    ProblemsFound
        The table has fewer than k records, a column does not exist, the hierarchy has problems or
        does not reach k even at its highest levels, or a label is not allowed.
    """
    check_group_size(ID, k, len(table))
    names = chosen_columns(ID, columns, schema.names, "columns") or schema.quasi_identifiers
    found = hierarchies(table, schema, names, hierarchy, intervals=intervals)
    found = [h.ascending() for h in found]
    if write == LABEL:
        check_labels(ID, found)
    levels = local_levels(found, len(table), k)
    if levels is None:
        raise refuse(ID, "k", "a size of classes that the highest levels reach", k)
    return Anonymized(_recoded(table, found, levels, write), untouched(table))


def local_levels(found: Sequence[Hierarchy], n_records: int, k: int) -> Ints | None:
    """The level of each record in each column, shape (n_records, n_columns).

    None where some records' classes are too small even at the highest levels.
    """
    levels = np.zeros((n_records, len(found)), dtype=np.int64)
    losses = [h.losses() for h in found]
    at = [0] * len(found)
    left = _small(found, np.arange(n_records), at, k)
    while len(left):
        choice = _best_step(found, losses, left, at, k)
        if choice is None:
            return levels if _join(found, levels, left, k) else None
        at[choice] += 1
        levels[left] = at
        left = left[_small(found, left, at, k)]
    return levels


def _small(found: Sequence[Hierarchy], rows: Ints, at: Sequence[int], k: int) -> Ints:
    """Positions among `rows` of those that are in classes smaller than k at these levels."""
    classes = _classes(found, rows, at)
    return np.flatnonzero(np.bincount(classes)[classes] < k) if len(rows) else rows


def _classes(found: Sequence[Hierarchy], rows: Ints, at: Sequence[int]) -> Ints:
    groups = [h.groups[level][h.of_record[rows]] for h, level in zip(found, at, strict=True)]
    return combined(groups, len(rows))


def _classes_by_levels(found: Sequence[Hierarchy], levels: Ints) -> Ints:
    """Classes of records that each have their own levels."""
    own = [h.groups[levels[:, i], h.of_record] for i, h in enumerate(found)]
    return combined([*levels.T, *own], len(levels))


def _best_step(
    found: Sequence[Hierarchy], losses: Sequence[Any], left: Ints, at: Sequence[int], k: int
) -> int | None:
    """The column to raise; None where all are at the top. The first of equally good ones."""
    best, choice = None, None
    for i, h in enumerate(found):
        if at[i] == h.top:
            continue
        raised = [*at[:i], at[i] + 1, *at[i + 1 :]]
        n_large = len(left) - len(_small(found, left, raised, k))
        values = h.of_record[left]
        lost = float((losses[i][at[i] + 1] - losses[i][at[i]])[values].sum())
        # Per record that is helped; where none is, the least loss.
        worth = (n_large / lost if lost else np.inf, 0.0) if n_large else (0.0, -lost)
        if best is None or worth > best:
            best, choice = worth, i
    return choice


def _join(found: Sequence[Hierarchy], levels: Ints, left: Ints, k: int) -> bool:
    """Raise whole classes to the top, until all classes at the top are large enough.

    The most general class first, of those the smallest. False where there are too few.
    """
    tops = [h.top for h in found]
    regions = _classes(found, np.arange(len(levels)), tops)
    classes = _classes_by_levels(found, levels)
    sizes, heights = np.bincount(classes), levels.sum(axis=1)
    is_left = np.zeros(len(levels), dtype=np.bool_)
    is_left[left] = True
    for region in np.unique(regions[left]):
        is_here = regions == region
        others = np.flatnonzero(is_here & ~is_left)
        order = np.lexsort((classes[others], sizes[classes[others]], -heights[others]))
        missing = k - int((is_here & is_left).sum())
        if missing > len(others):
            return False
        last = classes[others[order[missing - 1]]]
        end = np.flatnonzero(classes[others[order]] == last)[-1] + 1
        levels[others[order[:end]]] = tops
    return True


def _recoded(
    table: pd.DataFrame, found: Sequence[Hierarchy], levels: Ints, write: str
) -> pd.DataFrame:
    import pandas as pd

    classes = _classes_by_levels(found, levels)
    result = table.copy()
    for i, h in enumerate(found):
        name = h.column.name
        if write == LABEL and h.labels:
            labels = np.array([label for level in h.labels for label in level], dtype=object)
            starts = np.cumsum([0, *(len(level) for level in h.labels)])
            chosen = labels[starts[levels[:, i]] + h.groups[levels[:, i], h.of_record]]
            result[name] = pd.Series(chosen, dtype=table[name].dtype)
        else:
            result[name] = one_value_each(table[name], h.column, classes)
    return result


LOCAL_RECODING = Anonymizer(
    id=ID,
    title=_("Local recoding"),
    protects=_("Linkage by quasi-identifiers: each is shared by k records or more"),
    costs=_("Detail of the records in small classes; columns mix levels"),
    function=local_recoding,
    options=(
        Option("k", "integer", 3, _("the smallest equivalence class allowed"), low=1),
        Option("columns", "columns", (), _("columns to recode; by default all quasi-identifiers")),
        *HIERARCHY_OPTIONS,
    ),
)
