# SPDX-License-Identifier: Apache-2.0
"""The budget curve: the expected error of estimates at an ε, from formulas only."""

from __future__ import annotations

import math
from collections.abc import Sequence
from decimal import Decimal
from fractions import Fraction

from numpy.typing import ArrayLike

from scoring.privacy import sensitivity as sensitivities
from scoring.privacy.domains import checked_epsilon
from scoring.privacy.post_randomization import mean_squared_distance, rho_of
from scoring.privacy.sampling import discrete_laplace_variance


def asked_once(
    n_cells: int,
    epsilon: Decimal | float,
    sensitivity: int = sensitivities.histogram(),
    *,
    errors_epsilon: Decimal | None = None,
) -> float:
    """The root mean square of the L2 distance where all of ε is spent on one question for the table.

    Parameters
    ----------
    n_cells
        Of the answer.
    epsilon
        Above 0 and finite.
    sensitivity
        2 for a table of counts, 1 for a single count.
    errors_epsilon
        Of noise on the counts that it is compared with.

    Returns
    -------
    float
        In records: √(cells · variance of the noise), about √(2 · cells) · sensitivity / ε. Of the
        answer as it comes; an estimate without negative counts is nearer.

    Examples
    --------
    >>> round(asked_once(14, 1.0), 2), round(asked_once(14, 0.1), 1)
    (10.47, 105.8)
    """
    scales = [sensitivity / Fraction(checked_epsilon(float(epsilon)))]
    if errors_epsilon is not None:
        scales.append(sensitivities.histogram() / Fraction(errors_epsilon))
    return math.sqrt(n_cells * sum(map(discrete_laplace_variance, scales)))


def released(
    table: ArrayLike, sizes: Sequence[int], target: Sequence[int], epsilon: Decimal | float
) -> float:
    """The root mean square of the L2 distance where the table is counted from a release.

    Parameters
    ----------
    table
        The true counts over the target: a secret, and so is the result.
    sizes
        The number of values of every column of the release.
    target
        The positions of the table's attributes among them.
    epsilon
        That of the whole release, above 0 and finite.

    Returns
    -------
    float
        In records; reconstruction may be nearer.

    Examples
    --------
    The published experiment's table, by itself and as a part of a release of three columns:

    >>> persons = [[78, 298, 558, 338, 189, 146, 102], [144, 805, 1538, 855, 361, 350, 278]]
    >>> round(released(persons, (2, 7), (0, 1), 1), 2)
    1276.95
    >>> released(persons, (2, 5, 7), (0, 2), 1) > released(persons, (2, 7), (0, 1), 1)
    True
    """
    rho = rho_of(float(epsilon), sizes)
    return math.sqrt(mean_squared_distance(table, [sizes[w] for w in target], rho))
