"""Ranking formulas: from utility, protection, attack and presentation to the ranks of a contest."""

from scoring.formulas.base import PARTS, TIE_BREAKS, Formula, Line, Scores, Setting
from scoring.formulas.catalog import FORMULAS
from scoring.formulas.parts import attack_score, protection
from scoring.formulas.standings import combined, ranked
from scoring.formulas.thresholds import binomial_threshold

__all__ = [
    "FORMULAS",
    "PARTS",
    "TIE_BREAKS",
    "Formula",
    "Line",
    "Scores",
    "Setting",
    "attack_score",
    "binomial_threshold",
    "combined",
    "protection",
    "ranked",
]
