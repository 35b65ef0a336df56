# SPDX-License-Identifier: Apache-2.0
"""An attack on feedback: the majority of random answers, weighted by what was shown about each.

Blum & Hardt, "The Ladder: A Reliable Leaderboard for Machine Learning Competitions", §1.1.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

Bits = NDArray[np.bool_]


def random_bits(n: int, n_attempts: int, seed: int) -> tuple[Bits, Bits]:
    """True answers, and attempts that know nothing of them."""
    rng = np.random.default_rng(seed)
    return rng.random(n) < 0.5, rng.random((n_attempts, n)) < 0.5


def rates_of(truth: Bits, answers: Bits) -> NDArray[np.float64]:
    return (answers == truth).mean(axis=1)


def boosted(answers: Bits, shown: NDArray[np.float64]) -> Bits:
    """The majority; each attempt counts by how much more than the average was shown about it."""
    weights = shown - shown.mean()
    if not weights.any():
        weights = np.ones_like(shown)
    signs = np.where(answers, 1, -1)
    return weights @ signs > 0
