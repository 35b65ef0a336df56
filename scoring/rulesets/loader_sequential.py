# SPDX-License-Identifier: Apache-2.0
"""Reading what a ruleset asks of a series of releases."""

from __future__ import annotations

from typing import TYPE_CHECKING

from scoring.formats.sequential.limits import SeriesLimits
from scoring.rulesets.base import SequentialSpec
from scoring.rulesets.kinds import SERIES

if TYPE_CHECKING:
    from scoring.rulesets.base import DataSpec
    from scoring.rulesets.document import Document

REQUIRED = ("m-unique", "m-invariance")
DEFINITIONS = ("counting", "worlds", "m-invariance")
MOST_M = 100


def read_sequential(document: Document, data: DataSpec) -> SequentialSpec | None:
    """The requirements and the definition of risk of releases; None if the tables are no series."""
    if data.tables != SERIES:
        return None
    sequential = document.table("sequential")
    return SequentialSpec(
        m=sequential.integer("m", 2, MOST_M),
        require=sequential.choice("require", REQUIRED),
        definition=sequential.choice("definition", DEFINITIONS),
        limits=_limits(sequential),
    )


def _limits(sequential: Document) -> SeriesLimits:
    """The bounds that are there."""
    has = sequential.has
    return SeriesLimits(
        max_deleted=sequential.number("max_deleted", 0, 1) if has("max_deleted") else None,
        max_displaced=sequential.number("max_displaced", 0, 1) if has("max_displaced") else None,
        max_counterfeits=(
            sequential.number("max_counterfeits", 0, 1) if has("max_counterfeits") else None
        ),
    )
