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


def back_mapping(
    table: pd.DataFrame,
    schema: Schema,
    *,
    rng: np.random.Generator,
    original: pd.DataFrame,
    source: NDArray[np.int64],
    columns: tuple[str, ...] = (),
) -> Anonymized:
    """Turn values that the original does not have into values that it has, column by column.

    It gives no protection by itself: it is for contests whose rules allow values of the
    original only, after methods that average, add noise or write labels. Costs the accuracy of
    their values.

    A number becomes the nearest number of the original's column, of two equally near ones the
    smaller. A category becomes the most frequent value that the original has in the records of
    its group: those that carry the same label.

    Parameters
    ----------
    original, source
        The table before the first method of the chain, and the row there of each record.
    columns
        The columns; by default all.

    Raises
    ------
    ProblemsFound
        A column does not exist.
    """
    names = chosen_columns(ID, columns, schema.names, "columns") or schema.names
    result = table.copy()
    for name in names:
        column = schema.column(name)
        if column.is_numeric:
            result[name] = _nearest(table[name], original[name])
        else:
            result[name] = _most_frequent(table[name], original[name], source, column)
    return Anonymized(result, untouched(table))


def _nearest(values: pd.Series, original: pd.Series) -> pd.Series:
    import pandas as pd

    existing = np.unique(original.to_numpy())
    numbers = values.to_numpy()
    above = np.clip(np.searchsorted(existing, numbers), 0, len(existing) - 1)
    below = np.maximum(above - 1, 0)
    is_above = np.abs(existing[above] - numbers) < np.abs(numbers - existing[below])
    return pd.Series(existing[np.where(is_above, above, below)])


def _most_frequent(
    values: pd.Series, original: pd.Series, source: NDArray[np.int64], column: Column
) -> pd.Series:
    import pandas as pd

    labels = comparable(values)
    is_new = ~np.isin(labels.astype(str), comparable(original).astype(str))
    if not is_new.any():
        return values.reset_index(drop=True)
    codes, existing = ordinal(original, column)
    groups = pd.factorize(labels[is_new])[0].astype(np.int64)
    chosen = most_frequent(codes[source[is_new]], groups, len(existing))
    result = labels.copy()
    result[is_new] = existing[chosen[groups]]
    return pd.Series(result, dtype=values.dtype)


BACK_MAPPING = Anonymizer(
    id=ID,
    title=_("Mapping back to existing values"),
    protects=_("Nothing by itself: values that do not occur in the original"),
    costs=_("Accuracy of averages and of noisy numbers"),
    function=back_mapping,
    options=(Option("columns", "columns", (), _("columns to map back; by default all")),),
    looks_back=True,
)
