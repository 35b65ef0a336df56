# SPDX-License-Identifier: Apache-2.0
"""Re-identification risk from class sizes: prosecutor, journalist and marketer, and who is unique.

The attacker knows the quasi-identifiers and nothing else, and picks at random among the records
that share them. f is the number of records of Y with the same quasi-identifiers, F the number of
records of X, the population, with them.

Source: El Emam, "Guide to the De-Identification of Personal Health Information", chapters on
measuring the probability of re-identification; Dankar & El Emam, "A Method for Evaluating Marketer
Re-identification Risk".
"""

from __future__ import annotations

import math

import numpy as np

from scoring.scores.comparison import Comparison, Options
from scoring.tables.equivalence import Classes, IntArray

DEFAULT = Options()
AT_RISK_BELOW = 5
"""A class is at risk where it has fewer records: a risk above 0.2, the usual threshold."""


def prosecutor_risk(comparison: Comparison, options: Options = DEFAULT) -> float:
    """Highest 1/f: how likely the attacker is right about the worst protected record.

    The prosecutor looks for a person who is known to be in Y.

    Parameters
    ----------
    comparison : Comparison
        Y with n_anonymized records; the original plays no part.

    Returns
    -------
    float
        1 / n_anonymized where all records share their quasi-identifiers, 1 if one is unique;
        lower is safer. Without quasi-identifiers all records are one class.

    Notes
    -----
    El Emam, "Guide to the De-Identification of Personal Health Information": maximum prosecutor
    risk, 1 / S1.

    Examples
    --------
    >>> from scoring.examples import comparison
    >>> prosecutor_risk(comparison("noise"))
    0.5
    """
    return 1 / int(comparison.class_sizes.min())


def prosecutor_mean(comparison: Comparison, options: Options = DEFAULT) -> float:
    """Mean over records of 1/f: the share of Y that the prosecutor finds.

    Parameters
    ----------
    comparison : Comparison
        Y with n_anonymized records; the original plays no part.

    Returns
    -------
    float
        1 / n_anonymized where all records share their quasi-identifiers, 1 where every record is
        unique; lower is safer. Without quasi-identifiers all records are one class.

    Notes
    -----
    El Emam, "Guide to the De-Identification of Personal Health Information": average prosecutor
    risk, the number of classes over the number of records, 1 / S2.

    Examples
    --------
    >>> from scoring.examples import comparison
    >>> prosecutor_mean(comparison("noise"))
    0.5
    """
    return len(comparison.class_sizes) / len(comparison.anonymized)


def records_at_risk(comparison: Comparison, options: Options = DEFAULT) -> float:
    """Share of the records of Y in classes of fewer than 5.

    Parameters
    ----------
    comparison : Comparison
        Y with n_anonymized records; the original plays no part.

    Returns
    -------
    float
        0 where every class has 5 records or more, 1 where none has; lower is safer.

    Notes
    -----
    El Emam, "Guide to the De-Identification of Personal Health Information": the share of records
    whose prosecutor risk exceeds a threshold, here 0.2, a cell size of five.

    Examples
    --------
    >>> from scoring.examples import comparison
    >>> records_at_risk(comparison("noise"))
    1.0
    """
    sizes = comparison.class_sizes
    return int(sizes[sizes < AT_RISK_BELOW].sum()) / len(comparison.anonymized)


def sample_uniques(comparison: Comparison, options: Options = DEFAULT) -> float:
    """Share of the records of Y that are unique on their quasi-identifiers.

    Parameters
    ----------
    comparison : Comparison
        Y with n_anonymized records; the original plays no part.

    Returns
    -------
    float
        0 if no record is unique, 1 if all are; lower is safer.

    Notes
    -----
    Hundepool et al., "Statistical Disclosure Control", chapter on microdata, section on disclosure
    risk: sample uniques, f = 1.

    Examples
    --------
    >>> from scoring.examples import comparison
    >>> sample_uniques(comparison("noise"))
    0.0
    """
    return int((comparison.class_sizes == 1).sum()) / len(comparison.anonymized)


def journalist_risk(comparison: Comparison, options: Options = DEFAULT) -> float:
    """Highest 1/F over the classes of Y: how likely the attacker is right about the worst record.

    The journalist searches for any person, in a register of the population, and does not know who
    is in Y.

    Parameters
    ----------
    comparison : Comparison
        Y, and X as the population. Quasi-identifiers that do not occur in X lead to nobody: the
        risk of their records is 0.

    Returns
    -------
    float
        0 where no record of Y has quasi-identifiers that occur in X, 1 where one leads to a single
        person; lower is safer.

    Notes
    -----
    El Emam, "Guide to the De-Identification of Personal Health Information": maximum journalist
    risk.

    Examples
    --------
    >>> from scoring.examples import comparison
    >>> journalist_risk(comparison("noise")), journalist_risk(comparison("unified"))
    (0.5, 0.5)
    """
    _, population = class_sizes(comparison)
    found = population[population > 0]
    return 1 / int(found.min()) if len(found) else 0.0


def journalist_mean(comparison: Comparison, options: Options = DEFAULT) -> float:
    """The larger of two means: classes of Y over their records in X, and the mean of 1/F.

    The journalist either picks a person of the register who could be in Y and looks for the record,
    or picks a record of Y and looks for the person.

    Parameters
    ----------
    comparison : Comparison
        Y, and X as the population. Quasi-identifiers that do not occur in X lead to nobody: the
        risk of their records is 0.

    Returns
    -------
    float
        0 where no record of Y has quasi-identifiers that occur in X, 1 where all lead to a single
        person each; lower is safer.

    Notes
    -----
    El Emam, "Guide to the De-Identification of Personal Health Information": average journalist
    risk, the maximum of the number of classes over the sum of F and of the marketer risk.

    Examples
    --------
    >>> from scoring.examples import comparison
    >>> journalist_mean(comparison("noise")), journalist_mean(comparison("unified"))
    (0.5, 0.5)
    """
    _, population = class_sizes(comparison)
    found = population[population > 0]
    of_persons = len(found) / int(found.sum()) if len(found) else 0.0
    return max(of_persons, marketer_risk(comparison, options))


def marketer_risk(comparison: Comparison, options: Options = DEFAULT) -> float:
    """Mean over the records of Y of 1/F: the share that is expected to be re-identified.

    The marketer links all records of Y with a register of the population, each with a random
    person of the same quasi-identifiers.

    Parameters
    ----------
    comparison : Comparison
        Y, and X as the population. Quasi-identifiers that do not occur in X lead to nobody: the
        risk of their records is 0.

    Returns
    -------
    float
        0 where no record of Y has quasi-identifiers that occur in X, 1 where all lead to a single
        person each; lower is safer.

    Notes
    -----
    Dankar & El Emam, "A Method for Evaluating Marketer Re-identification Risk", section on the
    case where the register is the population. Where the quasi-identifiers are unchanged it is E1.

    Examples
    --------
    >>> from scoring.examples import comparison
    >>> marketer_risk(comparison("noise")), marketer_risk(comparison("unified"))
    (0.5, 0.25)
    """
    sample, population = class_sizes(comparison)
    is_found = population > 0
    expected = math.fsum((sample[is_found] / population[is_found]).tolist())
    return min(1.0, expected / len(comparison.anonymized))


def class_sizes(comparison: Comparison) -> tuple[IntArray, IntArray]:
    """f and F of each equivalence class of Y; F is 0 where X has nobody with its values."""
    classes = Classes.of(comparison.anonymized, comparison.schema.quasi_identifiers)
    original = np.empty(classes.n_classes, dtype=np.int64)
    original[classes.of_row] = comparison.released.classes
    population = comparison.prepared.index.classes.sizes()[original]
    population[original < 0] = 0
    return classes.sizes(), population
