# SPDX-License-Identifier: Apache-2.0
"""Membership inference by distances, compared with a control set."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import numpy as np
import pandas as pd

from scoring.attacks.metrics import Metric, Points
from scoring.attacks.pairs import Groups, Known, Pairs, check_columns
from scoring.options import refuse
from scoring.reporting.intervals import Interval, Rate, area_interval, difference
from scoring.scores.comparison import Prepared
from scoring.scores.controls import check_control
from scoring.tables.equivalence import FloatArray, IntArray
from scoring.tables.schema import Schema

FALSE_POSITIVES = (0.01, 0.001)
"""The false positive rates at which the true positive rate is reported."""


@dataclass(frozen=True, slots=True)
class Membership:
    """Membership: the success of an attacker who distinguishes members of a table from others.

    Attributes
    ----------
    scores : float64 array, shape (n_original + n_control,)
        From 0 to 1 for each person, those of the original first; higher is likelier a member.
    auc : float
        The probability that a member scores higher than a person of the control, ties counting half: 0.5 is random
        guessing, 1 certainty.
    area : Interval
        The same with its interval.
    at_false_positives : mapping of float to Rate
        The share of the original that scores higher than all but a share of 1 % and of 0.1 % of the
        control, rounded down to whole persons: of fewer than 1,000 persons none for 0.1 %.
    members, others : Rate
        The share of the original, and of the control, that is taken for members.
    advantage : Interval
        The difference of the two shares: 0 is random guessing, 1 certainty.
    """

    scores: FloatArray
    auc: float
    area: Interval
    at_false_positives: Mapping[float, Rate]
    members: Rate
    others: Rate
    advantage: Interval


def membership_scores(
    original: pd.DataFrame | Prepared,
    control: pd.DataFrame,
    anonymized: pd.DataFrame,
    schema: Schema,
    *,
    quasi_identifiers: Sequence[str] | None = None,
    sensitive: Sequence[str] | None = None,
    distance: str = "gower",
) -> Membership:
    """Infer who is in a table from the nearest record, relative to the nearest other person.

    Parameters
    ----------
    original, control, anonymized : DataFrame
        The attacker has the records of n_original + n_control persons and the anonymized table, and knows how many of
        the persons are in it, but not which. The control is drawn from the same population as the original, and the
        table was made without it.
    quasi_identifiers : sequence of str, optional
        The quasi-identifiers looked at; all by default.
    sensitive : sequence of str, optional
        The sensitive columns looked at; all by default.
    distance : {"gower", "euclidean", "z", "log", "range", "rank"}
        Gower's over all columns, or Euclidean over the numeric ones, as they are or
        scaled.

    Returns
    -------
    Membership
        Scores, AUC, true positive rates at low false positive rates, and the advantage; with 95 %
        intervals.

    Raises
    ------
    ProblemsFound
        Where the distance looks at none of the columns.
    ControlError
        If the control contains persons of the original.
    ValueError
        Where a table, a column or another option does not fit.

    Notes
    -----
    With a the distance from a person to the nearest record of the anonymized table, and b that to the nearest other
    person of original and control together, the score is b / (a + b), and 1/2 where both are 0: above 1/2 the table
    comes nearer than any other person does. All other persons replace the population by which a likelihood ratio is
    calibrated (Carlini et al., “Membership inference attacks from first principles”, section on calibration by
    difficulty). Scales come from all persons together. Taken for members are those who score higher than the
    (n_original + 1)-th highest score. The advantage is that of Yeom et al., “Privacy risk in machine learning:
    analyzing the connection to overfitting”, section 2, its interval Newcombe's from two Wilson intervals, as if
    persons were independent.

    Examples
    --------
    >>> from scoring.examples import SCHEMA, table
    >>> x = table("original")
    >>> found = membership_scores(x.iloc[:2], x.iloc[2:], x.iloc[:2], SCHEMA)
    >>> found.scores.round(2).tolist(), found.auc, found.advantage.value
    ([1.0, 1.0, 0.28, 0.27], 1.0, 1.0)
    """
    known = Known.of(original, anonymized, schema, quasi_identifiers, sensitive)
    check_columns(control, schema, "control")
    columns = list(known.quasi_identifiers + known.sensitive)
    persons = pd.concat([known.original[columns], control[columns]], ignore_index=True)
    metric = Metric.fit(persons, schema, columns, distance)
    if not metric.has_columns:
        expected = f"a distance that looks at one of {', '.join(columns) or 'no columns'}"
        raise refuse("membership", "distance", expected, distance)
    check_control(known.original, anonymized, control, schema)
    people = metric.points(persons)
    to_table = _nearest(metric, metric.points(anonymized), people, 1)
    # The nearest of all is the person itself, or a twin at the same distance: none.
    to_others = _nearest(metric, people, people, 2)
    return _judged(_scores(to_table, to_others), len(known.original))


def _nearest(metric: Metric, among: Points, queries: Points, n: int) -> FloatArray:
    """The n-th smallest distance from each query."""
    everybody = np.zeros(len(among), dtype=np.int64)
    nobody = np.full(len(queries), -1, dtype=np.int64)
    pairs = Pairs(metric, among, queries, nobody, Groups.of(everybody, 1))
    distances = pairs.nearest(np.arange(len(queries)), n)[1][:, n - 1]
    return metric.lengths(distances)


def _scores(to_table: FloatArray, to_others: FloatArray) -> FloatArray:
    total = to_table + to_others
    scores = np.full(len(total), 0.5)
    np.divide(to_others, total, out=scores, where=total > 0)
    return scores


def _judged(scores: FloatArray, n_members: int) -> Membership:
    n_others = len(scores) - n_members
    limit = np.sort(scores)[::-1][n_members]
    is_taken = scores > limit
    hits, alarms = int(is_taken[:n_members].sum()), int(is_taken[n_members:].sum())
    area = area_under_curve(scores[:n_members], scores[n_members:])
    return Membership(
        scores,
        area,
        area_interval(area, n_members, n_others),
        {rate: true_positives(scores, n_members, rate) for rate in FALSE_POSITIVES},
        Rate.of(hits, n_members),
        Rate.of(alarms, n_others),
        difference(hits, n_members, alarms, n_others),
    )


def true_positives(scores: FloatArray, n_members: int, false_positives: float) -> Rate:
    """The members that score higher than all but so many of the others, out of all members.

    Parameters
    ----------
    scores : array
        Those of the members first.
    false_positives : float
        The share of the others, at least 0 and below 1, that may score as high; rounded down to whole
        persons.

    Notes
    -----
    Carlini et al., “Membership inference attacks from first principles”, section on metrics: the true
    positive rate at a low false positive rate.

    Examples
    --------
    >>> scores = np.array([0.9, 0.5, 0.4, 0.8, 0.3, 0.2])
    >>> [true_positives(scores, 3, share).value for share in (0, 0.4)]
    [0.3333333333333333, 1.0]
    """
    members, others = scores[:n_members], np.sort(scores[n_members:])[::-1]
    limit = others[int(false_positives * len(others) + 1e-9)]
    return Rate.of(int((members > limit).sum()), n_members)


def area_under_curve(members: FloatArray, others: FloatArray) -> float:
    """The probability that a member scores higher than another person, ties counting half.

    Examples
    --------
    >>> area_under_curve(np.array([0.9, 0.5]), np.array([0.5, 0.1]))
    0.875
    """
    ordered = np.sort(others)
    below: IntArray = np.searchsorted(ordered, members, "left")
    up_to: IntArray = np.searchsorted(ordered, members, "right")
    return float((below + up_to).sum() / (2 * len(members) * len(others)))
