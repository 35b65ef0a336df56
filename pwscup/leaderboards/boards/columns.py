# SPDX-License-Identifier: Apache-2.0
"""Headers and number formats of measure columns: those of a series, and of many measures, are narrower."""

from __future__ import annotations

from typing import TYPE_CHECKING

from pwscup.core.templatetags.pwscup import measure, percent
from scoring.registry import SERIES_MEASURES

if TYPE_CHECKING:
    from pwscup.contests.rules.measures import ShownMeasure

FEW_DIGITS = 4
MANY_MEASURES = 8
"""A board with more of them shows each with few digits; downloads have the full values."""


def is_by_name(column: ShownMeasure) -> bool:
    """The column has the short name as header: the identifiers of a series are long."""
    return column.id in SERIES_MEASURES


def shown_value(value: float | None, column: ShownMeasure, *, is_brief: bool = False) -> str:
    """A rate in per cent; a measure of a series, or of many, with few digits, so that all columns fit."""
    if column.is_rate:
        return percent(value)
    if value is None or not (is_brief or is_by_name(column)) or float(value).is_integer():
        return measure(value)
    digits = max(FEW_DIGITS, len(f"{abs(value):.0f}"))  # whole numbers are not rounded
    return measure(float(f"{value:.{digits}g}"))
