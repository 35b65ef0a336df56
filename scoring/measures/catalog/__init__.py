# SPDX-License-Identifier: Apache-2.0
"""Every measure under its identifier."""

from __future__ import annotations

from scoring.catalogs import Registry
from scoring.measures.catalog.base import (
    DRAWING,
    NEED_ROWS,
    OF_PROGRAMS,
    RATES,
    Measure,
    Term,
)
from scoring.measures.catalog.losses import GENERALIZATION, SIMILARITY, UTILITY
from scoring.measures.catalog.risk import RISK
from scoring.measures.catalog.safety import ANONYMITY, DISCLOSURE, DIVERSITY, LINKAGE

__all__ = [
    "DRAWING",
    "MEASURES",
    "NEED_ROWS",
    "OF_PROGRAMS",
    "PWSCUP_2015",
    "RATES",
    "Measure",
    "Term",
]

MEASURES = Registry(
    "measure",
    (
        *UTILITY,
        *ANONYMITY,
        *LINKAGE,
        *RISK,
        *DIVERSITY,
        *SIMILARITY,
        *GENERALIZATION,
        *DISCLOSURE,
    ),
)
"""Identifier to measure, in the order in which they are shown."""

PWSCUP_2015 = (
    "U1",
    "U2",
    "U3",
    "U4",
    "U5",
    "U6",
    "S1",
    "S2",
    "E1",
    "E2",
    "E3",
    "E4",
    "EUC1",
    "EUC2",
)
"""The measures of the 2015 contest: what is computed where nobody names others."""
