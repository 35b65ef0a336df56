# SPDX-License-Identifier: Apache-2.0
"""Slow obvious counterparts of `scoring.privacy`, and the published experiment's table."""

from __future__ import annotations

import math
from functools import reduce

import numpy as np

PERSONS = np.array([[78, 298, 558, 338, 189, 146, 102], [144, 805, 1538, 855, 361, 350, 278]])
"""Users of MovieLens 1M by gender and age: public counts."""
SIZES = (2, 7)


def full_matrix(sizes, rhos):
    """The V × V matrix that the library never builds: the Kronecker product of all attributes'."""
    own = [rho * np.eye(v) + (1 - rho) / v for v, rho in zip(sizes, rhos, strict=True)]
    return reduce(np.kron, own)


def slow_bayes(observed, sizes, rhos, iterations, prior=0):
    matrix = full_matrix(sizes, rhos)
    y = np.asarray(observed, dtype=float).ravel()
    z = np.full(y.size, y.sum() / y.size)
    for _ in range(iterations):
        z = z * (matrix @ (y / (z @ matrix))) + prior
        z = z / z.sum() * y.sum()
    return z.reshape(sizes)


def largest_log_ratio(one, other, n_bins=60, at_least=200):
    """The empirical ε of two samples: the largest log-ratio of the frequencies of common bins.

    Only bins that both samples hit often are compared; with it, its standard error.
    """
    edges = np.unique(np.quantile(np.concatenate([one, other]), np.linspace(0, 1, n_bins + 1)))
    edges[-1] += 1
    first, second = (np.histogram(sample, edges)[0] for sample in (one, other))
    often = (first >= at_least) & (second >= at_least)
    ratios = np.abs(np.log(first[often] / len(one)) - np.log(second[often] / len(other)))
    worst = int(ratios.argmax())
    error = math.sqrt(1 / first[often][worst] + 1 / second[often][worst])
    return float(ratios[worst]), error
