"""What a contest can measure and what attackers can run, by identifier."""

from collections import ChainMap
from collections.abc import Mapping

from scoring.addresses import function_at
from scoring.attacks.catalog import ATTACKS, Attack, Guess
from scoring.measures.catalog import MEASURES, PWSCUP_2015, Measure
from scoring.sequential.catalog import SERIES_MEASURES

__all__ = [
    "ALL_MEASURES",
    "ATTACKS",
    "MEASURES",
    "PWSCUP_2015",
    "SERIES_MEASURES",
    "Attack",
    "Guess",
    "Measure",
    "function_at",
]

ALL_MEASURES: Mapping[str, Measure] = ChainMap(MEASURES, SERIES_MEASURES)
"""Those of one table, and those of a series of releases."""
