# SPDX-License-Identifier: Apache-2.0
"""Back-mapping: replaces values created by earlier methods by values of the original."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

from scoring.anonymizers.base import Anonymized, Anonymizer, untouched
from scoring.anonymizers.chosen import chosen_columns
from scoring.anonymizers.domain import most_frequent, ordinal
from scoring.errors import gettext_noop as _
from scoring.options import Option
from scoring.tables.equivalence import comparable
from scoring.tables.schema import Column, Schema

if TYPE_CHECKING:
    import pandas as pd

ID = "back-mapping"
FREQUENT, RANDOM = LABELS = ("frequent", "random")


def back_mapping(
    table: pd.DataFrame,
    schema: Schema,
    *,
    rng: np.random.Generator,
    original: pd.DataFrame,
    source: NDArray[np.int64],
    columns: tuple[str, ...] = (),
    labels: str = FREQUENT,
) -> Anonymized:
    """Turn values that the original does not have into values that it has, column by column.

    It gives no protection by itself: it is for contests whose rules allow values of the
    original only, after methods that average, add noise or write labels. Costs the accuracy of
    their values.

    A number becomes the nearest number of the original's column, of two equally near ones the
    smaller. A category becomes a value that the original has in the records of its group, those
    that carry the same label: the most frequent one, or for each record one drawn at random.

    Parameters
    ----------
    original, source
        The table before the first method of the chain, and the row there of each record.
    columns
        The columns; by default all.
    labels
        "frequent", or "random": in proportion to their frequency in the group, so that the column
        keeps its distribution.

    Raises
    ------
    ProblemsFound
        A column does not exist.

    Notes
    -----
    The lecture's example of generalization, in which Kanto is written back as Saitama or Tokyo, draws at random.
    """
    names = chosen_columns(ID, columns, schema.names, "columns") or schema.names
    result = table.copy()
    for name in names:
        column = schema.column(name)
        if column.is_numeric:
            result[name] = _nearest(table[name], original[name])
        else:
            drawn = rng if labels == RANDOM else None
            result[name] = _of_group(table[name], original[name], source, column, drawn)
    return Anonymized(result, untouched(table))


def _nearest(values: pd.Series, original: pd.Series) -> pd.Series:
    import pandas as pd

    existing = np.unique(original.to_numpy())
    numbers = values.to_numpy()
    above = np.clip(np.searchsorted(existing, numbers), 0, len(existing) - 1)
    below = np.maximum(above - 1, 0)
    is_above = np.abs(existing[above] - numbers) < np.abs(numbers - existing[below])
    return pd.Series(existing[np.where(is_above, above, below)])


def _of_group(
    values: pd.Series,
    original: pd.Series,
    source: NDArray[np.int64],
    column: Column,
    rng: np.random.Generator | None,
) -> pd.Series:
    """Each new label as the most frequent value of its group, or with `rng` as a value drawn from it."""
    import pandas as pd

    labels = comparable(values)
    is_new = ~np.isin(labels.astype(str), comparable(original).astype(str))
    if not is_new.any():
        return values.reset_index(drop=True)
    codes, existing = ordinal(original, column)
    groups = pd.factorize(labels[is_new])[0].astype(np.int64)
    own = codes[source[is_new]]
    frequent = most_frequent(own, groups, len(existing))
    chosen = frequent[groups] if rng is None else _drawn(own, groups, rng)
    result = labels.copy()
    result[is_new] = existing[chosen]
    return pd.Series(result, dtype=values.dtype)


def _drawn(
    codes: NDArray[np.int64], groups: NDArray[np.int64], rng: np.random.Generator
) -> NDArray[np.int64]:
    """For each record the code of a record of its group, each of these as likely."""
    order = np.argsort(groups, kind="stable")
    sizes = np.bincount(groups)
    first = np.cumsum(sizes) - sizes
    found: NDArray[np.int64] = codes[order[first[groups] + rng.integers(sizes[groups])]]
    return found


BACK_MAPPING = Anonymizer(
    id=ID,
    title=_("Mapping back to existing values"),
    protects=_("Nothing by itself: values that do not occur in the original"),
    costs=_("Accuracy of averages and of noisy numbers"),
    function=back_mapping,
    options=(
        Option("columns", "columns", (), _("columns to map back; by default all")),
        Option(
            "labels",
            "text",
            FREQUENT,
            _("a label becomes the most frequent value of its group, or one drawn from it"),
            choices=LABELS,
        ),
    ),
    looks_back=True,
)
