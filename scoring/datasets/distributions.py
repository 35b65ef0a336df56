# SPDX-License-Identifier: Apache-2.0
"""Pseudo households: shares and conditional shares of their attributes.

The figures are round numbers chosen for this generator so that the attributes depend on each other
as in any population (large households have heads of middle age, young heads rent, heads who do not
work have no industry). They describe no country and no survey.

Every table holds weights, which need not sum to 1; the last axis is the attribute that is drawn
and follows the order of the schema's values.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

Weights = NDArray[np.float64]

N_CELLS = 231
"""Cells of the six cross attributes that occur. Rarer ones are suppressed, as a statistical office
does before it publishes a table; 8,333 records then make 36 a cell."""

REGION: Weights = np.array([45.0, 55.0])
SIZE: Weights = np.array([18.0, 30.0, 22.0, 19.0, 8.0, 3.0])
AGE_BY_SIZE: Weights = np.array(
    [
        [14.0, 13.0, 11.0, 15.0, 20.0, 27.0],
        [4.0, 7.0, 8.0, 21.0, 34.0, 26.0],
        [5.0, 17.0, 20.0, 29.0, 21.0, 8.0],
        [3.0, 27.0, 42.0, 21.0, 5.0, 2.0],
        [2.0, 25.0, 45.0, 18.0, 6.0, 4.0],
        [1.0, 15.0, 40.0, 22.0, 12.0, 10.0],
    ]
)
EARNERS_BY_AGE: Weights = np.array(
    [
        [3.0, 67.0, 30.0, 0.0],
        [3.0, 60.0, 36.0, 1.0],
        [3.0, 48.0, 43.0, 6.0],
        [5.0, 37.0, 40.0, 18.0],
        [38.0, 36.0, 20.0, 6.0],
        [75.0, 17.0, 6.0, 2.0],
    ]
)
OWNED_BY_AGE: Weights = np.array([0.08, 0.36, 0.60, 0.74, 0.82, 0.85])
OWNED_FACTOR_BY_REGION: Weights = np.array([0.92, 1.05])
OWNED_FACTOR_BY_SIZE: Weights = np.array([0.62, 1.0, 1.0, 1.0, 1.1, 1.1])
OWNED_AT_MOST = 0.95
PUBLIC_SHARE_OF_RENTED = 0.2
DETACHED_BY_REGION_TENURE: Weights = np.array([[0.50, 0.06, 0.0], [0.88, 0.15, 0.0]])

FEMALE_BY_SIZE: Weights = np.array([0.48, 0.14, 0.09, 0.04, 0.03, 0.03])
# Persons beyond a couple: none of them, all but one, or all of them are children.
CHILDREN_BY_AGE: Weights = np.array(
    [
        [5.0, 5.0, 90.0],
        [4.0, 6.0, 90.0],
        [16.0, 14.0, 70.0],
        [72.0, 12.0, 16.0],
        [95.0, 3.0, 2.0],
        [97.0, 2.0, 1.0],
    ]
)
# Where at least one person earns; the head of a household without earners does not work.
EMPLOYMENT_BY_AGE: Weights = np.array(
    [
        [94.0, 4.0, 2.0],
        [90.0, 9.0, 1.0],
        [87.0, 12.0, 1.0],
        [81.0, 17.0, 2.0],
        [55.0, 30.0, 15.0],
        [22.0, 45.0, 33.0],
    ]
)
OCCUPATION_BY_EMPLOYMENT_SEX: Weights = np.array(
    [
        [[20, 24, 18, 38, 0], [24, 42, 28, 6, 0]],
        [[20, 2, 40, 38, 0], [24, 4, 66, 6, 0]],
        [[0, 0, 0, 0, 1], [0, 0, 0, 0, 1]],
    ],
    dtype=np.float64,
)
INDUSTRY_BY_OCCUPATION: Weights = np.array(
    [
        [0, 7, 0, 80, 13, 0],
        [3, 19, 18, 40, 20, 0],
        [0, 1, 69, 30, 0, 0],
        [24, 68, 0, 8, 0, 0],
        [0, 0, 0, 0, 0, 1],
    ],
    dtype=np.float64,
)
# Employees; the self-employed work in companies of less than a hundred.
COMPANY_BY_INDUSTRY: Weights = np.array(
    [
        [0, 90, 10],
        [0, 28, 72],
        [0, 66, 34],
        [0, 56, 44],
        [0, 2, 98],
        [1, 0, 0],
    ],
    dtype=np.float64,
)
COMPANY_OF_SELF_EMPLOYED: Weights = np.array([0.0, 1.0, 0.0])
CARS_BY_REGION_EARNERS: Weights = np.array(
    [
        [[75, 25, 0], [20, 79, 1], [6, 87, 7], [2, 56, 42]],
        [[23, 76, 1], [2, 89, 9], [1, 20, 79], [0, 3, 97]],
    ],
    dtype=np.float64,
)

HOUSING_PAID_BY_TENURE: Weights = np.array([0.30, 1.0, 1.0])
"""Share that pays for housing: rent, or repairs of the own dwelling. 45 % of all pay nothing."""
EDUCATION_PAID = 0.85
"""Share of the households with children that pays for education. 76 % of all pay nothing."""

# Logarithm of the living standard that all amounts share, in addition to a random part.
STANDARD_BY_OCCUPATION: Weights = np.array([0.5, 0.2, -0.2, -0.1, -0.4])
STANDARD_BY_COMPANY: Weights = np.array([0.0, -0.1, 0.3])

HOUSING_BY_REGION_TENURE: Weights = np.array([[0.30, 1.35, 0.55], [0.24, 0.85, 0.40]])
TRANSPORT_BY_CARS: Weights = np.array([0.35, 1.0, 1.7])
HEALTH_BY_AGE: Weights = np.array([0.55, 0.75, 0.85, 1.0, 1.25, 1.5])
EDUCATION_BY_AGE: Weights = np.array([0.35, 0.5, 1.1, 1.8, 1.5, 1.0])
INCOME_BY_AGE: Weights = np.array([0.75, 0.95, 1.1, 1.2, 0.95, 0.8])
INCOME_BY_EARNERS: Weights = np.array([0.62, 1.0, 1.4, 1.75])


@dataclass(frozen=True, slots=True)
class Amount:
    """A log-normal amount: median in yen for one person, growth with the household's size as an
    exponent, weight of the living standard and of chance in the logarithm."""

    median: float
    by_size: float
    by_standard: float
    by_chance: float


AMOUNTS: dict[str, Amount] = {
    "food": Amount(430_000, 0.55, 0.20, 0.22),
    "housing": Amount(620_000, 0.10, 0.20, 0.40),
    "utilities": Amount(120_000, 0.45, 0.08, 0.25),
    "furniture": Amount(70_000, 0.25, 0.25, 0.60),
    "clothing": Amount(75_000, 0.45, 0.40, 0.45),
    "health": Amount(80_000, 0.30, 0.15, 0.60),
    "transport": Amount(240_000, 0.35, 0.25, 0.55),
    "education": Amount(230_000, 0.0, 0.35, 0.80),
    "recreation": Amount(190_000, 0.35, 0.40, 0.45),
    "other": Amount(380_000, 0.30, 0.45, 0.45),
    "income": Amount(3_400_000, 0.20, 0.35, 0.28),
}
