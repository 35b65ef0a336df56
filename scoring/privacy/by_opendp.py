# SPDX-License-Identifier: Apache-2.0
"""Mechanisms of OpenDP next to ours, for teams that know it and as an oracle: `pip install "pwscup[adapters]"`."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
from numpy.typing import ArrayLike

from scoring.extras import needed
from scoring.privacy.domains import Integers, checked_epsilon, checked_positive
from scoring.privacy.mechanisms import scale
from scoring.privacy.randomized_response import probabilities

SLACK = 1e-9
"""Of rounding: OpenDP rounds what a mechanism costs up."""


def noisy_counts(counts: ArrayLike, sensitivity: int, epsilon: float) -> Integers:
    """Counts with discrete Laplace noise of OpenDP: the same distribution as that of `sampling.discrete_laplace`.

    Parameters
    ----------
    counts : int array of any shape
    sensitivity : int
        By how much all of them together can change for neighbouring tables (L1).
    epsilon : float
        What the whole answer costs.

    Raises
    ------
    MissingPackageError
        OpenDP is not installed.
    ValueError
        An argument is not above 0 and finite.
    """
    given = np.asarray(counts)
    measurement = laplace_measurement(sensitivity, epsilon)
    drawn = measurement([int(one) for one in given.ravel()])
    return np.array(drawn, dtype=np.int64).reshape(given.shape)


def laplace_measurement(sensitivity: int, epsilon: float) -> Any:
    """The measurement of OpenDP behind `noisy_counts`; its `map` says what a distance costs."""
    dp = _opendp()
    space = dp.vector_domain(dp.atom_domain(T="i64")), dp.l1_distance(T="i64")
    measurement = dp.m.make_laplace(*space, scale=scale(sensitivity, epsilon))
    assert measurement.map(int(sensitivity)) <= epsilon * (1 + SLACK)
    return measurement


def gaussian_measurement(sigma: float) -> Any:
    """Discrete Gaussian noise of OpenDP on integers; its `map` gives ρ of zero-concentrated privacy."""
    dp = _opendp()
    space = dp.vector_domain(dp.atom_domain(T="i64")), dp.l2_distance(T="f64")
    return dp.m.make_gaussian(*space, scale=checked_positive("sigma", sigma))


def response_measurement(values: Sequence[str], epsilon: float) -> Any:
    """Randomized response of OpenDP over these values, at the probability of `randomized_response.probabilities`."""
    true = probabilities(len(values), checked_epsilon(epsilon)).true
    return _opendp().m.make_randomized_response(categories=list(values), prob=true)


def _opendp() -> Any:
    dp = needed("opendp.prelude", "opendp", "adapters")
    dp.enable_features("contrib")
    return dp
