# SPDX-License-Identifier: Apache-2.0
"""Top and bottom coding: the tails of numeric columns become one value."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING

import numpy as np

from scoring.anonymizers.base import Anonymized, Anonymizer, untouched
from scoring.anonymizers.chosen import chosen_columns, numeric_columns
from scoring.anonymizers.domain import to_domain
from scoring.errors import gettext_noop as _
from scoring.options import Option, refuse
from scoring.tables.schema import Column, Schema

if TYPE_CHECKING:
    import pandas as pd

TOP, BOTTOM = "top-coding", "bottom-coding"
THRESHOLD, MEDIAN = "threshold", "median"


def top_coding(
    table: pd.DataFrame,
    schema: Schema,
    *,
    rng: np.random.Generator,
    columns: tuple[str, ...] = (),
    threshold: tuple[float, ...] = (),
    quantile: float = 0.95,
    write: str = THRESHOLD,
) -> Anonymized:
    """Give all values above a threshold one value, so that extreme values identify no record.

    Protects against linkage by rare large values, such as an age of 110. Costs the differences
    among them and, with `write=threshold`, lowers the column's mean.

    Parameters
    ----------
    columns
        Columns of numbers; by default all quasi-identifiers and sensitive ones.
    threshold
        The largest value that stays, one for all columns or one for each.
    quantile
        Where there is no threshold: the smallest value of each column with at least this share of
        the records at or below it, 0 the smallest, 1 the largest.
    write
        Replacement of values above the threshold: `threshold`, or their (lower) `median`.

    Raises
    ------
    ProblemsFound
        A column does not exist or holds categories, or the column cannot hold a threshold.
    """
    return _coded(TOP, table, schema, columns, threshold, quantile, write)


def bottom_coding(
    table: pd.DataFrame,
    schema: Schema,
    *,
    rng: np.random.Generator,
    columns: tuple[str, ...] = (),
    threshold: tuple[float, ...] = (),
    quantile: float = 0.05,
    write: str = THRESHOLD,
) -> Anonymized:
    """Give all values below a threshold one value, so that extreme values identify no record.

    Protects against linkage by rare small values. Costs the differences among them and, with
    `write=threshold`, raises the column's mean.

    Parameters
    ----------
    columns
        Columns of numbers; by default all quasi-identifiers and sensitive ones.
    threshold
        The smallest value that stays, one for all columns or one for each.
    quantile
        Where there is no threshold: the smallest value of each column with at least this share of
        the records at or below it, 0 the smallest, 1 the largest.
    write
        Replacement of values below the threshold: `threshold`, or their (lower) `median`.

    Raises
    ------
    ProblemsFound
        A column does not exist or holds categories, or the column cannot hold a threshold.
    """
    return _coded(BOTTOM, table, schema, columns, threshold, quantile, write)


def _coded(
    method: str,
    table: pd.DataFrame,
    schema: Schema,
    columns: tuple[str, ...],
    threshold: tuple[float, ...],
    quantile: float,
    write: str,
) -> Anonymized:
    import pandas as pd

    numeric = numeric_columns(schema)
    scored = schema.quasi_identifiers + schema.sensitive
    usual = tuple(name for name in numeric if name in scored)
    names = chosen_columns(method, columns, numeric, "columns of numbers") or usual
    if len(threshold) not in (0, 1, len(names)):
        expected = f"one number for all, or one for each of {len(names)} columns"
        raise refuse(method, "threshold", expected, tuple(threshold))
    result = table.copy()
    for i, name in enumerate(names):
        column, values = schema.column(name), table[name].to_numpy()
        if threshold:
            limit = _checked(method, column, threshold[i if len(threshold) > 1 else 0])
        else:
            limit = lower_quantile(values, quantile)
        is_tail = values > limit if method == TOP else values < limit
        if is_tail.any():
            coded = values.copy()
            coded[is_tail] = limit if write == THRESHOLD else lower_quantile(values[is_tail], 0.5)
            result[name] = pd.Series(coded)
    return Anonymized(result, untouched(table))


def _checked(method: str, column: Column, threshold: float) -> float:
    """The threshold, if the column can hold it."""
    if float(to_domain(np.array([threshold], dtype=np.float64), column)[0]) != threshold:
        decimals = column.most_decimals(original=True)
        noun = f"a number of up to {decimals} decimals" if decimals else "an integer"
        low = "" if column.min is None else f" from {column.min}"
        high = "" if column.max is None else f" up to {column.max}"
        raise refuse(method, "threshold", f"{noun}{low}{high} ({column.name})", threshold)
    return threshold


def lower_quantile(values: np.ndarray[tuple[int], np.dtype[np.float64]], share: float) -> float:
    """The smallest value with at least this share of the values at or below it.

    Examples
    --------
    >>> [float(lower_quantile(np.array([4, 1, 3, 2]), share)) for share in (0, 0.5, 0.51, 1)]
    [1.0, 2.0, 3.0, 4.0]
    """
    # 0.95 * 100 is a little more than 95 in floating point; the 95th value is meant.
    place = int(np.ceil(round(share * len(values), 9)))
    number: float = np.sort(values)[max(place - 1, 0)]
    return number


def _options(quantile: float) -> tuple[Option, ...]:
    return (
        Option(
            "columns",
            "columns",
            (),
            _("columns of numbers; by default all quasi-identifiers and sensitive ones"),
        ),
        Option(
            "threshold",
            "numbers",
            (),
            _("the last value that stays, one for all columns or one for each"),
            low=-np.inf,
        ),
        Option(
            "quantile",
            "number",
            quantile,
            _("where there is no threshold: the share of the records at or below it"),
            high=1,
        ),
        Option(
            "write",
            "text",
            THRESHOLD,
            _("what the values beyond become: the threshold or their median"),
            choices=(THRESHOLD, MEDIAN),
        ),
    )


def _anonymizer(
    method: str, title: str, protects: str, function: Callable[..., Anonymized], quantile: float
) -> Anonymizer:
    return Anonymizer(
        id=method,
        title=title,
        protects=protects,
        costs=_("Differences among the extreme values, and the column's mean"),
        function=function,
        options=_options(quantile),
    )


TOP_CODING = _anonymizer(TOP, _("Top coding"), _("Linkage by rare large values"), top_coding, 0.95)
BOTTOM_CODING = _anonymizer(
    BOTTOM, _("Bottom coding"), _("Linkage by rare small values"), bottom_coding, 0.05
)
