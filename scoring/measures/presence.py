# SPDX-License-Identifier: Apache-2.0
"""Membership by class sizes: how many persons of X a record of Y may be, and how surely a person is in Y.

f is the number of records of Y with the same quasi-identifiers, F the number of records of X, the
population, with them.
"""

from __future__ import annotations

import numpy as np

from scoring.measures.risk import class_sizes
from scoring.scores.comparison import Comparison, Options

DEFAULT = Options()


def smallest_map(comparison: Comparison, options: Options = DEFAULT) -> int:
    """Smallest F over the records of Y: to how many persons of X a record leads, k of k-map.

    Parameters
    ----------
    comparison : Comparison
        Y, and X as the population. Records whose quasi-identifiers do not occur in X lead to nobody and
        do not count.

    Returns
    -------
    int
        1 where a record leads to a single person, n_original if every record may be anyone, or no record leads to a
        person; higher is safer.

    Notes
    -----
    Sweeney, "Computational Disclosure Control: A Primer on Data Privacy Protection", k-map; El Emam &
    Dankar, "Protecting Privacy Using k-Anonymity". The journalist's highest risk is 1/k.

    Examples
    --------
    >>> from scoring.examples import comparison
    >>> smallest_map(comparison("noise"))
    2
    """
    _, population = class_sizes(comparison)
    found = population[population > 0]
    return int(found.min()) if len(found) else comparison.prepared.n_records


def presence(comparison: Comparison, options: Options = DEFAULT) -> float:
    """Highest f/F: how surely a person of X is in Y, the upper bound of δ-presence.

    Parameters
    ----------
    comparison : Comparison
        Y, and X as the population. Quasi-identifiers that do not occur in X disclose nothing about anyone.

    Returns
    -------
    float
        0 where no record of Y has quasi-identifiers that occur in X, 1 where all persons of some class
        are in Y, as where nothing was deleted or changed; lower is safer.

    Notes
    -----
    Nergiz, Atzori & Clifton, "Hiding the Presence of Individuals from Shared Databases", definition of
    δ-presence: Y has it where every f/F lies from δ_min to δ_max.

    Examples
    --------
    >>> from scoring.examples import comparison
    >>> presence(comparison("noise"))
    1.0
    """
    shares = _shares(comparison)
    return float(shares.max(initial=0.0))


def absence(comparison: Comparison, options: Options = DEFAULT) -> float:
    """Highest 1 - f/F over the classes of X: how surely a person of X is not in Y, 1 - δ_min of δ-presence.

    Parameters
    ----------
    comparison : Comparison
        Y, and X as the population.

    Returns
    -------
    float
        0 where every class of X has as many records in Y, 1 where some class of X has none: its persons
        are known to be left out; lower is safer.

    Notes
    -----
    Nergiz, Atzori & Clifton, "Hiding the Presence of Individuals from Shared Databases", definition of
    δ-presence: Y has it where every f/F lies from δ_min to δ_max.

    Examples
    --------
    >>> from scoring.examples import comparison
    >>> absence(comparison("noise")), absence(comparison("unified"))
    (0.0, 1.0)
    """
    shares = _shares(comparison)
    n_classes = len(comparison.prepared.index.sizes)
    return 1.0 if len(shares) < n_classes else float(1 - shares.min())


def _shares(comparison: Comparison) -> np.ndarray:
    """f/F of each class that is in X and in Y, at most 1."""
    sample, population = class_sizes(comparison)
    known = population > 0
    return np.minimum(1.0, sample[known] / population[known])
