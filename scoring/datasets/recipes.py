# SPDX-License-Identifier: Apache-2.0
"""Recipes of synthetic tables: the figures of each column, and what it has in common with others.

The figures are round numbers chosen for this generator. They describe no country and no survey.
"""

from __future__ import annotations

from dataclasses import dataclass

N_FACTORS = 4
"""Factors that the columns of a table share: age, standard of living, health, and habits."""
LEVELS = (0.0, 0.05, 0.25, 0.5, 0.75, 0.95, 1.0)
"""The levels of the quantiles of numbers."""


@dataclass(frozen=True, slots=True)
class Recipe:
    """A column: shares of its categories in their order, or the quantiles of its numbers at `LEVELS`.

    The squares of the loadings, one for each factor, add up to less than 1.
    """

    figures: tuple[float, ...]
    loadings: tuple[float, ...] = ()


_EVEN = (1.0,) * 10

CENSUS = {
    "age": Recipe((17, 20, 28, 38, 50, 67, 95), (0.9,)),
    "work": Recipe((70, 11, 13, 3, 3), (0.3, 0.2)),
    "education": Recipe((5, 9, 35, 26, 17, 6, 2), (0.1, 0.7)),
    "marital": Recipe((33, 46, 4, 13, 4), (0.7, 0.1)),
    "occupation": Recipe((13, 13, 4, 7, 14, 14, 12, 13, 6, 4), (0.0, 0.3)),
    "household": Recipe((26, 40, 15, 11, 4, 4), (-0.4, 0.1)),
    "sex": Recipe((48, 52), (0.0, 0.2)),
    "hours": Recipe((1, 15, 38, 40, 46, 60, 99), (0.1, 0.3)),
    "income": Recipe((76, 24), (0.4, 0.6)),
}
DIABETES = {
    "sex": Recipe((51, 49)),
    "age": Recipe((20, 22, 34, 49, 63, 79, 80), (0.9,)),
    "origin": Recipe((34, 21, 17, 14, 14), (0.0, -0.4)),
    "education": Recipe((10, 12, 23, 31, 24), (-0.1, 0.7)),
    "marital": Recipe((19, 9, 50, 4, 11, 7), (0.5, 0.1)),
    "bmi": Recipe((15, 20, 24.6, 28.4, 33, 42, 66), (0.1, -0.1, 0.6)),
    "depression": Recipe((82, 18), (0.0, -0.3, 0.2)),
    "poverty": Recipe((80, 20), (-0.1, -0.6)),
    "activity": Recipe((25, 25, 25, 25), (-0.2, 0.1, -0.4)),
    "diabetes": Recipe((84, 16), (0.5, -0.1, 0.5)),
}
PROFILE = {f"p{i}": Recipe(_EVEN, (0.3,)) for i in range(1, 7)} | {
    f"r{i}": Recipe(_EVEN) for i in (1, 2)
}
RATINGS = {
    "gender": Recipe((28, 72), (0.0, 0.0, 0.0, 0.4)),
    "age": Recipe((4, 18, 35, 20, 9, 8, 6), (0.8,)),
    "occupation": Recipe((9, 5, 6, 3, 5, 12, 1, 4, 15, 5, 8, 14, 13), (-0.2, 0.3)),
    "area": Recipe((11, 12, 8, 9, 8, 10, 9, 8, 9, 16), (0.0, 0.2)),
} | {
    f"film{i}": Recipe(
        (60 + 2 * i, 2, 3, 8, 15, 12), (0.1 * (i % 3 - 1), 0.0, 0.3, 0.5 * (1 if i % 2 else -1))
    )
    for i in range(1, 11)
}
HEALTH = {
    "gender": Recipe((51, 49)),
    "age": Recipe((0, 4, 21, 41, 61, 84, 110), (0.85,)),
    "race": Recipe((8, 14, 2, 2, 6, 68), (0.0, 0.2)),
    "ethnicity": Recipe((17, 83), (0.1, 0.2)),
    "encounters": Recipe((1, 8, 18, 32, 56, 130, 480), (0.5, 0.1, 0.6)),
    "procedures": Recipe((0, 2, 9, 22, 52, 170, 560), (0.5, 0.0, 0.6)),
    "medications": Recipe((0, 0, 3, 10, 32, 150, 480), (0.5, 0.0, 0.6)),
    "immunizations": Recipe((0, 4, 9, 13, 18, 30, 70), (-0.4, 0.1, 0.1)),
    "allergies": Recipe((0, 0, 0, 0, 0, 4, 14), (0.0, 0.0, 0.2)),
    "devices": Recipe((0, 0, 0, 0, 2, 9, 52), (0.5, 0.0, 0.4)),
    "asthma": Recipe((93, 7), (-0.2, 0.0, 0.3)),
    "stroke": Recipe((94, 6), (0.5, 0.0, 0.3)),
    "obesity": Recipe((58, 42), (0.1, -0.1, 0.2, 0.7)),
    "depression": Recipe((91, 9), (0.1, -0.1, 0.3)),
    "systolic": Recipe((72, 98, 110, 120, 132, 158, 215), (0.5, 0.0, 0.2, 0.3)),
    "diastolic": Recipe((42, 60, 71, 79, 87, 102, 138), (0.4, 0.0, 0.1, 0.3)),
    "weight": Recipe((3, 17, 60, 75, 88, 110, 195), (0.4, 0.0, 0.0, 0.7)),
    "bmi": Recipe((11, 16, 22.5, 27, 30, 36, 58), (0.4, 0.0, 0.0, 0.8)),
}
SURVIVAL = {
    "age": Recipe((40, 41, 48, 57, 65, 73, 74), (0.9,)),
    "sex": Recipe((51, 49), (0.0, 0.0, 0.0, 0.4)),
    "region": Recipe((4, 7, 34, 17, 16, 6, 3, 13)),
    "bmi": Recipe((14, 18, 20.6, 22.8, 25.2, 30, 46), (0.0, 0.0, 0.6, 0.2)),
    "sbp": Recipe((78, 98, 112, 123, 135, 157, 220), (0.4, 0.0, 0.4, 0.1)),
    "tg": Recipe((20, 38, 62, 90, 134, 262, 1500), (0.1, 0.0, 0.5, 0.3)),
    "hdl": Recipe((20, 37, 49, 59, 71, 93, 148), (-0.1, 0.0, -0.4, -0.4)),
    "alt": Recipe((4, 9, 14, 19, 27, 54, 420), (-0.1, 0.0, 0.5, 0.2)),
    "smoking": Recipe((78, 22), (-0.2, -0.2, 0.0, 0.6)),
    "fpg": Recipe((60, 79, 87, 94, 102, 125, 330), (0.3, 0.0, 0.5, 0.1)),
    "type": Recipe((98, 2)),
}
ONSET = (0.012, {"fpg": 0.7, "bmi": 0.3, "age": 0.25, "tg": 0.15, "hdl": -0.1})
DEATH = (0.006, {"age": 0.8, "smoking": 0.3, "sbp": 0.15})
"""The yearly hazard of a common person with scores of 0, and how much a standard deviation adds to its logarithm."""
RARE_FACTOR = 9.0
"""The hazards of the rare type as a multiple of the common one's."""
