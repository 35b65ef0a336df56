"""What a contest can measure and what attackers can run, by identifier."""

from scoring.addresses import function_at
from scoring.attacks.catalog import ATTACKS, Attack, Guess
from scoring.measures.catalog import MEASURES, PWSCUP_2015, Measure

__all__ = ["ATTACKS", "MEASURES", "PWSCUP_2015", "Attack", "Guess", "Measure", "function_at"]
