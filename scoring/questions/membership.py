# SPDX-License-Identifier: Apache-2.0
"""Results of membership inference: which of the records that are asked were in the table."""

from __future__ import annotations

from math import sqrt

import numpy as np

from scoring.kernels.confidences import twice_above
from scoring.questions.asked import WEIGHTED, QuestionSpec
from scoring.questions.bitmaps import BoolArray
from scoring.questions.chance import NONE, Chance, of_groups, of_share
from scoring.questions.sheets import Key
from scoring.tables.equivalence import FloatArray


def true_positive_rate(
    inside: BoolArray, confidences: FloatArray, fpr: float
) -> tuple[float, BoolArray]:
    """The true positive rate at a fixed false positive rate, and the records that are claimed at it.

    Parameters
    ----------
    inside : bool array, shape (n_questions,)
        The record was in the table.
    confidences : float64 array, shape (n_questions,)
        From 0 to 1; higher is likelier a member.
    fpr : float
        From 0 to 1.

    Returns
    -------
    float
        From 0, no member is found, to 1, all are; `fpr` itself where all confidences are equal. 0 without a member or
        without another record.
    bool array
        The records above the last threshold with at most so many false positives.

    Notes
    -----
    The curve has a point for each distinct confidence: records of equal confidence are claimed together, so the order
    of the lines changes nothing. Between two points it is a straight line, which is what an attacker reaches on
    average who decides between equal ones at random; where it rises vertically the upper end holds. This is the
    definition of PWSCup 2026's scorer. Carlini et al., “Membership inference attacks from first principles”, section
    on metrics, and `scoring.attacks.membership.true_positives` take the last point instead, where records that tie at
    the threshold earn nothing.

    Examples
    --------
    Of two members and two others, one of each has 0.5. At a false positive rate of 0.25 half of the way is gone from
    (0, 0.5) to (0.5, 1).

    >>> inside = np.array([True, True, False, False])
    >>> true_positive_rate(inside, np.array([0.9, 0.5, 0.5, 0.1]), 0.25)[0]
    0.75
    >>> true_positive_rate(inside, np.ones(4), 0.25)[0]
    0.25
    """
    members, others = confidences[inside], confidences[~inside]
    if not len(members) or not len(others):
        return 0.0, np.zeros(len(inside), dtype=bool)
    n = allowed(fpr, len(others))
    if n >= len(others):
        return 1.0, np.ones(len(inside), dtype=bool)
    threshold = np.partition(others, len(others) - 1 - n)[len(others) - 1 - n]
    claimed = confidences > threshold
    n_false, n_true = int((others > threshold).sum()), int((members > threshold).sum())
    n_tied = int((others == threshold).sum())
    share = (fpr * len(others) - n_false) / n_tied
    found = n_true + share * int((members == threshold).sum())
    return found / len(members), claimed


def area(inside: BoolArray, confidences: FloatArray) -> float:
    """The area under the same curve: the probability that a member has a higher confidence than another record, ties
    counting half; 0.5 where one of the two groups is empty.

    Examples
    --------
    >>> area(np.array([True, True, False]), np.array([0.9, 0.1, 0.1]))
    0.75
    """
    if inside.all() or not inside.any():
        return 0.5
    ordered = np.sort(confidences[inside])
    n_pairs = len(ordered) * (len(inside) - len(ordered))
    return int(twice_above(ordered, confidences, inside)) / (2 * n_pairs)


def advantage(inside: BoolArray, confidences: FloatArray) -> float:
    """The mean confidence of members less that of the others, from -1 to 1; 0 is random guessing, and of one group.

    Of bits it is the true positive rate less the false positive rate. An answer is a stake of twice its distance from
    0.5, won where it is right and lost where it is wrong, in equal parts of the number of members, or of others: an
    answer of 0.5 stakes nothing and earns nothing.

    Notes
    -----
    Yeom et al., “Privacy risk in machine learning: analyzing the connection to overfitting”, section on membership
    advantage.

    Examples
    --------
    >>> advantage(np.array([True, True, False, False]), np.array([1.0, 0.0, 1.0, 0.0]))
    0.0
    >>> advantage(np.array([True, True, False, False]), np.array([1.0, 0.5, 0.5, 0.5]))
    0.25
    """
    if inside.all() or not inside.any():
        return 0.0
    return float(confidences[inside].mean() - confidences[~inside].mean())


def weighted_advantage(inside: BoolArray, confidences: FloatArray) -> float:
    """The weight of claims among that of members, less the same of the others, from -1 to 1.

    A record is claimed if its confidence is above 0.5, and weighs twice the distance of its confidence from 0.5, so
    bits weigh 1. The answers decide what the result is a share of: a single one other than 0.5 is -1, 0 or 1.

    Notes
    -----
    SNAKE (CIKM 2023), which shows (advantage + 1) / 2.

    Examples
    --------
    >>> weighted_advantage(np.array([True, True, False, False]), np.array([1.0, 0.5, 0.5, 0.5]))
    1.0
    """
    weights, claimed = 2 * np.abs(confidences - 0.5), confidences > 0.5
    return _share(weights, claimed, inside) - _share(weights, claimed, ~inside)


def _share(weights: FloatArray, claimed: BoolArray, among: BoolArray) -> float:
    total = float(weights[among].sum())
    return float(weights[among & claimed].sum()) / total if total else 0.0


def over_half(inside: BoolArray, claimed: BoolArray) -> float:
    """The right answers beyond half of the questions, as a share of that half; from 0 to 1.

    Notes
    -----
    PWSCup 2022: 2X records are asked, Z answers are right, and the safety is min((2X - Z) / X, 1), so this is 1 less
    the safety.

    Examples
    --------
    Of four questions three are right: Z = 3, X = 2, safety 0.5.

    >>> over_half(np.array([True, True, False, False]), np.array([True, True, True, False]))
    0.5
    """
    half = len(inside) / 2
    return max(0.0, (int((inside == claimed).sum()) - half) / half) if half else 0.0


def by_chance(
    question: QuestionSpec, key: Key, said: FloatArray, claimed: BoolArray, value: float
) -> Chance:
    """A plain result `value` next to that of answers which are independent of membership.

    Notes
    -----
    Claims are dealt to members and others: of `hits` and `precision` the chance is the share of all records that are
    claimed, and the reach is that of claims about exactly the members, so what is above chance is the true positive
    rate less the false positive rate, however many are claimed. Claims that `precision` lacks to the number of the
    rules, or of the members, count as wrong. Of N others n = ⌊fpr · N⌋ may be above the threshold, so a random
    member is above the next one with the probability (n + 1) / (N + 1); the rate has the variance of a beta-binomial
    distribution. The error of an area is that of Mann and Whitney's test without ties.
    """
    inside, name, n = key.inside, question.result, len(key.inside)
    n_members = int(inside.sum())
    n_others = n - n_members
    if not n_members or not n_others:
        return NONE
    if name in ("accuracy", "over_half"):
        return of_share(float((inside == claimed).mean()), max(n_members, n_others) / n, n)
    if name == "auc":
        return Chance(value, 0.5, sqrt((n + 1) / (12 * n_members * n_others)), 0.5)
    if name == "tpr_at_fpr":
        share = (allowed(question.fpr or 0.0, n_others) + 1) / (n_others + 1)
        return of_share(value, share, n_members, spread=(n + 1) / (n_others + 2))
    if name == WEIGHTED:
        raise ValueError(f"{name} has no chance to be compared with")
    groups = of_groups(said if name == "advantage" else claimed, inside, key.strata)
    difference = groups.rate - groups.chance
    if name == "advantage":
        return Chance(max(0.0, difference), 0.0, groups.error, 1.0)
    reach, times = n_others / n, 1.0
    if name == "precision":
        times = n_members / max(int(np.count_nonzero(claimed)), question.ones or n_members)
    chance = groups.rate - difference * reach
    return Chance(groups.rate * times, chance * times, groups.error * reach * times, reach)


def allowed(fpr: float, n_others: int) -> int:
    """The largest number of others whose share is at most `fpr`.

    Examples
    --------
    >>> allowed(0.29, 100)
    29
    """
    n = int(fpr * n_others)
    while n < n_others and (n + 1) / n_others <= fpr:
        n += 1  # the product is rounded
    return n
