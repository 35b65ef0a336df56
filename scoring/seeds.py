# SPDX-License-Identifier: Apache-2.0
"""Seeds of what is drawn: one that is given, or one of the operating system that is reported."""

from __future__ import annotations

import secrets
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    import numpy as np

BITS = 128


def drawn_seed() -> int:
    """A seed of 128 bits that nobody can guess, of the operating system.

    Examples
    --------
    >>> drawn_seed() < 2**BITS
    True
    """
    return secrets.randbits(BITS)


def generator(
    seed: int | None, rng: np.random.Generator | None, default: int | None = None
) -> tuple[np.random.Generator, int | None]:
    """The randomness of a function that takes a seed, a generator or neither.

    Parameters
    ----------
    seed : int, optional
    rng : numpy.random.Generator, optional
        Instead of a seed.
    default : int, optional
        The seed where neither is given; without it one of the operating system.

    Returns
    -------
    generator, seed
        The seed to report; None where a generator was given.

    Raises
    ------
    ValueError
        Where both are given, or the seed is below 0.

    Examples
    --------
    >>> rng, seed = generator(None, None, default=1)
    >>> seed, int(rng.integers(100))
    (1, 47)
    """
    if rng is not None:
        if seed is not None:
            raise ValueError("seed: expected a seed or rng, got both")
        return rng, None
    import numpy as np

    used = (drawn_seed() if default is None else default) if seed is None else seed
    if used < 0:
        raise ValueError(f"seed: expected an integer of 0 or more, got {used}")
    return np.random.default_rng(used), used
