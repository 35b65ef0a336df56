# SPDX-License-Identifier: Apache-2.0
"""Measures and attacks of plugins in reports: one that fails is left out, and the log says why."""

from __future__ import annotations

import logging
from typing import TYPE_CHECKING, Any

from scoring.errors import PluginError

if TYPE_CHECKING:
    from scoring.registry import Attack, Measure
    from scoring.scores.comparison import Comparison, Options
    from scoring.tables.equivalence import IntArray

logger = logging.getLogger(__name__)


def value_of(measure: Measure, comparison: Comparison, options: Options) -> float | int | None:
    """The value of a measure; None also where a plugin's function fails."""
    try:
        return measure.value(comparison, options)
    except PluginError as error:
        logger.warning("left out of a report: %s", error, exc_info=error)
        return None


def guess_of(attack: Attack, *tables: Any, **given: Any) -> IntArray | None:
    """The guess of an attack; None where a plugin's function fails or does not fit the tables."""
    try:
        return attack(*tables, **given)
    except (PluginError, ValueError) as error:
        if not attack.is_foreign:
            raise
        logger.warning("left out of a report: %s", error, exc_info=error)
        return None
