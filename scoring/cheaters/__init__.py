# SPDX-License-Identifier: Apache-2.0
"""The cast of cheaters: players of every format who do not anonymize, or attack without looking."""

from scoring.cheaters.answers import Target
from scoring.cheaters.catalog import CHEATERS, Cheater
from scoring.cheaters.tables import Hand

__all__ = ["CHEATERS", "Cheater", "Hand", "Target"]
