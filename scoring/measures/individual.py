# SPDX-License-Identifier: Apache-2.0
"""Individual risk: how likely a record is linked to its person, where Y is a sample with weights.

f records of the sample share a key; the population has F persons with it, of whom only the sum of the
sampling weights is known. Given f, F is taken for negative binomial, and the risk of a record is the
expected 1/F.
"""

from __future__ import annotations

import math

import numpy as np

from scoring.measures.population import sampling_fraction
from scoring.scores.comparison import Comparison, Options
from scoring.tables.equivalence import Classes, FloatArray

DEFAULT = Options()
SMALL = 1e-3
"""Below this odds of being left out of the sample, a series replaces a difference of nearly equal numbers."""


def individual_max(comparison: Comparison, options: Options = DEFAULT) -> float:
    """Highest individual risk of a record of Y: the expected 1/F given f and the sampling weights.

    Parameters
    ----------
    comparison : Comparison
        Y, taken for a sample. With `weight_column` the declared rows say which record's weight in X
        counts.
    options : Options
        `weight_column`: the weights; `population_fraction`: where there are none, every weight is
        1 / fraction.

    Returns
    -------
    float
        Near 0 if each record represents many persons, 1 where a record represents one person only;
        lower is safer. Without weights and fraction it is that of n_anonymized out of n_original.

    Notes
    -----
    Benedetti & Franconi, "Statistical and Technological Solutions for Controlled Data Dissemination";
    Franconi & Polettini, "Individual Risk Estimation in μ-Argus: A Review", whose approximation for
    f > 2 is used, as by sdcMicro: see `individual_risk`.

    Examples
    --------
    >>> from scoring.examples import comparison
    >>> individual_max(comparison("noise"))
    0.5
    """
    return float(_risks(comparison, options).max())


def individual_mean(comparison: Comparison, options: Options = DEFAULT) -> float:
    """Mean individual risk of the records of Y: the share that is expected to be re-identified.

    Parameters
    ----------
    comparison : Comparison
        Y, taken for a sample. With `weight_column` the declared rows say which record's weight in X
        counts.
    options : Options
        `weight_column`: the weights; `population_fraction`: where there are none, every weight is
        1 / fraction.

    Returns
    -------
    float
        Near 0 if each record represents many persons, 1 where each represents one person only;
        lower is safer. Without weights and fraction it is that of n_anonymized out of n_original.

    Notes
    -----
    Templ, Kowarik & Meindl, "Statistical Disclosure Control for Micro-Data Using the R Package
    sdcMicro", section on individual and global risk: the global risk, the individual risks of
    `individual-max` summed over the records and divided by their number.

    Examples
    --------
    >>> from scoring.examples import comparison
    >>> from scoring.scores.options import Options
    >>> individual_mean(comparison("noise"))
    0.5
    >>> round(individual_mean(comparison("noise"), Options(population_fraction=0.1)), 6)
    0.082684
    """
    risks = _risks(comparison, options)
    return math.fsum(risks.tolist()) / len(risks)


def individual_risk(frequencies: FloatArray, estimated: FloatArray) -> FloatArray:
    """The risk of a record whose class has f records in the sample, for an estimated F.

    With p = f / F: p / (1 - p) · ln(1/p) for f = 1, p / (1 - p) - (p / (1 - p))² ln(1/p) for f = 2, and
    p / (f - 1 + p) for larger classes.

    Parameters
    ----------
    frequencies : array, shape (n,)
        Records in the sample, 1 or more.
    estimated : array, shape (n,)
        Sums of their weights. Where the sum is f or less the class is complete: the risk is 1/f.

    Returns
    -------
    float array, shape (n,)
        Above 0, at most 1/f.

    Examples
    --------
    >>> individual_risk(np.array([1.0, 2, 3]), np.array([17.0, 110, 300])).round(6).tolist()
    [0.177076, 0.017144, 0.004975]
    """
    f = np.asarray(frequencies, dtype=np.float64)
    p = f / np.maximum(f, estimated)
    odds = (1 - p) / p
    left_out = np.maximum(odds, SMALL)
    logs = np.log1p(left_out)
    one = np.where(odds < SMALL, 1 - odds / 2 + odds**2 / 3, logs / left_out)
    two = np.where(odds < SMALL, 1 / 2 - odds / 3 + odds**2 / 4, (left_out - logs) / left_out**2)
    risks: FloatArray = np.select([f == 1, f == 2], [one, two], p / (f - 1 + p))
    return risks


def _risks(comparison: Comparison, options: Options) -> FloatArray:
    """The risk of each record."""
    classes = Classes.of(comparison.anonymized, comparison.schema.quasi_identifiers)
    sizes = classes.sizes().astype(np.float64)
    if options.weight_column:
        column = comparison.prepared.table[options.weight_column].to_numpy(dtype=np.float64)
        weights = column[comparison.source]
        estimated = np.zeros(len(sizes))
        np.add.at(estimated, classes.of_row, weights)
    else:
        estimated = sizes / sampling_fraction(comparison, options)
    of_class = individual_risk(sizes, estimated)
    found: FloatArray = of_class[classes.of_row]
    return found
