"""How a column of a measure is headed, and how its values are written: those of a series have room for less."""

from __future__ import annotations

from typing import TYPE_CHECKING

from pwscup.core.templatetags.pwscup import measure, percent
from scoring.registry import SERIES_MEASURES

if TYPE_CHECKING:
    from pwscup.contests.rules.measures import ShownMeasure

SERIES_DIGITS = 4


def is_by_name(column: ShownMeasure) -> bool:
    """Whether the column has the short name for its head: the identifiers of a series are long."""
    return column.id in SERIES_MEASURES


def shown_value(value: float | None, column: ShownMeasure) -> str:
    """A rate in per cent, a measure of a series with so many digits that all its columns fit."""
    if column.is_rate:
        return percent(value)
    if value is None or not is_by_name(column):
        return measure(value)
    return measure(float(f"{value:.{SERIES_DIGITS}g}"))
