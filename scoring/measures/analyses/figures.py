# SPDX-License-Identifier: Apache-2.0
"""Figures of two tables by name, and how far they are apart."""

from __future__ import annotations

import math
from collections.abc import Callable, Hashable, Mapping, Sequence

from scoring.measures.analyses.names import LARGEST
from scoring.scores.comparison import Comparison
from scoring.scores.sheets import Sheet
from scoring.tables.equivalence import BoolArray

Figures = Mapping[Hashable, float]


def apart(
    x: Figures,
    y: Figures,
    of: str = LARGEST,
    scaled: Callable[[Hashable, float], float] = lambda _name, difference: difference,
) -> float | None:
    """The largest or the mean absolute difference of the figures of two tables; one without a figure has 0.

    `scaled` maps the name and the absolute difference of a figure to what counts.

    Examples
    --------
    >>> apart({"a": 1.0, "b": 0.5}, {"a": 0.75, "c": 0.125}), apart({"a": 1.0}, {"a": 0.5, "c": 0}, "mean")
    (0.5, 0.25)
    """
    found = [
        scaled(name, abs(_finite(y.get(name, 0.0)) - _finite(x.get(name, 0.0))))
        for name in {**x, **y}
    ]
    if not found:
        return None
    return max(found) if of == LARGEST else math.fsum(found) / len(found)


def compared(
    comparison: Comparison, figures: Callable[[Sheet], Figures], of: str = LARGEST
) -> float | None:
    """`apart` for the figures of both tables of a comparison, whose records are in canonical order."""
    x, y = comparison.sheets
    return apart(figures(x), figures(y), of)


def chosen(
    comparison: Comparison, columns: Sequence[str], *, numeric: bool | None = None
) -> list[str]:
    """The columns that an analysis looks at: those named, or all scored ones; of one kind, if that is asked."""
    schema = comparison.schema
    names = columns or (*schema.quasi_identifiers, *schema.sensitive)
    wanted = [name for name in schema.names if name in names]
    return [n for n in wanted if numeric is None or schema.column(n).is_numeric == numeric]


def has_value(sheet: Sheet, column: str, value: str) -> BoolArray:
    """The records that have a value in a column, which is written as in the table."""
    if column in sheet.numbers:
        is_equal: BoolArray = sheet.numbers[column] == number_of(value)
        return is_equal
    levels = sheet.levels[column]
    code = levels.index(value) if value in levels else -1
    is_there: BoolArray = sheet.codes[column] == code
    return is_there


def number_of(value: str) -> float:
    """The number that a text says; not a number if it says none."""
    try:
        return float(value)
    except ValueError:
        return math.nan


def _finite(value: float) -> float:
    return value if math.isfinite(value) else 0.0
