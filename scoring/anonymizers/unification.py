# SPDX-License-Identifier: Apache-2.0
"""Global recoding: quasi-identifiers that all records share."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

from scoring.anonymizers.base import Anonymized, Anonymizer, untouched
from scoring.anonymizers.domain import most_frequent, ordinal, units_of
from scoring.errors import gettext_noop as _
from scoring.options import Option, refuse
from scoring.tables.schema import Column, Kind, Schema

if TYPE_CHECKING:
    import pandas as pd

ID = "qi-unification"


def qi_unification(
    table: pd.DataFrame,
    schema: Schema,
    *,
    rng: np.random.Generator,
    columns: tuple[str, ...] = (),
    value: str = "",
) -> Anonymized:
    """Set quasi-identifiers to one value each, so that they distinguish no records.

    Parameters
    ----------
    columns
        The quasi-identifiers; by default all outside the cross columns, which costs no utility.
    value
        The value to set, allowed in every one of the columns; by default each column's most
        frequent one (of a number the most frequent, too), the first where two are.

    Raises
    ------
    ProblemsFound
        A name is no quasi-identifier, there is no column to unify, or the value is outside the
        domain of a column.
    """
    chosen = tuple(columns) or tuple(c for c in schema.quasi_identifiers if c not in schema.cross)
    unknown = [name for name in chosen if name not in schema.quasi_identifiers]
    if unknown or not chosen:
        expected = f"quasi-identifiers, out of {', '.join(schema.quasi_identifiers) or 'none'}"
        raise refuse(ID, "columns", expected, unknown or "nothing")
    result = table.copy()
    for name in chosen:
        column = schema.column(name)
        result[name] = _given(value, column) if value else _mode(table[name], column)
    return Anonymized(result, untouched(table))


def _given(value: str, column: Column) -> str | float | int:
    if column.kind is Kind.CATEGORY:
        if column.values is not None and value not in column.values:
            raise refuse(ID, "value", f"one of {', '.join(column.values)} ({column.name})", value)
        return value
    low = -np.inf if column.min is None else column.min
    high = np.inf if column.max is None else column.max
    number = _number(value)
    unit = units_of(column)
    if number is None or not low <= number <= high or round(number * unit) / unit != number:
        noun = "an integer" if column.kind is Kind.INTEGER else "a number"
        raise refuse(ID, "value", f"{noun} from {low} to {high} ({column.name})", value)
    return int(number) if column.kind is Kind.INTEGER else number


def _number(text: str) -> float | None:
    try:
        number = float(text)
    except ValueError:
        return None
    return number if np.isfinite(number) else None


def _mode(series: pd.Series, column: Column) -> str | float | int:
    if column.kind is Kind.CATEGORY:
        codes, values = ordinal(series, column)
        return str(values[_mode_of(codes, len(values))])
    numbers, inverse = np.unique(series.to_numpy(), return_inverse=True)
    number: float | int = numbers[_mode_of(inverse.astype(np.int64), len(numbers))].item()
    return number


def _mode_of(codes: NDArray[np.int64], n_values: int) -> int:
    return int(most_frequent(codes, np.zeros_like(codes), n_values)[0])


QI_UNIFICATION = Anonymizer(
    id=ID,
    title=_("Unification of quasi-identifiers"),
    protects=_("Linkage by quasi-identifiers: the unified columns disclose nothing"),
    costs=_("Information of the columns; counts and means of cells if they are cross columns"),
    function=qi_unification,
    options=(
        Option(
            "columns",
            "columns",
            (),
            _("quasi-identifiers to unify; by default all outside the cross columns"),
        ),
        Option(
            "value", "text", "", _("the value they get; by default each column's most frequent one")
        ),
    ),
)
