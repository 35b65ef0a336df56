# SPDX-License-Identifier: Apache-2.0
"""Headers and number formats of measure columns: those of a series are narrower."""

from __future__ import annotations

from typing import TYPE_CHECKING

from pwscup.core.templatetags.pwscup import measure, percent
from scoring.registry import SERIES_MEASURES

if TYPE_CHECKING:
    from pwscup.contests.rules.measures import ShownMeasure

SERIES_DIGITS = 4


def is_by_name(column: ShownMeasure) -> bool:
    """The column has the short name as header: the identifiers of a series are long."""
    return column.id in SERIES_MEASURES


def shown_value(value: float | None, column: ShownMeasure) -> str:
    """A rate in per cent; a measure of a series with few digits, so that all columns fit."""
    if column.is_rate:
        return percent(value)
    if value is None or not is_by_name(column):
        return measure(value)
    return measure(float(f"{value:.{SERIES_DIGITS}g}"))
