# SPDX-License-Identifier: Apache-2.0
"""Ranking formulas: from the measures, attacks and scores of a contest to its ranks."""

from scoring.formulas.base import PARTS, TIE_BREAKS, Formula, Line, Scores, Setting
from scoring.formulas.boards import (
    BOARD_TOTALS,
    OF_LISTED,
    OVER_BOARDS,
    SEASONS,
    published,
    ranked_boards,
    season_boards,
)
from scoring.formulas.catalog import FORMER_NAMES, FORMULAS
from scoring.formulas.measure_ranks import Boards, TableFacts, measure_ranks, season_lines
from scoring.formulas.official import (
    ESTIMATE_RANKS,
    FORMER_NAME,
    MEASURE_RANKS,
    OF_ESTIMATES,
    OFFICIAL,
    direction_of,
)
from scoring.formulas.parts import attack_score, protection
from scoring.formulas.standings import FINAL, combined, ranked
from scoring.formulas.thresholds import binomial_threshold

__all__ = [
    "BOARD_TOTALS",
    "ESTIMATE_RANKS",
    "FINAL",
    "FORMER_NAME",
    "FORMER_NAMES",
    "FORMULAS",
    "MEASURE_RANKS",
    "OFFICIAL",
    "OF_ESTIMATES",
    "OF_LISTED",
    "OVER_BOARDS",
    "PARTS",
    "SEASONS",
    "TIE_BREAKS",
    "Boards",
    "Formula",
    "Line",
    "Scores",
    "Setting",
    "TableFacts",
    "attack_score",
    "binomial_threshold",
    "combined",
    "direction_of",
    "measure_ranks",
    "protection",
    "published",
    "ranked",
    "ranked_boards",
    "season_boards",
    "season_lines",
]
