# SPDX-License-Identifier: Apache-2.0
"""Checks of all parts of the package: ε, domains, and one ρ or several."""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import TYPE_CHECKING, TypeAlias

if TYPE_CHECKING:  # budgets are kept where no numbers are crunched
    import numpy as np
    from numpy.typing import NDArray

Floats: TypeAlias = "NDArray[np.float64]"
Integers: TypeAlias = "NDArray[np.int64]"
Rho = float | Sequence[float]
"""One retention parameter for all attributes, or one for each."""

MAX_CELLS = 2**24
"""Cells of the largest table that is built: 128 MB as numbers, of which a reconstruction holds five."""


def checked_epsilon(epsilon: float) -> float:
    """The number itself, if it is a privacy parameter: above 0 and finite.

    Examples
    --------
    >>> checked_epsilon(0)
    Traceback (most recent call last):
    ...
    ValueError: epsilon: expected a finite number above 0, got 0
    """
    if not (epsilon > 0 and math.isfinite(epsilon)):
        raise ValueError(f"epsilon: expected a finite number above 0, got {epsilon}")
    return epsilon


def checked_epsilon_or_0(epsilon: float) -> float:
    """The number itself, if it is a privacy parameter or 0, at which nothing is disclosed.

    Examples
    --------
    >>> checked_epsilon_or_0(0)
    0
    """
    if not (epsilon >= 0 and math.isfinite(epsilon)):
        raise ValueError(f"epsilon: expected a finite number of at least 0, got {epsilon}")
    return epsilon


def checked_positive(name: str, value: float) -> float:
    """The number itself, if it is above 0 and finite; ValueError with the name where it is not."""
    if not (value > 0 and math.isfinite(value)):
        raise ValueError(f"{name}: expected a finite number above 0, got {value}")
    return value


def checked_probability(name: str, value: float) -> float:
    """The number itself, if it is above 0 and below 1; ValueError with the name where it is not."""
    if not 0 < value < 1:
        raise ValueError(f"{name}: expected a number above 0 and below 1, got {value}")
    return value


def checked_sizes(sizes: Sequence[int], *, table: bool = True) -> tuple[int, ...]:
    """The domain as a tuple, if every attribute has two values or more and a table of it fits.

    Parameters
    ----------
    sizes
        The number of values of each attribute.
    table
        Whether a table over the domain will be built: then it has at most `MAX_CELLS` cells.

    Raises
    ------
    ValueError
        Naming every attribute that is wrong, and a domain that is too large.

    Examples
    --------
    >>> checked_sizes([2, 7])
    (2, 7)
    >>> checked_sizes([2, 1])
    Traceback (most recent call last):
    ...
    ValueError: sizes: expected at least 2 values of each attribute, got 1 of attribute 2
    """
    checked = tuple(int(size) for size in sizes)
    wrong = [f"{size} of attribute {w}" for w, size in enumerate(checked, start=1) if size < 2]
    if not checked:
        raise ValueError("sizes: expected at least one attribute, got none")
    if wrong:
        expected = "expected at least 2 values of each attribute"
        raise ValueError(f"sizes: {expected}, got {', '.join(wrong)}")
    if table and (cells := math.prod(checked)) > MAX_CELLS:
        raise ValueError(f"sizes: expected at most {MAX_CELLS} cells, got {cells}")
    return checked


def checked_rhos(rho: Rho, sizes: Sequence[int]) -> tuple[float, ...]:
    """The retention parameter of each attribute, 0 to 1.

    Examples
    --------
    >>> checked_rhos(0.5, (2, 7)), checked_rhos([0.5, 1], (2, 7))
    ((0.5, 0.5), (0.5, 1.0))
    """
    rhos = (float(rho),) * len(sizes) if isinstance(rho, int | float) else tuple(map(float, rho))
    if len(rhos) != len(sizes):
        raise ValueError(f"rho: expected one, or {len(sizes)} of them, got {len(rhos)}")
    if wrong := [value for value in rhos if not 0 <= value <= 1]:
        raise ValueError(f"rho: expected 0 to 1, got {', '.join(map(str, wrong))}")
    return rhos
