# SPDX-License-Identifier: Apache-2.0
"""Estimators: simple methods from a release or an answer to an estimate."""

from __future__ import annotations

from collections.abc import Sequence
from decimal import Decimal

import numpy as np

from scoring.formats.disclosure.attributes import (
    MAX_CELLS,
    Attribute,
    Codes,
    check_cells,
    positions_of,
    sizes_of_attributes,
)
from scoring.formats.disclosure.releases import rho_at
from scoring.privacy.domains import Floats, Integers
from scoring.privacy.reconstruction import MAX_ITERATIONS, iterative_bayes
from scoring.privacy.tables import contingency

PRIOR = 1.0
"""Records added to each cell: for tables of 60 to 8,333 records the estimate is then about as good as the counts of
the release or better, at every ε."""


def counted(codes: Codes, attributes: Sequence[Attribute], target: Sequence[Attribute]) -> Integers:
    """The target's table counted from records: of a hidden table the truth, of a release an estimate.

    Parameters
    ----------
    codes, attributes
        The records and all their columns.
    target
        Some of the attributes, of at most `MAX_CELLS` cells together.

    Raises
    ------
    ProblemsFound
        The target has too many cells.

    Examples
    --------
    >>> attributes = (Attribute("sex", ("F", "M")), Attribute("age", ("18", "35", "65")))
    >>> codes = np.array([[0, 0], [0, 2], [1, 2]], dtype=np.uint8)
    >>> counted(codes, attributes, attributes[1:]).tolist()
    [1, 0, 2]
    """
    check_cells(target, MAX_CELLS)
    chosen = codes[:, list(positions_of(target, attributes))]
    return contingency(chosen, sizes_of_attributes(target))


def reconstructed(
    codes: Codes,
    attributes: Sequence[Attribute],
    target: Sequence[Attribute],
    epsilon: Decimal,
    *,
    prior: float = PRIOR,
    iterations: int = MAX_ITERATIONS,
) -> Integers:
    """The target's table that a release most probably came from, by iterative Bayes from equal counts.

    Parameters
    ----------
    codes, attributes
        The released records, one at least, and all columns of the release.
    target
        Some of the attributes, of at most `MAX_CELLS` cells together.
    epsilon
        That of the whole release; its ρ holds for each of its columns.
    prior
        Records that each iteration adds to every cell. With 0 it is the table of maximum likelihood, which follows the
        noise: of few records, or at a small ε, it is farther from the truth than the counts of the release.
    iterations
        Their maximum number; with a prior of 0 it determines the result at a small ε.

    Returns
    -------
    int64 array
        Rounded by largest remainders to the number of records.

    Examples
    --------
    >>> attributes = (Attribute("sex", ("F", "M")), Attribute("age", ("18", "35", "65")))
    >>> codes = np.array([[0, 0], [0, 2], [1, 2]], dtype=np.uint8)
    >>> codes = codes.repeat(100, axis=0)
    >>> reconstructed(codes, attributes, attributes[1:], Decimal(20)).tolist()
    [100, 1, 199]
    """
    observed = counted(codes, attributes, target)
    found = iterative_bayes(
        observed,
        sizes_of_attributes(target),
        rho_at(epsilon, attributes),
        prior=prior,
        max_iterations=iterations,
    )
    return _rounded(found.table, len(codes))


def _rounded(table: Floats, total: int) -> Integers:
    """Whole numbers of this total: rounded down, and up where the remainders are largest."""
    whole = np.floor(table).astype(np.int64)
    missing = total - int(whole.sum())
    largest = np.argsort((whole - table).ravel(), kind="stable")[:missing]
    whole.reshape(-1)[largest] += 1
    return whole


def from_answer(counts: Integers) -> Integers:
    """An answer as an estimate: counts below 0 are 0, which is never farther from the truth.

    Examples
    --------
    >>> from_answer(np.array([3, -1])).tolist()
    [3, 0]
    """
    return np.maximum(counts, 0)
